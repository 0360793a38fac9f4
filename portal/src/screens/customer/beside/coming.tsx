// What standing orders come to next.
import { accountName, UserText } from '../../../parts/accounts.tsx'
import { Section } from '../../../parts/basic.tsx'
import { to } from '../../../state/paths.ts'
import type { Account, UpcomingRun } from '../../../state/types.ts'
import { texts } from '../../../texts/language.ts'
import { Money } from '../../../texts/money.tsx'
import { formatDay } from '../../../texts/time.tsx'

/** As many as are seen at a glance. */
const shownMax = 5

type Props = {
  of: readonly UpcomingRun[]
  /** All accounts of the person, whose names are those of payees as well. */
  accounts: readonly Account[]
  /** The account whose runs alone these are: it is not named. */
  only?: Account | undefined
}

export function Coming({
  of: runs,
  accounts,
  only = accounts[1] ? undefined : accounts[0],
}: Props) {
  const t = texts().orders
  if (runs.length === 0) return null
  const findAccount = (id: string) =>
    only ? undefined : accounts.find((account) => account.id === id)
  const nameOf = (payee: UpcomingRun['payee']) => {
    const own = accounts.find(({ iban }) => iban === payee?.iban)
    return own ? accountName(own) : (payee?.name ?? t.goneName)
  }
  return (
    <Section title={t.upcoming}>
      <ul class="rows">
        {runs
          .slice(0, shownMax)
          .map(({ orderId, dueOn, paysOn, payee, amount, currency, ...run }) => {
            const account = findAccount(run.accountId)
            return (
              <li key={`${orderId} ${dueOn}`}>
                <div>
                  <UserText>{nameOf(payee)}</UserText>
                  <p class="quiet small">
                    {formatDay(paysOn ?? dueOn)}
                    {account && [' · ', <UserText>{accountName(account)}</UserText>]}
                  </p>
                </div>
                <Money amount={amount} currency={currency} />
              </li>
            )
          })}
      </ul>
      <a href={only ? `${to('orders')}?account=${only.id}` : to('orders')}>{t.title}</a>
    </Section>
  )
}
