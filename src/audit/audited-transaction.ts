// The database and the events of changes by staff: a change commits with its event, in the same
// transaction, or not at all. A handler has no other way to write.
import type { Database } from '../database/connect.ts'
import { addEvents, type AuditEvent } from './sql.ts'

/** Makes the event of a change, once it is known what was made by it. */
export type MakeEvent = (madeId: string | undefined) => AuditEvent

/** The same database, whose transactions end with the event of the change. */
export const auditedDatabase = (db: Database, makeEvent: MakeEvent): Database => ({
  ...db,
  runTransaction: (work) =>
    db.runTransaction(async (tx) => {
      const result = await work(tx)
      await addEvents(tx, [makeEvent(createdId(result))])
      return result
    }),
})

/** The identifier of what a transaction has made is in its result. */
export function createdId(made: unknown): string | undefined {
  const id = (made as { id?: unknown } | null | undefined)?.id
  return typeof id === 'string' ? id : undefined
}
