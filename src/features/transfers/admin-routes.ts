// Endpoints by which administrators move money: in and out of the bank, and back again.
import type { Static } from '../../domain/type.ts'
import { AccountId, TransferId } from '../../domain/ids.ts'
import { Amount, closed, Currency, Reason } from '../../domain/schema.ts'
import type { Db } from '../../database/statements/statement.ts'
import type { Caller } from '../../gate/roles.ts'
import { keyRefusals } from '../../http/repeats.ts'
import { type Context, route } from '../../http/route.ts'
import { readIdempotencyKey } from '../../ledger/batch/idempotency.ts'
import { bankAccount } from '../../ledger/rules/internal-accounts.ts'
import type { BackMovement, MovementOf, Transfer as Row } from '../../ledger/rules/movement.ts'
import { addDetails, type DetailedTransfer, isInSuspense } from '../movements/details.ts'
import { showTransfer, toMoneyBack } from '../movements/follow-up.ts'
import { parsePositiveAmount, Transfer } from '../movements/schemas.ts'
import { transferById } from '../movements/sql.ts'
import { notingRefusals } from '../movements/refusals.ts'
import { toMovementCaller } from '../movements/movement-caller.ts'
import { isAbove, toAnswer } from '../movements/answer.ts'

const access = { admin: 'any' } as const
const byAccount = closed({ accountId: AccountId })
const byId = closed({ id: TransferId })
const reasonBody = closed({ reason: Reason })
const cashBody = closed({ amount: Amount, currency: Currency, reason: Reason })
const cashExample = { amount: '100.00', currency: 'EUR', reason: 'Paid in at the counter' } as const

const refusals = ['duplicate_transfer', ...keyRefusals] as const

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
    caller: toMovementCaller(caller, 'admin'),
  })
  return toAnswer(posted, 'staff', service)
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
  refusals: [
    'account_closed',
    'credits_blocked',
    'currency_mismatch',
    'limit_exceeded',
    ...refusals,
  ],
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
    'debits_blocked',
    'insufficient_funds',
    'limit_exceeded',
    ...refusals,
  ],
  example: cashExample,
  handle: notingRefusals(
    ({ params: { accountId }, body }) => ({ accountId, ...body }),
    (context: CashContext) => moveCash('withdrawal', context),
  ),
})

const reverse = route({
  method: 'POST',
  path: '/api/v1/admin/transfers/:id/reversal',
  operation: 'reverseTransfer',
  summary:
    'Reverse a completed transfer, once: a new transfer brings the money back. A payment from ' +
    'another bank that lies in suspense is sent back there: by a pending `return`, which a rail ' +
    'takes like a payment.',
  access,
  service: 'operation',
  confirm: async ({ params, db }) => {
    const original = await transferById(db, params.id)
    const iban = isToSendBack(original) ? original.counterpartyIban : null
    return { ...showTransfer(original), ...(iban !== null && { iban }) }
  },
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
    ...refusals,
  ],
  example: { reason: 'Entered twice' },
  async handle({ params, body, headers, caller, db, service }) {
    const key = readIdempotencyKey(headers)
    const original = await transferById(db, params.id)
    const movement: BackMovement = isToSendBack(original)
      ? await toSendBack(db, original, body.reason, caller)
      : { kind: 'reversal', ...toMoneyBack(original, body.reason, caller) }
    const posted = await service.ledger.submit({ ...movement, key })
    const [transfer = posted.transfer] = await addDetails(db, [posted.transfer])
    return toAnswer({ ...posted, transfer }, 'staff', service)
  },
})

const isToSendBack = (original: Row): boolean =>
  original.kind === 'incoming' && isInSuspense(original)

/** By the references of its payer, who is its payee now. */
async function toSendBack(
  db: Db,
  original: Row,
  reason: string,
  caller: Caller,
): Promise<MovementOf<'return'>> {
  const [{ details } = original as DetailedTransfer] = await addDetails(db, [original])
  const movement = { kind: 'return', ...toMoneyBack(original, reason, caller) } as const
  if (!details) return movement
  const { endToEndId, bic } = details
  return { ...movement, details: { endToEndId, bic, reasonCode: null, original: null } }
}

export const adminTransferRoutes = [deposit, withdraw, reverse]
