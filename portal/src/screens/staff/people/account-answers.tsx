// What a caller asks of each account, below the list of them: what is available and reserved,
// and once it is unfolded the last payments, also refused ones and why, cards and orders.
import { Section } from '../../../parts/basic.tsx'
import { Fold } from '../../../parts/fold.tsx'
import type { Account } from '../../../state/types.ts'
import { texts } from '../../../texts/language.ts'
import { formatMoney } from '../../../texts/money.tsx'
import { Cards } from '../cards.tsx'
import { Orders } from '../orders.tsx'
import { PaymentsFound } from '../finding/payments-found.tsx'

function titleOf({ iban, name, available, held, currency }: Account): string {
  const t = texts().account
  const parts = [
    [name || currency, `…${iban.slice(-4)}`].join(' '),
    t.available(formatMoney(available, currency)),
    !/^[0.]*$/.test(held) && t.reserved(formatMoney(held, currency)),
  ]
  return parts.filter((part) => part).join(' · ')
}

export const AccountAnswers = ({ accounts }: { accounts: readonly Account[] }) => (
  <div class="column">
    {accounts
      .filter(({ status }) => status !== 'closed')
      .map((account) => (
        <Fold key={account.id} title={titleOf(account)}>
          <PaymentsFound looks={[{ iban: account.iban, limit: '10' }]} />
          <Cards account={account} mayChange={false} />
          <Section title={texts().nav.orders}>
            <Orders account={account} />
          </Section>
        </Fold>
      ))}
  </div>
)
