// Changes that are made once for each Idempotency-Key, and are no orders of the ledger. The claim
// of the key is a row of the transaction of the change, as for a transfer (ledger/rows/claims.ts).
import { databaseNow } from '../database/background/clocks.ts'
import type { Database } from '../database/connections/connect.ts'
import { violates } from '../database/connections/failure.ts'
import { awaitStandby } from '../database/connections/standby.ts'
import type { Db } from '../database/statements/statement.ts'
import { transaction } from '../database/connections/transaction.ts'
import type { Clock } from '../domain/clock.ts'
import { type PlainCode, Refusal, refuse } from '../domain/errors.ts'
import {
  type Claim,
  claimsKey,
  dropClaims,
  readClaims,
  writeClaims,
} from '../ledger/rows/claims.ts'
import {
  answerRepeated,
  isKept,
  isLive,
  keyLifetimeMs,
  toFingerprint,
} from '../ledger/batch/idempotency.ts'
import { NothingMade } from './effects.ts'

type Once<Row extends { id: string }, Locked> = {
  callerId: string
  /** The Idempotency-Key; without one it is made each time. */
  key: string | undefined
  /** The operation and all that the request asks for: equal for equal requests. */
  terms: readonly unknown[]
  /** Locks what equal requests both change. Refuses nothing: a repetition is answered first. */
  lock(tx: Db): Promise<Locked>
  make(tx: Db, locked: Locked): Promise<Row>
  /** A note with which the first answer can be given again; null: none is needed. */
  note(made: Row): string | null
  /** What was made, as it was answered the first time. */
  readAgain(tx: Db, id: string, note: string | null): Promise<Row>
}

type OnceMade<Row> = { row: Row; isReplayed: boolean }

/**
 * Makes the change, or gives its first answer again. Refuses as `make` does, and with
 * `idempotency_key_reused` or `request_in_progress`.
 */
export async function once<Row extends { id: string }, Locked>(
  db: Database,
  clock: Clock,
  asked: Once<Row, Locked>,
): Promise<OnceMade<Row>> {
  const { callerId, key } = asked
  if (key === undefined) {
    const made = await transaction(db, async (tx) => asked.make(tx, await asked.lock(tx)))
    return { row: made, isReplayed: false }
  }
  const fingerprint = toFingerprint([callerId, ...asked.terms])
  const result = await transaction(db, async (tx) => {
    const locked = await asked.lock(tx)
    const now = await databaseNow(tx, clock)
    const first = await findFirst(tx, { callerId, key, fingerprint, now })
    if (first) {
      await tx.run(awaitStandby, [])
      const isMade = !(first instanceof Refusal)
      return new NothingMade(isMade ? await asked.readAgain(tx, first.replayOf, first.told) : first)
    }
    const made = await asked.make(tx, locked).catch(orKept)
    const claim = { callerId, key, fingerprint, claimedAt: new Date(now) }
    if (made instanceof Refusal) {
      const { code, options } = made
      const limitTold = options.limit === undefined ? null : JSON.stringify(options.limit)
      await storeAnswer(tx, { ...claim, transferId: null, refusal: code, limitTold })
      return new NothingMade(made)
    }
    await storeAnswer(tx, {
      ...claim,
      transferId: made.id,
      refusal: null,
      limitTold: asked.note(made),
    })
    return made
  })
  if (!(result instanceof NothingMade)) return { row: result, isReplayed: false }
  if (result.answer instanceof Refusal) throw result.answer
  return { row: result.answer, isReplayed: true }
}

type KeyedRequest = { callerId: string; key: string; fingerprint: string; now: number }

/** The first answer to the key. A claim that is past its time is dropped. */
async function findFirst(tx: Db, { callerId, key, fingerprint, now }: KeyedRequest) {
  const [claim] = await readClaims(tx, [{ callerId, key }])
  if (claim === undefined) return undefined
  if (isLive(claim, now)) return answerRepeated({ key }, fingerprint, { claim })
  await dropClaims(tx, [{ callerId, key }], new Date(now - keyLifetimeMs))
  return undefined
}

/** A refusal that is kept as the first answer; any other is thrown. */
function orKept(thrown: unknown): Refusal & { code: PlainCode } {
  if (thrown instanceof Refusal && isKept(thrown.code)) {
    return thrown as Refusal & { code: PlainCode }
  }
  throw thrown
}

/** Another request may have claimed the key meanwhile, behind another lock. */
async function storeAnswer(tx: Db, claim: Claim): Promise<void> {
  try {
    await writeClaims(tx, [claim])
  } catch (thrown) {
    if (violates(thrown, claimsKey)) refuse('request_in_progress', { because: thrown })
    throw thrown
  }
}
