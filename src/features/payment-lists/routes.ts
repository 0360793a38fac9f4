// Endpoints of payment lists: many payments that are checked whole, confirmed once, and paid each
// by itself.
import { Readable } from 'node:stream'
import { Type } from '../../domain/type.ts'
import { refuse } from '../../domain/errors.ts'
import { AccountId, PaymentListId } from '../../domain/ids.ts'
import { closed, Nothing, oneOf } from '../../domain/schema.ts'
import { listSchema, pageQuery } from '../../http/pagination.ts'
import { keyRefusals } from '../../http/repeats.ts'
import { FileReply, route } from '../../http/route.ts'
import { readAccount, requireOpen } from '../accounts/sql.ts'
import { itemsMax } from '../movements/many.ts'
import { toTransit } from '../movements/schemas.ts'
import { checkOnce } from './creation.ts'
import { readPain001 } from './pain001.ts'
import { renderPain002 } from './pain002.ts'
import { chooseMediaType } from '../statements/accept.ts'
import { cancel, orderOnce, showList } from './order.ts'
import {
  CheckedList,
  lineStatuses,
  NewPaymentList,
  PaymentList,
  PaymentListLine,
  toLine,
  toList,
} from './schemas.ts'
import { linesOf, listById, listsByAccount, openListsMax, sentElsewhere } from './sql.ts'

const readers = { customer: 'own', 'support-agent': 'any', admin: 'any' } as const
const access = { customer: 'own' } as const
const ofAccount = closed({ accountId: AccountId })
const byId = closed({ id: PaymentListId })

/** The media types of the values of `format`; the first is the default. */
const mediaTypes = { json: 'application/json', pain002: 'application/xml' } as const
const reportType = `${mediaTypes.pain002}; charset=utf-8`
const formats = Object.keys(mediaTypes) as (keyof typeof mediaTypes)[]

const create = route({
  method: 'POST',
  path: '/api/v1/accounts/:accountId/payment-lists',
  operation: 'createPaymentList',
  summary:
    `Check up to ${itemsMax} payments: each line is ready, or is refused with its reason. ` +
    `Nothing is paid yet. An account has at most ${openListsMax} lists that are not paid. One ` +
    'that is not ordered within 30 days is cancelled.',
  access,
  service: 'pay',
  member: 'pay',
  limit: 'transfer',
  params: ofAccount,
  body: NewPaymentList,
  xml: { about: 'ISO 20022 pain.001.001.03 or pain.001.001.09, UTF-8.', read: readPain001 },
  bodyMax: 2 * 1024 * 1024,
  reply: { 201: CheckedList },
  refusals: [
    'not_found',
    'account_frozen',
    'already_exists',
    'currency_mismatch',
    'limit_exceeded',
    ...keyRefusals,
  ],
  example: {
    messageId: 'SALARIES-2026-01',
    currency: 'EUR',
    items: [
      {
        name: 'Grace Hopper',
        iban: 'GB33BUKB20201555555555',
        amount: '2500.00',
        reference: 'Salary January',
      },
    ],
  },
  handle: checkOnce,
})

const list = route({
  method: 'GET',
  path: '/api/v1/accounts/:accountId/payment-lists',
  operation: 'listPaymentLists',
  summary: 'List the payment lists of an account, newest first.',
  access: readers,
  service: 'read',
  member: 'view',
  limit: 'read',
  params: ofAccount,
  query: closed(pageQuery),
  reply: { 200: listSchema(PaymentList) },
  refusals: ['not_found'],
  row: readAccount,
  async handle({ params: { accountId }, db, page, row }) {
    requireOpen(row)
    return page({
      fetch: (after, count) => listsByAccount(db, accountId, after, count),
      toItem: toList,
    })
  },
})

const read = route({
  method: 'GET',
  path: '/api/v1/payment-lists/:id',
  operation: 'getPaymentList',
  summary:
    'Read a payment list: how many of its lines were made or refused so far; or, as a file, what ' +
    'became of each (ISO 20022 pain.002.001.10). `format` takes precedence over `Accept`.',
  access: readers,
  service: 'read',
  member: 'view',
  limit: 'read',
  params: byId,
  query: closed({ format: Type.Optional(oneOf(formats)) }),
  reply: { 200: PaymentList },
  files: [reportType],
  refusals: ['not_acceptable', 'not_found'],
  async handle({ params: { id }, query, headers, db, now, requestId }) {
    const format =
      query.format ?? chooseMediaType(headers['accept'], mediaTypes) ?? refuse('not_acceptable')
    const row = await listById(db, id)
    if (format === 'json') return toList(row)
    const all = await linesOf(db, id, { after: -1, count: itemsMax })
    const body = Readable.from(renderPain002(row, all, { requestId, now }), { objectMode: false })
    return new FileReply(reportType, `pain002-${id}.xml`, body)
  },
})

const lines = route({
  method: 'GET',
  path: '/api/v1/payment-lists/:id/lines',
  operation: 'listPaymentListLines',
  summary: 'What became of each line of a payment list, in their order.',
  access: readers,
  service: 'read',
  member: 'view',
  limit: 'read',
  params: byId,
  query: closed({ ...pageQuery, status: Type.Optional(oneOf(lineStatuses)) }),
  reply: { 200: listSchema(PaymentListLine) },
  refusals: ['not_found'],
  async handle({ params: { id }, query: { status }, db, page, service }) {
    const found = await listById(db, id)
    return page({
      async fetch(after, count) {
        const from = Number.parseInt(after ?? '-1', 10)
        const rows = await linesOf(db, id, { after: from, count, status })
        const sent = await sentElsewhere(db, rows, found.currency)
        return rows.map((row) => ({ row, sentAt: sent.get(row.transferId ?? '') }))
      },
      toItem: ({ row, sentAt }) => toLine(row, found, sentAt && toTransit(sentAt, service)),
      keyOf: ({ row: { place } }) => String(place),
    })
  },
})

const execute = route({
  method: 'POST',
  path: '/api/v1/payment-lists/:id/execute',
  operation: 'executePaymentList',
  summary:
    'Order a checked list to be paid, at once or on its day. Its new payees at other banks are ' +
    'added. Each line is a payment of its own: one that is refused stops no other.',
  access,
  service: 'pay',
  confirm: showList,
  member: 'pay',
  limit: 'transfer',
  params: byId,
  reply: { 200: PaymentList },
  refusals: ['not_found', 'account_frozen', 'illegal_transition', ...keyRefusals],
  handle: orderOnce,
})

const remove = route({
  method: 'DELETE',
  path: '/api/v1/payment-lists/:id',
  operation: 'cancelPaymentList',
  summary:
    'Cancel a payment list before its first line is paid. The texts of its lines are erased. An ' +
    'administrator cancels one of a frozen account too.',
  access: { customer: 'own', admin: 'any' },
  service: 'pay',
  member: 'pay',
  limit: 'sensitive',
  params: byId,
  reply: { 204: Nothing },
  refusals: ['not_found', 'account_frozen', 'illegal_transition'],
  handle: cancel,
})

export const paymentListRoutes = [create, list, read, lines, execute, remove]
