// Who acts and what is done, in the words of the audit trail.
import { UserText } from '../../parts/accounts.tsx'
import { Badge } from '../../parts/basic.tsx'
import { useRead } from '../../calls/call.ts'
import { type OwnAddress, textOfWord } from '../../../../languages/words.ts'
import { texts } from '../../texts/language.ts'
import { to } from '../../state/paths.ts'
import type { AuditEvent, List, ServiceAccount, User } from '../../state/types.ts'
import type { Action } from './audit-words.ts'

/** Who acts, by identifier: a user name or the name of a program, and the page that tells more. */
export type Names = ReadonlyMap<string, { name: string; page: string }>

export const userEntry = ({ id, username }: Pick<User, 'id' | 'username'>) =>
  [id, { name: username, page: to('staffCustomer', { userId: id }) }] as const

const programEntry = ({ id, name }: ServiceAccount) =>
  [id, { name, page: to('staffServiceAccount', { serviceAccountId: id }) }] as const

/**
 * The names of those who work at the bank: most events are theirs. Programs are read where somebody
 * else of `shown` is none of them.
 */
export function useNames(shown: readonly (string | null)[]): Names {
  const admins = useRead<List<User>>('/admin/users?role=admin&limit=100')
  const agents = useRead<List<User>>('/admin/users?role=support-agent&limit=100')
  const staff = [...(admins.data?.items ?? []), ...(agents.data?.items ?? [])].map(userEntry)
  const isRead = admins.data !== undefined && agents.data !== undefined
  const known = new Map(staff)
  const isOfOthers = isRead && shown.some((id) => id !== null && !known.has(id))
  const programs = useRead<List<ServiceAccount>>(
    isOfOthers ? '/admin/service-accounts?limit=100' : undefined,
  )
  return new Map([...staff, ...(programs.data?.items ?? []).map(programEntry)])
}

/** The names that the events of a list bring, and the pages of their actors. */
export function useShownNames(events: readonly AuditEvent[]): Names {
  const programs = useRead<List<ServiceAccount>>('/admin/service-accounts?limit=100')
  const known = new Map((programs.data?.items ?? []).map(programEntry))
  const named = events.flatMap(({ actorId, actorName: name }) => {
    if (actorId === null || name === undefined) return []
    const page = known.get(actorId)?.page ?? to('staffCustomer', { userId: actorId })
    return [[actorId, { name, page }] as const]
  })
  return new Map(named)
}

/** What was done, in words; an operation of another release by its own name. */
export const actionName = ({ action }: Pick<AuditEvent, 'action'>): string =>
  textOfWord(texts().audit.actions, action as Action, action)

type PersonProps = { of: Pick<AuditEvent, 'actorId' | 'address'>; names: Names }

export function PersonName({ of: { actorId, address }, names }: PersonProps) {
  const t = texts().audit
  if (actorId === null) return <>{textOfWord(t.unnamed, address as OwnAddress, t.nobody)}</>
  const { name, page } =
    names.get(actorId) ?? userEntry({ id: actorId, username: t.other(actorId) })[1]
  return (
    <a href={page}>
      <UserText>{name}</UserText>
    </a>
  )
}

/** Only what was refused stands out, and a table on a phone has no room for the rest. */
export function OutcomeBadge({ of: { outcome } }: { of: Pick<AuditEvent, 'outcome'> }) {
  const shown = texts().audit.outcomes[outcome]
  return outcome === 'success' ? (
    <span class="desk">{shown}</span>
  ) : (
    <Badge kind="warning">{shown}</Badge>
  )
}
