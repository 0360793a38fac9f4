// People and accounts as lists of links.
import { AccountStatus, nameOf, UserText } from '../../parts/accounts.tsx'
import { Rows } from '../../parts/list.tsx'
import { Money } from '../../texts/money.tsx'
import { to } from '../../state/paths.ts'
import type { Account, User } from '../../state/types.ts'
import { roleNames, UserStatus } from './people/user-fields.tsx'
import { AccountLink } from './account-link.tsx'

export const People = ({ users }: { users: readonly User[] }) => (
  <Rows of={users}>
    {(user) => (
      <>
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
      </>
    )}
  </Rows>
)

/** @param holders whose names are shown, where they are known */
export const Accounts = ({
  accounts,
  holders = [],
}: {
  accounts: readonly Account[]
  holders?: readonly User[]
}) => (
  <Rows of={accounts}>
    {(account) => {
      const holder = holders.find(({ id }) => id === account.ownerId)
      const shown = [holder && nameOf(holder), account.name, account.currency]
      return (
        <>
          <div>
            <AccountLink account={account} />{' '}
            {account.status !== 'active' && <AccountStatus of={account} />}
            <p class="quiet">
              <UserText>{shown.filter((part) => part).join(' · ')}</UserText>
            </p>
          </div>
          <Money amount={account.balance} currency={account.currency} />
        </>
      )
    }}
  </Rows>
)
