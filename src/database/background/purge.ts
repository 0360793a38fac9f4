// Removes rows that are past their time in the background: in small batches on a connection of its
// own, so that no request waits for it.
import { scheduler } from 'node:timers/promises'
import type { Clock } from '../../domain/clock.ts'
import { databaseNow } from './clocks.ts'
import type { ServiceDatabase } from '../connections/connect.ts'
import { isAnswer } from '../connections/failure.ts'
import type { Transaction } from '../connections/lane.ts'
import {
  type Db,
  Fragment,
  one,
  type ParameterType,
  sql,
  statement,
  type ValuesOf,
} from '../statements/statement.ts'

const purgeIntervalMs = 10_000
const batchPauseMs = 50

/** Removes one batch of what is past its time at `now`. Returns whether there may be more. */
export type PurgeBatch = (db: Db, now: number) => Promise<boolean>

type Purging<T extends ParameterType> = {
  /** The condition of rows that are past their time, by the bound `$1`, and their order. */
  past: string
  /** The type of the bound. */
  by: T
  size: bigint
  /** One more condition, of the rows that were found. */
  and?: string
}

/**
 * Makes the purge of a table: one batch of rows past a bound, of which those are skipped that a
 * transaction holds. The rows are an array found by an index, and are deleted by their places: a
 * join would be planned by estimates, which are wrong after an hour of an attack.
 *
 * @returns whether there may be more
 */
export function purging<const T extends 'timestamptz' | 'uuid'>(
  name: string,
  table: string,
  { past, by, size, and }: Purging<T>,
): (db: Db, bound: ValuesOf<[T]>[0]) => Promise<boolean> {
  const from = new Fragment(table)
  const made = statement(
    name,
    [by, 'int8'] as const,
    { count: 'int8' },
    sql`with gone as (
       delete from ${from} where ctid = any(array(
         select ctid from ${from} where ${new Fragment(past)} limit $2 for update skip locked
       )) ${new Fragment(and === undefined ? '' : `and ${and}`)} returning 1
     ) select count(*) as count from gone`,
  )
  return async (db, bound) => {
    const [row] = await db.run(made, [bound, size] as ValuesOf<readonly [T, 'int8']>)
    return row?.count === size
  }
}

/**
 * Removes everything that is past its time by the database's clock; rejects when stopped. Refuses
 * when the clock of this process differs from that: one of the two is wrong, and an idempotency key
 * that is purged early pays twice.
 */
export async function purgeOnce(
  db: Db,
  clock: Clock,
  purgeBatch: PurgeBatch,
  signal = new AbortController().signal,
): Promise<void> {
  await purgeAt(await databaseNow(db, clock), db, purgeBatch, signal)
}

async function purgeAt(
  now: number,
  db: Db,
  purgeBatch: PurgeBatch,
  signal: AbortSignal,
): Promise<void> {
  while (await purgeBatch(db, now)) await scheduler.wait(batchPauseMs, { signal })
}

/** Whether the transaction has written, or locked a row. */
const hasChanged = statement(
  'background_has_changed',
  [],
  { is: 'bool' },
  'select pg_current_xact_id_if_assigned() is not null as is',
)

/**
 * Purges again and again until stopped, each kind at its own pace: a long purge of one does not
 * hold up the others. When a purge fails, the next one removes its rows too. Batches take turns.
 * One that has changed something is committed: its COMMIT tells when no standby is there, and
 * nothing is purged then. Batches that have found nothing share one transaction.
 *
 * @param onFailure is told what the database answered when a kind of purge begins to fail. A
 *   database out of reach, or a wrong clock, has lines of its own.
 */
export function startPurge(
  db: ServiceDatabase,
  clock: Clock,
  purges: readonly PurgeBatch[],
  onFailure: (thrown: unknown) => void,
): { stop(): Promise<void> } {
  const lane = db.openLane()
  const stopping = new AbortController()
  const { signal } = stopping
  const running = new Map<PurgeBatch, Promise<void>>()
  const failing = new Set<PurgeBatch>()
  let turn: Promise<unknown> = Promise.resolve()
  let waitingCount = 0
  /** Begun by a batch that has found nothing, for the next one. */
  let begun: Transaction | undefined

  async function begin(): Promise<Transaction> {
    const tx = await lane.forTransaction()
    await tx.command('begin')
    return tx
  }

  async function runBatch(purge: PurgeBatch, now: number): Promise<boolean> {
    waitingCount--
    const tx = begun ?? (await begin())
    begun = undefined
    try {
      db.standby.require()
      const mayBeMore = await purge(tx, now)
      const isUnchanged = (await one(tx, hasChanged, []))?.is === false
      if (isUnchanged && waitingCount > 0) begun = tx
      else await tx.command('commit')
      return mayBeMore
    } catch (thrown) {
      await tx.command('rollback').catch(() => {})
      throw thrown
    }
  }

  function start(purge: PurgeBatch, reading: Promise<number>): void {
    const inTurn: PurgeBatch = (_, now) => {
      waitingCount++
      const batch = turn.then(() => runBatch(purge, now))
      turn = batch.catch(() => {})
      return batch
    }
    const run = reading
      .then((now) => purgeAt(now, lane, inTurn, signal))
      .then(
        () => void failing.delete(purge),
        (thrown: unknown) => {
          if (!isAnswer(thrown) || failing.has(purge)) return
          failing.add(purge)
          onFailure(thrown)
        },
      )
    running.set(
      purge,
      run.finally(() => running.delete(purge)),
    )
  }

  const timer = setInterval(() => {
    const resting = purges.filter((purge) => !running.has(purge))
    if (resting.length === 0) return
    const reading = databaseNow(lane, clock)
    for (const purge of resting) start(purge, reading)
  }, purgeIntervalMs).unref()
  return {
    async stop() {
      clearInterval(timer)
      stopping.abort()
      await Promise.all(running.values())
      await lane.close()
    },
  }
}
