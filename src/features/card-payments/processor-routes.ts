// Endpoints of a processor of card payments: it authorises, captures, releases and refunds them. It
// names a card by its identifier here: no card number and no PIN reaches the bank.
import { readTerms } from '../movements/terms.ts'
import { type Static, Type } from '../../domain/type.ts'
import type { Config } from '../../config/config.ts'
import { transaction } from '../../database/connections/transaction.ts'
import { containsCardNumber } from '../../domain/card-number.ts'
import { AnyTime } from '../../domain/date-range.ts'
import { invalid, Refusal, refuse } from '../../domain/errors.ts'
import { CardId, CardPaymentId } from '../../domain/ids.ts'
import { formatAmount } from '../../domain/money.ts'
import { fromRail, toFreeText } from '../../domain/rail-text.ts'
import { Amount, closed, Currency } from '../../domain/schema.ts'
import type { ShownTerms } from '../../gate/confirmations.ts'
import { Answer, type Context, route } from '../../http/route.ts'
import type { Authorized, CardMail } from '../../ledger/rules/authorizations.ts'
import { bankAccount } from '../../ledger/rules/internal-accounts.ts'
import { readExpiry } from '../holds/schemas.ts'
import { ExternalId } from '../rail/schemas.ts'
import { toMovementCaller } from '../movements/movement-caller.ts'
import { addDetails } from '../movements/details.ts'
import { Transfer } from '../movements/schemas.ts'
import { isAbove, toAnswer as toTransferAnswer } from '../movements/answer.ts'
import {
  CardAuthorization,
  CardPayment,
  ChannelName,
  merchantNameMax,
  MerchantInput,
  Tolerance,
  toAuthorization,
  toCardPayment,
} from './schemas.ts'
import { accountOf, approvedById, type PaymentRow } from './sql.ts'

const byId = closed({ id: CardPaymentId })
const amountFields = { amount: Amount, currency: Currency, externalId: ExternalId }
const exampleAmount = { amount: '25.00', currency: 'EUR' } as const

const common = {
  method: 'POST',
  access: { admin: 'any' },
  service: 'operation',
  limit: 'transfer',
} as const
const ledgerRefusals = [
  'idempotency_key_reused',
  'not_found',
  'outcome_unknown',
  'unavailable',
] as const

const authorize = route({
  ...common,
  path: '/api/v1/cards/:id/authorizations',
  operation: 'authorizeCardPayment',
  summary:
    'Ask for a payment by card. An approved one reserves its amount until it is captured, ' +
    'released or expires, after seven days by default. A decline is an answer, too: it is ' +
    'stored, and told to the holder.',
  confirm: ({ body }) => ({ ...toShown(body), payee: toName(body.merchant.name) }),
  params: closed({ id: CardId }),
  body: closed({
    ...amountFields,
    merchant: MerchantInput,
    channel: ChannelName,
    expiresAt: Type.Optional(AnyTime),
    tolerance: Type.Optional(Tolerance),
  }),
  reply: { 201: CardAuthorization },
  refusals: [...ledgerRefusals, 'limit_exceeded'],
  example: {
    ...exampleAmount,
    merchant: { name: 'Lindner Lebensmittel', category: '5411', country: 'DE' },
    channel: 'contactless',
    externalId: '2026-01-31-a-000017',
  },
  async handle(context) {
    const { params, body, db, now, service } = context
    const { id: cardId } = params
    const { merchant, channel, externalId, tolerance, expiresAt: end } = body
    const compared = { cardId, externalId }
    const { terms, isKnown } = readTerms(context, 'authorizeCardPayment', compared)
    const expiresAt = end === undefined ? undefined : await readExpiry(end, now, isKnown)
    const accountId = await accountOf(db, cardId)
    const merchantName = readName(merchant)
    const authorized = await service.ledger.submit({
      ...terms,
      kind: 'authorization',
      fromAccountId: accountId,
      toAccountId: accountId,
      reference: merchantName,
      expiresAt,
      request: {
        cardId,
        channel,
        isAbroad: merchant.country !== service.config.bank.country,
        merchantName,
        merchantCategory: merchant.category,
        merchantCountry: merchant.country,
        tolerance,
        mails: toMails(service.config, terms),
      },
    })
    return toAnswer(authorized)
  },
})

/** The mails to the holder: of each declined attempt, and of an approved one if it is large. */
const toMails = ({ alertAbove }: Config, money: Parameters<typeof isAbove>[1]): CardMail[] =>
  isAbove(alertAbove, money) ? ['card-declined', 'card-payment'] : ['card-declined']

function readName({ name }: { name: string }): string {
  // After the mapping: it may turn other signs into digits.
  if (containsCardNumber(toFreeText(name))) {
    invalid('/body/merchant/name', 'holds what looks like a card number')
  }
  return toName(name)
}

const toName = (name: string): string => fromRail(name, merchantNameMax) || 'NOTPROVIDED'
const toShown = ({ amount, currency }: { amount: string; currency: string }) => ({
  amount,
  currency,
})

function toAnswer({ authorization, isReplayed }: Authorized) {
  return new Answer(toAuthorization(authorization), {
    location: `/api/v1/card-payments/${authorization.paymentId ?? authorization.id}`,
    ...(isReplayed && { 'idempotency-replayed': 'true' }),
  })
}

const AmountBody = closed(amountFields)
type AmountContext = Context<Static<typeof byId>, undefined, Static<typeof AmountBody>>

/** The terms that every movement of a payment has. */
async function toTerms(context: AmountContext, operation: string) {
  const payment = await approvedById(context.db, context.params.id)
  const compared = { paymentId: payment.id, externalId: context.body.externalId }
  return { payment, ...readTerms(context, operation, compared).terms }
}

const increment = route({
  ...common,
  path: '/api/v1/card-payments/:id/increments',
  operation: 'incrementCardPayment',
  summary:
    'Ask for more of a payment that is authorised: its amount rises by this one. If that is ' +
    'declined, the payment stays as it is.',
  confirm: ({ body }) => toShown(body),
  params: byId,
  body: AmountBody,
  reply: { 201: CardAuthorization },
  refusals: [...ledgerRefusals, 'illegal_transition', 'limit_exceeded'],
  example: { ...exampleAmount, externalId: '2026-01-31-i-000017' },
  async handle(context) {
    const { payment, ...terms } = await toTerms(context, 'incrementCardPayment')
    const { id, accountId, cardId, merchantName, merchantCategory, merchantCountry } = payment
    const { config, ledger } = context.service
    const authorized = await ledger.submit({
      ...terms,
      kind: 'increment',
      fromAccountId: accountId,
      toAccountId: accountId,
      reference: '',
      paymentId: id,
      request: {
        cardId,
        channel: payment.channel,
        // Once it is erased, none is known to be at home.
        isAbroad: merchantCountry !== config.bank.country,
        merchantName,
        merchantCategory,
        merchantCountry,
        mails: toMails(config, terms),
      },
    })
    return toAnswer(authorized)
  },
})

const capture = route({
  ...common,
  path: '/api/v1/card-payments/:id/captures',
  operation: 'captureCardPayment',
  summary:
    'Take an authorised amount, a part of it, or more by its tolerance if the account has that: ' +
    'the money leaves the account. A final capture gives back what it leaves.',
  confirm: ({ body }) => toShown(body),
  params: byId,
  body: closed({ ...amountFields, final: Type.Optional(Type.Boolean()) }),
  reply: { 201: Transfer },
  refusals: [
    ...ledgerRefusals,
    'account_closed',
    'account_frozen',
    'currency_mismatch',
    'illegal_transition',
    'insufficient_funds',
    'limit_exceeded',
  ],
  example: { ...exampleAmount, final: true, externalId: '2026-01-31-c-000017' },
  async handle(context) {
    const { payment, ...terms } = await toTerms(context, 'captureCardPayment')
    const posted = await context.service.ledger.submit({
      ...terms,
      kind: 'card',
      fromAccountId: payment.accountId,
      toAccountId: bankAccount('clearing', terms.currency),
      ...toTexts(payment),
      hold: { step: 'capture', id: payment.id, isFinal: context.body.final ?? false },
    })
    return toTransferAnswer(posted, 'staff', context.service)
  },
})

const clear = route({
  ...common,
  path: '/api/v1/cards/:id/clearings',
  operation: 'clearCardPayment',
  summary:
    'Book what a shop was paid, whatever the account says: after its authorisation has expired, ' +
    'above it, or without one; on a frozen account and for a cancelled card, too. What was held ' +
    'for it is taken first. What the account lacks is its unarranged overdraft: until money that ' +
    'comes in has covered it, none leaves. Of a closed account, suspense pays.',
  confirm: ({ body }) => ({ ...toShown(body), payee: toName(body.merchant.name) }),
  params: closed({ id: CardId }),
  body: closed({
    ...amountFields,
    merchant: MerchantInput,
    channel: ChannelName,
    authorizationId: Type.Optional(CardPaymentId),
  }),
  reply: { 201: Transfer },
  refusals: [...ledgerRefusals, 'currency_mismatch', 'limit_exceeded'],
  example: {
    ...exampleAmount,
    merchant: { name: 'Lindner Lebensmittel', category: '5411', country: 'DE' },
    channel: 'contactless',
    externalId: '2026-01-31-l-000017',
  },
  async handle(context) {
    const { params, body, db, service } = context
    const { id: cardId } = params
    const { merchant, channel, externalId, authorizationId } = body
    const { terms } = readTerms(context, 'clearCardPayment', { cardId, externalId })
    const fromAccountId = await accountOf(db, cardId)
    if (authorizationId !== undefined) await approvedById(db, authorizationId)
    const name = readName(merchant)
    const posted = await service.ledger.submit({
      ...terms,
      kind: 'clearing',
      fromAccountId,
      toAccountId: bankAccount('clearing', terms.currency),
      suspenseId: bankAccount('suspense', terms.currency),
      reference: '',
      counterparty: { name, iban: null },
      ...(authorizationId !== undefined && { paymentId: authorizationId }),
      cleared: {
        cardId,
        channel,
        merchantName: name,
        merchantCategory: merchant.category,
        merchantCountry: merchant.country,
        mails: toMails(service.config, terms),
      },
    })
    const [transfer = posted.transfer] = await addDetails(db, [posted.transfer])
    return toTransferAnswer({ ...posted, transfer }, 'staff', service)
  },
})

/** What the holder reads of the money. */
const toTexts = ({ merchantName }: PaymentRow) => ({
  reference: '',
  ...(merchantName !== null && { counterparty: { name: merchantName, iban: null } }),
})

const refund = route({
  ...common,
  path: '/api/v1/card-payments/:id/refunds',
  operation: 'refundCardPayment',
  summary:
    'Give back money of a payment that was captured, in all at most as much as was. A frozen ' +
    'account is credited, and one whose card is cancelled. The money for one that is closed, or ' +
    'whose credits are blocked, lies in the suspense account of the bank.',
  confirm: ({ body }) => toShown(body),
  params: byId,
  body: AmountBody,
  reply: { 201: Transfer },
  refusals: [...ledgerRefusals, 'currency_mismatch', 'limit_exceeded'],
  example: { ...exampleAmount, externalId: '2026-01-31-r-000017' },
  async handle(context) {
    const { payment, ...terms } = await toTerms(context, 'refundCardPayment')
    const posted = await context.service.ledger.submit({
      ...terms,
      kind: 'refund',
      fromAccountId: bankAccount('clearing', terms.currency),
      toAccountId: payment.accountId,
      suspenseId: bankAccount('suspense', terms.currency),
      ...toTexts(payment),
      paymentId: payment.id,
    })
    const [transfer = posted.transfer] = await addDetails(context.db, [posted.transfer])
    return toTransferAnswer({ ...posted, transfer }, 'staff', context.service)
  },
})

const release = route({
  ...common,
  path: '/api/v1/card-payments/:id/release',
  operation: 'releaseCardPayment',
  summary:
    'Give up what is still reserved of a payment. One that was released or has expired is ' +
    'answered as it is.',
  confirm: async ({ params, db }) => showPayment(await approvedById(db, params.id)),
  params: byId,
  reply: { 200: CardPayment },
  refusals: ['illegal_transition', 'not_found', 'outcome_unknown', 'unavailable'],
  async handle({ params, caller, db, service }) {
    const { id, accountId, currency } = await approvedById(db, params.id)
    const movement = {
      kind: 'hold',
      fromAccountId: accountId,
      toAccountId: accountId,
      amount: 0n,
      currency: currency,
      reference: '',
      hold: { step: 'release', id },
      caller: toMovementCaller(caller, 'admin'),
    } as const
    const isDone = await service.ledger.submit(movement).then(() => true, unlessEnded)
    const row = await approvedById(db, id)
    if (!row.isReleased) refuse('illegal_transition')
    // Nothing to release is left. The caller is judged and the request recorded as for a release.
    if (!isDone) await transaction(db, async () => {})
    return toCardPayment(row)
  },
})

const showPayment = ({ held, currency, merchantName: payee }: PaymentRow): ShownTerms => ({
  amount: formatAmount(held, currency),
  currency,
  ...(payee !== null && { payee }),
})

/**
 * An ended hold is no failure here: the payment itself tells whether it was released or captured.
 */
function unlessEnded(thrown: unknown): false {
  if (!(thrown instanceof Refusal) || thrown.code !== 'illegal_transition') throw thrown
  return false
}

export const processorRoutes = [authorize, increment, capture, clear, release, refund]
