// What an account has this month, as bars beside their amounts.
import { useRead } from '../../../calls/call.ts'
import { texts } from '../../../texts/language.ts'
import { Money, sum } from '../../../texts/money.tsx'
import { bankDay, formatMonth } from '../../../texts/time.tsx'
import type { Account, AccountBalances } from '../../../state/types.ts'
import { to } from '../../../state/paths.ts'
import { accountName, UserText } from '../../../parts/accounts.tsx'
import { Bar } from '../../../parts/bar.tsx'
import { Loaded, Section } from '../../../parts/basic.tsx'

type Props = { of: Account; hasName?: boolean }

export function Month({ of: account, hasName = false }: Props) {
  const t = texts().entry
  const month = bankDay().slice(0, 7)
  const path = `/accounts/${account.id}/balances?from=${month}-01&to=${bankDay()}`
  const balances = useRead<AccountBalances>(path)
  return (
    <Section title={formatMonth(month)}>
      {hasName && (
        <p class="quiet small">
          <UserText>{accountName(account)}</UserText>
        </p>
      )}
      <Loaded of={balances} lines={2}>
        {({ currency, days }) => {
          const sides = (['in', 'out'] as const).map((side) => ({
            side,
            amount: sum(
              days.map((day) => day[side]),
              currency,
            ),
          }))
          const max = Math.max(...sides.map(({ amount }) => Number(amount)))
          return (
            <dl class="bars">
              {sides.map(({ side, amount }) => (
                <div key={side}>
                  <dt>{side === 'in' ? t.allReceived : t.allPaid}</dt>
                  <dd>
                    <Money amount={amount} currency={currency} />
                  </dd>
                  <Bar value={Number(amount)} max={max} kind={side} />
                </div>
              ))}
            </dl>
          )
        }}
      </Loaded>
      <a href={to('insight', { accountId: account.id })}>{texts().account.spending}</a>
    </Section>
  )
}
