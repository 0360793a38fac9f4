// Endpoints of transactions: the history of an account as its owner and staff see it.
import { type Static, Type } from '../../domain/type.ts'
import { transaction } from '../../database/connections/transaction.ts'
import { type Db, one, type RowOf } from '../../database/statements/statement.ts'
import { periodEnd, periodStart, When } from '../../domain/date-range.ts'
import { invalid, refuse } from '../../domain/errors.ts'
import { AccountId, TransactionId } from '../../domain/ids.ts'
import { type Currency, parseAmount } from '../../domain/money.ts'
import { Amount, closed, named, Nothing, oneOf, Text } from '../../domain/schema.ts'
import { refuseMissing, requireStillInBooks } from '../../gate/archived.ts'
import type { Caller } from '../../gate/roles.ts'
import { listSchema, pageQuery } from '../../http/pagination.ts'
import { type Context, route } from '../../http/route.ts'
import { kinds } from '../../ledger/rules/movement.ts'
import { bankAccountParams } from '../bank-accounts/schemas.ts'
import { findBankAccount } from '../bank-accounts/sql.ts'
import { searchFor } from './entry-search.ts'
import {
  entriesReadMax,
  firstSeqOf,
  requireAnyInBooks,
  isFiltered,
  type EntryFilter,
  listEntries,
  listOwnEntries,
  readEntry,
  seqAt,
} from './history-sql.ts'
import { notesIn, seqOfEntry, writeNote } from './note-sql.ts'
import { EntryNote, toTransaction, Transaction } from '../movements/schemas.ts'
import { customersAccount, readCustomersAccount } from '../movements/sql.ts'

const access = { customer: 'own', 'support-agent': 'any', admin: 'any' } as const

const historyQuery = closed({
  from: Type.Optional(When),
  to: Type.Optional(When),
  kind: Type.Optional(oneOf(kinds)),
  direction: Type.Optional(oneOf(['in', 'out'])),
  amount: Type.Optional(Amount),
  minAmount: Type.Optional(Amount),
  maxAmount: Type.Optional(Amount),
  text: Type.Optional(Text),
  ...pageQuery,
})

const list = route({
  method: 'GET',
  path: '/api/v1/accounts/:accountId/transactions',
  operation: 'listAccountTransactions',
  summary:
    'List the transactions of an account, newest first. Amounts are filtered without sign. ' +
    '`text` is a part of the reference, of the name of the counterparty or of its IBAN (four ' +
    'characters at least), in any case and Unicode form, or the exact amount, also with a comma; ' +
    'the owner also finds a part of an own note, and is shown the notes on what is found. A ' +
    'request reads ' +
    `${entriesReadMax} entries at most, or fewer with many letters that are not ASCII: a page may ` +
    'have fewer items than `limit`, or none, and a `nextCursor` to search on with.',
  access,
  service: 'read',
  member: 'view',
  limit: 'read',
  atStandby: true,
  params: closed({ accountId: AccountId }),
  query: historyQuery,
  reply: { 200: listSchema(Transaction) },
  row: readCustomersAccount,
  refusals: ['archived'],
  handle({ row = refuse('not_found'), ...context }) {
    return listHistory({ ...row, isNoted: isOwner(context.caller, row) }, context)
  },
})

/** Whether the person reads an own account: no member, no program and no staff reads its notes. */
const isOwner = ({ userId }: Caller, { ownerId }: { ownerId: string | null }): boolean =>
  userId === ownerId

type Listed = {
  id: string
  currency: Currency
  lastSeq: bigint
  /** A search by text compares the notes of the owner. */
  isNoted?: boolean
}
type HistoryContext = Pick<
  Context<undefined, Static<typeof historyQuery>>,
  'query' | 'db' | 'page' | 'service'
>

/**
 * A page of the history of an account, of a customer or of the bank.
 *
 * @param least of the bank's accounts: the least amount. A payment that was sent or settled has an
 *   entry without an amount there, which is no line of a history
 */
async function listHistory(
  { id: accountId, currency, lastSeq, isNoted = false }: Listed,
  { query, db, page, service }: HistoryContext,
  least?: bigint,
) {
  const { from, to, kind, direction } = query
  const { min = least, max } = parseBounds(query, currency)
  const filter = {
    accountId,
    kind,
    isNoted,
    min: min === 0n ? least : min,
    max,
    ...(direction && { isCredit: direction === 'in' }),
    ...(query.text !== undefined && {
      matches:
        searchFor(query.text, currency) ?? invalid('/query/text', 'has nothing to search for'),
    }),
  }
  const days = service.clocks.days()
  const start = from === undefined ? undefined : periodStart(from, '/query/from', days)
  const stop = to === undefined ? undefined : periodEnd(to, '/query/to', days)
  const [first, end] = await Promise.all([
    start === undefined
      ? // A page without a filter finds its end by itself.
        isFiltered(filter)
        ? firstSeqOf(db, accountId)
        : 1n
      : seqAt(db, accountId, start),
    stop === undefined ? lastSeq + 1n : seqAt(db, accountId, stop, stop - 1),
  ])
  if (start === undefined && stop !== undefined) await requireAnyInBooks(db, accountId, end)
  // Without bounds a history just ends where an archive begins.
  const needed = start ?? (stop === undefined ? undefined : stop - 1)
  return page({
    async fetch(after, count) {
      const before = after === undefined ? end : BigInt(after)
      const { rows, next } = await listEntries(db, { ...filter, first, before }, count)
      if (needed !== undefined) await requireStillInBooks(db, accountId, needed)
      return { rows, next: next?.toString() }
    },
    keyOf: ({ seq }) => seq.toString(),
    toItem: (entry) => toTransaction(entry, currency),
  })
}

const listOfBank = route({
  method: 'GET',
  path: '/api/v1/admin/bank-accounts/:code/:currency/transactions',
  operation: 'listBankAccountTransactions',
  summary:
    "List the entries of one of the bank's own accounts, newest first, filtered as those of a " +
    "customer's account. Each has the identifier of its transfer, and names no customer.",
  access: { 'support-agent': 'any', admin: 'any' },
  service: 'operation',
  limit: 'read',
  atStandby: true,
  params: bankAccountParams,
  query: historyQuery,
  reply: { 200: listSchema(Transaction) },
  refusals: ['archived', 'not_found'],
  handle: async ({ params, ...context }) =>
    listHistory(await findBankAccount(context.db, params), context, 1n),
})

async function findEntry(db: Db, accountId: string, transactionId: string) {
  const found = await one(db, readEntry, [accountId, transactionId])
  return found ?? refuseMissing(db, transactionId)
}

const read = route({
  method: 'GET',
  path: '/api/v1/accounts/:accountId/transactions/:transactionId',
  operation: 'getTransaction',
  summary: 'Read one transaction of an account.',
  access,
  service: 'read',
  member: 'view',
  limit: 'read',
  atStandby: true,
  params: closed({ accountId: AccountId, transactionId: TransactionId }),
  reply: { 200: Transaction },
  async handle({ params: { accountId, transactionId }, caller, db }) {
    const account = await customersAccount(db, accountId)
    const row = await findEntry(db, accountId, transactionId)
    if (!isOwner(caller, account)) return toTransaction(row, account.currency)
    const notes = await notesIn(db, { accountId, first: row.seq, before: row.seq + 1n })
    return toTransaction({ ...row, note: notes.get(row.seq) }, account.currency)
  },
})

const note = route({
  method: 'PUT',
  path: '/api/v1/accounts/:accountId/transactions/:transactionId/note',
  operation: 'noteTransaction',
  summary:
    'Note something on a transaction of an account of your own, for yourself alone; an empty ' +
    'text takes the note away. The books have no notes: one goes with the data of its person.',
  access: { customer: 'own' },
  limit: 'sensitive',
  params: closed({ accountId: AccountId, transactionId: TransactionId }),
  body: closed({ text: EntryNote }),
  reply: { 204: Nothing },
  example: { text: 'Split with Grace' },
  async handle({ params: { accountId, transactionId }, body, db }) {
    await transaction(db, async (tx) => {
      const seq =
        (await seqOfEntry(tx, accountId, transactionId)) ?? (await refuseMissing(tx, transactionId))
      await writeNote(tx, accountId, seq, body.text)
    })
  },
})

export const OwnTransaction = named('OwnTransaction', {
  accountId: AccountId,
  ...Transaction.properties,
})

export const toOwnTransaction = (
  row: RowOf<typeof listOwnEntries.gives>,
): Static<typeof OwnTransaction> => ({
  accountId: row.accountId,
  ...toTransaction(row, row.currency),
})

const listOwn = route({
  method: 'GET',
  path: '/api/v1/transactions',
  operation: 'listTransactions',
  summary: 'List the transactions of all your open accounts, newest first.',
  access: { customer: 'self' },
  service: 'read',
  limit: 'read',
  atStandby: true,
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
      toItem: toOwnTransaction,
    })
  },
})

type AmountQuery = { amount?: string; minAmount?: string; maxAmount?: string }

/** Refuses an amount with more minor digits than the currency has. */
function parseBounds(query: AmountQuery, currency: Currency): Pick<EntryFilter, 'min' | 'max'> {
  const parse = (name: keyof AmountQuery): bigint | undefined => {
    const text = query[name]
    if (text === undefined) return undefined
    return (
      parseAmount(text, currency) ??
      invalid(`/query/${name}`, 'has more minor digits than its currency')
    )
  }
  const [exact, min, max] = [parse('amount'), parse('minAmount'), parse('maxAmount')]
  if (exact === undefined) return { min, max }
  if (min !== undefined || max !== undefined) {
    invalid('/query/amount', 'cannot be beside minAmount or maxAmount')
  }
  return { min: exact, max: exact }
}

export const historyRoutes = [list, listOfBank, read, note, listOwn]
