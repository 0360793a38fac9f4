// The business days of the bank as the database has them, so that all instances move the same days.
import {
  type BankCalendar,
  type CalendarSince,
  createBankCalendar,
  holidayKinds,
} from '../../domain/calendar/business-days.ts'
import type { Days } from '../../domain/days.ts'
import { type Db, type RowOf, statement, wordOf } from '../statements/statement.ts'
import { readDays } from './bank-days.ts'

export const readCalendars = statement(
  'clocks_read_calendars',
  [],
  { since: 'timestamptz', kind: wordOf(holidayKinds), dates: 'text', cutOff: 'text?' },
  `select since, holidays as kind, array_to_string(dates, ',') as dates, cut_off as "cutOff"
   from bank_calendars order by since`,
)
type Row = RowOf<typeof readCalendars.gives>

export const toCalendars = (rows: readonly Row[]): CalendarSince[] =>
  rows.map(({ since, dates, ...row }) => ({
    ...row,
    since: since.getTime(),
    dates: dates === '' ? [] : dates.split(','),
  }))

export const toBankCalendar = (rows: readonly Row[], days: () => Days): BankCalendar =>
  createBankCalendar(toCalendars(rows), days)

/** The calendars of the bank, in statements of their own: for commands. */
export async function readBankCalendar(db: Db): Promise<BankCalendar> {
  const days = await readDays(db)
  return toBankCalendar(await db.run(readCalendars, []), () => days)
}
