// The person's own accounts, and how screens name them.
import { Failure, type Read, together, useRead } from '../calls/call.ts'
import { texts } from '../texts/language.ts'
import { to } from '../state/paths.ts'
import { isStaff, me } from '../calls/session.ts'
import type { Account, List, User } from '../state/types.ts'
import { Badge } from './basic.tsx'

/** What a person wrote: in its own direction, without an effect on the text around it. */
export const UserText = ({ children: text }: { children: string }) => <bdi dir="auto">{text}</bdi>

/**
 * All open accounts of the person, newest first. They are at most 100, which is one page. For staff
 * `/accounts` lists those of all customers, and the search has closed ones unless asked by status.
 */
export function useAccounts(): Read<Account[]> {
  const search = (status: string) =>
    isStaff() ? `/admin/accounts?ownerId=${me.value?.id}&status=${status}&limit=100` : undefined
  const all = useRead<List<Account>>(search('active') ?? '/accounts?limit=100')
  const frozen = useRead<List<Account>>(search('frozen'))
  const read = together({ all, ...(isStaff() && { frozen }) })
  const items = [...(read.data?.all.items ?? []), ...(read.data?.frozen?.items ?? [])]
  return {
    ...read,
    data: read.data && items.toSorted((one, other) => (one.id < other.id ? 1 : -1)),
  }
}

/** One of them, among all. */
export function useAccount(id: string): Read<{ account: Account; all: Account[] }> {
  const read = useAccounts()
  const account = read.data?.find((one) => one.id === id)
  const isMissing = read.data !== undefined && account === undefined
  return {
    ...read,
    data: account && { account, all: read.data as Account[] },
    failure: isMissing ? new Failure('not_found') : read.failure,
  }
}

export const nameOf = ({ givenName, familyName }: Pick<User, 'givenName' | 'familyName'>): string =>
  `${givenName} ${familyName}`

export const accountName = ({ name, currency }: Pick<Account, 'name' | 'currency'>): string =>
  name ?? texts().common.unnamedAccount(currency)

const kinds = { active: 'good', frozen: 'warning', closed: 'plain' } as const

export const AccountStatus = ({ of: { status } }: { of: Pick<Account, 'status'> }) => (
  <Badge kind={kinds[status]}>{texts().common.accountStatuses[status]}</Badge>
)

export const AccountLink = ({ account }: { account: Account }) => (
  <a href={to('account', { accountId: account.id })}>
    <UserText>{accountName(account)}</UserText>
  </a>
)

/** Nothing for the usual state. */
export const FrozenBadge = ({ of: account }: { of: Account }) =>
  account.status === 'frozen' ? <AccountStatus of={account} /> : null
