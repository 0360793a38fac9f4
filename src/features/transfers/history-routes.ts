// Endpoints of transactions: the history of an account as its owner and staff see it.
import { Type } from 'typebox'
import { one } from '../../database/statement.ts'
import { periodEnd, periodStart, When } from '../../domain/date-range.ts'
import { invalid, refuse } from '../../domain/errors.ts'
import { AccountId, TransactionId } from '../../domain/ids.ts'
import { type Currency, parseAmount } from '../../domain/money.ts'
import { Amount, closed, Name, named, oneOf } from '../../domain/schema.ts'
import { listSchema, pageQuery } from '../../http/pagination.ts'
import { route } from '../../http/route.ts'
import { kinds } from '../../ledger/order.ts'
import { toTransaction, Transaction } from './schemas.ts'
import { customersAccount, readCustomersAccount } from './sql.ts'
import { int8Max, listEntries, listOwnEntries, readEntry, seqAt } from './history-sql.ts'

const access = { customer: 'own', 'support-agent': 'any', admin: 'any' } as const

const list = route({
  method: 'GET',
  path: '/api/v1/accounts/:accountId/transactions',
  operation: 'listAccountTransactions',
  summary:
    'List the transactions of an account, newest first. Amounts are filtered without sign. ' +
    '`text` is a part of the reference or of the name of the counterparty, in any case.',
  access,
  service: 'read',
  limit: 'read',
  params: closed({ accountId: AccountId }),
  query: closed({
    from: Type.Optional(When),
    to: Type.Optional(When),
    kind: Type.Optional(oneOf(kinds)),
    minAmount: Type.Optional(Amount),
    maxAmount: Type.Optional(Amount),
    text: Type.Optional(Name),
    ...pageQuery,
  }),
  reply: { 200: listSchema(Transaction) },
  row: readCustomersAccount,
  async handle({ params: { accountId }, query, db, page, row }) {
    const { lastSeq, currency: code } = row ?? refuse('not_found')
    const currency = code as Currency
    const { from, to, kind, minAmount, maxAmount, text } = query
    const min = parseBound(minAmount, currency, '/query/minAmount') ?? 0n
    const max = parseBound(maxAmount, currency, '/query/maxAmount') ?? int8Max
    const [first, end] = await Promise.all([
      from === undefined ? 1n : seqAt(db, accountId, periodStart(from, '/query/from')),
      to === undefined ? lastSeq + 1n : seqAt(db, accountId, periodEnd(to, '/query/to')),
    ])
    return page({
      fetch(after, count) {
        const before = after === undefined ? end : BigInt(after)
        const filter = [accountId, first, before, kind ?? null, min, max] as const
        return listEntries(db, filter, count, text)
      },
      keyOf: ({ seq }) => seq.toString(),
      toItem: (entry) => toTransaction(entry, currency),
    })
  },
})

const read = route({
  method: 'GET',
  path: '/api/v1/accounts/:accountId/transactions/:transactionId',
  operation: 'getTransaction',
  summary: 'Read one transaction of an account.',
  access,
  service: 'read',
  limit: 'read',
  params: closed({ accountId: AccountId, transactionId: TransactionId }),
  reply: { 200: Transaction },
  async handle({ params: { accountId, transactionId }, db }) {
    const { currency } = await customersAccount(db, accountId)
    const row = await one(db, readEntry, [accountId, transactionId])
    return toTransaction(row ?? refuse('not_found'), currency)
  },
})

const OwnTransaction = named('OwnTransaction', {
  accountId: AccountId,
  ...Transaction.properties,
})

const listOwn = route({
  method: 'GET',
  path: '/api/v1/transactions',
  operation: 'listTransactions',
  summary: 'List the transactions of all your open accounts, newest first.',
  access: { customer: 'self' },
  service: 'read',
  limit: 'read',
  query: closed(pageQuery),
  reply: { 200: listSchema(OwnTransaction) },
  async handle({ caller, db, page }) {
    return page({
      fetch(after, count) {
        const [accountId = null, seq] = after?.split(' ') ?? []
        const place = [accountId, seq === undefined ? null : BigInt(seq)] as const
        return db.run(listOwnEntries, [caller.ownerId, ...place, BigInt(count)])
      },
      keyOf: ({ accountId, seq }) => `${accountId} ${seq}`,
      toItem: (row) => ({
        accountId: row.accountId,
        ...toTransaction(row, row.currency as Currency),
      }),
    })
  },
})

function parseBound(
  text: string | undefined,
  currency: Currency,
  path: string,
): bigint | undefined {
  if (text === undefined) return undefined
  return parseAmount(text, currency) ?? invalid(path, 'has more minor digits than its currency')
}

export const historyRoutes = [list, read, listOwn]
