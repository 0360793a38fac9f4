// What the accounts of the bank and all customers together hold: each currency sums to zero.
import { useState } from 'preact/hooks'
import { Empty, Loaded, Notice } from '../../parts/basic.tsx'
import { moneyColumn, Table } from '../../parts/table.tsx'
import { useRead } from '../../calls/call.ts'
import { to } from '../../state/paths.ts'
import type { TrialBalance } from '../../state/types.ts'
import { texts } from '../../texts/language.ts'
import { bankAccountName } from './bank-name.ts'

type OfCurrency = TrialBalance['currencies'][number]
type Line = { code?: string; name: string; balance: string }

const isUnsound = ({ total }: OfCurrency): boolean => /[1-9]/.test(total)

function Lines({ of: { currency, accounts, customers, total } }: { of: OfCurrency }) {
  const t = texts().trial
  const lines: Line[] = [
    ...accounts.map(({ code, name, balance }) => ({
      code,
      name: bankAccountName(code, name),
      balance,
    })),
    { name: t.customers, balance: customers },
    { name: t.total, balance: total },
  ]
  return (
    <Table
      caption={t.caption(currency)}
      rows={lines}
      keyOf={({ name }) => name}
      columns={[
        {
          name: t.account,
          isRowHeader: true,
          cell: ({ code, name }) =>
            code ? <a href={to('staffBank', { code, currency })}>{name}</a> : name,
        },
        moneyColumn<Line>(t.balance, ({ balance: amount }) => ({ amount, currency }), 'end'),
      ]}
    />
  )
}

/** One currency at a time, at first `main`. A sum that is not zero is told of all. */
export function TrialBalances({ main }: { main: string | undefined }) {
  const t = texts().trial
  const read = useRead<TrialBalance>('/admin/trial-balance')
  const [chosen, choose] = useState(main)
  return (
    <Loaded of={read} lines={8}>
      {({ currencies }) => {
        const shown = currencies.find(({ currency }) => currency === chosen) ?? currencies[0]
        if (!shown) return <Empty>{t.none}</Empty>
        return (
          <>
            {currencies.filter(isUnsound).map(({ currency }) => (
              <Notice key={currency} kind="bad">
                {currency}: {t.unsound}
              </Notice>
            ))}
            {currencies.length > 1 && (
              <div class="choices no-print" role="group" aria-label={t.heading}>
                {currencies.map(({ currency }) => (
                  <button
                    key={currency}
                    type="button"
                    class="button"
                    aria-pressed={currency === shown.currency}
                    onClick={() => choose(currency)}
                  >
                    {currency}
                  </button>
                ))}
              </div>
            )}
            <Lines of={shown} />
          </>
        )
      }}
    </Loaded>
  )
}
