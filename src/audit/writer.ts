// The events that stand beside no change: logins, refusals, reads by staff. They wait in memory for
// a moment and are written together, so that none of them costs its request a round trip.
//
// What is promised: an event is noted before its answer goes out. When the trail cannot take it the
// answer is 503 instead, so nothing happens past the trail. A noted event is written within the
// flush interval, after an outage as soon as the database is back, and at an orderly end before the
// process goes. A process that is killed loses at most one interval. What cannot be written at all
// is put into the log, event by event, and counted.
import { scheduler } from 'node:timers/promises'
import type { Database } from '../database/connect.ts'
import { isAnswer } from '../database/failure.ts'
import { transaction } from '../database/transaction.ts'
import { refuse } from '../domain/errors.ts'
import type { Log } from '../telemetry/log.ts'
import { addEvents, type AuditEvent } from './sql.ts'

export type Trail = {
  /** Refuses with `unavailable` when no more events can be taken. Ask before what is recorded. */
  requireRoom(): void
  hasRoom(): boolean
  /** Takes an event; it is written in a moment. Never fails: ask for room before. */
  note(event: AuditEvent): void
  /** Resolves when what was noted before is written, or the database did not take it. */
  flush(): Promise<void>
  /** How many events wait, and how many had to go to the log instead. */
  counts(): { waiting: number; lost: number }
  close(): Promise<void>
}

export type TrailOptions = {
  /** How many may wait before requests are refused. */
  most?: number
  /** Milliseconds an event waits for others, and milliseconds between tries after a failure. */
  interval?: number
  retryAfter?: number
}

const batchSizeMax = 2000
const closeAttemptsMax = 5

export function openTrail(
  db: Database,
  log: Log,
  { most = 10_000, interval = 50, retryAfter = 500 }: TrailOptions = {},
): Trail {
  let waiting: AuditEvent[] = []
  let lost = 0
  let underWay: Promise<boolean> | undefined
  let timer: NodeJS.Timeout | undefined

  const schedule = (delay: number): void => {
    timer ??= setTimeout(() => {
      timer = undefined
      void drain()
    }, delay).unref()
  }

  /** One writer at a time; whoever asks meanwhile gets the same end. False: not all was written. */
  const drain = (): Promise<boolean> => {
    underWay ??= writeAll().finally(() => {
      underWay = undefined
      if (waiting.length > 0) schedule(retryAfter)
    })
    return underWay
  }

  async function writeAll(): Promise<boolean> {
    while (waiting.length > 0) {
      const batch = waiting.slice(0, batchSizeMax)
      if (!(await write(batch))) return false
      waiting = waiting.slice(batch.length)
    }
    return true
  }

  async function write(batch: readonly AuditEvent[]): Promise<boolean> {
    try {
      await transaction(db, (tx) => addEvents(tx, batch))
      return true
    } catch (thrown) {
      if (!isUnwritable(thrown)) return false
    }
    // The one event that the schema does not take does not take its neighbours with it.
    const [event] = batch
    if (batch.length === 1 && event) {
      lose(event)
      return true
    }
    for (const each of batch) if (!(await write([each]))) return false
    return true
  }

  function lose({ action, outcome, target, actorId, requestId, address }: AuditEvent): void {
    lost++
    const because = `${action} ${outcome} ${target ?? '-'}`
    const who = actorId === null ? {} : { userId: actorId }
    log.error({ requestId, address, because, ...who }, 'audit event not written')
  }

  const hasRoom = (): boolean => waiting.length < most
  return {
    hasRoom,
    requireRoom() {
      if (!hasRoom()) refuse('unavailable', { because: 'the audit trail is full' })
    },
    note(event) {
      waiting.push(event)
      schedule(interval)
    },
    async flush() {
      // What joined too late for the writing under way is in the next.
      if (underWay) await underWay
      if (waiting.length > 0) await drain()
    },
    counts: () => ({ waiting: waiting.length, lost }),
    async close() {
      for (let turn = 1; !(await drain()) && turn < closeAttemptsMax; turn++) {
        await scheduler.wait(retryAfter)
      }
      clearTimeout(timer)
      for (const event of waiting) lose(event)
      waiting = []
    },
  }
}

/** The database took a look at the values and refused them: it will not take them later either. */
const isUnwritable = (thrown: unknown): boolean =>
  isAnswer(thrown) && ['22', '23'].includes((thrown.code ?? '').slice(0, 2))
