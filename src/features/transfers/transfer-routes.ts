// Endpoints of transfers: making one, and reading those that left an account.
import { type Static, Type } from 'typebox'
import { listSchema, pageQuery } from '../../http/pagination.ts'
import type { Database } from '../../database/connect.ts'
import { one } from '../../database/statement.ts'
import { refuse } from '../../domain/errors.ts'
import { AccountId, BeneficiaryId, lastId, TransferId } from '../../domain/ids.ts'
import { Answer, type Context, route } from '../../http/route.ts'
import { Amount, closed, Currency, OptionalText } from '../../domain/schema.ts'
import {
  listTransfers,
  listTransfersFrom,
  readCustomersAccount,
  readOwnAccounts,
} from './history-sql.ts'
import type { Posted } from '../../ledger/order.ts'
import { transferFromRow } from '../../ledger/post.ts'
import { readIdempotencyKey } from '../../ledger/idempotency.ts'
import { replay } from '../../ledger/replay.ts'
import { parsePositiveAmount, asFirstAnswered, toTransfer, Transfer, type View } from './schemas.ts'
import { readTransfers } from '../../ledger/sql.ts'
import { findTarget } from '../../ledger/destination.ts'

/** The answer to whoever moved money: the same again when it is asked for again. */
export function toAnswer({ transfer, isReplayed }: Posted, view: View) {
  const first = toTransfer(asFirstAnswered(transfer), view)
  return new Answer(first, {
    location: `/api/v1/transfers/${transfer.id}`,
    ...(isReplayed && { 'idempotency-replayed': 'true' }),
  })
}

const TransferBody = closed({
  // First, for the gate: a beneficiary has to be one of this account's.
  fromAccountId: AccountId,
  toAccountId: Type.Optional(AccountId),
  beneficiaryId: Type.Optional(BeneficiaryId),
  amount: Amount,
  currency: Currency,
  reference: Type.Optional(OptionalText),
})

const create = route({
  method: 'POST',
  path: '/api/v1/transfers',
  operation: 'createTransfer',
  summary:
    'Move money out of one of your accounts, to another of yours or to a beneficiary. With an ' +
    'Idempotency-Key, a repetition is answered as the first time; without one, the same transfer ' +
    'within 10 seconds is refused.',
  access: { customer: 'own' },
  limit: 'transfer',
  body: TransferBody,
  reply: { 201: Transfer },
  refusals: [
    'account_closed',
    'account_frozen',
    'beneficiary_inactive',
    'currency_mismatch',
    'duplicate_transfer',
    'idempotency_key_reused',
    'insufficient_funds',
    'limit_exceeded',
    'not_found',
    'outcome_unknown',
    'request_in_progress',
    'unavailable',
  ],
  example: {
    fromAccountId: '01890a5d-ac96-774b-bcce-b302099a8057',
    toAccountId: '01890a5d-ac96-774b-bcce-b302099a8058',
    amount: '12.50',
    currency: 'EUR',
    reference: 'Savings',
  },
  async handle(context) {
    const { body, db, service } = context
    const terms = toTerms(context)
    const target = await findTarget(db, body)
    if (!target) return answerAgain(context)
    return toAnswer(await service.ledger.submit({ ...terms, ...target }), 'owner')
  },
  whenGone: answerAgain,
})

type TransferContext = Context<undefined, undefined, Static<typeof TransferBody>>

/** What is asked for, but for the account to credit. */
function toTerms({ body, headers, caller }: TransferContext) {
  const key = readIdempotencyKey(headers)
  const { fromAccountId, currency, reference = '' } = body
  return {
    kind: 'transfer' as const,
    fromAccountId,
    amount: parsePositiveAmount(body),
    currency,
    reference,
    caller: {
      userId: caller.userId,
      sessionId: caller.sessionId,
      kid: caller.kid,
      role: 'customer' as const,
    },
    ...(key !== undefined && { key }),
  }
}

/** To what cannot be paid any more, only the repetition of a request has an answer: its first. */
async function answerAgain(context: TransferContext) {
  const { body, db, service } = context
  const { toAccountId, beneficiaryId } = body
  if ((toAccountId === undefined) === (beneficiaryId === undefined)) refuse('not_found')
  const target = { toAccountId, ...(beneficiaryId !== undefined && { beneficiaryId }) }
  return toAnswer(await replay(db, service.clock, { ...toTerms(context), ...target }), 'owner')
}

const list = route({
  method: 'GET',
  path: '/api/v1/transfers',
  operation: 'listTransfers',
  summary: 'List transfers by the account they left, newest first.',
  access: { customer: 'own', 'support-agent': 'any', admin: 'any' },
  limit: 'read',
  query: closed({ accountId: Type.Optional(AccountId), ...pageQuery }),
  reply: { 200: listSchema(Transfer) },
  async handle({ query, caller, db, page }) {
    const isStaff = caller.grant === 'any'
    const sources = await findSources(db, query.accountId, isStaff ? undefined : caller.userId)
    return page({
      fetch: (after = lastId, count) =>
        sources === undefined
          ? db.run(listTransfers, [after, BigInt(count)])
          : db.run(listTransfersFrom, [sources, after, BigInt(count)]),
      toItem: (row) => toTransfer(transferFromRow(row), isStaff ? 'staff' : 'owner'),
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
    // Whether it is the customer's own, the gate has asked.
    if (!(await one(db, readCustomersAccount, [accountId]))) refuse('not_found')
    return [accountId]
  }
  if (ownerId === undefined) return undefined
  const rows = await db.run(readOwnAccounts, [ownerId])
  return rows.map(({ id }) => id)
}

const read = route({
  method: 'GET',
  path: '/api/v1/transfers/:id',
  operation: 'getTransfer',
  summary: 'Read one transfer.',
  access: { customer: 'own', 'support-agent': 'any', admin: 'any' },
  limit: 'read',
  params: closed({ id: TransferId }),
  reply: { 200: Transfer },
  async handle({ params, caller, db }) {
    const row = (await one(db, readTransfers, [[params.id]])) ?? refuse('not_found')
    return toTransfer(transferFromRow(row), caller.grant === 'any' ? 'staff' : 'owner')
  },
})

export const transferRoutes = [create, list, read]
