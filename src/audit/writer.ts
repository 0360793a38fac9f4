// Events without a change of data: logins, refusals, reads by staff. They wait in memory for a
// moment and are written together, so that none of them costs its request a round trip.
//
// An event is noted before its answer is sent. If the trail is full the answer is 503, so no
// request goes unrecorded. A noted event is written within the flush interval, after an outage as
// soon as the database is back, and before the end of an orderly shutdown. A process that is killed
// loses at most one interval. An event that the database refuses is written to the log and counted.
import { scheduler } from 'node:timers/promises'
import type { Database } from '../database/connections/connect.ts'
import { isAnswer } from '../database/connections/failure.ts'
import { transaction } from '../database/connections/transaction.ts'
import { Refusal } from '../domain/errors.ts'
import type { Log } from '../telemetry/log.ts'
import { addEvents, type AuditEvent } from './sql.ts'

export type Trail = {
  /** Refuses with `unavailable` when the trail is full. Called before the work to be recorded. */
  requireRoom(): void
  hasRoom(): boolean
  /** Takes an event to be written soon. Never fails: check for room first. */
  note(event: AuditEvent): void
  /** Resolves when all noted events are written, or the database did not take them. */
  flush(): Promise<void>
  /** The number of events that wait, and of those that went to the log instead. */
  counts(): { waiting: number; lost: number }
  close(): Promise<void>
}

/** Above this number of waiting events, requests are refused. */
const waitingMax = 10_000
const flushIntervalMs = 50
const batchSizeMax = 2000
const closeAttemptsMax = 5

export const trailIsFull = (): Refusal =>
  new Refusal('unavailable', { outage: 'audit', because: 'the audit trail is full' })

export function openTrail(
  db: Database,
  log: Log,
  { retryAfterMs = 500 }: { retryAfterMs?: number } = {},
): Trail {
  let waiting: AuditEvent[] = []
  let lost = 0
  let underWay: Promise<boolean> | undefined
  let timer: NodeJS.Timeout | undefined
  let isClosing = false

  function schedule(delayMs: number): void {
    // At the end `close` alone decides when to try, and how often.
    if (isClosing) return
    timer ??= setTimeout(() => {
      timer = undefined
      void drain()
    }, delayMs).unref()
  }

  /** One writer at a time; concurrent calls share its result. False: not all was written. */
  function drain(): Promise<boolean> {
    underWay ??= writeAll().finally(() => {
      underWay = undefined
      if (waiting.length > 0) schedule(retryAfterMs)
    })
    return underWay
  }

  async function writeAll(): Promise<boolean> {
    while (waiting.length > 0) {
      const batch = waiting.slice(0, batchSizeMax)
      if (!(await write(db, batch, lose))) return false
      waiting = waiting.slice(batch.length)
    }
    return true
  }

  function lose(event: AuditEvent): void {
    lost++
    report(log, event)
  }

  const hasRoom = (): boolean => waiting.length < waitingMax
  return {
    hasRoom,
    requireRoom() {
      if (!hasRoom()) throw trailIsFull()
    },
    note(event) {
      waiting.push(event)
      schedule(flushIntervalMs)
    },
    async flush() {
      // An event that was noted during the current write is in the next one.
      if (underWay) await underWay
      if (waiting.length > 0) await drain()
    },
    counts: () => ({ waiting: waiting.length, lost }),
    async close() {
      isClosing = true
      clearTimeout(timer)
      for (let attempt = 1; !(await drain()) && attempt < closeAttemptsMax; attempt++) {
        await scheduler.wait(retryAfterMs)
      }
      waiting.forEach(lose)
      waiting = []
    },
  }
}

/**
 * Writes all events but those that the database refuses: these are lost.
 *
 * @returns false when the database did not take the others, which may be tried again
 */
async function write(
  db: Database,
  batch: readonly AuditEvent[],
  lose: (event: AuditEvent) => void,
): Promise<boolean> {
  try {
    await transaction(db, (tx) => addEvents(tx, batch))
    return true
  } catch (thrown) {
    if (!isUnwritable(thrown)) return false
  }
  const [event] = batch
  if (batch.length === 1 && event) {
    lose(event)
    return true
  }
  // One by one, so that an event that the schema refuses does not lose the others.
  for (const single of batch) if (!(await write(db, [single], lose))) return false
  return true
}

/** A lost event stands in the log at least. */
function report(log: Log, event: AuditEvent): void {
  const { action, outcome, target, actorId, requestId, address } = event
  const because = `${action} ${outcome} ${target ?? '-'}`
  const actor = actorId === null ? {} : { userId: actorId }
  log.error({ requestId, address, because, ...actor }, 'audit event not written')
}

/** The database refused the values (classes 22 and 23 of SQLSTATE), and would refuse them again. */
const isUnwritable = (thrown: unknown): boolean =>
  isAnswer(thrown) && ['22', '23'].includes((thrown.code ?? '').slice(0, 2))
