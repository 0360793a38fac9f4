// Endpoints of accounts for staff: find any account, closed ones included; freeze and unfreeze.
import { isValidIBAN } from 'ibantools'
import { Type } from '../../domain/type.ts'
import { listSchema, pageQuery } from '../../http/pagination.ts'
import { invalid, refuse } from '../../domain/errors.ts'
import { Iban } from '../../domain/iban.ts'
import { AccountId, UserId } from '../../domain/ids.ts'
import { route } from '../../http/route.ts'
import { closed, Name, oneOf, Reason } from '../../domain/schema.ts'
import { ExternalId } from '../rail/schemas.ts'
import { changeStatus } from './lifecycle.ts'
import { Account, NumberedAccount, toAccount, toNumberedAccount } from './schemas.ts'
import { accounts, readNumbered, statuses } from './sql.ts'

const params = closed({ accountId: AccountId })

const search = route({
  method: 'GET',
  path: '/api/v1/admin/accounts',
  operation: 'findAccounts',
  summary:
    'Find accounts, closed ones included, by IBAN, holder, external id or status, newest first. ' +
    '`holder` matches from the beginning of any word of the name.',
  access: { 'support-agent': 'any', admin: 'any' },
  service: 'operation',
  limit: 'read',
  query: closed({
    ...pageQuery,
    iban: Type.Optional(Iban),
    ownerId: Type.Optional(UserId),
    holder: Type.Optional(Name),
    status: Type.Optional(oneOf(statuses)),
    externalId: Type.Optional(ExternalId),
    overdrawn: Type.Optional(
      oneOf(['yes'], { description: 'Only those in unarranged overdraft.' }),
    ),
  }),
  reply: { 200: listSchema(NumberedAccount) },
  async handle({ query, caller, db, now, page }) {
    const { iban, ownerId, holder, status, externalId } = query
    const isOverdrawn = query.overdrawn === 'yes'
    const numberedBy = caller.service && caller.userId
    if (iban !== undefined && !isValidIBAN(iban)) invalid('/query/iban', 'is not an IBAN')
    const chosen = status === undefined ? statuses : [status]
    const filter = { iban, ownerId, holder, externalId, numberedBy, isOverdrawn, statuses: chosen }
    return page({
      fetch: (after, count) => accounts(db, filter, after, count),
      toItem: (row) => toNumberedAccount(row, now),
    })
  },
})

const read = route({
  method: 'GET',
  path: '/api/v1/admin/accounts/:accountId',
  operation: 'inspectAccount',
  summary: 'Read an account in any state, closed included.',
  access: { 'support-agent': 'any', admin: 'any' },
  service: 'operation',
  limit: 'read',
  params,
  reply: { 200: NumberedAccount },
  refusals: ['not_found'],
  row: readNumbered,
  async handle({ row, now }) {
    return toNumberedAccount(row ?? refuse('not_found'), now)
  },
})

const statusRoute = (verb: 'freeze' | 'unfreeze', summary: string, reason: string) =>
  route({
    method: 'POST',
    path: `/api/v1/admin/accounts/:accountId/${verb}`,
    operation: verb === 'freeze' ? 'freezeAccount' : 'unfreezeAccount',
    summary,
    access: { admin: 'any' },
    service: 'operation',
    // Money may leave again: with a stolen session alone no freeze ends.
    ...(verb === 'unfreeze' && { confirm: true as const }),
    limit: 'admin',
    params,
    // The audit trail records the reason too.
    body: closed({ reason: Reason }),
    reply: { 200: Account },
    refusals: ['not_found', 'account_closed'],
    example: { reason },
    async handle({ params, body, caller, db, now }) {
      const made = { at: new Date(now), actorId: caller.userId, reason: body.reason }
      const freeze = verb === 'freeze' ? made : undefined
      return toAccount(await changeStatus(db, params.accountId, freeze), now)
    },
  })

export const adminRoutes = [
  search,
  read,
  statusRoute(
    'freeze',
    'Freeze an account: until it is unfrozen, only card payments that are cleared, and ' +
      'chargebacks that are lost or withdrawn, take money from it.',
    'Reported stolen',
  ),
  statusRoute('unfreeze', 'Unfreeze an account.', 'Holder identified in person'),
]
