// What waits for the person on every home: a second factor to enrol, approvals, refused requests.
import type { ComponentChildren } from 'preact'
import { useEffect } from 'preact/hooks'
import { useRead } from '../../calls/call.ts'
import { factorDueAt, hasFourEyes, isAdmin, mayHaveFactor, me } from '../../calls/session.ts'
import { to } from '../../state/paths.ts'
import { countWaiting, waitingApprovals } from '../../calls/waiting.ts'
import type { Approval, List, OwnFactors } from '../../state/types.ts'
import { texts } from '../../texts/language.ts'
import { formatTime } from '../../texts/time.tsx'

/** Until when refusals were read, as an instant. A sign-out forgets it. */
const readKey = 'strongroom.refusals-read'

/** The items of a list, as links to where they are done. */
export function useTodo(): ComponentChildren[] {
  const t = texts().todo
  const factors = useRead<OwnFactors>(mayHaveFactor() ? '/auth/factors' : undefined).data
  const approvals = useRead<List<Approval>>(
    isAdmin() && hasFourEyes ? '/admin/approvals?limit=100' : undefined,
  )
  const { id: ownId, createdAt = '' } = me.value ?? {}
  const all = approvals.data?.items ?? []
  useEffect(() => {
    if (approvals.data) countWaiting(approvals.data.items)
  }, [approvals.data])
  const waiting = waitingApprovals.value
  const readUntil = localStorage.getItem(readKey) ?? ''
  const refused = all.filter(
    ({ status, makerId, decidedAt }) =>
      status === 'rejected' && makerId === ownId && (decidedAt ?? '') > readUntil,
  )
  const mustEnrol = factors?.policy === 'required' && factors.factors.length === 0
  const due = mustEnrol && formatTime(new Date(factorDueAt(createdAt)).toISOString(), 'date')
  const markRead = () => localStorage.setItem(readKey, new Date().toISOString())
  return [
    due && <a href={to('security')}>{t.factor(due)}</a>,
    waiting > 0 && <a href={to('approvals')}>{t.approvals(waiting)}</a>,
    refused.length > 0 && (
      <a href={to('approvals')} onClick={markRead}>
        {t.refused(refused.length)}
      </a>
    ),
  ].flatMap((item) => (item ? [<li>{item}</li>] : []))
}
