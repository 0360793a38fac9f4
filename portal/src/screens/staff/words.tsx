// Names, states and links that several screens of the staff show.
import { Badge, groupIban } from '../../parts/basic.tsx'
import { texts } from '../../language.ts'
import { type Currency, sum, toTyped } from '../../money.tsx'
import { to } from '../../pages.ts'
import type { Account, User } from '../../types.ts'

export const nameOf = ({ givenName, familyName }: Pick<User, 'givenName' | 'familyName'>): string =>
  `${givenName} ${familyName}`

const kinds = { active: 'good', frozen: 'warning', closed: 'plain' } as const

export const AccountStatus = ({ of: { status } }: { of: Pick<Account, 'status'> }) => (
  <Badge kind={kinds[status]}>{texts().staffAccount.statuses[status]}</Badge>
)

export const AccountLink = ({
  account: { id, iban },
}: {
  account: Pick<Account, 'id' | 'iban'>
}) => (
  <a class="code" href={to('staffAccount', { accountId: id })}>
    {groupIban(iban)}
  </a>
)

/** The message for what is no amount of that currency. */
export const badAmount = (currency: Currency): string =>
  texts().cash.badAmount(toTyped(sum(['1234'], currency)))
