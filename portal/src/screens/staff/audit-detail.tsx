// One event of the audit trail, whole, with links to what belongs to it.
import { textOfWord } from '../../../../languages/words.ts'
import type { ComponentChildren } from 'preact'
import { UserText } from '../../parts/accounts.tsx'
import { Copyable, Facts, Loaded } from '../../parts/basic.tsx'
import { Details } from '../../parts/dialog.tsx'
import type { Read } from '../../calls/call.ts'
import { colon, texts } from '../../texts/language.ts'
import { to } from '../../state/paths.ts'
import { Time } from '../../texts/time.tsx'
import type { AuditEvent, Dispute } from '../../state/types.ts'
import { actionName, type Names, OutcomeBadge, PersonName } from './audit-names.tsx'
import {
  beginsWithOperation,
  type Field,
  isByService,
  isOfAccount,
  isOfTransfer,
  isOfUser,
  isPaging,
  listsNames,
  type WrittenDetail,
} from './audit-words.ts'

/** What the service itself writes, whole or in parts: each is a key of the texts. */
function inWords(written: string): string {
  const find = (part: string) =>
    textOfWord(texts().auditDetails.written, part as WrittenDetail, part)
  const whole = find(written)
  return whole === written ? written.split('; ').map(find).join('; ') : whole
}

/**
 * The detail of an event in words: a payment or an account as a link, parameters and fields by
 * their names, an operation by its verb. Anything else, such as a reason, is as it was written.
 * Undefined: it has none, or none but what turns pages.
 */
export function toDetail({
  action,
  detail,
}: Pick<AuditEvent, 'action' | 'detail'>): ComponentChildren {
  if (detail === null) return undefined
  const { fields, target } = texts().audit
  // What a member of an account did, and for which owner.
  const [, done, owner] = /^(?:(.*); )?for ([\da-f-]{36})$/s.exec(detail) ?? []
  if (owner !== undefined) {
    return (
      <>
        {done && toDetail({ action, detail: done })}{' '}
        <a href={to('staffCustomer', { userId: owner })}>
          {target} …{owner.slice(-6)}
        </a>
      </>
    )
  }
  const isChecked = action === 'checkPayee' || action === 'answerPayeeCheck'
  const [, payee, of] = /^(\w+)(?: (account .+))?$/.exec(isChecked ? detail : '') ?? []
  const [, result, accepted] =
    /^([a-z]+(?:_[a-z]+)?)( accepted)? check [\da-f-]{36}$/.exec(detail) ?? []
  if (result !== undefined) {
    return accepted ? `${inWords(result)}, ${inWords('accepted')}` : inWords(result)
  }
  if (payee !== undefined) {
    return (
      <>
        {inWords(payee)} {of && toDetail({ action: '', detail: of })}
      </>
    )
  }
  const [, disputeId, reason] = /^dispute ([\da-f-]{36}): (\w+)$/.exec(detail) ?? []
  if (disputeId !== undefined) {
    const { reasons } = texts().disputes
    const why = textOfWord(reasons, reason as Dispute['reason'], '')
    return `${target} …${disputeId.slice(-6)}${colon()}${why}`
  }
  const [, kind, id, terms = ''] =
    /^(transfer|account|hold) ([\da-f-]{36})(: .+)?$/.exec(detail) ?? []
  if (id !== undefined) {
    const shown = `${target} …${id.slice(-6)}`
    if (kind === 'hold') return `${shown}${terms}`
    const page =
      kind === 'transfer'
        ? to('staffTransfer', { transferId: id })
        : to('staffAccount', { accountId: id })
    return <a href={page}>{shown}</a>
  }
  if (beginsWithOperation(action)) {
    const [, asked, account] = /^(\w+) (account [\da-f-]{36})$/.exec(detail) ?? []
    if (asked !== undefined && account !== undefined) {
      return (
        <>
          {actionName({ action: asked })} {toDetail({ action: '', detail: account })}
        </>
      )
    }
    const named = detail.replace(/^\w+/, (operation) => actionName({ action: operation }))
    return named.replace(/ by (passkey|totp|issuer)$/, (_, kind: string) => ` · ${inWords(kind)}`)
  }
  if (isByService(action)) return inWords(detail)
  if (action === 'findPayments') {
    return detail.replace(/^\w+/, (name) => textOfWord(fields, name as Field, name))
  }
  if (!listsNames(action)) return <UserText>{detail}</UserText>
  const names = detail.split(', ').filter((name) => !isPaging(name))
  return names.map((name) => textOfWord(fields, name as Field, name)).join(', ') || undefined
}

/** The page of the target, where the action tells what kind of thing it is. */
function targetPage({ action, target }: AuditEvent): string | undefined {
  if (target === null) return undefined
  if (isOfUser(action)) return to('staffCustomer', { userId: target })
  if (isOfTransfer(action)) return to('staffTransfer', { transferId: target })
  if (isOfAccount(action)) return to('staffAccount', { accountId: target })
  return undefined
}

function Event({ event, names }: { event: AuditEvent; names: Names }) {
  const t = texts().audit
  const { id, at, actorId, action, target, requestId, address } = event
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
          [t.about, event.targetName && <UserText>{event.targetName}</UserText>],
          [t.target, target && <Copyable text={target} name={t.target} />],
          [t.reason, toDetail(event)],
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
