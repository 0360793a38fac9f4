// Sends webhooks: makes deliveries of new events, sends those that are due, and retries those that
// failed. Every instance runs one. A delivery is leased to one of them at a time, for longer than
// an attempt takes. That of an instance that dies is sent again by another, under the same
// `webhook-id`: at least once.
import type { WrittenDetail } from '../../audit/actions.ts'
import { randomInt } from 'node:crypto'
import type { Clock } from '../../domain/clock.ts'
import { rfc3339 } from '../../domain/clock.ts'
import type { Clocks } from '../../database/background/clocks.ts'
import type { Database } from '../../database/connections/connect.ts'
import { transaction } from '../../database/connections/transaction.ts'
import { describeError, type Log } from '../../telemetry/log.ts'
import { openQueueWorker, type QueueWorker } from '../../database/background/queue-worker.ts'
import { queueWebhookDisabled } from '../mail/sql.ts'
import {
  type DueDelivery,
  lockedCursor,
  noteAttempt,
  takeDueDeliveries,
  webhooksBehind,
} from './delivery-sql.ts'
import { makeDeliveries } from './make-deliveries.ts'
import { toBody } from './payload.ts'
import { NotDelivered, type SenderOptions, sendWebhook } from './sender.ts'
import { signatureFields, type WebhookKey } from './signature.ts'
import { addEvents, commandEvent } from '../../audit/sql.ts'
import { disableWebhook, lockedWebhook, noteFailing, noteSuccess } from './sql.ts'

export type WorkerParts = {
  db: Database
  clock: Clock
  clocks: Pick<Clocks, 'require'>
  isAsleep?: boolean | undefined
  log: Log
  sender: SenderOptions
}

/** Attempts at once of one instance to one webhook: a slow one does not hold up the others. */
const sendsPerWebhookMax = 4
/** Longer than an attempt, which ends after 15 s. */
const leaseMs = 60_000

const [secondMs, minuteMs, hourMs] = [1000, 60_000, 3_600_000]
/** From one attempt to the next. After the last one a delivery is given up. */
export const retryDelaysMs = [
  5 * secondMs,
  5 * minuteMs,
  30 * minuteMs,
  2 * hourMs,
  5 * hourMs,
  10 * hourMs,
  10 * hourMs,
]
/** Up to this part longer, so that what failed together is not repeated together. */
export const jitterRatio = 0.2
/** A webhook is disabled when it has failed for this long without a success. */
const failingMaxMs = 5 * 24 * hourMs

export const openWebhooks = ({ log, ...parts }: WorkerParts): QueueWorker =>
  openQueueWorker<DueDelivery>({
    ...parts,
    onDatabaseAway(thrown) {
      log.warn({ error: describeError(thrown) }, 'the webhooks wait for the database')
    },
    async take(now, running) {
      const { db } = parts
      for (const id of await webhooksBehind(db, now)) {
        await transaction(db, async (tx) => {
          const cursor = await lockedCursor(tx, id)
          if (cursor) await makeDeliveries(tx, { id, ...cursor }, now)
        })
      }
      const busy = running.map(({ webhookId }) => webhookId)
      return transaction(db, (tx) =>
        takeDueDeliveries(tx, now, now + leaseMs, busy, sendsPerWebhookMax),
      )
    },
    run: (delivery, cutOff) => deliver({ ...parts, log }, delivery, cutOff),
  })

/** One attempt. Never rejects: if its result cannot be stored, the lease runs out. */
async function deliver(
  parts: WorkerParts,
  delivery: DueDelivery,
  cutOff: AbortSignal,
): Promise<void> {
  const { db, clock, log } = parts
  const { webhookId, attempts } = delivery
  const result = await attempt(parts, delivery, cutOff)
  // Nothing is known of it: it is sent again when the lease ends.
  if (cutOff.aborted) return
  const now = clock.now()
  const { status, failure, retryAfterMs } = result
  const isDone = failure === null || status === 410
  const next = isDone ? undefined : nextAttempt(now, attempts, retryAfterMs)
  const because = await transaction(db, async (tx) => {
    // It has another URL by now, which has not heard of the event.
    const isMoved = failure !== null && (await lockedWebhook(tx, webhookId))?.url !== delivery.url
    const dueAt = isMoved ? now : next
    if (!(await noteAttempt(tx, delivery, { status, failure, dueAt, now }))) return undefined
    if (failure === null) return void (await noteSuccess(tx, delivery))
    await noteFailing(tx, delivery, now)
    const reason = status === 410 ? 'gone' : 'failing'
    if (!(await disableWebhook(tx, delivery, reason, now - failingMaxMs))) return undefined
    await queueWebhookDisabled(tx, now)
    const about = { target: webhookId, detail: reason satisfies WrittenDetail, address: 'service' }
    await addEvents(tx, [commandEvent(now, { action: 'disableWebhook', ...about })])
    return reason
  }).catch((thrown: unknown) => {
    log.warn({ error: describeError(thrown) }, 'the result of a webhook was not noted')
    return undefined
  })
  if (because !== undefined) log.warn({ because }, 'a webhook was disabled')
}

type Result = { status: number | null; failure: string | null; retryAfterMs: number }

async function attempt(
  { clock, sender }: WorkerParts,
  delivery: DueDelivery,
  signal: AbortSignal,
): Promise<Result> {
  const sentAt = clock.now()
  const { id, url, type, number, resourceId, accountIds } = delivery
  const body = toBody({
    type,
    timestamp: rfc3339(delivery.at.getTime()),
    data: { number: number === null ? null : `${number}`, resourceId, accountIds },
  })
  const headers = signatureFields(keysAt(delivery, sentAt), { id, sentAt, body })
  try {
    const answer = await sendWebhook(url, { headers, body }, { ...sender, signal })
    const { status, retryAfter = '' } = answer
    const isDelivered = status >= 200 && status < 300
    return {
      status,
      failure: isDelivered ? null : `The answer was ${status}`,
      retryAfterMs: toWaitMs(retryAfter, clock.now()),
    }
  } catch (thrown) {
    const reason = thrown instanceof NotDelivered ? thrown.message : 'The delivery failed'
    return { status: null, failure: reason.slice(0, 200), retryAfterMs: 0 }
  }
}

/** The field Retry-After (RFC 9110, 10.2.3): seconds, or a time in the preferred form. Else 0. */
function toWaitMs(text: string, now: number): number {
  if (/^\d+$/.test(text)) return Number.parseInt(text, 10) * 1000
  return text.endsWith(' GMT') ? Math.max(Date.parse(text) - now, 0) || 0 : 0
}

/** When the attempt after this one is due; undefined after the last. */
function nextAttempt(now: number, attempts: number, retryAfterMs: number): number | undefined {
  const delay = retryDelaysMs[attempts - 1]
  if (delay === undefined) return undefined
  const wanted = Math.min(retryAfterMs, retryDelaysMs.at(-1) ?? 0)
  return now + Math.max(delay + randomInt(delay * jitterRatio), wanted)
}

/** The keys that sign at that time: the present ones first. */
function keysAt(delivery: DueDelivery, now: number): WebhookKey[] {
  const { hmacKey, seed, previousHmacKey, previousSeed, previousEndsAt } = delivery
  const isPrevious = previousEndsAt !== null && now < previousEndsAt.getTime()
  const pairs = [[hmacKey, seed], ...(isPrevious ? [[previousHmacKey, previousSeed]] : [])]
  return pairs.flatMap(([shared, own]): WebhookKey[] =>
    shared && own
      ? [
          { kind: 'v1', bytes: shared },
          { kind: 'v1a', bytes: own },
        ]
      : [],
  )
}
