// Endpoints of transactions: the history of an account as its owner and staff see it.
import { Type } from 'typebox'
import { listSchema, pageQuery } from '../../http/pagination.ts'
import type { Db } from '../../database/statement.ts'
import { one } from '../../database/statement.ts'
import { invalid, refuse } from '../../domain/errors.ts'
import { AccountId, TransactionId } from '../../domain/ids.ts'
import { type Currency, parseAmount } from '../../domain/money.ts'
import { periodStart, periodEnd, When } from '../../domain/date-range.ts'
import { route } from '../../http/route.ts'
import { Amount, closed, oneOf } from '../../domain/schema.ts'
import { findSeq, listEntries, readCustomersAccount, readEntry } from './history-sql.ts'
import { kinds } from '../../ledger/order.ts'
import { toTransaction, Transaction } from './schemas.ts'

const access = { customer: 'own', 'support-agent': 'any', admin: 'any' } as const

const list = route({
  method: 'GET',
  path: '/api/v1/accounts/:accountId/transactions',
  operation: 'listAccountTransactions',
  summary: 'List the transactions of an account, newest first. Amounts are filtered without sign.',
  access,
  limit: 'read',
  params: closed({ accountId: AccountId }),
  query: closed({
    from: Type.Optional(When),
    to: Type.Optional(When),
    kind: Type.Optional(oneOf(kinds)),
    minAmount: Type.Optional(Amount),
    maxAmount: Type.Optional(Amount),
    ...pageQuery,
  }),
  reply: { 200: listSchema(Transaction) },
  async handle({ params: { accountId }, query, db, page }) {
    const currency = await readCurrency(db, accountId)
    const { from, to, kind, minAmount, maxAmount } = query
    const least = parseBound(minAmount, currency, '/query/minAmount') ?? 0n
    const most = parseBound(maxAmount, currency, '/query/maxAmount') ?? maxBalance
    const [first, end] = await Promise.all([
      from === undefined ? undefined : seqAt(db, accountId, periodStart(from, '/query/from')),
      to === undefined ? undefined : seqAt(db, accountId, periodEnd(to, '/query/to')),
    ])
    return page({
      fetch: (after, count) => {
        const before = after === undefined ? (end ?? maxBalance) : BigInt(after)
        const filter = [first ?? 1n, before, kind ?? null, least, most] as const
        return db.run(listEntries, [accountId, ...filter, BigInt(count)])
      },
      keyOf: ({ seq }) => seq.toString(),
      toItem: (row) => toTransaction(row, currency),
    })
  },
})

const read = route({
  method: 'GET',
  path: '/api/v1/accounts/:accountId/transactions/:transactionId',
  operation: 'getAccountTransaction',
  summary: 'Read one transaction of an account.',
  access,
  limit: 'read',
  params: closed({ accountId: AccountId, transactionId: TransactionId }),
  reply: { 200: Transaction },
  async handle({ params: { accountId, transactionId }, db }) {
    const currency = await readCurrency(db, accountId)
    const row = await one(db, readEntry, [accountId, transactionId])
    return toTransaction(row ?? refuse('not_found'), currency)
  },
})

/** Beyond every sequence number and amount. */
const maxBalance = 2n ** 63n - 1n

async function readCurrency(db: Db, accountId: string): Promise<Currency> {
  const row = (await one(db, readCustomersAccount, [accountId])) ?? refuse('not_found')
  return row.currency as Currency
}

function parseBound(
  text: string | undefined,
  currency: Currency,
  path: string,
): bigint | undefined {
  if (text === undefined) return undefined
  return parseAmount(text, currency) ?? invalid(path, 'has more minor digits than its currency')
}

/** Where in the account's sequence a time falls. */
async function seqAt(db: Db, accountId: string, time: number): Promise<bigint> {
  return (await one(db, findSeq, [accountId, new Date(time)]))?.seq ?? 1n
}

export const historyRoutes = [list, read]
