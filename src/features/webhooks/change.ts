// How webhooks are made and changed, and how their keys are renewed.
import { randomBytes } from 'node:crypto'
import { invalid, refuse } from '../../domain/errors.ts'
import { newId } from '../../domain/ids.ts'
import type { Db } from '../../database/statements/statement.ts'
import { makeDeliveries } from './make-deliveries.ts'
import {
  addWebhook,
  countWebhooks,
  lockedWebhook,
  webhookById,
  type WebhookRow,
  writeWebhook,
} from './sql.ts'
import { dayMs } from '../../domain/clock.ts'

/** The fields as a request has them; one that is left out keeps its value. */
export type Change = {
  url?: string
  description?: string
  types?: string[]
  status?: 'active' | 'disabled'
}

const webhooksMax = 20n
/** For how long the old keys sign beside the new ones. */
const rotationMs = dayMs
/**
 * Batches of the events that are outstanding when a type is added. One turn more finds none left.
 */
const catchUpBatchesMax = 5

const newKeys = () => ({ hmacKey: randomBytes(32), seed: randomBytes(32) })
const noPrevious = { previousHmacKey: null, previousSeed: null, previousEndsAt: null }

/**
 * Makes a webhook of the events after `lastNumber`. Refuses with `invalid_request`, or with
 * `limit_exceeded` when there are as many as there may be.
 */
export async function createWebhook(
  tx: Db,
  { url, description = '', types }: Change & { url: string; types: string[] },
  { now, lastNumber }: { now: number; lastNumber: bigint },
): Promise<WebhookRow> {
  if ((await countWebhooks(tx)) >= webhooksMax) refuse('limit_exceeded')
  const row: WebhookRow = {
    id: newId(now),
    url: requireUrl(url),
    description,
    types,
    status: 'active',
    disabledBecause: null,
    ...newKeys(),
    ...noPrevious,
    afterNumber: lastNumber,
    failingSince: null,
    createdAt: new Date(now),
  }
  await addWebhook(tx, row)
  return row
}

/**
 * Changes what is given of it. One that is enabled again, or is told of a further type, is told of
 * such events after `lastNumber`, beside its deliveries that wait. Refuses with `not_found`,
 * `invalid_request`, or with `illegal_transition` a further type while too many events of the
 * others are outstanding. More that is sent, or to another address, is confirmed.
 */
export async function changeWebhook(
  tx: Db,
  id: string,
  { url, description, types, status }: Change,
  { now, lastNumber }: { now: number; lastNumber: bigint },
  requireConfirmed: () => void,
): Promise<WebhookRow> {
  const before = (await lockedWebhook(tx, id)) ?? refuse('not_found')
  const isTypeAdded = types?.some((type) => !before.types.includes(type)) ?? false
  const isCatchingUp = isTypeAdded && before.status === 'active' && status !== 'disabled'
  const row: WebhookRow = {
    ...before,
    ...(url !== undefined && url !== before.url && { url: requireUrl(url), failingSince: null }),
    ...(description !== undefined && { description }),
    ...(types && { types }),
    ...(isCatchingUp && { afterNumber: max(await catchUp(tx, before, now), lastNumber) }),
    ...(status === 'disabled' &&
      before.status === 'active' && { status, disabledBecause: 'administrator' }),
    ...(status === 'active' &&
      before.status === 'disabled' && {
        status,
        disabledBecause: null,
        failingSince: null,
        afterNumber: lastNumber,
      }),
  }
  const isEnabled = row.status === 'active' && before.status !== 'active'
  if (isTypeAdded || isEnabled || row.url !== before.url) requireConfirmed()
  await writeWebhook(tx, row)
  return row
}

const max = (one: bigint, other: bigint): bigint => (one > other ? one : other)

/** Makes the deliveries that are outstanding. Gives the number of the last event of them. */
async function catchUp(tx: Db, webhook: WebhookRow, now: number): Promise<bigint> {
  let { afterNumber } = webhook
  for (let turn = 0; turn <= catchUpBatchesMax; turn++) {
    const last = await makeDeliveries(tx, { ...webhook, afterNumber }, now)
    if (last === undefined) return afterNumber
    afterNumber = last
  }
  return refuse('illegal_transition', { because: 'too many events are outstanding' })
}

/**
 * New keys; the old ones sign for a day beside them. Refuses with `not_found`, and with
 * `illegal_transition` within that day: keys that receivers still have would end early.
 */
export async function rotateKeys(tx: Db, id: string, now: number): Promise<WebhookRow> {
  const before = (await lockedWebhook(tx, id)) ?? refuse('not_found')
  if (now < (before.previousEndsAt?.getTime() ?? 0)) refuse('illegal_transition')
  const row: WebhookRow = {
    ...before,
    ...newKeys(),
    previousHmacKey: before.hmacKey,
    previousSeed: before.seed,
    previousEndsAt: new Date(now + rotationMs),
  }
  await writeWebhook(tx, row)
  return row
}

/** Refuses with `not_found`, or with `illegal_transition` one that nothing is sent to. */
export async function requireActive(db: Db, id: string): Promise<void> {
  const { status } = (await webhookById(db, id)) ?? refuse('not_found')
  if (status !== 'active') refuse('illegal_transition')
}

const requireUrl = (url: string): string =>
  URL.canParse(url) ? url : invalid('/body/url', 'is no URL')
