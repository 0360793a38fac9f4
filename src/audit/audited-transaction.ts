// What a change by staff works with in place of the plain database: whatever is
// committed through it is committed with its event, in the same transaction, or not at all.
import type { Database } from '../database/connect.ts'
import type { Db } from '../database/statement.ts'
import { addEvents, type AuditEvent } from './sql.ts'

/** Makes the event of a change, once it is known what was made by it. */
export type MakeEvent = (madeId: string | undefined) => AuditEvent

/** The same database, whose transactions write the event before they commit. */
export const auditedDatabase = (db: Database, makeEvent: MakeEvent): Database => ({
  ...db,
  async beforeCommit(tx: Db, made: unknown) {
    await addEvents(tx, [makeEvent(createdId(made))])
  },
})

/** What was made is what its transaction gives. */
function createdId(made: unknown): string | undefined {
  const id = (made as { id?: unknown } | null | undefined)?.id
  return typeof id === 'string' ? id : undefined
}
