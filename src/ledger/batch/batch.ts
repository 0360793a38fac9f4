// All movements that wait at the same moment share one database transaction. While one batch
// commits, the next one gathers, so batches grow with the load and the cost of each transfer falls.
import type { ServiceDatabase } from '../../database/connections/connect.ts'
import { isAnswer, isConflict, translate, violates } from '../../database/connections/failure.ts'
import type { Transaction, Lane } from '../../database/connections/lane.ts'
import type { Clock } from '../../domain/clock.ts'
import { Refusal, refuse } from '../../domain/errors.ts'
import { currentScope, runFor, type Scope, runTraced } from '../../domain/trace.ts'
import type { Metrics } from '../../telemetry/metrics.ts'
import { claimsKey } from '../rows/claims.ts'
import { externalIdsKey } from '../rows/external-ids.ts'
import { type Submission, toSubmission } from './idempotency.ts'
import { resolveInDoubt } from './in-doubt.ts'
import type { Movement, Outcome, Submit } from '../rules/movement.ts'
import { InDoubt, NotCommitted, postBatch, type Posting } from './post.ts'
import { type StuckAccounts, stuckAccounts } from './locked-accounts.ts'
import { untilDecided } from './undecided.ts'

export type Ledger = { submit: Submit }

export type OpenLedger = Ledger & {
  /** How many movements people and programs asked for so far: no payment that has fallen due. */
  askedCount(): number
  /** Takes no more movements and finishes those it has. */
  close(): Promise<void>
}

/** Further movements are refused at once: a clear answer now, not a time-out later. */
const queueLengthMax = 4096
/**
 * Bounds the time in which one batch holds its locks. With 96 there were 5 % fewer transfers at 256
 * connections, 8 % fewer at 500.
 */
const batchSizeMax = 256
/**
 * One batch is under way, and the next one gathers. With two at a time the second mostly waited for
 * account locks of the first: a seventh fewer transfers at 16, 64 and 256 connections. Only a batch
 * that takes longer than this does not hold up the next: another transaction may lock its accounts.
 */
const slowBatchMs = 100
/** One for the batch under way, one for the next while that one is slow. */
const laneCount = 2

type Waiting = Submission & { asker: Scope | undefined }

/** Movements that wait, and the batch under way. */
function openQueue(parts: LedgerParts, metrics?: Pick<Metrics, 'batch'>) {
  const lanes = Array.from({ length: laneCount }, () => parts.db.openLane())
  const idle = [...lanes]
  let queue: Waiting[] = []
  let isScheduled = false
  /** The latest batch, until it ends or is slow: the next one waits for that. */
  let latest: readonly Submission[] | undefined
  let onceDrained: (() => void) | undefined

  function schedule(): void {
    if (isScheduled || latest || idle.length === 0 || queue.length === 0) return
    isScheduled = true
    // After this turn of the event loop: every request parsed in it is in the same batch.
    setImmediate(send)
  }

  function release(batch: readonly Submission[]): void {
    if (latest === batch) latest = undefined
    schedule()
  }

  function send(): void {
    isScheduled = false
    const lane = idle.pop() as Lane
    const batch = queue.slice(0, batchSizeMax)
    queue = queue.slice(batchSizeMax)
    metrics?.batch(batch.length)
    const about = { attributes: { 'db.operation.batch.size': batch.length } }
    const askers = batch.flatMap(({ asker }) => asker ?? [])
    const post = () => runTraced('ledger.batch', () => execute(parts, lane, batch), about)
    latest = batch
    const slow = setTimeout(() => release(batch), slowBatchMs)
    void runFor(askers, post).finally(() => {
      idle.push(lane)
      if (queue.length === 0 && idle.length === lanes.length) onceDrained?.()
      clearTimeout(slow)
      release(batch)
    })
  }

  return {
    isFull: () => queue.length >= queueLengthMax,
    push(submission: Waiting): void {
      queue.push(submission)
      schedule()
    },
    /** Takes back all that waits. */
    takeBack(): Waiting[] {
      const waiting = queue
      queue = []
      return waiting
    },
    /** Resolves when nothing waits and no batch is under way. */
    async close(): Promise<void> {
      if (queue.length > 0 || idle.length < lanes.length) {
        await new Promise<void>((resolve) => (onceDrained = resolve))
      }
      await Promise.all(lanes.map((lane) => lane.close()))
    },
  }
}

export function openLedger(
  db: ServiceDatabase,
  clock: Clock,
  metrics?: Pick<Metrics, 'batch' | 'transfersUnderWay'>,
  { areMembersOn = false }: { areMembersOn?: boolean } = {},
): OpenLedger {
  const stuck = stuckAccounts(db)
  const queue = openQueue({ db, clock, stuck, areMembersOn }, metrics)
  let isClosed = false
  let askedCount = 0
  /** Keys whose request is still running on this instance. */
  const running = new Set<string>()

  // The lanes may wait for a standby a while longer.
  db.standby.onChange((isAway) => {
    if (!isAway) return
    for (const { reject } of queue.takeBack()) {
      reject(new Refusal('unavailable', { outage: 'standby', because: 'standby' }))
    }
  })

  return untilDecided({
    askedCount: () => askedCount,
    submit: (async (movement: Movement) => {
      if (!hasFallenDue(movement)) askedCount++
      db.standby.require()
      if (stuck.isKnown(movement)) await stuck.require(movement)
      if (isClosed) refuse('unavailable', { outage: 'closing', because: 'the ledger is closed' })
      if (queue.isFull()) refuse('unavailable', { outage: 'queue', because: 'queue' })
      const submission = { ...toSubmission(movement), asker: currentScope() }
      const { claimName, promise } = submission
      if (claimName !== undefined) {
        if (running.has(claimName)) refuse('request_in_progress')
        running.add(claimName)
      }
      metrics?.transfersUnderWay.inc()
      queue.push(submission)
      try {
        return await promise
      } finally {
        metrics?.transfersUnderWay.dec()
        if (claimName !== undefined) running.delete(claimName)
      }
    }) as Submit,
    close() {
      isClosed = true
      return queue.close()
    },
  })
}

const hasFallenDue = (movement: Movement): boolean =>
  movement.kind === 'transfer' && (movement.run ?? movement.line) !== undefined

/** How often a batch is executed before its movements are tried one by one. */
const attemptsMax = 3
/** How long movements are tried one by one before the others are refused. */
const oneByOneMs = 5000

type LedgerParts = Posting & { db: ServiceDatabase; stuck: StuckAccounts }

/** Answers every order of a batch. Never throws. */
async function execute(
  parts: LedgerParts,
  lane: Lane,
  batch: readonly Submission[],
): Promise<void> {
  try {
    // Ends after `attemptsMax` attempts.
    for (let attempt = 1; ; attempt++) {
      const thrown = await attemptOnce(parts, lane, batch)
      if (thrown === undefined) return
      if (attempt < attemptsMax && isWorthRepeating(thrown, attempt)) continue
      if (hasWaitedTooLong(thrown)) return await executeFree(parts, lane, batch, thrown)
      if (batch.length > 1 && !isAway(thrown)) return await oneByOne(parts, lane, batch)
      for (const { reject } of batch) reject(translate(thrown))
      return
    }
  } catch (thrown) {
    // A defect: what it left behind is not known. Orders answered before keep their answer.
    const unknown = new Refusal('outcome_unknown', { because: thrown })
    for (const { reject } of batch) reject(unknown)
  }
}

/** Refuses the movements whose accounts are stuck, and executes those that waited beside them. */
async function executeFree(
  parts: LedgerParts,
  lane: Lane,
  batch: readonly Submission[],
  thrown: unknown,
): Promise<void> {
  const { stuck } = parts
  await stuck.find(batch.map(({ movement }) => movement))
  const free = batch.filter(({ movement, reject }) => {
    const isStuck = batch.length === 1 || stuck.isKnown(movement)
    if (isStuck) reject(translate(thrown))
    return !isStuck
  })
  if (free.length === 0) return
  if (free.length < batch.length) await execute(parts, lane, free)
  else await oneByOne(parts, lane, free)
}

/** A movement that the database cannot take must not fail the movements beside it. */
async function oneByOne(
  parts: LedgerParts,
  lane: Lane,
  batch: readonly Submission[],
): Promise<void> {
  const { clock } = parts
  const until = clock.monotonic() + oneByOneMs
  for (const submission of batch) {
    if (clock.monotonic() > until) {
      submission.reject(new Refusal('unavailable', { outage: 'queue', because: 'late' }))
    } else await execute(parts, lane, [submission])
  }
}

/** Answers the batch, or returns why it certainly had no effect. */
async function attemptOnce(
  { db, clock, areMembersOn }: LedgerParts,
  lane: Lane,
  batch: readonly Submission[],
): Promise<unknown> {
  let tx: Transaction
  try {
    db.standby.require()
    tx = await lane.forTransaction()
  } catch (thrown) {
    return thrown
  }
  try {
    const answers = await postBatch(tx, batch, { clock, areMembersOn })
    batch.forEach((submission, index) => answer(submission, answers[index]))
    return undefined
  } catch (thrown) {
    if (thrown instanceof NotCommitted) return thrown.cause ?? thrown
    if (thrown instanceof InDoubt) return await answerInDoubt(db, batch, thrown)
    // A defect must not leave a transaction open on the lane.
    await tx.command('rollback').catch(() => {})
    throw thrown
  }
}

function answer({ resolve, reject }: Submission, outcome: Outcome | Refusal | undefined): void {
  if (outcome === undefined || outcome instanceof Refusal) reject(outcome)
  else resolve(outcome)
}

/** Answers the batch by the books. Returns the cause if the batch had no effect. */
async function answerInDoubt(
  db: ServiceDatabase,
  batch: readonly Submission[],
  { plan, cause }: InDoubt,
): Promise<unknown> {
  const found = await resolveInDoubt(db, plan)
  if (found === 'absent') return cause
  const unknown = new Refusal('outcome_unknown', { because: cause })
  batch.forEach((submission, index) => {
    const outcome = plan.outcomes[index]
    // A transfer that was to be answered again has not been read.
    const isKnown = found === 'committed' && outcome !== undefined && !('replayOf' in outcome)
    answer(submission, isKnown ? outcome : unknown)
  })
  return undefined
}

/**
 * A conflict is over in a moment. A key that another instance has just claimed is found the next
 * time. A connection that was lost while idle is replaced by now.
 */
function isWorthRepeating(thrown: unknown, attempt: number): boolean {
  const isTaken = violates(thrown, claimsKey) || violates(thrown, externalIdsKey)
  return isTaken || isConflict(thrown) || (attempt === 1 && isAway(thrown))
}

/** SQLSTATEs after a time-out: the one of the lock, or the one of the statement. */
const waitedTooLong = new Set(['55P03', '57014'])

const hasWaitedTooLong = (thrown: unknown): boolean =>
  waitedTooLong.has(serverError(thrown)?.code ?? '')

/** The server's error, when that is why the service is unavailable. */
function serverError(thrown: unknown) {
  if (!(thrown instanceof Refusal) || thrown.code !== 'unavailable') return undefined
  const { because } = thrown.options
  return isAnswer(because) ? because : undefined
}

/** The database is out of reach: no movement causes that, and trying one alone does not help. */
const isAway = (thrown: unknown): boolean =>
  thrown instanceof Refusal &&
  thrown.code === 'unavailable' &&
  !isConflict(thrown) &&
  !hasWaitedTooLong(thrown)
