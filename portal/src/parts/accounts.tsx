// How screens name accounts and their holders.
import { colon, texts } from '../texts/language.ts'
import { to } from '../state/paths.ts'
import type { Account, User } from '../state/types.ts'
import { Badge, Notice } from './basic.tsx'

/** What a person wrote: in its own direction and words, without an effect on the text around it. */
export const UserText = ({ children: text }: { children: string }) => (
  <bdi dir="auto" translate={false}>
    {text}
  </bdi>
)

export const nameOf = ({ givenName, familyName }: Pick<User, 'givenName' | 'familyName'>): string =>
  `${givenName} ${familyName}`

type NamedAccount = Pick<Account, 'name' | 'currency' | 'membership'>

/** That of somebody else says whose it is. */
export function accountName({ name, currency, membership }: NamedAccount): string {
  const own = name ?? texts().common.unnamedAccount(currency)
  return membership ? `${membership.ownerName}${colon()}${own}` : own
}

/** The address of its page. */
export const accountPage = ({ id, membership }: Pick<Account, 'id' | 'membership'>): string =>
  to(membership ? 'sharedAccount' : 'account', { accountId: id })

const kinds = { active: 'good', frozen: 'warning', closed: 'plain' } as const

export const AccountStatus = ({ of: { status } }: { of: Pick<Account, 'status'> }) => (
  <Badge kind={kinds[status]}>{texts().common.accountStatuses[status]}</Badge>
)

export const AccountLink = ({ account }: { account: Account }) => (
  <a href={accountPage(account)}>
    <UserText>{accountName(account)}</UserText>
  </a>
)

/** Whether money can leave it at present. */
export const canPay = ({ status, blocked }: Account): boolean =>
  status === 'active' && !blocked.debits

/** What a block of the bank stops on the account; nothing where none does. */
export function BlockNotice({ of: { blocked } }: { of: Pick<Account, 'blocked'> }) {
  const { debits_blocked: debits, credits_blocked: credits } = texts().errors
  if (!blocked.debits && !blocked.credits) return null
  return (
    <Notice kind="warning">
      {blocked.debits && <p>{debits}</p>}
      {blocked.credits && <p>{credits}</p>}
    </Notice>
  )
}

/** Nothing for the usual state. */
export const FrozenBadge = ({ of: account }: { of: Account }) =>
  account.status === 'frozen' ? <AccountStatus of={account} /> : null
