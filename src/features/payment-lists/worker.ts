// Pays the lines of lists that are ordered. Every instance has a worker; a list is leased to one of
// them, and the ledger pays a line once, also if several try it.
import { scheduler } from 'node:timers/promises'
import { type Config, ownBanks } from '../../config/config.ts'
import type { Clocks } from '../../database/background/clocks.ts'
import {
  openQueueWorker,
  type PollMs,
  type QueueWorker,
} from '../../database/background/queue-worker.ts'
import type { Database } from '../../database/connections/connect.ts'
import { transaction } from '../../database/connections/transaction.ts'
import type { Clock } from '../../domain/clock.ts'
import { type Code, type PlainCode, Refusal } from '../../domain/errors.ts'
import type { Ledger } from '../../ledger/batch/batch.ts'
import { noDetails, type TransferMovement } from '../../ledger/rules/movement.ts'
import { describeError, type Log } from '../../telemetry/log.ts'
import { isAbove } from '../movements/answer.ts'
import { type Destination, toDestination } from '../movements/destination.ts'
import { type DueLine, releaseDue, takeDueLines } from './due-sql.ts'

type ListParts = {
  db: Database
  clock: Clock
  clocks: Pick<Clocks, 'require' | 'days'>
  pollMs?: PollMs | undefined
  config: Pick<Config, 'alertAbove' | 'bank' | 'bankAlso' | 'payeeCheck'>
  ledger: Ledger
  log: Pick<Log, 'warn' | 'error'>
}

/** Lines at the same time: a part of a batch of the ledger, so that few lines delay a payment. */
const linesAtOnce = 64
const listsAtOnce = 4
/** After each turn the worker rests this many times the duration of the turn. */
const restFactor = 1
const restMsMax = 1000
/** Longer than a line can take: the ledger answers within ten seconds. */
const leaseMs = 30_000

export type PaymentLists = QueueWorker & {
  /** Attempts at a line without an outcome; they are tried again. */
  failedCount(): number
}

export function openPaymentLists(parts: ListParts): PaymentLists {
  const { clock, clocks, db, log } = parts
  let failedCount = 0
  const payOne = async (line: DueLine) => {
    if (!(await payLine(parts, line))) failedCount++
  }
  const worker = openQueueWorker<readonly DueLine[]>({
    ...parts,
    onDatabaseAway(thrown) {
      log.warn({ error: describeError(thrown) }, 'payment lists wait for the database')
    },
    async take(now, { length }) {
      if (length > 0) return []
      const due = { now, leaseEnd: now + leaseMs, day: clocks.days().dayOf(now) }
      const lines = await transaction(db, (tx) =>
        takeDueLines(tx, { ...due, lists: listsAtOnce, lines: linesAtOnce }),
      )
      return lines.length > 0 ? [lines] : []
    },
    async run(lines) {
      const startedAt = clock.monotonic()
      await Promise.all(lines.map(payOne))
      // If this fails, the lease runs out.
      const ids = [...new Set(lines.map(({ listId }) => listId))]
      await transaction(db, (tx) => releaseDue(tx, ids)).catch(() => {})
      const ms = clock.monotonic() - startedAt
      await scheduler.wait(Math.min(restFactor * ms, restMsMax))
    },
  })
  return { ...worker, failedCount: () => failedCount }
}

/** Refusals that say nothing about the line: it may be paid later. */
const temporary: readonly Code[] = ['unavailable', 'outcome_unknown']

/**
 * Returns false if there was no outcome: the line is tried again when the lease ends. Never
 * rejects.
 */
async function payLine(parts: ListParts, line: DueLine): Promise<boolean> {
  const { ledger, log } = parts
  const attemptCount = line.attempts + 1
  try {
    await ledger.submit(toMovement(parts, line))
    return true
  } catch (thrown) {
    const isTemporary = thrown instanceof Refusal && temporary.includes(thrown.code)
    // Any other refusal is the outcome of the line, which the ledger has written; or another
    // instance has paid it.
    if (thrown instanceof Refusal && !isTemporary) return true
    if (!isTemporary || attemptCount > 2) {
      const event = { error: describeError(thrown), because: line.listId, attemptCount }
      log.error(event, 'a line of a payment list could not be paid')
    }
    return false
  }
}

function toMovement({ config }: Pick<ListParts, 'config'>, line: DueLine): TransferMovement {
  const { listId, place, accountId, amount, currency, endToEndId } = line
  const about = {
    kind: 'transfer',
    fromAccountId: accountId,
    amount,
    currency,
    reference: line.reference,
    caller: {
      userId: line.callerId,
      sessionId: line.sessionId,
      kid: null,
      role: 'customer',
      ...(line.isProgram
        ? { operation: 'createTransfer' }
        : line.callerId !== line.ownerId && { memberFor: line.ownerId }),
    },
    ...(endToEndId !== null && { details: { ...noDetails, endToEndId } }),
  } as const
  const found = findTarget(line, config)
  if (typeof found === 'string') {
    return { ...about, toAccountId: accountId, line: { listId, place, refusal: found } }
  }
  const { named, ...sides } = found
  const isLarge = named !== undefined && isAbove(config.alertAbove, { amount, currency })
  return { ...about, ...sides, isLarge, line: { listId, place } }
}

/** The account to credit, or why there is none. */
function findTarget(
  { toAccountId, beneficiaryId, name, iban, targetId, currency, payeeResult }: DueLine,
  config: ListParts['config'],
): Destination | PlainCode {
  if (toAccountId !== null) return { toAccountId }
  if (beneficiaryId === null || name === null || iban === null) return 'not_found'
  if (config.payeeCheck === 'required' && payeeResult === null) return 'payee_check_required'
  const target = { beneficiaryId, name, iban, targetId }
  return toDestination(target, currency, ownBanks(config)) ?? 'account_closed'
}
