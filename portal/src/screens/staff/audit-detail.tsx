// One event of the audit trail, whole, with links to what belongs to it.
import { UserText } from '../../parts/accounts.tsx'
import { Badge, Copyable, Facts, Loaded } from '../../parts/basic.tsx'
import { Details } from '../../parts/dialog.tsx'
import { type Read, useRead } from '../../calls/call.ts'
import { texts } from '../../texts/language.ts'
import { to } from '../../state/paths.ts'
import { Time } from '../../texts/time.tsx'
import type { AuditEvent, List, User } from '../../state/types.ts'

/** User names by identifier, as far as they are known. */
export type Names = ReadonlyMap<string, string>

/** The names of those who work at the bank: most events are theirs. */
export function useNames(): Names {
  const admins = useRead<List<User>>('/admin/users?role=admin&limit=100')
  const agents = useRead<List<User>>('/admin/users?role=support-agent&limit=100')
  const staff = [...(admins.data?.items ?? []), ...(agents.data?.items ?? [])]
  return new Map(staff.map(({ id, username }) => [id, username]))
}

export const isId = (text: string): boolean =>
  /^[\da-f]{8}-[\da-f]{4}-[\da-f]{4}-[\da-f]{4}-[\da-f]{12}$/.test(text)

/** What was done, in words; an operation without words by its own name. */
export const actionName = ({ action }: Pick<AuditEvent, 'action'>): string => {
  const { actions } = texts().audit
  return actions[action as keyof typeof actions] ?? action
}

/** A payment as a link, changed fields by their names in words, anything else as it was written. */
export function Detail({ of: { detail } }: { of: Pick<AuditEvent, 'detail'> }) {
  const { fields, target } = texts().audit
  const [, kind, id] = /^(transfer|account) ([\da-f-]{36})$/.exec(detail ?? '') ?? []
  if (id !== undefined) {
    const page =
      kind === 'transfer'
        ? to('staffTransfer', { transferId: id })
        : to('staffAccount', { accountId: id })
    return <a href={page}>{`${target} …${id.slice(-6)}`}</a>
  }
  const words = (detail ?? '').split(', ').map((name) => fields[name as keyof typeof fields])
  return <UserText>{words.every(Boolean) ? words.join(', ') : (detail ?? '')}</UserText>
}

/** Only what was refused stands out. */
export function OutcomeBadge({ of: { outcome } }: { of: Pick<AuditEvent, 'outcome'> }) {
  const shown = texts().audit.outcomes[outcome]
  return outcome === 'success' ? <>{shown}</> : <Badge kind="warning">{shown}</Badge>
}

type PersonProps = { of: Pick<AuditEvent, 'actorId' | 'address'>; names: Names }

export function PersonName({ of: { actorId, address }, names }: PersonProps) {
  const t = texts().audit
  if (actorId === null) return <>{t.unnamed[address] ?? t.nobody}</>
  return (
    <a href={to('staffCustomer', { userId: actorId })}>{names.get(actorId) ?? t.other(actorId)}</a>
  )
}

/** The page of the target, where the action tells what kind of thing it is. */
function targetPage({ action, target }: AuditEvent): string | undefined {
  if (target === null) return undefined
  if (ofUsers.has(action)) return to('staffCustomer', { userId: target })
  if (ofTransfers.has(action)) return to('staffTransfer', { transferId: target })
  if (ofAccounts.has(action)) return to('staffAccount', { accountId: target })
  return undefined
}

const setOf = (names: string): ReadonlySet<string> => new Set(names.split(' '))
const ofUsers = setOf(
  'getUser updateUser mailPasswordLink listUserSessions revokeUserSessions login loginToPortal',
)
const ofTransfers = setOf(
  'getTransfer getTransferReceipt getTransaction reverseTransfer settleTransfer returnTransfer',
)
const ofAccounts = setOf(
  'getAccount getAccountDetails getAccountFreeze getAccountSettings getStatement ' +
    'updateAccountSettings inspectAccount freezeAccount unfreezeAccount createDeposit ' +
    'createWithdrawal',
)

function Event({ event, names }: { event: AuditEvent; names: Names }) {
  const t = texts().audit
  const { id, at, actorId, action, target, requestId, address, detail } = event
  const ofFilter = (name: string, value: string | null, label: string) =>
    value !== null && (
      <li>
        <a href={`${to('audit')}?${name}=${value}`}>{label}</a>
      </li>
    )
  const page = targetPage(event)
  return (
    <>
      <Facts
        rows={[
          [t.action, actionName(event)],
          [t.time, <Time at={at} style="exact" />],
          [t.outcome, <OutcomeBadge of={event} />],
          [t.person, <PersonName of={event} names={names} />],
          [t.target, target && <Copyable text={target} name={t.target} />],
          [t.reason, detail && <Detail of={event} />],
          [t.address, address],
          [t.request, <Copyable text={requestId} name={t.request} />],
          [t.operation, <span class="code">{action}</span>],
          [t.event, <Copyable text={id} name={t.event} />],
        ]}
      />
      <ul>
        {page && (
          <li>
            <a href={page}>{t.showTarget}</a>
          </li>
        )}
        {ofFilter('requestId', requestId, t.sameRequest)}
        {ofFilter('actorId', actorId, t.samePerson)}
        {ofFilter('target', target, t.sameTarget)}
      </ul>
    </>
  )
}

type Props = { of: Read<AuditEvent>; names: Names; onClose: () => void }

export function AuditDetail({ of: read, names, onClose }: Props) {
  return (
    <Details title={texts().audit.event} onClose={onClose}>
      <Loaded of={read} lines={8}>
        {(event) => <Event event={event} names={names} />}
      </Loaded>
    </Details>
  )
}
