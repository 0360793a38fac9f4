// Statements as CSV (RFC 4180) in UTF-8: a header row, then one row for each entry.
import { statements } from '../../../languages/statement.ts'
import type { Days } from '../../domain/days.ts'
import type { Entry, StatementFile } from './rows.ts'

type Column = keyof (typeof statements)['en']['csv']

const columns: readonly (readonly [Column, (entry: Entry, days: Days) => string])[] = [
  ['date', ({ bookedAt }, days) => days.dayOf(bookedAt)],
  ['bookedAt', ({ createdAt }) => createdAt],
  ['id', ({ id }) => id],
  ['kind', ({ kind }) => kind],
  ['name', ({ counterparty }) => text(counterparty?.name ?? '')],
  ['iban', ({ counterparty }) => text(counterparty?.iban ?? '')],
  ['reference', ({ reference }) => text(reference)],
  ['amount', ({ amount }) => amount],
  ['currency', ({ currency }) => currency],
  ['balanceAfter', ({ balanceAfter }) => balanceAfter],
]

/** Text that a spreadsheet runs as a formula, also full width or after white space (CWE-1236). */
const formula = /^\s*[=+\-@＝＋－＠\t\r\n]/

/** A cell of text: safe in a spreadsheet, and quoted where its characters require it. */
function text(value: string): string {
  const safe = formula.test(value) ? `'${value}` : value
  return /[",\r\n]|^\s|\s$/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe
}

const row = (cells: readonly string[]): string => `${cells.join(',')}\r\n`

export async function* renderCsv({ heading, batches }: StatementFile): AsyncGenerator<string> {
  const { days, language } = heading
  const names = statements[language].csv
  yield row(columns.map(([column]) => names[column]))
  const toRow = (entry: Entry) => row(columns.map(([, cell]) => cell(entry, days)))
  for await (const batch of batches) yield batch.map(toRow).join('')
}

export { row as csvRow, text as csvText }
