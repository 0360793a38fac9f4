// The schemas of webhooks and their deliveries, and the conversion of rows to them.
import { type Static, Type } from '../../domain/type.ts'
import { rfc3339 } from '../../domain/clock.ts'
import { DeliveryId, WebhookId } from '../../domain/ids.ts'
import { webhookSecretPrefix } from '../../domain/secret-forms.ts'
import {
  Count,
  named,
  nullable,
  oneOf,
  OptionalText,
  secretKey,
  Time,
  withExample,
} from '../../domain/schema.ts'
import { EventNumber, EventTypeName, ResourceId } from '../events/routes.ts'
import { eventTypes } from '../events/sql.ts'
import type { DeliveryRow } from './delivery-sql.ts'
import { toPublicText, toSecretText } from './signature.ts'
import { statuses, type WebhookRow } from './sql.ts'

/** The type of a test: no event has it. */
export const testType = 'webhook.test'

export const Url = Type.String({
  title: 'WebhookUrl',
  pattern: '^https?://[A-Za-z0-9._~:/?#@!$&()*+,;=%\\[\\]-]+$',
  minLength: 8,
  maxLength: 500,
  description:
    'Where it is sent to. Only `https`, port 443 and addresses of the public internet are; what ' +
    'is refused is said in the deliveries.',
  examples: ['https://127.0.0.1/strongroom'],
})

export const Types = Type.Array(EventTypeName, {
  minItems: 1,
  maxItems: eventTypes.length,
  uniqueItems: true,
  description: 'The types of the events that are delivered.',
})

const common = {
  id: WebhookId,
  url: Url,
  description: withExample(OptionalText, 'Accounting'),
  types: Types,
  status: oneOf(statuses),
  disabledBecause: nullable(
    oneOf(['administrator', 'gone', 'failing'], {
      description:
        'Disabled by an administrator, by the answer 410, or by five days without a success.',
    }),
  ),
  publicKey: Type.String({
    pattern: '^whpk_[A-Za-z0-9+/]{43}=$',
    minLength: 49,
    maxLength: 49,
    description: 'Verifies signatures `v1a` (Ed25519).',
    examples: [`whpk_${'A'.repeat(43)}=`],
  }),
  previousKeysEndAt: nullable(Time),
  createdAt: Time,
}

export const Webhook = named('Webhook', common)

/** With the shared secret, which no other answer shows. */
export const WebhookWithSecret = named('WebhookWithSecret', {
  ...common,
  secret: Type.String({
    pattern: `^${webhookSecretPrefix}[A-Za-z0-9+/]{43}=$`,
    minLength: 50,
    maxLength: 50,
    description: 'Verifies signatures `v1` (HMAC-SHA256). Shown in this answer alone.',
    examples: [`${webhookSecretPrefix}${'A'.repeat(43)}=`],
    [secretKey]: true,
  }),
})

export const Delivery = named('WebhookDelivery', {
  id: DeliveryId,
  number: nullable(EventNumber),
  type: oneOf([...eventTypes, testType]),
  at: Time,
  resourceId: ResourceId,
  status: oneOf(['waiting', 'delivered', 'failed']),
  attempts: Count,
  dueAt: nullable(Time),
  lastStatus: nullable(
    Type.Integer({ minimum: 100, maximum: 999, description: 'The status of the last answer.' }),
  ),
  failure: nullable(
    Type.String({
      maxLength: 200,
      description: 'Why the last attempt was no success.',
      examples: ['The answer was 500'],
    }),
  ),
  doneAt: nullable(Time),
})

const asTime = (time: Date | null): string | null => time && rfc3339(time.getTime())

export const toWebhook = (row: WebhookRow): Static<typeof Webhook> => ({
  id: row.id,
  url: row.url,
  description: row.description,
  types: row.types as Static<typeof Types>,
  status: row.status,
  disabledBecause: row.disabledBecause as Static<typeof Webhook>['disabledBecause'],
  publicKey: toPublicText(row.seed),
  previousKeysEndAt: asTime(row.previousEndsAt),
  createdAt: rfc3339(row.createdAt.getTime()),
})

export const withSecret = (row: WebhookRow): Static<typeof WebhookWithSecret> => ({
  ...toWebhook(row),
  secret: toSecretText(row.hmacKey),
})

export const toDelivery = (row: DeliveryRow): Static<typeof Delivery> => ({
  id: row.id,
  number: row.number === null ? null : `${row.number}`,
  type: row.type as Static<typeof Delivery>['type'],
  at: rfc3339(row.at.getTime()),
  resourceId: row.resourceId,
  status: row.doneAt === null ? 'waiting' : row.failure === null ? 'delivered' : 'failed',
  attempts: row.attempts,
  dueAt: row.doneAt === null ? rfc3339(row.dueAt.getTime()) : null,
  lastStatus: row.lastStatus,
  failure: row.failure,
  doneAt: asTime(row.doneAt),
})
