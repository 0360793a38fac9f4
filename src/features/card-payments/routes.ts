// Endpoints by which the holder and staff see card payments.
import { refuse } from '../../domain/errors.ts'
import { AccountId, CardPaymentId } from '../../domain/ids.ts'
import { closed } from '../../domain/schema.ts'
import { listSchema, pageQuery } from '../../http/pagination.ts'
import { route } from '../../http/route.ts'
import { readAccount, requireOpen } from '../accounts/sql.ts'
import { processorRoutes } from './processor-routes.ts'
import { CardPayment, toCardPayment } from './schemas.ts'
import { paymentById, paymentsByAccount } from './sql.ts'

const access = { customer: 'own', 'support-agent': 'any', admin: 'any' } as const

const list = route({
  method: 'GET',
  path: '/api/v1/accounts/:accountId/card-payments',
  operation: 'listCardPayments',
  summary: 'List the card payments of an account, newest first, declined attempts included.',
  access,
  service: 'read',
  limit: 'read',
  params: closed({ accountId: AccountId }),
  query: closed(pageQuery),
  reply: { 200: listSchema(CardPayment) },
  refusals: ['not_found'],
  row: readAccount,
  async handle({ params: { accountId }, db, page, row }) {
    requireOpen(row)
    return page({
      fetch: (after, count) => paymentsByAccount(db, accountId, after, count),
      toItem: toCardPayment,
    })
  },
})

const read = route({
  method: 'GET',
  path: '/api/v1/card-payments/:id',
  operation: 'getCardPayment',
  summary: 'Read a card payment, or a declined attempt.',
  access,
  service: 'read',
  limit: 'read',
  params: closed({ id: CardPaymentId }),
  reply: { 200: CardPayment },
  refusals: ['not_found'],
  async handle({ params, db }) {
    const row = await paymentById(db, params.id)
    return row && !row.isGone ? toCardPayment(row) : refuse('not_found')
  },
})

export const cardPaymentRoutes = [list, read, ...processorRoutes]
