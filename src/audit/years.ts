// The parts of the audit trail, one a year: see 0152_trail_of_years.sql.
import type { PurgeBatch } from '../database/background/purge.ts'
import { one, statement } from '../database/statements/statement.ts'

const make = statement(
  'audit_make_years',
  ['timestamptz'],
  { count: 'int8' },
  'select make_audit_years($1) as count',
)
/** Makes the parts of this year and the next. Nearly always there is none to make. */
export const makeYears: PurgeBatch = async (db, now) => {
  // A year that begins before the second millisecond of the next one.
  await one(db, make, [new Date(Date.UTC(new Date(now).getUTCFullYear() + 1, 0, 1, 0, 0, 0, 1))])
  return false
}
