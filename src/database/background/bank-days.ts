// The days of the bank as the database has them, so that all instances count by the same ones.
import { createDays, type Days } from '../../domain/days.ts'
import { type Db, fragment, sql, statement } from '../statements/statement.ts'

/** {@link toDays} reads `zones`. */
export const timeAndZones = { at: 'timestamptz', zones: 'text' } as const
export const selectTimeAndZones = fragment`clock_timestamp() as at, coalesce((
     select string_agg((extract(epoch from since) * 1000)::int8 || ' ' || time_zone, ','
                       order by since)
     from bank_time_zones
   ), '') as zones`

/** The database's time and its days in one statement. */
export const readTimeAndZones = statement(
  'clocks_read_time_and_zones',
  [],
  timeAndZones,
  sql`select ${selectTimeAndZones}`,
)

let last: { zones: string; days: Days } = { zones: '', days: createDays([]) }

/** The days of that list of zones; the same object while the list is the same. */
export function toDays(text: string): Days {
  if (text !== last.zones) {
    const zones = text.split(',').map((part) => {
      const [since = '', timeZone = ''] = part.split(' ')
      return { since: Number.parseInt(since, 10), timeZone }
    })
    last = { zones: text, days: createDays(text === '' ? [] : zones) }
  }
  return last.days
}

/** The days of the bank, in a statement of its own: for commands. */
export async function readDays(db: Db): Promise<Days> {
  const [row] = await db.run(readTimeAndZones, [])
  return toDays(row?.zones ?? '')
}
