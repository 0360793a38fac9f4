// Changes that are made once for each external identifier of a caller, and are no movements of the
// ledger. They share its numbers: one identifier numbers one thing, whatever the caller does with
// it.
import type { Database } from '../database/connections/connect.ts'
import { untilUnique } from '../database/connections/failure.ts'
import { transaction } from '../database/connections/transaction.ts'
import { awaitStandby } from '../database/connections/standby.ts'
import type { Db } from '../database/statements/statement.ts'
import { refuse } from '../domain/errors.ts'
import { newSalt } from '../domain/ids.ts'
import { externalIdsKey, readExternalIds, writeExternalIds } from '../ledger/rows/external-ids.ts'
import { addMade, type MadeResource, saltOf } from '../ledger/rows/made-resources.ts'
import { sealNumber, toExternalId } from '../ledger/rules/external-ids.ts'
import { NothingMade } from './effects.ts'

type Numbered<Row extends { id: string }> = Pick<MadeResource, 'id' | 'kind' | 'callerId'> & {
  externalId: string
  /** The operation and all that the request asks for. No password: it is compared by its hash. */
  operation: string
  terms: object
  make(tx: Db): Promise<Row>
  /** What was made, as it is now. */
  readAgain(tx: Db, id: string): Promise<Row | undefined>
}

/**
 * Makes the change, or gives what it has made. Refuses as `make` does, and with
 * `idempotency_key_reused`.
 */
export async function onceNumbered<Row extends { id: string }>(
  db: Database,
  { id, kind, callerId, externalId, operation, terms, make, readAgain }: Numbered<Row>,
): Promise<{ row: Row; isReplayed: boolean }> {
  const hashWith = (salt: string) =>
    toExternalId(externalId, operation, { salt, terms: { ...terms } }).bodyHash
  const attempt = () =>
    transaction(db, async (tx) => {
      const [known] = await readExternalIds(tx, [{ callerId, externalId }])
      if (known) {
        const salt = await saltOf(tx, known.transferId, kind)
        if (!salt || hashWith(salt) !== known.bodyHash) refuse('idempotency_key_reused')
        await tx.run(awaitStandby, [])
        const row = (await readAgain(tx, known.transferId)) ?? refuse('idempotency_key_reused')
        return new NothingMade(row)
      }
      const salt = newSalt()
      const number = { callerId, externalId, bodyHash: hashWith(salt), transferId: id }
      const sealed = { ...number, isSettlement: false, seal: sealNumber(number) }
      // Before all else: an equal request at the same time waits here, and is answered as the same.
      await writeExternalIds(tx, [sealed])
      await addMade(tx, { id, kind, callerId, salt: Buffer.from(salt, 'hex') })
      return make(tx)
    })
  const result = await untilUnique(externalIdsKey, attempt)
  return result instanceof NothingMade
    ? { row: result.answer, isReplayed: true }
    : { row: result, isReplayed: false }
}
