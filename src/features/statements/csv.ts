// CSV in UTF-8: a header row, then one row for each entry. A program gets it as RFC 4180 says. A
// spreadsheet opens a file right that has a byte order mark, and the separator and the decimal sign
// of its language.
import { Type } from '../../domain/type.ts'
import { statements } from '../../../languages/statement.ts'
import { csvForm } from '../../../languages/csv.ts'
import type { Days } from '../../domain/days.ts'
import { invalid } from '../../domain/errors.ts'
import { type Language, languageCodes } from '../../domain/languages.ts'
import { oneOf } from '../../domain/schema.ts'
import type { Entry, StatementFile } from './rows.ts'

/** In the query of each route that has a CSV file. */
export const spreadsheetQuery = Type.Optional(
  oneOf(languageCodes, {
    description:
      'The language of the spreadsheet that opens a CSV file. The file has a byte order ' +
      'mark then, and the separator and the decimal sign of that language.',
  }),
)

/** Refuses the language of a spreadsheet beside another format: nothing of that would follow it. */
export function requireCsv(format: string, spreadsheet: Language | undefined): void {
  if (spreadsheet !== undefined && format !== 'csv') invalid('/query/spreadsheet', 'is for CSV')
}

/** Writes the cells and rows of a file, for a spreadsheet of that language or for a program. */
export const csvFormFor = (spreadsheet: Language | undefined) =>
  csvForm(
    spreadsheet === undefined
      ? { mark: '', separator: ',', decimal: '.' }
      : { mark: '\ufeff', ...statements[spreadsheet].spreadsheet },
  )
type CsvForm = ReturnType<typeof csvFormFor>

type Column = keyof (typeof statements)['en']['csv']
type Cell = (entry: Entry, about: CsvForm & { days: Days }) => string

const columns: readonly (readonly [Column, Cell])[] = [
  ['date', ({ bookedAt }, { days }) => days.dayOf(bookedAt)],
  ['bookedAt', ({ createdAt }) => createdAt],
  ['id', ({ id }) => id],
  ['kind', ({ kind }) => kind],
  ['name', ({ counterparty }, { text }) => text(counterparty?.name ?? '')],
  ['iban', ({ counterparty }, { text }) => text(counterparty?.iban ?? '')],
  ['reference', ({ reference }, { text }) => text(reference)],
  ['amount', (entry, { amount }) => amount(entry.amount)],
  ['currency', ({ currency }) => currency],
  ['balanceAfter', ({ balanceAfter }, { amount }) => amount(balanceAfter)],
]

export async function* renderCsv({ heading, batches }: StatementFile): AsyncGenerator<string> {
  const { days, language, spreadsheet } = heading
  const names = statements[language].csv
  const form = csvFormFor(spreadsheet)
  yield form.mark + form.row(columns.map(([column]) => names[column]))
  const about = { ...form, days }
  const toRow = (entry: Entry) => form.row(columns.map(([, cell]) => cell(entry, about)))
  for await (const batch of batches) yield batch.map(toRow).join('')
}
