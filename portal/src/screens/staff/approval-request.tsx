// What a change that waits for a second person is about, as its maker reviewed it: whose account or
// person it is, the amount, and the balances before and after.
import type { ComponentChildren } from 'preact'
import { AccountStatus, nameOf, UserText } from '../../parts/accounts.tsx'
import { type Fact, Facts, groupIban, Loaded, Notice } from '../../parts/basic.tsx'
import { deviceOf } from '../../parts/sessions.tsx'
import { type Read, readTogether, useRead } from '../../calls/call.ts'
import { to } from '../../state/paths.ts'
import type {
  Account,
  Approval,
  Card,
  CardPayment,
  Hold,
  Transaction,
  Transfer,
  User,
} from '../../state/types.ts'
import type { ServiceAccount, UserSession, Webhook } from '../../state/types.ts'
import { texts } from '../../texts/language.ts'
import { formatMoney, Money, negate, sum } from '../../texts/money.tsx'
import { Time } from '../../texts/time.tsx'
import { AccountLink } from './account-link.tsx'
import { fieldFacts, findMove, readBody } from './approval-fields.tsx'
import { useSide } from './transfer-side.ts'

export { SubjectFacts } from './approval-fields.tsx'

const Person = ({ of: user }: { of: User }) => (
  <a href={to('staffCustomer', { userId: user.id })}>
    <UserText>{nameOf(user)}</UserText>
  </a>
)

const collections = {
  accounts: AccountSubject,
  transfers: TransferSubject,
  users: UserSubject,
  sessions: SessionSubject,
  cards: CardSubject,
  'service-accounts': ServiceAccountSubject,
  webhooks: WebhookSubject,
  holds: HoldSubject,
  'card-payments': CardPaymentSubject,
} as const

type Collection = keyof typeof collections

/** What the path of a request names. */
const subject = new RegExp(`/(${Object.keys(collections).join('|')})/([\\da-f-]{36})`)

type Props = { id: string; approval: Approval; children: ComponentChildren }

/** `children` are shown once everything about the subject was read, since it is decided by that. */
export function ApprovalRequest({
  of: approval,
  children,
}: Omit<Props, 'id' | 'approval'> & { of: Approval }) {
  const [, collection, inPath] = subject.exec(approval.path ?? '') ?? []
  const owner = readBody(approval)['ownerId']
  const id = inPath ?? (typeof owner === 'string' ? owner : undefined)
  if (approval.operation === 'createPosting') {
    return <PostingSubject approval={approval}>{children}</PostingSubject>
  }
  // Something new has no subject yet: all of it is in the request.
  if (id === undefined) {
    return (
      <>
        <Facts rows={fieldFacts(readBody(approval))} />
        {children}
      </>
    )
  }
  const Subject = collections[(collection ?? 'users') as Collection]
  return (
    <Subject id={id} approval={approval}>
      {children}
    </Subject>
  )
}

type AccountRead = { account: Read<Account>; holder: Read<User> }

function useAccount(id: string | undefined): AccountRead {
  const account = useRead<Account>(id && `/admin/accounts/${id}`)
  const ownerId = account.data?.ownerId
  return { account, holder: useRead<User>(ownerId && `/admin/users/${ownerId}`) }
}

/** The balance of an account, and what it would be after a change. */
function Balance({
  of: { balance, currency },
  change,
}: {
  of: Account
  change?: string | undefined
}) {
  const now = <Money amount={balance} currency={currency} />
  if (change === undefined) return now
  const after = <Money amount={sum([balance, change], currency)} currency={currency} />
  return (
    <>
      {now} → {after}
    </>
  )
}

const AccountAndStatus = ({ of: account }: { of: Account }) => (
  <>
    <AccountLink account={account} /> <AccountStatus of={account} />
  </>
)

function accountFacts(account: Account, holder: User, change?: string): Fact[] {
  const t = texts().approvals
  return [
    [t.holder, <Person of={holder} />],
    [t.account, <AccountAndStatus of={account} />],
    [change === undefined ? t.balance : t.balances, <Balance of={account} change={change} />],
  ]
}

function AccountSubject({ id, approval, children }: Props) {
  const body = readBody(approval)
  const change = findMove(approval, body)
  return (
    <Loaded of={readTogether(useAccount(id))} lines={6}>
      {({ account, holder }) => (
        <>
          <Facts
            rows={[...accountFacts(account, holder, change), ...fieldFacts(body, account.currency)]}
          />
          {children}
        </>
      )}
    </Loaded>
  )
}

/** A side is a customer's account, or an account of the bank, which its code names. */
function PostingSubject({ approval, children }: Omit<Props, 'id'>) {
  const { fromAccountId, toAccountId, ...body } = readBody(approval)
  const [from, target] = [useAccount(toId(fromAccountId)), useAccount(toId(toAccountId))]
  const read = readTogether({
    ...(toId(fromAccountId) && { from: readTogether(from) }),
    ...(toId(toAccountId) && { target: readTogether(target) }),
  })
  const amount = String(body['amount'])
  const side = ({ account, holder }: { account: Account; holder: User }, change: string) => (
    <Side account={account} holder={holder} change={change} />
  )
  return (
    <Loaded of={read} lines={6}>
      {(found) => (
        <>
          <Facts
            rows={[
              [texts().approvals.from, found.from && side(found.from, negate(amount))],
              [texts().approvals.to, found.target && side(found.target, amount)],
              ...fieldFacts(body),
            ]}
          />
          {children}
        </>
      )}
    </Loaded>
  )
}

const toId = (id: unknown): string | undefined => (typeof id === 'string' ? id : undefined)

type SideProps = { account: Account; holder: User; change: string | undefined }

const Side = ({ account, holder, change }: SideProps) => (
  <>
    <Person of={holder} />
    <br />
    <AccountAndStatus of={account} />
    <br />
    <Balance of={account} change={change} />
  </>
)

const useHolder = ({ data }: Read<Account>): Read<User> =>
  useRead<User>(data && `/admin/users/${data.ownerId}`)

function TransferSubject({ id, approval, children }: Props) {
  const transfer = useRead<Transfer>(`/transfers/${id}`)
  const from = useSide(transfer.data?.fromAccountId, id)
  const target = useSide(transfer.data?.toAccountId, id)
  const [payer, payee] = [useHolder(from.account), useHolder(target.account)]
  const reads = [transfer, from.account, target.account, from.entry, target.entry, payer, payee]
  // The bank's own accounts are no customer's and are not read.
  const waiting = reads.find(({ isLoading, failure }) => isLoading || failure)
  const isReversal = approval.operation === 'reverseTransfer'
  const outside = from.entry.data?.counterparty ?? target.entry.data?.counterparty
  const side = (account: Account | undefined, holder: User | undefined, change: string) =>
    account && holder ? (
      <Side account={account} holder={holder} change={isReversal ? change : undefined} />
    ) : outside?.name || outside?.iban ? (
      <Outside of={outside} />
    ) : (
      texts().approvals.elsewhere
    )
  return (
    <Loaded of={{ ...(waiting ?? transfer), data: waiting ? undefined : transfer.data }} lines={6}>
      {(found) => (
        <>
          <Facts
            rows={[
              ...transferFacts(
                found,
                side(from.account.data, payer.data, found.amount),
                side(target.account.data, payee.data, negate(found.amount)),
              ),
              ...fieldFacts(readBody(approval)),
            ]}
          />
          {found.status !== 'pending' && !isReversal && (
            <Notice kind="warning">{texts().approvals.settled}</Notice>
          )}
          {children}
        </>
      )}
    </Loaded>
  )
}

/** A payee at another bank, as the payer wrote it; a merchant has no IBAN. */
const Outside = ({ of: { name, iban } }: { of: NonNullable<Transaction['counterparty']> }) => (
  <>
    {name && <UserText>{name}</UserText>}
    <br />
    {iban && <span class="code">{groupIban(iban)}</span>}
  </>
)

function transferFacts(
  { id, amount, currency, reference, createdAt }: Transfer,
  payer: ComponentChildren,
  payee: ComponentChildren,
): Fact[] {
  const t = texts().approvals
  return [
    [
      t.transfer,
      <a href={to('staffTransfer', { transferId: id })}>{formatMoney(amount, currency)}</a>,
    ],
    [t.from, payer],
    [t.to, payee],
    [t.reference, reference === '' ? texts().common.none : <UserText>{reference}</UserText>],
    [t.madeAt, <Time at={createdAt} />],
  ]
}

type NamedProps<T> = Props & { path: string; facts: (found: T) => Fact[] }

/** A subject that one read tells about. */
function NamedSubject<T>({ path, facts, approval, children }: NamedProps<T>) {
  return (
    <Loaded of={useRead<T>(path)} lines={4}>
      {(found) => (
        <>
          <Facts rows={[...facts(found), ...fieldFacts(readBody(approval))]} />
          {children}
        </>
      )}
    </Loaded>
  )
}

function UserSubject(props: Props) {
  const t = texts().approvals
  const facts = (user: User): Fact[] => [
    [t.person, <Person of={user} />],
    [texts().audit.fields.username, user.username],
  ]
  return <NamedSubject {...props} path={`/admin/users/${props.id}`} facts={facts} />
}

function SessionSubject({ id, children }: Props) {
  const t = texts().approvals
  const session = useRead<UserSession>(`/admin/sessions/${id}`)
  const ownerId = session.data?.userId
  const holder = useRead<User>(ownerId && `/admin/users/${ownerId}`)
  return (
    <Loaded of={readTogether({ session, holder })} lines={4}>
      {({ session: { device, createdAt, lastUsedAt }, holder: user }) => (
        <>
          <Facts
            rows={[
              [t.person, <Person of={user} />],
              [t.session, deviceOf({ device })],
              [texts().device.started, <Time at={createdAt} />],
              [texts().device.lastUsed, <Time at={lastUsedAt} />],
            ]}
          />
          {children}
        </>
      )}
    </Loaded>
  )
}

const shortId = (id: string | undefined) => id && <span class="code">…{id.slice(-6)}</span>

function ServiceAccountSubject(props: Props) {
  const t = texts().approvals
  const keyId = /\/keys\/([\da-f-]{36})/.exec(props.approval.path ?? '')?.[1]
  const facts = ({ name }: ServiceAccount): Fact[] => [
    [t.program, <UserText>{name}</UserText>],
    [t.key, shortId(keyId)],
  ]
  return <NamedSubject {...props} path={`/admin/service-accounts/${props.id}`} facts={facts} />
}

function WebhookSubject(props: Props) {
  const facts = ({ url }: Webhook): Fact[] => [[texts().approvals.webhook, url]]
  return <NamedSubject {...props} path={`/admin/webhooks/${props.id}`} facts={facts} />
}

function HoldSubject({ id, approval, children }: Props) {
  const t = texts().approvals
  const hold = useRead<Hold>(`/holds/${id}`)
  const whose = useAccount(hold.data?.accountId)
  return (
    <Loaded of={readTogether({ hold, ...whose })} lines={6}>
      {({ hold: { kind, remaining, reference, currency, expiresAt }, account, holder }) => (
        <>
          <Facts
            rows={[
              [t.hold, `${t.values[kind]}, ${formatMoney(remaining, currency)}`],
              [t.reference, <UserText>{reference}</UserText>],
              [t.heldUntil, expiresAt && <Time at={expiresAt} />],
              ...accountFacts(account, holder),
              ...fieldFacts(readBody(approval), currency),
            ]}
          />
          {children}
        </>
      )}
    </Loaded>
  )
}

function CardPaymentSubject({ id, approval, children }: Props) {
  const t = texts().approvals
  const payment = useRead<CardPayment>(`/card-payments/${id}`)
  const whose = useAccount(payment.data?.accountId)
  return (
    <Loaded of={readTogether({ payment, ...whose })} lines={6}>
      {({ payment: { merchant, amount, currency }, account, holder }) => (
        <>
          <Facts
            rows={[
              [t.fields.merchant, merchant && <UserText>{merchant.name}</UserText>],
              [t.transfer, formatMoney(amount, currency)],
              ...accountFacts(account, holder),
              ...fieldFacts(readBody(approval), currency),
            ]}
          />
          {children}
        </>
      )}
    </Loaded>
  )
}

function CardSubject({ id, approval, children }: Props) {
  const t = texts().approvals
  const card = useRead<Card>(`/cards/${id}`)
  const whose = useAccount(card.data?.accountId)
  return (
    <Loaded of={readTogether({ card, ...whose })} lines={5}>
      {({ card: { maskedNumber }, account, holder }) => (
        <>
          <Facts
            rows={[
              [t.card, maskedNumber],
              ...accountFacts(account, holder),
              ...fieldFacts(readBody(approval)),
            ]}
          />
          {children}
        </>
      )}
    </Loaded>
  )
}
