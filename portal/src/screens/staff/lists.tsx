// People and accounts as lists of links.
import { UserText } from '../../parts/accounts.tsx'
import { Money } from '../../money.tsx'
import { to } from '../../pages.ts'
import type { Account, User } from '../../types.ts'
import { roleNames, UserStatus } from './user-fields.tsx'
import { AccountLink, AccountStatus, nameOf } from './words.tsx'

export const People = ({ users }: { users: readonly User[] }) => (
  <ul class="rows">
    {users.map((user) => (
      <li key={user.id}>
        <div>
          <a href={to('staffCustomer', { userId: user.id })}>
            <UserText>{nameOf(user)}</UserText>
          </a>{' '}
          {user.status !== 'active' && <UserStatus user={user} />}
          <p class="quiet">
            {user.username} · {user.email}
          </p>
        </div>
        <span class="quiet">{roleNames(user)}</span>
      </li>
    ))}
  </ul>
)

/** @param holders whose names are shown, where they are known */
export const Accounts = ({
  accounts,
  holders = [],
}: {
  accounts: readonly Account[]
  holders?: readonly User[]
}) => (
  <ul class="rows">
    {accounts.map((account) => {
      const holder = holders.find(({ id }) => id === account.ownerId)
      const shown = [holder && nameOf(holder), account.name, account.currency]
      return (
        <li key={account.id}>
          <div>
            <AccountLink account={account} />{' '}
            {account.status !== 'active' && <AccountStatus of={account} />}
            <p class="quiet">
              <UserText>{shown.filter((part) => part).join(' · ')}</UserText>
            </p>
          </div>
          <Money amount={account.balance} currency={account.currency} />
        </li>
      )
    })}
  </ul>
)
