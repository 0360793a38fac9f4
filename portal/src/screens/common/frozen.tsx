// Tells of a frozen account since when it is; staff are told by whom and why as well.
import { UserText } from '../../parts/accounts.tsx'
import { useRead } from '../../calls/call.ts'
import { texts } from '../../texts/language.ts'
import { formatTime } from '../../texts/time.tsx'
import type { AccountFreeze } from '../../state/types.ts'

/** Nothing until it is read: the state itself is told beside it. */
export function FrozenSince({ accountId }: { accountId: string }) {
  const t = texts().frozen
  const { since, by, reason } = useRead<AccountFreeze>(`/accounts/${accountId}/freeze`).data ?? {}
  if (!since) return null
  return (
    <p>
      {by ? t.by(formatTime(since), by.name ?? by.id) : t.since(formatTime(since))}
      {reason && (
        <>
          {' '}
          {t.because} <UserText>{reason}</UserText>
        </>
      )}
    </p>
  )
}
