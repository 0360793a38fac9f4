// Endpoints by which administrators move money: in and out of the bank, and back again.
import { one } from '../../database/statement.ts'
import type { Database } from '../../database/connect.ts'
import { refuse } from '../../domain/errors.ts'
import type { Caller } from '../../gate/roles.ts'
import { AccountId, TransferId } from '../../domain/ids.ts'
import { route } from '../../http/route.ts'
import { Amount, closed, Currency, Text } from '../../domain/schema.ts'
import { bankAccount } from '../../ledger/internal-accounts.ts'
import type { Order, Transfer as Row } from '../../ledger/order.ts'
import { transferFromRow } from '../../ledger/post.ts'
import { readIdempotencyKey } from '../../ledger/idempotency.ts'
import { parsePositiveAmount, toTransfer, Transfer } from './schemas.ts'
import { readTransfers } from '../../ledger/sql.ts'
import { toAnswer } from './transfer-routes.ts'

const access = { admin: 'any' } as const
const cashBody = closed({ amount: Amount, currency: Currency, reason: Text })
const cashExample = { amount: '100.00', currency: 'EUR', reason: 'Paid in at the counter' } as const
const reasonBody = closed({ reason: Text })
const byId = closed({ id: TransferId })
const repetition = [
  'duplicate_transfer',
  'idempotency_key_reused',
  'outcome_unknown',
  'request_in_progress',
  'unavailable',
] as const

const toOrderCaller = ({ userId, sessionId, kid }: Caller): Order['caller'] => ({
  userId,
  sessionId,
  kid,
  role: 'admin',
})

const deposit = route({
  method: 'POST',
  path: '/api/v1/admin/accounts/:accountId/deposits',
  operation: 'createAdminAccountDeposit',
  summary: 'Pay cash into an account.',
  access,
  limit: 'transfer',
  params: closed({ accountId: AccountId }),
  body: cashBody,
  reply: { 201: Transfer },
  refusals: ['account_closed', 'currency_mismatch', 'limit_exceeded', ...repetition],
  example: cashExample,
  async handle({ params, body, headers, caller, service }) {
    const key = readIdempotencyKey(headers)
    const posted = await service.ledger.submit({
      kind: 'deposit',
      fromAccountId: bankAccount('cash', body.currency),
      toAccountId: params.accountId,
      amount: parsePositiveAmount(body),
      currency: body.currency,
      reference: body.reason,
      caller: toOrderCaller(caller),
      ...(key !== undefined && { key }),
    })
    return toAnswer(posted, 'staff')
  },
})

const withdraw = route({
  method: 'POST',
  path: '/api/v1/admin/accounts/:accountId/withdrawals',
  operation: 'createAdminAccountWithdrawal',
  summary: 'Pay cash out of an account.',
  access,
  limit: 'transfer',
  params: closed({ accountId: AccountId }),
  body: cashBody,
  reply: { 201: Transfer },
  refusals: [
    'account_closed',
    'account_frozen',
    'currency_mismatch',
    'insufficient_funds',
    'limit_exceeded',
    ...repetition,
  ],
  example: cashExample,
  async handle({ params, body, headers, caller, service }) {
    const key = readIdempotencyKey(headers)
    const posted = await service.ledger.submit({
      kind: 'withdrawal',
      fromAccountId: params.accountId,
      toAccountId: bankAccount('cash', body.currency),
      amount: parsePositiveAmount(body),
      currency: body.currency,
      reference: body.reason,
      caller: toOrderCaller(caller),
      ...(key !== undefined && { key }),
    })
    return toAnswer(posted, 'staff')
  },
})

/** The terms of a transfer never change; what may, its status, is judged under the locks. */
async function readOriginal(db: Database, id: string): Promise<Row> {
  return transferFromRow((await one(db, readTransfers, [[id]])) ?? refuse('not_found'))
}

/** The same money the other way, as a transfer of its own. */
const toReturnOrder = (
  original: Row,
  kind: 'reversal' | 'return',
  reference: string,
): Omit<Order, 'caller'> => ({
  kind,
  fromAccountId: original.toAccountId,
  toAccountId: original.fromAccountId,
  amount: original.amount,
  currency: original.currency,
  reference,
  originalId: original.id,
  ...(original.counterpartyName !== null && {
    counterparty: { name: original.counterpartyName, iban: original.counterpartyIban },
  }),
})

const reverse = route({
  method: 'POST',
  path: '/api/v1/admin/transfers/:id/reversal',
  operation: 'createAdminTransferReversal',
  summary: 'Reverse a completed transfer, once: a new transfer brings the money back.',
  access,
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
    ...repetition,
  ],
  example: { reason: 'Entered twice' },
  async handle({ params, body, headers, caller, db, service }) {
    const key = readIdempotencyKey(headers)
    const original = await readOriginal(db, params.id)
    // Past its legal time. The payee's name, under which the payer sees it, is gone.
    if (original.isErased) refuse('illegal_transition')
    const posted = await service.ledger.submit({
      ...toReturnOrder(original, 'reversal', body.reason),
      caller: toOrderCaller(caller),
      ...(key !== undefined && { key }),
    })
    return toAnswer(posted, 'staff')
  },
})

const settle = route({
  method: 'POST',
  path: '/api/v1/admin/transfers/:id/settle',
  operation: 'postAdminTransferSettle',
  summary: 'Note that a pending transfer has arrived at the other bank.',
  access,
  limit: 'transfer',
  params: byId,
  reply: { 200: Transfer },
  refusals: ['illegal_transition', 'outcome_unknown', 'unavailable'],
  async handle({ params, caller, db, service }) {
    const { fromAccountId, toAccountId, amount, currency, id } = await readOriginal(db, params.id)
    const { transfer } = await service.ledger.submit({
      kind: 'settlement',
      fromAccountId,
      toAccountId,
      amount,
      currency,
      reference: '',
      originalId: id,
      caller: toOrderCaller(caller),
    })
    return toTransfer(transfer, 'staff')
  },
})

const refund = route({
  method: 'POST',
  path: '/api/v1/admin/transfers/:id/return',
  operation: 'postAdminTransferReturn',
  summary:
    'Note that the other bank refused a pending transfer: the money goes back to its source.',
  access,
  limit: 'transfer',
  params: byId,
  reply: { 200: Transfer },
  refusals: ['account_closed', 'illegal_transition', 'outcome_unknown', 'unavailable'],
  async handle({ params, caller, db, service }) {
    const original = await readOriginal(db, params.id)
    const { transfer } = await service.ledger.submit({
      ...toReturnOrder(original, 'return', original.reference),
      caller: toOrderCaller(caller),
    })
    return toTransfer({ ...original, status: 'returned', reversedBy: transfer.id }, 'staff')
  },
})

export const adminRoutes = [deposit, withdraw, reverse, settle, refund]
