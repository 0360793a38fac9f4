// Where somebody is signed in, as rows of a list.
import type { ComponentChildren } from 'preact'
import { texts } from '../texts/language.ts'
import { Time } from '../texts/time.tsx'
import type { UserSession } from '../state/types.ts'
import { Badge } from './basic.tsx'

type SessionLine = Pick<UserSession, 'device' | 'createdAt' | 'lastUsedAt'>

export const deviceOf = ({ device }: Pick<SessionLine, 'device'>): string =>
  device ?? texts().device.unknown

type Props = { of: SessionLine; isCurrent?: boolean; children: ComponentChildren }

/** `children` are what can be done with the session. */
export function SessionRow({ of: session, isCurrent = false, children }: Props) {
  const t = texts().device
  return (
    <>
      <div>
        <strong>{deviceOf(session)}</strong> {isCurrent && <Badge kind="good">{t.current}</Badge>}
        <p class="quiet">
          {t.started} <Time at={session.createdAt} /> · {t.lastUsed}{' '}
          <Time at={session.lastUsedAt} />
        </p>
      </div>
      {children}
    </>
  )
}
