// Endpoints of webhooks: staff see them, administrators make and change them. None of these routes
// is open to a service account.
import { Type } from '../../domain/type.ts'
import { refuse } from '../../domain/errors.ts'
import { DeliveryId, newId, WebhookId } from '../../domain/ids.ts'
import { closed, Nothing, OptionalText, oneOf } from '../../domain/schema.ts'
import { transaction } from '../../database/connections/transaction.ts'
import { listSchema, pageQuery } from '../../http/pagination.ts'
import { Answer, route } from '../../http/route.ts'
import { changeWebhook, createWebhook, requireActive, rotateKeys } from './change.ts'
import { addDeliveries, deliveries, resendDelivery } from './delivery-sql.ts'
import {
  Delivery,
  testType,
  toDelivery,
  toWebhook,
  Types,
  Url,
  Webhook,
  WebhookWithSecret,
  withSecret,
} from './schemas.ts'
import { removeWebhook, statuses, webhookById, webhooks } from './sql.ts'
import { LoggedError } from '../../domain/logged-error.ts'

const readers = { 'support-agent': 'any', admin: 'any' } as const
const writers = { admin: 'any' } as const
const path = '/api/v1/admin/webhooks'
const byId = closed({ webhookId: WebhookId })

const create = route({
  method: 'POST',
  path,
  operation: 'createWebhook',
  summary:
    'Create a webhook, which is told of events from now on, and show its secret: this once. ' +
    'Signed by Standard Webhooks; an event is delivered at least once, in no sure order.',
  access: writers,
  confirm: true,
  limit: 'admin',
  body: closed({ url: Url, types: Types, description: Type.Optional(OptionalText) }),
  reply: { 201: WebhookWithSecret },
  refusals: ['limit_exceeded'],
  example: {
    url: 'https://127.0.0.1/strongroom',
    types: ['transfer.completed'],
    description: 'Accounting',
  },
  async handle(context) {
    const { body, now, service } = context
    const lastNumber = await service.feed.last()
    const row = await transaction(context.db, (tx) => createWebhook(tx, body, { now, lastNumber }))
    return new Answer(withSecret(row), { location: `${path}/${row.id}` })
  },
})

const list = route({
  method: 'GET',
  path,
  operation: 'listWebhooks',
  summary: 'List webhooks, newest first.',
  access: readers,
  limit: 'read',
  query: closed(pageQuery),
  reply: { 200: listSchema(Webhook) },
  handle: ({ db, page }) =>
    page({ fetch: (after, count) => webhooks(db, after, count), toItem: toWebhook }),
})

const read = route({
  method: 'GET',
  path: `${path}/:webhookId`,
  operation: 'getWebhook',
  summary: 'Read a webhook.',
  access: readers,
  limit: 'read',
  params: byId,
  reply: { 200: Webhook },
  refusals: ['not_found'],
  async handle({ params, db }) {
    return toWebhook((await webhookById(db, params.webhookId)) ?? refuse('not_found'))
  },
})

const change = route({
  method: 'PATCH',
  path: `${path}/:webhookId`,
  operation: 'updateWebhook',
  summary:
    'Change the URL, types or description of a webhook, disable it, or enable it again. When it ' +
    'is enabled, or a type is added, it is told of such events from then on. Either is ' +
    'confirmed, and another URL; what sends less is not.',
  access: writers,
  confirm: true,
  confirmsSome: true,
  limit: 'admin',
  params: byId,
  body: closed(
    {
      url: Type.Optional(Url),
      types: Type.Optional(Types),
      description: Type.Optional(OptionalText),
      status: Type.Optional(oneOf(statuses)),
    },
    { minProperties: 1 },
  ),
  reply: { 200: Webhook },
  refusals: ['not_found', 'illegal_transition'],
  example: { status: 'disabled' },
  async handle(context) {
    const { params, body, now, service } = context
    const lastNumber = await service.feed.last()
    const row = await transaction(context.db, (tx) =>
      changeWebhook(tx, params.webhookId, body, { now, lastNumber }, context.requireConfirmed),
    )
    return toWebhook(row)
  },
})

const remove = route({
  method: 'DELETE',
  path: `${path}/:webhookId`,
  operation: 'deleteWebhook',
  summary: 'Delete a webhook. What waits for it is not sent.',
  access: writers,
  limit: 'admin',
  params: byId,
  reply: { 204: Nothing },
  refusals: ['not_found'],
  async handle(context) {
    await transaction(context.db, async (tx) => {
      if (!(await removeWebhook(tx, context.params.webhookId))) refuse('not_found')
    })
  },
})

const rotate = route({
  method: 'POST',
  path: `${path}/:webhookId/secret`,
  operation: 'renewWebhookSecret',
  summary:
    'Renew the secret and the key pair. The old ones sign for 24 hours beside the new ones, and ' +
    'there is no further renewal until then.',
  access: writers,
  confirm: true,
  limit: 'admin',
  params: byId,
  reply: { 200: WebhookWithSecret },
  refusals: ['not_found', 'illegal_transition'],
  async handle(context) {
    const { params, now } = context
    return withSecret(await transaction(context.db, (tx) => rotateKeys(tx, params.webhookId, now)))
  },
})

const test = route({
  method: 'POST',
  path: `${path}/:webhookId/test`,
  operation: 'testWebhook',
  summary: `Send an event of the type \`${testType}\`, which has no number and names nothing.`,
  access: writers,
  limit: 'admin',
  params: byId,
  reply: { 202: Delivery },
  refusals: ['not_found', 'illegal_transition'],
  async handle(context) {
    const { params, now } = context
    const { webhookId } = params
    const empty = { number: null, resourceId: null, accountIds: [] }
    const told = { id: newId(now), type: testType, at: new Date(now), ...empty }
    const [row] = await transaction(context.db, async (tx) => {
      await requireActive(tx, webhookId)
      return addDeliveries(tx, webhookId, [told], now)
    })
    if (!row) throw new LoggedError('An insert gave no row')
    return toDelivery(row)
  },
})

const log = route({
  method: 'GET',
  path: `${path}/:webhookId/deliveries`,
  operation: 'listWebhookDeliveries',
  summary:
    'List the deliveries of a webhook in the last 30 days, newest first. The `id` is the ' +
    '`webhook-id`, the same at every attempt.',
  access: readers,
  limit: 'read',
  params: byId,
  query: closed(pageQuery),
  reply: { 200: listSchema(Delivery) },
  refusals: ['not_found'],
  async handle({ params: { webhookId }, db, page }) {
    if (!(await webhookById(db, webhookId))) refuse('not_found')
    const fetch = (after: string | undefined, count: number) =>
      deliveries(db, webhookId, after, count)
    return page({ fetch, toItem: toDelivery })
  },
})

const resend = route({
  method: 'POST',
  path: `${path}/:webhookId/deliveries/:deliveryId/resend`,
  operation: 'resendWebhookDelivery',
  summary: 'Send a delivery now, even once more, under the same `webhook-id`.',
  access: writers,
  limit: 'admin',
  params: closed({ webhookId: WebhookId, deliveryId: DeliveryId }),
  reply: { 202: Delivery },
  refusals: ['not_found', 'illegal_transition'],
  async handle(context) {
    const { params, now } = context
    const { webhookId, deliveryId } = params
    const row = await transaction(context.db, async (tx) => {
      await requireActive(tx, webhookId)
      return (await resendDelivery(tx, webhookId, deliveryId, now)) ?? refuse('not_found')
    })
    return toDelivery(row)
  },
})

export const webhookRoutes = [create, list, read, change, remove, rotate, test, log, resend]
