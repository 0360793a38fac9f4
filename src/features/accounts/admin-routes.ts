// Endpoints of accounts for staff only: find any account, also a closed one; freeze and thaw.
import { isValidIBAN } from 'ibantools'
import { Type } from 'typebox'
import { listSchema, pageQuery } from '../../http/pagination.ts'
import { invalid, refuse } from '../../domain/errors.ts'
import { Iban } from '../../domain/iban.ts'
import { AccountId, UserId } from '../../domain/ids.ts'
import { route } from '../../http/route.ts'
import { closed, Name, oneOf, Text } from '../../domain/schema.ts'
import { changeStatus } from './lifecycle.ts'
import { Account, statuses, toAccount } from './schemas.ts'
import { accountById, accounts } from './sql.ts'

const search = route({
  method: 'GET',
  path: '/api/v1/admin/accounts',
  operation: 'listAdminAccounts',
  summary:
    'Find accounts by IBAN, holder or status, newest first; also closed ones. A holder is found ' +
    'from the beginning of a word of the name on.',
  access: { 'support-agent': 'any', admin: 'any' },
  limit: 'read',
  query: closed({
    ...pageQuery,
    iban: Type.Optional(Iban),
    ownerId: Type.Optional(UserId),
    holder: Type.Optional(Name),
    status: Type.Optional(oneOf(statuses)),
  }),
  reply: { 200: listSchema(Account) },
  async handle({ query, db, page }) {
    const { iban, ownerId, holder, status } = query
    if (iban !== undefined && !isValidIBAN(iban)) invalid('/query/iban', 'is not an IBAN')
    const filter = { iban, ownerId, holder, statuses: status === undefined ? statuses : [status] }
    return page({
      fetch: (after, count) => accounts(db, filter, after, count),
      toItem: toAccount,
    })
  },
})

const read = route({
  method: 'GET',
  path: '/api/v1/admin/accounts/:accountId',
  operation: 'getAdminAccount',
  summary: 'Read an account, also a closed one.',
  access: { 'support-agent': 'any', admin: 'any' },
  limit: 'read',
  params: closed({ accountId: AccountId }),
  reply: { 200: Account },
  refusals: ['not_found'],
  async handle({ params, db }) {
    return toAccount((await accountById(db, params.accountId)) ?? refuse('not_found'))
  },
})

/** Why it was done belongs to the audit trail, which is written beside the change. */
const Reason = closed({ reason: Text })

const freeze = route({
  method: 'POST',
  path: '/api/v1/admin/accounts/:accountId/freeze',
  operation: 'postAdminAccountFreeze',
  summary: 'Freeze an account: no money leaves it until an administrator thaws it.',
  access: { admin: 'any' },
  limit: 'admin',
  params: closed({ accountId: AccountId }),
  body: Reason,
  reply: { 200: Account },
  refusals: ['not_found', 'account_closed'],
  example: { reason: 'Reported stolen' },
  async handle({ params, db }) {
    return toAccount(await changeStatus(db, params.accountId, 'frozen'))
  },
})

const unfreeze = route({
  method: 'POST',
  path: '/api/v1/admin/accounts/:accountId/unfreeze',
  operation: 'postAdminAccountUnfreeze',
  summary: 'Thaw a frozen account.',
  access: { admin: 'any' },
  limit: 'admin',
  params: closed({ accountId: AccountId }),
  body: Reason,
  reply: { 200: Account },
  refusals: ['not_found', 'account_closed'],
  example: { reason: 'Holder identified in person' },
  async handle({ params, db }) {
    return toAccount(await changeStatus(db, params.accountId, 'active'))
  },
})

export const adminRoutes = [search, read, freeze, unfreeze]
