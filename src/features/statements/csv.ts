// Statements as CSV (RFC 4180): a header row, then one row each entry, in UTF-8.
import type { Entry, StatementFile } from './rows.ts'

type Column = [name: string, cell: (entry: Entry, currency: string) => string]

const columns: Column[] = [
  ['date', ({ bookedAt }) => bookedAt.slice(0, 10)],
  ['booked_at', ({ bookedAt }) => bookedAt],
  ['transaction_id', ({ id }) => id],
  ['kind', ({ kind }) => kind],
  ['counterparty_name', ({ name }) => text(name)],
  ['counterparty_iban', ({ iban }) => text(iban)],
  ['reference', ({ reference }) => text(reference)],
  ['amount', ({ amount }) => amount],
  ['currency', (_entry, currency) => currency],
  ['balance_after', ({ balance }) => balance],
]

/** What a spreadsheet takes for a formula, also in full width and behind white space (CWE-1236). */
const formula = /^\s*[=+\-@＝＋－＠\t\r\n]/

/** A cell of text: harmless to a spreadsheet, and in quotes where its characters need them. */
function text(value: string): string {
  const harmless = formula.test(value) ? `'${value}` : value
  return /[",\r\n]|^\s|\s$/.test(harmless) ? `"${harmless.replaceAll('"', '""')}"` : harmless
}

const row = (cells: readonly string[]): string => `${cells.join(',')}\r\n`

export async function* renderCsv({ heading, batches }: StatementFile): AsyncGenerator<string> {
  yield row(columns.map(([name]) => name))
  const toRow = (entry: Entry) => row(columns.map(([, cell]) => cell(entry, heading.currency)))
  for await (const batch of batches) yield batch.map(toRow).join('')
}
