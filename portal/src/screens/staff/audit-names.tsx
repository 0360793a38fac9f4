// Who acts and what is done, in the words of the audit trail.
import { UserText } from '../../parts/accounts.tsx'
import { Badge } from '../../parts/basic.tsx'
import { useRead } from '../../calls/call.ts'
import { type OwnAddress, textOfWord } from '../../../../languages/words.ts'
import { texts } from '../../texts/language.ts'
import { to } from '../../state/paths.ts'
import type { AuditEvent, List, ServiceAccount } from '../../state/types.ts'
import type { Action } from './audit-words.ts'

/** Who acts, by identifier: a user name or the name of a program, and the page that tells more. */
export type Names = ReadonlyMap<string, { name: string; page: string }>

const programEntry = ({ id, name }: ServiceAccount) =>
  [id, { name, page: to('staffServiceAccount', { serviceAccountId: id }) }] as const

/** The names that the rows of a list bring, and the pages of those whom they name. */
export function useShownNames(
  rows: readonly { actorId: string | null; actorName?: string | undefined }[],
): Names {
  const programs = useRead<List<ServiceAccount>>('/admin/service-accounts?limit=100')
  const known = new Map((programs.data?.items ?? []).map(programEntry))
  const named = rows.flatMap(({ actorId, actorName: name }) => {
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
  const { name, page } = names.get(actorId) ?? {
    name: t.other(actorId),
    page: to('staffCustomer', { userId: actorId }),
  }
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
