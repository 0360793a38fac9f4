// Payments that have fallen due: runs of standing orders, and lines of payment lists. Every
// instance has a worker for each; rows are leased to one of them in turns, and the ledger makes a
// payment once, also if several try it.
import { planByKeys } from '../../database/connections/generic-plans.ts'
import type { Database } from '../../database/connections/connect.ts'
import { transaction } from '../../database/connections/transaction.ts'
import {
  openQueueWorker,
  type QueueParts,
  type QueueWorker,
} from '../../database/background/queue-worker.ts'
import type { Db } from '../../database/statements/statement.ts'
import { type Code, Refusal } from '../../domain/errors.ts'
import type { OpenLedger } from '../../ledger/batch/batch.ts'
import type { TransferMovement } from '../../ledger/rules/movement.ts'
import { describeError } from '../../telemetry/log.ts'

/** Rows to take: about that many, which no other instance takes until `leaseEnd`. */
export type Turn = { now: number; leaseEnd: number; count: number }

/** What the worker of each kind has in common. */
export type DueWorkerParts = Pick<QueueParts<never>, 'clock' | 'clocks' | 'isAsleep'> & {
  db: Database
  ledger: Pick<OpenLedger, 'submit' | 'askedCount'>
}

type Work<Row> = Pick<QueueParts<never>, 'onDatabaseAway'> & {
  take(tx: Db, turn: Turn): Promise<readonly Row[]>
  toMovement(row: Row): TransferMovement
  /** Called for a defect, and when an outage has kept a row from its outcome for a while. */
  onFailure(row: Row, error: ReturnType<typeof describeError>): void
  /** Called behind each turn. If it fails, the lease runs out. */
  release?(tx: Db, rows: readonly Row[]): Promise<unknown>
}

/** Rows that are taken together: at most this many, and so many for each payment at a time. */
const turnSizeMax = 128
const turnSizePerPayment = 16
/** While nothing else is paid the next turn is taken beside the one that runs. */
const turnsAtOnce = { alone: 2, beside: 1 }
/**
 * Beside payments of others: this many times the square root of how many of those are under way.
 * All of them share batches of the ledger: a payment waits for a few rows, and no row for a rest.
 * 100,000 orders take 47 s beside 16 payments and 56 beside 64. With half as many rows as payments
 * they took 112 and 75, in turns of 32 with rests 116 and 148 (`bench -- orders`). 1,000 lines of a
 * list take 0.6 s alone, in turns of 64 with rests 1.4 (`bench -- lists`).
 */
const paymentsPerRoot = 5
const paymentsBesideMin = 4
const leaseMs = 30_000
/** No payment of a turn begins later: the ledger answers in ten seconds, before the lease ends. */
const beginningMs = 15_000

export type DueWorker = QueueWorker & {
  /** Attempts without an outcome; the rows are tried again. */
  failedCount(): number
}

export function openDueWorker<Row extends { attempts: number }>(
  { db, ledger, ...parts }: DueWorkerParts,
  work: Work<Row>,
): DueWorker {
  const { clock } = parts
  let failedCount = 0
  let isClosing = false
  /** Payments at a time, by those of others in the last turn. */
  let width = paymentsBesideMin
  const payOne = async (row: Row) => {
    if (!(await pay(row, ledger, work))) failedCount++
  }
  const worker = openQueueWorker<readonly Row[]>({
    ...parts,
    onDatabaseAway: work.onDatabaseAway,
    async take(now, { length }) {
      if (length >= turnsAtOnce[width === turnSizeMax ? 'alone' : 'beside']) return []
      const count = Math.min(turnSizeMax, turnSizePerPayment * width)
      const take = (tx: Db) => work.take(tx, { now, leaseEnd: now + leaseMs, count })
      // Made anew for each call, the plan took as long as the call, and read whole tables.
      const rows = await transaction(db, take, (tx) => tx.run(planByKeys, []))
      return rows.length > 0 ? [rows] : []
    },
    async run(rows) {
      const before = ledger.askedCount()
      // Another turn may end, and change it, meanwhile.
      const atOnce = Math.min(width, rows.length)
      const lastAt = clock.monotonic() + beginningMs
      // What is left is released if there was an outcome, else waits for the end of its lease.
      const mayBegin = () => !isClosing && clock.monotonic() < lastAt
      await eachOf(rows, { atOnce, mayBegin }, payOne)
      const others = ((ledger.askedCount() - before) * atOnce) / rows.length
      width = others === 0 ? turnSizeMax : Math.ceil(paymentsPerRoot * Math.sqrt(others))
      width = Math.min(turnSizeMax, Math.max(paymentsBesideMin, width))
      const { release } = work
      if (release) await transaction(db, (tx) => release(tx, rows)).catch(() => {})
    },
  })
  const close = () => {
    isClosing = true
    return worker.close()
  }
  return { ...worker, close, failedCount: () => failedCount }
}

/** Pays that many at a time, each as soon as one before it has ended. */
async function eachOf<Row>(
  due: readonly Row[],
  { atOnce, mayBegin }: { atOnce: number; mayBegin(): boolean },
  payOne: (row: Row) => Promise<void>,
): Promise<void> {
  const rows = due.values()
  const paySome = async () => {
    for (const row of rows) if (mayBegin()) await payOne(row)
  }
  await Promise.all(Array.from({ length: atOnce }, paySome))
}

/** Refusals that say nothing about the row: it may be paid later. */
const temporary: readonly Code[] = ['unavailable', 'outcome_unknown']

/**
 * Returns false if there was no outcome: the row is tried again when the lease ends. Never rejects.
 */
async function pay<Row extends { attempts: number }>(
  row: Row,
  { submit }: DueWorkerParts['ledger'],
  { toMovement, onFailure }: Work<Row>,
): Promise<boolean> {
  try {
    await submit(toMovement(row))
    return true
  } catch (thrown) {
    const isTemporary = thrown instanceof Refusal && temporary.includes(thrown.code)
    // Any other refusal is the outcome, which the ledger has written; or the row has changed since
    // it was taken, or another instance has paid it.
    if (thrown instanceof Refusal && !isTemporary) return true
    if (!isTemporary || row.attempts > 2) onFailure(row, describeError(thrown))
    return false
  }
}
