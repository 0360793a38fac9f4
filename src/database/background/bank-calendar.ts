// The business days of the bank as the database has them, so that all instances move the same days.
import {
  type BankCalendar,
  type CalendarSince,
  createBankCalendar,
  holidayKinds,
} from '../../domain/calendar/business-days.ts'
import type { Days } from '../../domain/days.ts'
import {
  type Db,
  fragment,
  type RowOf,
  sql,
  statement,
  wordOf,
  wordOrNullOf,
} from '../statements/statement.ts'
import { readDays, selectTimeAndZones, timeAndZones } from './bank-days.ts'

const calendarColumns = fragment`since, holidays as kind, array_to_string(dates, ',') as dates,
     cut_off as "cutOff"`

export const readCalendars = statement(
  'clocks_read_calendars',
  [],
  { since: 'timestamptz', kind: wordOf(holidayKinds), dates: 'text', cutOff: 'text?' },
  sql`select ${calendarColumns} from bank_calendars order by since`,
)
type Row = RowOf<typeof readCalendars.gives>

/** The database's time, its days and its calendars in one statement: a row for each calendar. */
export const readBank = statement(
  'clocks_read_bank',
  [],
  {
    ...timeAndZones,
    since: 'timestamptz?',
    kind: wordOrNullOf(holidayKinds),
    dates: 'text?',
    cutOff: 'text?',
  },
  sql`select ${selectTimeAndZones}, ${calendarColumns}
   from (values (1)) as one left join bank_calendars on true order by since`,
)

/** Without calendars there is one row, which has none. */
export const calendarsIn = (rows: readonly RowOf<typeof readBank.gives>[]): Row[] =>
  rows.flatMap(({ since, kind, dates, cutOff }) =>
    since && kind && dates !== null ? { since, kind, dates, cutOff } : [],
  )

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
