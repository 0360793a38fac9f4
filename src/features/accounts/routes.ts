// Endpoints of accounts. A closed account is gone from all of these; only the admin routes show it.
import { Type } from 'typebox'
import { listSchema, pageQuery } from '../../http/pagination.ts'
import { invalid, refuse } from '../../domain/errors.ts'
import type { Caller } from '../../gate/roles.ts'
import { AccountId, newId, UserId } from '../../domain/ids.ts'
import { Answer, route } from '../../http/route.ts'
import { closed, Currency, Name, Nothing } from '../../domain/schema.ts'
import { adminRoutes } from './admin-routes.ts'
import { close, openAccount } from './lifecycle.ts'
import { Account, Details, toAccount, toDetails } from './schemas.ts'
import { settingsRoutes } from './settings-routes.ts'
import { accountById, accounts, accountsByOwner, detailsById } from './sql.ts'

const list = route({
  method: 'GET',
  path: '/api/v1/accounts',
  operation: 'listAccounts',
  summary: 'List your accounts, newest first; for staff, those of all customers.',
  access: { customer: 'self', 'support-agent': 'any', admin: 'any' },
  limit: 'read',
  query: closed(pageQuery),
  reply: { 200: listSchema(Account) },
  async handle({ caller, db, page }) {
    const { userId, grant } = caller
    return page({
      fetch: (after, count) =>
        grant === 'any'
          ? accounts(db, { statuses: ['active', 'frozen'] }, after, count)
          : accountsByOwner(db, userId, after, count),
      toItem: toAccount,
    })
  },
})

const open = route({
  method: 'POST',
  path: '/api/v1/accounts',
  operation: 'createAccount',
  summary:
    'Open an account: a customer for himself, an administrator for any active customer, who may ' +
    'have 100 open ones.',
  access: { customer: 'own', admin: 'any' },
  limit: 'sensitive',
  body: closed({
    currency: Currency,
    name: Type.Optional(Name),
    ownerId: Type.Optional(UserId),
  }),
  reply: { 201: Account },
  refusals: ['limit_exceeded', 'not_found'],
  example: { currency: 'EUR', name: 'Household' },
  async handle({ body, caller, db, now }) {
    const ownerId = body.ownerId ?? ownIfCustomer(caller)
    const { currency, name = null } = body
    // A customer's own role or status can only be missing when it was taken in this very moment.
    const absent = caller.grant === 'any' ? 'not_found' : 'forbidden'
    const account = await openAccount(db, { id: newId(now), ownerId, currency, name, now, absent })
    return new Answer(toAccount(account), { location: `/api/v1/accounts/${account.id}` })
  },
})

const ownIfCustomer = ({ userId, roles }: Caller): string =>
  roles.includes('customer') ? userId : invalid('/body/ownerId', 'is missing')

const read = route({
  method: 'GET',
  path: '/api/v1/accounts/:accountId',
  operation: 'getAccount',
  summary: 'Read an account with its balance.',
  access: { customer: 'own', 'support-agent': 'any', admin: 'any' },
  limit: 'read',
  params: closed({ accountId: AccountId }),
  reply: { 200: Account },
  refusals: ['not_found'],
  async handle({ params, db }) {
    const account = await accountById(db, params.accountId)
    if (!account || account.status === 'closed') refuse('not_found')
    return toAccount(account)
  },
})

const readDetails = route({
  method: 'GET',
  path: '/api/v1/accounts/:accountId/details',
  operation: 'getAccountDetails',
  summary: 'Read an account with the personal data of its holder.',
  access: { customer: 'own', 'support-agent': 'any', admin: 'any' },
  limit: 'read',
  params: closed({ accountId: AccountId }),
  reply: { 200: Details },
  refusals: ['not_found'],
  async handle({ params, db }) {
    const details = await detailsById(db, params.accountId)
    if (!details || details.status === 'closed') refuse('not_found')
    return toDetails(details)
  },
})

const remove = route({
  method: 'DELETE',
  path: '/api/v1/accounts/:accountId',
  operation: 'deleteAccount',
  summary: 'Close an account for good. Its balance has to be zero.',
  access: { customer: 'own', admin: 'any' },
  limit: 'sensitive',
  params: closed({ accountId: AccountId }),
  reply: { 204: Nothing },
  refusals: ['not_found', 'account_frozen', 'account_not_empty'],
  async handle({ params, db }) {
    await close(db, params.accountId)
  },
})

export const accountRoutes = [
  list,
  open,
  read,
  readDetails,
  remove,
  ...settingsRoutes,
  ...adminRoutes,
]
