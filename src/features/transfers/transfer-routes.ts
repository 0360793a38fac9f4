// Endpoints of transfers: making one, and reading those that left an account.
import { ownBanks } from '../../config/config.ts'
import { type Static, Type } from '../../domain/type.ts'
import type { Database } from '../../database/connections/connect.ts'
import { refuse } from '../../domain/errors.ts'
import { AccountId, BeneficiaryId, TransferId } from '../../domain/ids.ts'
import { Amount, closed, Currency, oneOf, OptionalText } from '../../domain/schema.ts'
import { listSchema, pageQuery } from '../../http/pagination.ts'
import { keyRefusals } from '../../http/repeats.ts'
import { Answer, type Context, route } from '../../http/route.ts'
import type { ShownTerms } from '../../gate/confirmations.ts'
import { readIdempotencyKey, replayMovement } from '../../ledger/batch/idempotency.ts'
import { isAbove, toAnswer } from '../movements/answer.ts'
import { noDetails, type Posted } from '../../ledger/rules/movement.ts'
import { toPayeeColumns } from '../../ledger/rules/payee-check.ts'
import { addDetails, addMakers, addPayers } from '../movements/details.ts'
import {
  carriedFields,
  describeCheck,
  payeeRefusals,
  readCarried,
  requireSamePayee,
  showCheck,
} from '../payee-checks/carried.ts'
import { toMoneyBack } from '../movements/follow-up.ts'
import { toMovementCaller } from '../movements/movement-caller.ts'
import { notingRefusals } from '../movements/refusals.ts'
import { findDestination } from '../movements/destination.ts'
import {
  parsePositiveAmount,
  toTransfer,
  Transfer,
  type WithCalendar,
} from '../movements/schemas.ts'
import {
  beneficiaryTarget,
  customersAccount,
  listPendingTransfers,
  listTransfers,
  ownAccountIds,
  transferById,
} from '../movements/sql.ts'

const TransferBody = closed({
  // First, because the gate checks that the beneficiary belongs to this account.
  fromAccountId: AccountId,
  toAccountId: Type.Optional(AccountId),
  beneficiaryId: Type.Optional(BeneficiaryId),
  amount: Amount,
  currency: Currency,
  reference: Type.Optional(OptionalText),
  ...carriedFields,
})

const create = route({
  method: 'POST',
  path: '/api/v1/transfers',
  operation: 'createTransfer',
  recordedBy: 'ledger',
  summary:
    'Move money out of one of your accounts, to another of yours or to a beneficiary. With an ' +
    'Idempotency-Key, a repetition is answered as the first time; without one, the same transfer ' +
    'within 10 seconds is refused.',
  access: { customer: 'own' },
  service: 'pay',
  confirm: showPayment,
  member: 'pay',
  limit: 'transfer',
  body: TransferBody,
  reply: { 201: Transfer },
  refusals: [
    'account_closed',
    'account_frozen',
    'beneficiary_cooling',
    'beneficiary_inactive',
    'credits_blocked',
    'currency_mismatch',
    'debits_blocked',
    'duplicate_transfer',
    'insufficient_funds',
    'limit_exceeded',
    'not_found',
    'signature_required',
    ...payeeRefusals,
    ...keyRefusals,
  ],
  example: {
    fromAccountId: '01890a5d-ac96-774b-bcce-b302099a8057',
    toAccountId: '01890a5d-ac96-774b-bcce-b302099a8058',
    amount: '12.50',
    currency: 'EUR',
    reference: 'Savings',
  },
  handle: notingRefusals(
    ({ body: { fromAccountId: accountId, ...asked } }) => ({ accountId, ...asked }),
    pay,
  ),
  whenGone: replayAnswer,
})

async function pay(context: TransferContext) {
  const { body, db, service } = context
  const terms = await toTerms(context)
  const destination = await findDestination(db, body, ownBanks(service.config))
  if (!destination) return replayAnswer(context)
  requireSamePayee(terms.payee.check, destination.named)
  // Money that stays with the same customer is no payment.
  const { named, ...sides } = destination
  const isLarge = named !== undefined && isAbove(service.config.alertAbove, terms)
  const isRequired = named !== undefined && terms.payee.isRequired
  const movement = { ...terms, ...sides, isLarge, payee: { ...terms.payee, isRequired } }
  return toPaid(await service.ledger.submit(movement), terms, service)
}

/** What a payer is shown of a payment (Regulation (EU) 2018/389, Article 5). */
async function showPayment({ body, caller, db }: TransferContext): Promise<ShownTerms> {
  const { fromAccountId, toAccountId, beneficiaryId, amount, currency } = body
  const payee = beneficiaryId === undefined ? undefined : await beneficiaryTarget(db, beneficiaryId)
  return {
    fromAccountId,
    ...(toAccountId !== undefined && { toAccountId }),
    ...(payee && { payee: payee.name, iban: payee.iban }),
    amount,
    currency,
    ...showCheck(await readCarried(db, body, caller)),
  }
}

type TransferContext = Context<undefined, undefined, Static<typeof TransferBody>>

/** The movement, but for the account to credit. */
async function toTerms({ body, headers, caller, db, service, toEvent }: TransferContext) {
  const { fromAccountId, currency, reference = '' } = body
  const check = await readCarried(db, body, caller)
  const detail = check && describeCheck(check)
  const event = check?.isAccepted && detail ? toEvent({ action: 'acceptPayee', detail }) : undefined
  return {
    key: readIdempotencyKey(headers),
    kind: 'transfer' as const,
    fromAccountId,
    amount: parsePositiveAmount(body),
    currency,
    reference,
    caller: toMovementCaller(caller, 'customer'),
    payee: { isRequired: service.config.payeeCheck === 'required', check, event },
    ...(check && { details: { ...noDetails, ...toPayeeColumns(check) } }),
  }
}

type PaymentTerms = Awaited<ReturnType<typeof toTerms>>

/** With what was known of the payee, also of a payment that was made before. */
function toPaid(
  { transfer, isReplayed }: Posted,
  { details, caller }: PaymentTerms,
  service: WithCalendar,
) {
  const { memberFor } = caller
  const checked = {
    ...transfer,
    ...(details && { checked: details }),
    ...(memberFor !== undefined && { madeBy: transfer.callerId }),
  }
  return toAnswer({ transfer: checked, isReplayed }, 'owner', service)
}

/**
 * The answer when the account or the payee is gone: only a repetition of an earlier request has
 * one.
 */
async function replayAnswer(context: TransferContext) {
  const { body, db, service } = context
  const { toAccountId, beneficiaryId } = body
  if ((toAccountId === undefined) === (beneficiaryId === undefined)) refuse('not_found')
  const target = { toAccountId, ...(beneficiaryId !== undefined && { beneficiaryId }) }
  const terms = await toTerms(context)
  return toPaid(await replayMovement(db, service.clock, { ...terms, ...target }), terms, service)
}

const list = route({
  method: 'GET',
  path: '/api/v1/transfers',
  operation: 'listTransfers',
  summary:
    'List transfers by the account they left, newest first; all of them or the pending ones.',
  access: { customer: 'own', 'support-agent': 'any', admin: 'any' },
  service: 'read',
  member: 'view',
  limit: 'read',
  query: closed({
    accountId: Type.Optional(AccountId),
    status: Type.Optional(oneOf(['pending'])),
    ...pageQuery,
  }),
  reply: { 200: listSchema(Transfer) },
  async handle({ query, caller, db, page, service }) {
    const isStaff = caller.grant === 'any'
    const sources = await findSources(db, query.accountId, isStaff ? undefined : caller.ownerId)
    const list = query.status === undefined ? listTransfers : listPendingTransfers
    return page({
      async fetch(after, count) {
        const found = await addDetails(db, await list(db, sources, after, count))
        const rows = service.members ? await addMakers(db, found) : found
        // A customer knows whose accounts these are.
        return isStaff ? addPayers(db, rows) : rows
      },
      toItem: (row) => toTransfer(row, isStaff ? 'staff' : 'owner', service),
    })
  },
})

/** The accounts whose transfers are listed; undefined: all of the bank's. */
async function findSources(
  db: Database,
  accountId: string | undefined,
  ownerId: string | undefined,
): Promise<string[] | undefined> {
  if (accountId !== undefined) {
    // The gate has checked that a customer owns it.
    await customersAccount(db, accountId)
    return [accountId]
  }
  return ownerId === undefined ? undefined : ownAccountIds(db, ownerId)
}

const read = route({
  method: 'GET',
  path: '/api/v1/transfers/:id',
  operation: 'getTransfer',
  summary: 'Read one transfer.',
  access: { customer: 'own', 'support-agent': 'any', admin: 'any' },
  service: 'read',
  member: 'view',
  limit: 'read',
  params: closed({ id: TransferId }),
  reply: { 200: Transfer },
  async handle({ params, caller, db, service }) {
    const found = await addDetails(db, [await transferById(db, params.id)])
    const [transfer = refuse('not_found')] = service.members ? await addMakers(db, found) : found
    return toTransfer(transfer, caller.grant === 'any' ? 'staff' : 'owner', service)
  },
})

const cancel = route({
  method: 'POST',
  path: '/api/v1/transfers/:id/cancel',
  operation: 'cancelTransfer',
  recordedBy: 'ledger',
  summary:
    'Cancel a payment of your own to another bank that is pending: the money is back at once. ' +
    'One that was sent cannot be cancelled. A service account cancels what it has ordered.',
  access: { customer: 'own' },
  service: 'pay',
  member: 'pay',
  limit: 'transfer',
  params: closed({ id: TransferId }),
  reply: { 200: Transfer },
  refusals: ['account_closed', 'illegal_transition', 'limit_exceeded', ...keyRefusals],
  async handle({ params, headers, caller, db, service }) {
    const original = await transferById(db, params.id)
    const { transfer, isReplayed } = await service.ledger.submit({
      kind: 'cancellation',
      ...toMoneyBack(original, original.reference, caller, 'customer'),
      key: readIdempotencyKey(headers),
    })
    const [row = original] = service.members ? await addMakers(db, [original]) : []
    const cancelled = { ...row, status: 'cancelled', reversedBy: transfer.id } as const
    return new Answer(toTransfer(cancelled, 'owner', service), {
      ...(isReplayed && { 'idempotency-replayed': 'true' }),
    })
  },
})

export const transferRoutes = [create, list, read, cancel]
