// The parts of years of the audit trail and of the transfers: see 0172_transfers_of_years.sql, and
// 0182_years_in_order.sql for how one is made.
import { one, statement } from '../statements/statement.ts'
import type { PurgeBatch } from './purge.ts'

const make = statement(
  'years_make',
  ['timestamptz'],
  { count: 'int8' },
  'select make_years($1) as count',
)
/** Makes the parts of this year and the next. Nearly always there is none to make. */
export const makeYears: PurgeBatch = async (db, now) => {
  // A year that begins before the second millisecond of the next one.
  const until = new Date(Date.UTC(new Date(now).getUTCFullYear() + 1, 0, 1, 0, 0, 0, 1))
  const made = await one(db, make, [until])
  // Those of the next table have a transaction of their own.
  return made !== undefined && made.count > 0n
}
