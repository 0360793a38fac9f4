// What the accounts of the bank and all customers together hold: each currency sums to zero.
import { Badge, Empty, Loaded } from '../../parts/basic.tsx'
import { moneyColumn, Table } from '../../parts/table.tsx'
import { useRead } from '../../calls/call.ts'
import type { TrialBalance } from '../../state/types.ts'
import { texts } from '../../texts/language.ts'

type OfCurrency = TrialBalance['currencies'][number]
type Line = { name: string; balance: string }

/** An account that the bank has in every currency by its word, a further one by its own name. */
function bankAccountName(code: string, name: string): string {
  const { codes } = texts().trial
  return codes[code as keyof typeof codes] ?? name
}

function Lines({ of: { currency, accounts, customers, total } }: { of: OfCurrency }) {
  const t = texts().trial
  const lines: Line[] = [
    ...accounts.map(({ code, name, balance }) => ({
      name: bankAccountName(code, name),
      balance,
    })),
    { name: t.customers, balance: customers },
    { name: t.total, balance: total },
  ]
  return (
    <>
      <Table
        caption={t.caption(currency)}
        rows={lines}
        keyOf={({ name }) => name}
        columns={[
          {
            name: t.account,
            isRowHeader: true,
            cell: ({ name }) => name,
          },
          moneyColumn<Line>(t.balance, ({ balance: amount }) => ({ amount, currency }), 'end'),
        ]}
      />
      {/[1-9]/.test(total) && <Badge kind="bad">{t.unsound}</Badge>}
    </>
  )
}

export function TrialBalances() {
  const t = texts().trial
  const read = useRead<TrialBalance>('/admin/trial-balance')
  return (
    <Loaded of={read} lines={8}>
      {({ currencies }) => (
        <>
          {currencies.length === 0 && <Empty>{t.none}</Empty>}
          {currencies.map((each) => (
            <Lines key={each.currency} of={each} />
          ))}
        </>
      )}
    </Loaded>
  )
}
