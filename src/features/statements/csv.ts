// Statements as CSV (RFC 4180) in UTF-8: a header row, then one row for each entry.
import type { Entry, StatementFile } from './rows.ts'

const columns: readonly (readonly [name: string, cell: (entry: Entry) => string])[] = [
  ['date', ({ createdAt }) => createdAt.slice(0, 10)],
  ['booked_at', ({ createdAt }) => createdAt],
  ['transaction_id', ({ id }) => id],
  ['kind', ({ kind }) => kind],
  ['counterparty_name', ({ counterparty }) => text(counterparty?.name ?? '')],
  ['counterparty_iban', ({ counterparty }) => text(counterparty?.iban ?? '')],
  ['reference', ({ reference }) => text(reference)],
  ['amount', ({ amount }) => amount],
  ['currency', ({ currency }) => currency],
  ['balance_after', ({ balanceAfter }) => balanceAfter],
]

/** Text that a spreadsheet runs as a formula, also full width or after white space (CWE-1236). */
const formula = /^\s*[=+\-@＝＋－＠\t\r\n]/

/** A cell of text: safe in a spreadsheet, and quoted where its characters require it. */
function text(value: string): string {
  const safe = formula.test(value) ? `'${value}` : value
  return /[",\r\n]|^\s|\s$/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe
}

const row = (cells: readonly string[]): string => `${cells.join(',')}\r\n`
const toRow = (entry: Entry): string => row(columns.map(([, cell]) => cell(entry)))

export async function* renderCsv({ batches }: StatementFile): AsyncGenerator<string> {
  yield row(columns.map(([name]) => name))
  for await (const batch of batches) yield batch.map(toRow).join('')
}

export { row as csvRow, text as csvText }
