// What a change by staff works with in place of the plain database and ledger: whatever is
// committed through these is committed with its event, in the same transaction, or not at all.
import type { Database } from '../database/connect.ts'
import type { Db, Statement } from '../database/statement.ts'
import type { Ledger } from '../ledger/batch.ts'
import { addEvents, type AuditEvent } from './sql.ts'

/** Makes the event of a change, once it is known what was made by it. */
export type Witness = (madeId: string | undefined) => AuditEvent

/**
 * The same database, whose transactions write the event before they commit. A single statement that
 * writes has no transaction to do it in, so it is a defect and does not run.
 */
export const witnessedDatabase = (db: Database, witness: Witness): Database => ({
  ...db,
  async run(statement, values) {
    if (mayWrite(statement)) {
      throw new Error(`${statement.name} has to run in a transaction: staff change nothing unseen`)
    }
    return db.run(statement, values)
  },
  async beforeCommit(tx: Db, made: unknown) {
    await addEvents(tx, [witness(idOf(made))])
  },
})

/** The same ledger, whose transactions write the event of each order that takes effect. */
export const witnessedLedger = (ledger: Ledger, witness: Witness): Ledger => ({
  ...ledger,
  submit: (order) => ledger.submit({ ...order, event: witness(undefined) }),
})

/** Locking counts: whoever locks is about to write. */
const mayWrite = ({ text }: Pick<Statement, 'text'>): boolean =>
  /\b(insert|update|delete|merge|truncate)\b/i.test(text)

/** What was made is what its transaction gives. */
function idOf(made: unknown): string | undefined {
  const id = (made as { id?: unknown } | null | undefined)?.id
  return typeof id === 'string' ? id : undefined
}
