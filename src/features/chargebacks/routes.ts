// Endpoints of chargebacks: a processor gives a holder money back provisionally, and says how the
// scheme has decided.
import { type Static, Type } from '../../domain/type.ts'
import type { Db } from '../../database/statements/statement.ts'
import { transaction } from '../../database/connections/transaction.ts'
import { rfc3339 } from '../../domain/clock.ts'
import { Refusal, refuse } from '../../domain/errors.ts'
import { AccountId, CardPaymentId, ChargebackId, TransferId } from '../../domain/ids.ts'
import { formatAmount } from '../../domain/money.ts'
import { Amount, closed, Currency, named, nullable, oneOf, Time } from '../../domain/schema.ts'
import { listSchema, pageQuery } from '../../http/pagination.ts'
import { Answer, type Context, route } from '../../http/route.ts'
import { bankAccount } from '../../ledger/rules/internal-accounts.ts'
import { isOfOther } from '../../ledger/rules/holds.ts'
import { toMoneyBack } from '../movements/follow-up.ts'
import { toMovementCaller } from '../movements/movement-caller.ts'
import { transferById } from '../movements/sql.ts'
import { readTerms } from '../movements/terms.ts'
import { ExternalId } from '../rail/schemas.ts'
import { ShownMerchantName } from '../card-payments/schemas.ts'
import { approvedById } from '../card-payments/sql.ts'
import {
  chargebackById,
  chargebacksIn,
  type ChargebackRow,
  chargebacksOfPayment,
  type ChargebackStatus,
  chargebackStatuses,
  win,
} from './sql.ts'

const ReasonCode = Type.String({
  title: 'ChargebackReason',
  pattern: '^[0-9A-Z][0-9A-Z.]{0,15}$',
  minLength: 1,
  maxLength: 16,
  description: 'The reason code of the card scheme.',
  examples: ['13.1'],
})

export const Chargeback = named('Chargeback', {
  id: ChargebackId,
  paymentId: CardPaymentId,
  accountId: AccountId,
  merchant: ShownMerchantName,
  status: oneOf(chargebackStatuses, {
    description: 'Open: the money is credited provisionally. Won: for good. Else: taken back.',
  }),
  amount: Amount,
  currency: Currency,
  reason: ReasonCode,
  takenBackBy: nullable(TransferId),
  createdAt: Time,
  endedAt: nullable(Time),
})

const toChargeback = (row: ChargebackRow): Static<typeof Chargeback> => ({
  id: row.id,
  paymentId: row.paymentId,
  accountId: row.accountId,
  merchant: row.merchantName,
  status: row.status,
  amount: formatAmount(row.amount, row.currency),
  currency: row.currency,
  reason: row.reason,
  takenBackBy: row.takenBackBy,
  createdAt: rfc3339(row.createdAt.getTime()),
  endedAt: row.endedAt && rfc3339(row.endedAt.getTime()),
})

const path = '/api/v1/card-payments/:id/chargebacks'
const changing = {
  method: 'POST',
  access: { admin: 'any' },
  service: 'operation',
  limit: 'transfer',
} as const
const reading = {
  method: 'GET',
  access: { customer: 'own', 'support-agent': 'any', admin: 'any' },
  service: 'read',
  limit: 'read',
} as const
const ofPayment = closed({ id: CardPaymentId })
const byId = closed({ id: ChargebackId })

const create = route({
  ...changing,
  path,
  operation: 'chargeBackCardPayment',
  summary:
    'Credit the holder of a card payment provisionally, in all refunds and chargebacks at most ' +
    'what was captured. The currency is that of the payment. An open dispute of the payment ' +
    'names it. The money for an account that is closed, or whose credits are blocked, lies in ' +
    'suspense.',
  confirm: ({ body: { amount, currency } }) => ({ amount, ...(currency && { currency }) }),
  params: ofPayment,
  body: closed({
    amount: Amount,
    currency: Type.Optional(Currency),
    externalId: ExternalId,
    reason: ReasonCode,
  }),
  reply: { 201: Chargeback },
  refusals: [
    'currency_mismatch',
    'idempotency_key_reused',
    'limit_exceeded',
    'not_found',
    'outcome_unknown',
    'unavailable',
  ],
  example: {
    amount: '25.00',
    currency: 'EUR',
    reason: '13.1',
    externalId: '2026-01-31-b-000017',
  },
  async handle(context) {
    const { db, service } = context
    const {
      id: paymentId,
      accountId,
      merchantName,
      ...payment
    } = await approvedById(db, context.params.id)
    const body = { ...context.body, currency: context.body.currency ?? payment.currency }
    const asked = { ...context, body }
    const { currency = null, externalId } = context.body
    const compared = { paymentId, externalId, currency }
    const { terms } = readTerms(asked, 'chargeBackCardPayment', compared)
    const { transfer, isReplayed } = await service.ledger.submit({
      ...terms,
      kind: 'chargeback',
      fromAccountId: bankAccount('clearing', terms.currency),
      toAccountId: accountId,
      suspenseId: bankAccount('suspense', terms.currency),
      reference: '',
      ...(merchantName !== null && { counterparty: { name: merchantName, iban: null } }),
      paymentId,
      reason: body.reason,
    })
    const row = await chargebackById(db, transfer.id)
    // As it was answered first: it was open then.
    const first = { ...row, status: 'open', takenBackBy: null, endedAt: null } as const
    return new Answer(toChargeback(first), {
      location: `/api/v1/chargebacks/${row.id}`,
      ...(isReplayed && { 'idempotency-replayed': 'true' }),
    })
  },
})

const list = route({
  ...reading,
  path,
  operation: 'listChargebacks',
  summary: 'List the chargebacks of a card payment, newest first.',
  params: ofPayment,
  query: closed(pageQuery),
  reply: { 200: listSchema(Chargeback) },
  refusals: ['not_found'],
  async handle({ params, db, page }) {
    await approvedById(db, params.id)
    return page({
      fetch: (after, count) => chargebacksOfPayment(db, params.id, after, count),
      toItem: toChargeback,
    })
  },
})

const find = route({
  ...reading,
  path: '/api/v1/admin/chargebacks',
  operation: 'findChargebacks',
  summary: 'List the chargebacks of the bank, newest first.',
  access: { 'support-agent': 'any', admin: 'any' },
  service: 'operation',
  query: closed({ ...pageQuery, status: Type.Optional(oneOf(chargebackStatuses)) }),
  reply: { 200: listSchema(Chargeback) },
  handle: async ({ db, query: { status = null }, page }) =>
    page({
      fetch: (after, count) => chargebacksIn(db, status, after, count),
      toItem: toChargeback,
    }),
})

const read = route({
  ...reading,
  path: '/api/v1/chargebacks/:id',
  operation: 'getChargeback',
  summary: 'Read a chargeback.',
  params: byId,
  reply: { 200: Chargeback },
  refusals: ['not_found'],
  handle: async ({ params, db }) => toChargeback(await chargebackById(db, params.id)),
})

const ending = {
  ...changing,
  confirm: async ({ params, db }: { params: Static<typeof byId>; db: Db }) => {
    const { amount, currency, merchantName: payee } = await chargebackById(db, params.id)
    return { amount: formatAmount(amount, currency), currency, ...(payee !== null && { payee }) }
  },
  params: byId,
  reply: { 200: Chargeback },
  refusals: ['illegal_transition', 'not_found', 'outcome_unknown', 'unavailable'],
} as const

type Ending = Pick<Context<Static<typeof byId>>, 'params' | 'caller' | 'db' | 'service'>

/** It ends once: the same end again is answered as it is, another one refused. */
async function answerEnd(
  tx: Db,
  id: string,
  outcome: ChargebackStatus,
): Promise<Static<typeof Chargeback>> {
  const row = await chargebackById(tx, id)
  return row.status === outcome ? toChargeback(row) : refuse('illegal_transition')
}

async function takeBack(context: Ending, outcome: 'lost' | 'withdrawn') {
  const { params, caller, db, service } = context
  const { paymentId } = await chargebackById(db, params.id)
  const credit = (await transferById(db, params.id)) ?? refuse('not_found')
  const movement = {
    ...toMoneyBack(credit, '', caller),
    kind: 'takeback',
    suspenseId: bankAccount('suspense', credit.currency),
    paymentId,
    outcome,
  } as const
  const isDone = await service.ledger.submit(movement).then(() => true, unlessEnded)
  const answer = await answerEnd(db, params.id, outcome)
  // The caller is judged and the request recorded as for an end that is made.
  if (!isDone) await transaction(db, async () => {})
  return answer
}

/** What it has ended as is for the answer to say. */
function unlessEnded(thrown: unknown): false {
  const isEnd =
    thrown instanceof Refusal && ['already_reversed', 'illegal_transition'].includes(thrown.code)
  if (!isEnd) throw thrown
  return false
}

const lose = route({
  ...ending,
  path: '/api/v1/chargebacks/:id/lost',
  operation: 'loseChargeback',
  summary:
    'The scheme has decided for the shop: the provisional credit is taken back, whatever the ' +
    'account says, as a clearing is. What the account lacks is its unarranged overdraft; of a ' +
    'closed account, suspense pays. One that is lost is answered as it is.',
  handle: (context) => takeBack(context, 'lost'),
})

const withdraw = route({
  ...ending,
  path: '/api/v1/chargebacks/:id/withdrawn',
  operation: 'withdrawChargeback',
  summary:
    'The chargeback was withdrawn: the provisional credit is taken back as that of a lost one. ' +
    'One that is withdrawn is answered as it is.',
  handle: (context) => takeBack(context, 'withdrawn'),
})

const won = route({
  ...ending,
  path: '/api/v1/chargebacks/:id/won',
  operation: 'winChargeback',
  summary:
    'The scheme has decided for the holder: the credit is final. One that is won is answered as ' +
    'it is.',
  async handle(context) {
    const { params, caller, db, service } = context
    const { placedBy, currency } = await chargebackById(db, params.id)
    const asked = { caller: toMovementCaller(caller, 'admin'), currency }
    if (isOfOther(asked, { callerId: placedBy })) refuse('forbidden')
    return transaction(db, async (tx) => {
      await win(tx, params.id, { clock: service.clock, callerId: caller.userId })
      return answerEnd(tx, params.id, 'won')
    })
  },
})

export const chargebackRoutes = [create, list, find, read, won, lose, withdraw]
