// A second factor by its name and kind, and when it was used last.
import type { Factor } from '../state/types.ts'
import { texts } from '../texts/language.ts'
import { Time } from '../texts/time.tsx'
import { Badge } from './basic.tsx'

export function FactorText({ of: { name, kind, createdAt, lastUsedAt } }: { of: Factor }) {
  const t = texts().factors
  return (
    <div>
      <strong dir="auto">{name}</strong> <Badge>{t[kind]}</Badge>
      <p class="quiet">
        {t.since} <Time at={createdAt} /> ·{' '}
        {lastUsedAt ? (
          <>
            {texts().device.lastUsed} <Time at={lastUsedAt} />
          </>
        ) : (
          t.neverUsed
        )}
      </p>
    </div>
  )
}
