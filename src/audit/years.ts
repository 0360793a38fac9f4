// The parts of the audit trail, one a year: see 0152_trail_of_years.sql.
import type { PurgeBatch } from '../database/background/purge.ts'
import { one, statement } from '../database/statements/statement.ts'
import { dayMs } from '../domain/clock.ts'

/** Before its part is missing, a year could be made by hand, too. */
const aheadMs = 366 * dayMs

const make = statement(
  'audit_make_years',
  ['timestamptz'],
  { count: 'int8' },
  'select make_audit_years($1) as count',
)
/** Makes the parts of the years to come. Nearly always there is none to make. */
export const makeYears: PurgeBatch = async (db, now) => {
  await one(db, make, [new Date(now + aheadMs)])
  return false
}
