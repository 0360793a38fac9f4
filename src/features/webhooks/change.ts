// How webhooks are made and changed, and how their keys are renewed.
import { randomBytes } from 'node:crypto'
import { invalid, refuse } from '../../domain/errors.ts'
import { newId } from '../../domain/ids.ts'
import type { Db } from '../../database/statement.ts'
import {
  addWebhook,
  countWebhooks,
  lockedWebhook,
  webhookById,
  type WebhookRow,
  writeWebhook,
} from './sql.ts'

/** The fields as a request has them; one that is left out keeps its value. */
export type Change = {
  url?: string
  description?: string
  types?: string[]
  status?: 'active' | 'disabled'
}

const webhooksMax = 20n
/** For how long the old keys sign beside the new ones. */
const rotationMs = 24 * 3_600_000

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
 * Changes what is given of it. One that is enabled again tells of events after `lastNumber`, beside
 * its deliveries that wait. Refuses with `not_found` or `invalid_request`.
 */
export async function changeWebhook(
  tx: Db,
  id: string,
  { url, description, types, status }: Change,
  lastNumber: bigint,
): Promise<WebhookRow> {
  const before = (await lockedWebhook(tx, id)) ?? refuse('not_found')
  const row: WebhookRow = {
    ...before,
    ...(url !== undefined && { url: requireUrl(url) }),
    ...(description !== undefined && { description }),
    ...(types && { types }),
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
  await writeWebhook(tx, row)
  return row
}

/** New keys; the old ones sign for a day beside them. Refuses with `not_found`. */
export async function rotateKeys(tx: Db, id: string, now: number): Promise<WebhookRow> {
  const before = (await lockedWebhook(tx, id)) ?? refuse('not_found')
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
