// Endpoints of the bank's own accounts: staff read them, an administrator adds one.
import { Type } from '../../domain/type.ts'
import { transaction } from '../../database/connections/transaction.ts'
import { closed, Currency, Name } from '../../domain/schema.ts'
import { listSchema, pageQuery } from '../../http/pagination.ts'
import { Answer, route } from '../../http/route.ts'
import { furtherMax } from '../../ledger/rules/internal-accounts.ts'
import { BankAccount, BankCode, bankAccountParams, toBankAccount } from './schemas.ts'
import { addBankAccount, bankAccounts, findBankAccount } from './sql.ts'

const path = '/api/v1/admin/bank-accounts'
const readers = { 'support-agent': 'any', admin: 'any' } as const

const list = route({
  method: 'GET',
  path,
  operation: 'listBankAccounts',
  summary: "List the bank's own accounts with their balances, of all currencies or of one.",
  access: readers,
  service: 'operation',
  limit: 'read',
  query: closed({ currency: Type.Optional(Currency), ...pageQuery }),
  reply: { 200: listSchema(BankAccount) },
  handle: ({ query, db, page }) =>
    page({
      fetch: (after, count) => bankAccounts(db, query.currency, after, count),
      toItem: toBankAccount,
    }),
})

const create = route({
  method: 'POST',
  path,
  operation: 'createBankAccount',
  summary:
    `Add an account of the bank in a currency, at most ${furtherMax} in all. It stays: entries ` +
    'name it for ever.',
  access: { admin: 'any' },
  limit: 'admin',
  body: closed({ code: BankCode, currency: Currency, name: Name }),
  reply: { 201: BankAccount },
  refusals: ['already_exists', 'limit_exceeded'],
  example: { code: 'card-scheme', currency: 'EUR', name: 'Card scheme' },
  async handle({ body, db, now }) {
    const row = await transaction(db, (tx) => addBankAccount(tx, { ...body, now }))
    const location = `${path}/${row.code}/${row.currency}`
    return new Answer(toBankAccount(row), { location })
  },
})

const read = route({
  method: 'GET',
  path: `${path}/:code/:currency`,
  operation: 'getBankAccount',
  summary: "Read one of the bank's own accounts.",
  access: readers,
  service: 'operation',
  limit: 'read',
  params: bankAccountParams,
  reply: { 200: BankAccount },
  refusals: ['not_found'],
  handle: async ({ params, db }) => toBankAccount(await findBankAccount(db, params)),
})

export const bankAccountRoutes = [list, create, read]
