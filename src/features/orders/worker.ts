// Runs standing orders on their days. Every instance has a worker; an order is leased to one of
// them, and the ledger makes the run of a day once, also if several try it.
import { type Config, ownBanks } from '../../config/config.ts'
import type { Clocks } from '../../database/background/clocks.ts'
import type { Database } from '../../database/connections/connect.ts'
import { planByKeys } from '../../database/connections/generic-plans.ts'
import {
  openQueueWorker,
  type PollMs,
  type QueueWorker,
} from '../../database/background/queue-worker.ts'
import { transaction } from '../../database/connections/transaction.ts'
import type { Db } from '../../database/statements/statement.ts'
import type { Clock } from '../../domain/clock.ts'
import { type Code, type PlainCode, Refusal } from '../../domain/errors.ts'
import type { OpenLedger } from '../../ledger/batch/batch.ts'
import type { TransferMovement } from '../../ledger/rules/movement.ts'
import { describeError, type Log } from '../../telemetry/log.ts'
import { type Destination, toDestination } from '../movements/destination.ts'
import { isAbove } from '../movements/answer.ts'
import { dueDays, type DuePlace, type DueRow, takeDueOrders, takeWaitingOrders } from './sql.ts'

type OrderParts = {
  db: Database
  clock: Clock
  clocks: Pick<Clocks, 'require' | 'days' | 'calendar'>
  pollMs?: PollMs | undefined
  config: Pick<Config, 'alertAbove' | 'bank' | 'bankAlso'>
  ledger: Pick<OpenLedger, 'submit' | 'takenCount'>
  log: Pick<Log, 'warn' | 'error'>
}

/** Orders that are taken together: at most this many, and so many for each run at a time. */
const turnSizeMax = 128
const turnSizePerRun = 16
/** While nothing else is paid the next turn is taken beside the one that runs. */
const turnsAtOnce = { alone: 2, beside: 1 }
/**
 * Beside payments of others: this many times the square root of how many of those are under way.
 * All of them share batches of the ledger: a payment waits for a few runs, and no run for a rest.
 * 100,000 take 47 s beside 16 payments and 56 beside 64. With half as many runs as payments they
 * took 112 and 75, in turns of 32 with rests 116 and 148 (`bench -- orders`).
 */
const runsPerRoot = 5
const runsBesideMin = 4
const leaseMs = 30_000
/** No run of a turn begins later: the ledger answers within ten seconds, before the lease ends. */
const beginningMs = 15_000

export type Orders = QueueWorker & {
  /** Attempts without an outcome; the runs are tried again. */
  failedCount(): number
}

export function openOrders(parts: OrderParts): Orders {
  const { clock, clocks, db, log } = parts
  /** The last one that was taken of the orders that are due, and of those that wait. */
  let place: DuePlace | undefined
  let after: string | undefined
  let failedCount = 0
  let isClosing = false
  let submittedCount = 0
  /** Runs at a time, by the payments of others in the last turn. */
  let width = runsBesideMin
  const othersCount = () => parts.ledger.takenCount() - submittedCount
  const runOne = async (row: DueRow) => {
    submittedCount++
    if (!(await runOrder(parts, row))) failedCount++
  }
  const worker = openQueueWorker<readonly DueRow[]>({
    ...parts,
    onDatabaseAway(thrown) {
      log.warn({ error: describeError(thrown) }, 'standing orders wait for the database')
    },
    async take(now, { length }) {
      if (length >= turnsAtOnce[width === turnSizeMax ? 'alone' : 'beside']) return []
      const day = clocks.days().dayOf(now)
      const due = dueDays(clocks.calendar().at(now), day)
      const count = Math.min(turnSizeMax, turnSizePerRun * width)
      const asked = { now, leaseEnd: now + leaseMs, day, due, count }
      const take = async (tx: Db) => {
        let untried = await takeDueOrders(tx, asked, place)
        // What has become due before that place meanwhile.
        if (untried.length === 0 && place) untried = await takeDueOrders(tx, asked)
        place = untried.at(-1)
        if (untried.length > 0) return untried
        const waiting = await takeWaitingOrders(tx, asked, after)
        after = waiting.after
        return waiting.due
      }
      // Made anew for each call, the plan took as long as the call, and read whole tables.
      const taken = await transaction(db, take, (tx) => tx.run(planByKeys, []))
      return taken.length > 0 ? [taken] : []
    },
    async run(due) {
      const before = othersCount()
      // Another turn may end, and change it, meanwhile.
      const atOnce = Math.min(width, due.length)
      const lastAt = clock.monotonic() + beginningMs
      // What is left waits for the end of its lease.
      const mayBegin = () => !isClosing && clock.monotonic() < lastAt
      await eachOf(due, { atOnce, mayBegin }, runOne)
      const others = ((othersCount() - before) * atOnce) / due.length
      width = others === 0 ? turnSizeMax : Math.ceil(runsPerRoot * Math.sqrt(others))
      width = Math.min(turnSizeMax, Math.max(runsBesideMin, width))
    },
  })
  const close = () => {
    isClosing = true
    return worker.close()
  }
  return { ...worker, close, failedCount: () => failedCount }
}

/** Runs that many at a time, each as soon as one before it has ended. */
async function eachOf(
  due: readonly DueRow[],
  { atOnce, mayBegin }: { atOnce: number; mayBegin(): boolean },
  runOne: (row: DueRow) => Promise<void>,
): Promise<void> {
  const rows = due.values()
  const runSome = async () => {
    for (const row of rows) if (mayBegin()) await runOne(row)
  }
  await Promise.all(Array.from({ length: atOnce }, runSome))
}

/** Refusals that say nothing about the order: the run may be made later. */
const temporary: readonly Code[] = ['unavailable', 'outcome_unknown']

/**
 * Returns false if there was no outcome: the run is tried again when the lease ends. Never rejects.
 */
async function runOrder(parts: OrderParts, row: DueRow): Promise<boolean> {
  const { ledger, log } = parts
  const attemptCount = row.attempts
  try {
    await ledger.submit(toMovement(parts, row))
    return true
  } catch (thrown) {
    const isTemporary = thrown instanceof Refusal && temporary.includes(thrown.code)
    // Any other refusal is the outcome of the day, which the ledger has written; or the order has
    // changed since it was taken.
    if (thrown instanceof Refusal && !isTemporary) return true
    if (!isTemporary || attemptCount > 2) {
      const event = { error: describeError(thrown), because: row.id, attemptCount }
      log.error(event, 'a standing order could not be run')
    }
    return false
  }
}

function toMovement({ config }: Pick<OrderParts, 'config'>, row: DueRow): TransferMovement {
  const { accountId, amount, currency, nextOn, version } = row
  const run = { orderId: row.id, dueOn: nextOn as string, version }
  const about = {
    kind: 'transfer',
    fromAccountId: accountId,
    amount,
    currency,
    reference: row.reference,
    caller: {
      userId: row.callerId,
      sessionId: row.sessionId,
      kid: null,
      role: 'customer',
      ...(row.isProgram
        ? { operation: 'createTransfer' }
        : row.callerId !== row.ownerId && { memberFor: row.ownerId }),
    },
  } as const
  const found = findTarget(row, config)
  if (typeof found === 'string') {
    return { ...about, toAccountId: accountId, run: { ...run, refusal: found } }
  }
  const { named, ...sides } = found
  const isLarge = named !== undefined && isAbove(config.alertAbove, { amount, currency })
  return { ...about, ...sides, isLarge, run }
}

/** The account to credit, or why there is none. */
function findTarget(
  { toAccountId, beneficiaryId, payeeName, payeeIban, payeeAccountId, currency }: DueRow,
  config: OrderParts['config'],
): Destination | PlainCode {
  if (toAccountId !== null) return { toAccountId }
  if (beneficiaryId === null || payeeName === null || payeeIban === null) return 'not_found'
  const target = { beneficiaryId, name: payeeName, iban: payeeIban, targetId: payeeAccountId }
  return toDestination(target, currency, ownBanks(config)) ?? 'account_closed'
}
