// One of the bank's own accounts: its balance, its entries, each of which leads to its payment, and
// its statements.
import { useState } from 'preact/hooks'
import { UserText } from '../../parts/accounts.tsx'
import { Loaded, Screen, Section } from '../../parts/basic.tsx'
import { Field } from '../../parts/field.tsx'
import { Listed } from '../../parts/list.tsx'
import { moneyColumn, Table } from '../../parts/table.tsx'
import { usePages, useRead } from '../../calls/call.ts'
import { to } from '../../state/paths.ts'
import type { BankAccount, Transaction } from '../../state/types.ts'
import { texts } from '../../texts/language.ts'
import { Money } from '../../texts/money.tsx'
import { bankZoneName, formatMonth, lastMonths, Time, timeZoneName } from '../../texts/time.tsx'
import { formatQuery } from '../../calls/download.ts'
import { FileButton } from '../common/file-button.tsx'
import { bankAccountName } from './bank-name.ts'

function History({ path }: { path: string }) {
  const t = texts()
  const list = usePages<Transaction>(`${path}/transactions?limit=25`)
  return (
    <Listed of={list} none={t.bankAccount.noEntry} lines={8}>
      {(entries) => (
        <Table
          caption={t.bankAccount.history}
          rows={entries}
          keyOf={({ id }) => id}
          columns={[
            { name: t.entry.time, cell: ({ createdAt }) => <Time at={createdAt} /> },
            {
              name: t.bankAccount.kind,
              isRowHeader: true,
              cell: ({ id, kind }) => (
                <a href={to('staffTransfer', { transferId: id })}>{t.entry.kinds[kind]}</a>
              ),
            },
            {
              name: t.entry.reference,
              cell: ({ reference }) => <UserText>{reference}</UserText>,
            },
            moneyColumn<Transaction>(
              t.entry.amount,
              ({ amount, currency }) => ({ amount, currency }),
              'end',
            ),
            moneyColumn<Transaction>(
              t.entry.balanceAfter,
              ({ balanceAfter: amount, currency }) => ({ amount, currency }),
            ),
          ]}
        />
      )}
    </Listed>
  )
}

const formats = { pdf: 'pdf', csv: 'csv', camt053: 'xml' } as const

/** The files of a month, which is one of the bank's time zone. */
function Statement({ path, of: { code, currency } }: { path: string; of: BankAccount }) {
  const t = texts().bankAccount
  const months = lastMonths(24)
  const [month = '', setMonth] = useState(months[0])
  const [year, number] = month.split('-').map(Number) as [number, number]
  const last = new Date(Date.UTC(year, number, 0)).toISOString().slice(0, 10)
  return (
    <Section title={t.statement}>
      <Field
        name="month"
        label={t.month}
        value={month}
        onInput={setMonth}
        options={months.map((one) => [one, formatMonth(one)] as const)}
      />
      <div class="actions">
        {(Object.keys(formats) as (keyof typeof formats)[]).map((format) => (
          <FileButton
            key={format}
            path={`${path}/statement?from=${month}-01&to=${last}&${formatQuery(format)}`}
            name={`statement-${code}-${currency}-${month}.${formats[format]}`}
            label={t.formats[format]}
          />
        ))}
      </div>
      <p class="quiet small">{t.days(bankZoneName)}</p>
    </Section>
  )
}

export function StaffBank({ parameters }: { parameters: Record<string, string> }) {
  const { trial, bankAccount: t, common } = texts()
  const { code, currency } = parameters
  const path = `/admin/bank-accounts/${code}/${currency}`
  const read = useRead<BankAccount>(path)
  const { data } = read
  const lead = data && (
    <p class="amount-large">
      <Money amount={data.balance} currency={data.currency} />
    </p>
  )
  return (
    <Screen
      title={data ? t.title(bankAccountName(data.code, data.name), data.currency) : trial.account}
      lead={lead}
    >
      <Loaded of={read} lines={10}>
        {(account) => (
          <>
            <Section title={texts().account.history}>
              <History path={path} />
              <p class="quiet small">{common.timesIn(timeZoneName())}</p>
            </Section>
            <Statement path={path} of={account} />
          </>
        )}
      </Loaded>
    </Screen>
  )
}
