// Endpoints by which administrators move money: in and out of the bank, and back again.
import type { Static } from 'typebox'
import { refuse } from '../../domain/errors.ts'
import { AccountId, TransferId } from '../../domain/ids.ts'
import { Amount, closed, Currency, Reason } from '../../domain/schema.ts'
import { formatAmount } from '../../domain/money.ts'
import type { ConfirmedTerms } from '../../gate/confirmations.ts'
import type { Caller } from '../../gate/roles.ts'
import { type Context, route } from '../../http/route.ts'
import { readIdempotencyKey } from '../../ledger/idempotency.ts'
import { bankAccount } from '../../ledger/internal-accounts.ts'
import type { Order, Transfer as Row } from '../../ledger/order.ts'
import { parsePositiveAmount, toTransfer, Transfer } from './schemas.ts'
import { transferById } from './sql.ts'
import { isAbove, toAnswer, toOrderCaller } from './transfer-routes.ts'

const access = { admin: 'any' } as const
const byAccount = closed({ accountId: AccountId })
const byId = closed({ id: TransferId })
const reasonBody = closed({ reason: Reason })
const cashBody = closed({ amount: Amount, currency: Currency, reason: Reason })
const cashExample = { amount: '100.00', currency: 'EUR', reason: 'Paid in at the counter' } as const

/** The refusals of every order that may carry an Idempotency-Key. */
const keyRefusals = [
  'duplicate_transfer',
  'idempotency_key_reused',
  'outcome_unknown',
  'request_in_progress',
  'unavailable',
] as const

type CashContext = Context<Static<typeof byAccount>, undefined, Static<typeof cashBody>>

/** Moves cash between the bank's cash account and the account of the path. */
async function moveCash(
  kind: 'deposit' | 'withdrawal',
  { params: { accountId }, body, headers, caller, service }: CashContext,
) {
  const cash = bankAccount('cash', body.currency)
  const [fromAccountId, toAccountId] = kind === 'deposit' ? [cash, accountId] : [accountId, cash]
  const { currency } = body
  const amount = parsePositiveAmount(body)
  const posted = await service.ledger.submit({
    key: readIdempotencyKey(headers),
    kind,
    fromAccountId,
    toAccountId,
    amount,
    currency,
    isLarge: kind === 'withdrawal' && isAbove(service.config.alertAbove, { amount, currency }),
    reference: body.reason,
    caller: toOrderCaller(caller, 'admin'),
  })
  return toAnswer(posted, 'staff')
}

const deposit = route({
  method: 'POST',
  path: '/api/v1/admin/accounts/:accountId/deposits',
  operation: 'createDeposit',
  summary: 'Pay cash into an account.',
  access,
  service: 'operation',
  confirm: ({ body: { amount, currency } }) => ({ amount, currency }),
  limit: 'transfer',
  params: byAccount,
  body: cashBody,
  reply: { 201: Transfer },
  refusals: ['account_closed', 'currency_mismatch', 'limit_exceeded', ...keyRefusals],
  example: cashExample,
  handle: (context) => moveCash('deposit', context),
})

const withdraw = route({
  method: 'POST',
  path: '/api/v1/admin/accounts/:accountId/withdrawals',
  operation: 'createWithdrawal',
  summary: 'Pay cash out of an account.',
  access,
  service: 'operation',
  confirm: ({ body: { amount, currency } }) => ({ amount, currency }),
  limit: 'transfer',
  params: byAccount,
  body: cashBody,
  reply: { 201: Transfer },
  refusals: [
    'account_closed',
    'account_frozen',
    'currency_mismatch',
    'insufficient_funds',
    'limit_exceeded',
    ...keyRefusals,
  ],
  example: cashExample,
  handle: (context) => moveCash('withdrawal', context),
})

/** The order to settle a transfer, or to bring its money back by a transfer of its own. */
function toFollowUp(
  original: Row,
  kind: 'reversal' | 'settlement' | 'return',
  reference: string,
  caller: Caller,
): Order {
  const { id: originalId, fromAccountId, toAccountId, amount, currency } = original
  const { counterpartyName: name, counterpartyIban: iban } = original
  const isBack = kind !== 'settlement'
  return {
    kind,
    fromAccountId: isBack ? toAccountId : fromAccountId,
    toAccountId: isBack ? fromAccountId : toAccountId,
    amount,
    currency,
    reference,
    originalId,
    caller: toOrderCaller(caller, 'admin'),
    ...(isBack && name !== null && { counterparty: { name, iban } }),
  }
}

const showTransfer = ({ amount, currency, counterpartyName: payee }: Row): ConfirmedTerms => ({
  amount: formatAmount(amount, currency),
  currency,
  ...(payee !== null && { payee }),
})

const reverse = route({
  method: 'POST',
  path: '/api/v1/admin/transfers/:id/reversal',
  operation: 'reverseTransfer',
  summary: 'Reverse a completed transfer, once: a new transfer brings the money back.',
  access,
  service: 'operation',
  confirm: async ({ params, db }) => showTransfer(await transferById(db, params.id)),
  limit: 'transfer',
  params: byId,
  body: reasonBody,
  reply: { 201: Transfer },
  refusals: [
    'account_closed',
    'account_frozen',
    'already_reversed',
    'illegal_transition',
    'insufficient_funds',
    'limit_exceeded',
    ...keyRefusals,
  ],
  example: { reason: 'Entered twice' },
  async handle({ params, body, headers, caller, db, service }) {
    const key = readIdempotencyKey(headers)
    const original = await transferById(db, params.id)
    // Past its legal time. The payee's name, under which the payer sees it, is gone.
    if (original.isErased) refuse('illegal_transition')
    const order = toFollowUp(original, 'reversal', body.reason, caller)
    return toAnswer(await service.ledger.submit({ ...order, key }), 'staff')
  },
})

const settle = route({
  method: 'POST',
  path: '/api/v1/admin/transfers/:id/settle',
  operation: 'settleTransfer',
  summary: 'Note that a pending transfer has arrived at the other bank.',
  access,
  service: 'operation',
  confirm: async ({ params, db }) => showTransfer(await transferById(db, params.id)),
  limit: 'transfer',
  params: byId,
  reply: { 200: Transfer },
  refusals: ['illegal_transition', 'outcome_unknown', 'unavailable'],
  async handle({ params, caller, db, service }) {
    const original = await transferById(db, params.id)
    const order = toFollowUp(original, 'settlement', '', caller)
    const { transfer } = await service.ledger.submit(order)
    return toTransfer(transfer, 'staff')
  },
})

const refund = route({
  method: 'POST',
  path: '/api/v1/admin/transfers/:id/return',
  operation: 'returnTransfer',
  summary:
    'Note that the other bank refused a pending transfer: the money goes back to its source.',
  access,
  service: 'operation',
  confirm: async ({ params, db }) => showTransfer(await transferById(db, params.id)),
  limit: 'transfer',
  params: byId,
  reply: { 200: Transfer },
  refusals: [
    'account_closed',
    'illegal_transition',
    'limit_exceeded',
    'outcome_unknown',
    'unavailable',
  ],
  async handle({ params, caller, db, service }) {
    const original = await transferById(db, params.id)
    const order = toFollowUp(original, 'return', original.reference, caller)
    const { transfer } = await service.ledger.submit(order)
    return toTransfer({ ...original, status: 'returned', reversedBy: transfer.id }, 'staff')
  },
})

export const adminTransferRoutes = [deposit, withdraw, reverse, settle, refund]
