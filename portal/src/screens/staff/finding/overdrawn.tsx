// Accounts that card payments have left below what is arranged, with since when.
import { Screen, Section } from '../../../parts/basic.tsx'
import { Listed } from '../../../parts/list.tsx'
import { moneyColumn, Table } from '../../../parts/table.tsx'
import { usePages } from '../../../calls/call.ts'
import { texts } from '../../../texts/language.ts'
import { Time, timeZoneName } from '../../../texts/time.tsx'
import type { Account } from '../../../state/types.ts'
import { AccountLink } from '../account-link.tsx'

export function Overdrawn() {
  const t = texts().today
  const list = usePages<Account>('/admin/accounts?overdrawn=yes&limit=50')
  return (
    <Screen title={t.overdrawn}>
      <Section title={t.overdrawnMeaning}>
        <Listed of={list} none={t.noneOverdrawn} lines={4}>
          {(accounts) => (
            <Table
              caption={t.overdrawn}
              rows={accounts}
              keyOf={({ id }) => id}
              columns={[
                {
                  name: 'IBAN',
                  isRowHeader: true,
                  cell: (account) => <AccountLink account={account} />,
                },
                {
                  name: t.since,
                  cell: ({ overdrawnSince: since }) => since && <Time at={since} />,
                },
                moneyColumn<Account>(
                  t.lacking,
                  ({ available: amount, currency }) => ({ amount, currency }),
                  'end',
                ),
              ]}
            />
          )}
        </Listed>
      </Section>
      <p class="quiet small">{texts().common.timesIn(timeZoneName())}</p>
    </Screen>
  )
}
