// What the audit trail still holds: its owner drops whole months of it, the oldest first.
import { type Db, one, statement } from '../../database/statements/statement.ts'

/** Events of erasures stay when those beside them are dropped. */
const readBegin = statement(
  'verify_read_begin_of_trail',
  [],
  { at: 'timestamptz' },
  `select at from audit_events where action <> 'erase' order by id limit 1`,
)

/** An event is recorded up to so long before the transaction of its change is dated. */
const aheadMs = 15 * 60_000

/** Whether the trail has the events of what was changed at a time. */
export type HasEventsOf = (at: Date) => boolean

export async function readReach(db: Db): Promise<HasEventsOf> {
  const begin = (await one(db, readBegin, []))?.at.getTime() ?? Infinity
  return (at) => at.getTime() - aheadMs >= begin
}
