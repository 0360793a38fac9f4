// Endpoints of accounts. A closed account is 404 here; only the admin routes show it.
import { Type } from '../../domain/type.ts'
import { listSchema, pageQuery } from '../../http/pagination.ts'
import { isValidIBAN } from 'ibantools'
import { type Config, ownBanks } from '../../config/config.ts'
import { transaction } from '../../database/connections/transaction.ts'
import { invalid, refuse } from '../../domain/errors.ts'
import type { Caller } from '../../gate/roles.ts'
import { Iban, isOwnIban } from '../../domain/iban.ts'
import { AccountId, newId, UserId } from '../../domain/ids.ts'
import { onceNumbered } from '../../http/once-numbered.ts'
import { ExternalId } from '../rail/schemas.ts'
import { Answer, route } from '../../http/route.ts'
import { closed, Currency, Name, Nothing, nullable } from '../../domain/schema.ts'
import { adminRoutes } from './admin-routes.ts'
import { freezeOf } from './freeze-sql.ts'
import { ibanSource } from './ibans.ts'
import { isKeptFrom } from '../../audit/kept-reasons.ts'
import { closeAccount, openAccount, openGivenAccount } from './lifecycle.ts'
import {
  Account,
  Details,
  Freeze,
  NumberedAccount,
  toAccount,
  toActedAccount,
  toDetails,
  toFreeze,
  toNumberedAccount,
} from './schemas.ts'
import { settingsRoutes } from './settings.ts'
import {
  accountById,
  type AccountRow,
  accounts,
  accountsActedOn,
  accountsByOwner,
  readAccount,
  readDetails,
  requireOpen,
  setName,
} from './sql.ts'

const params = closed({ accountId: AccountId })

const list = route({
  method: 'GET',
  path: '/api/v1/accounts',
  operation: 'listAccounts',
  summary: 'List your accounts, newest first; for staff, those of all customers.',
  access: { customer: 'self', 'support-agent': 'any', admin: 'any' },
  service: 'read',
  limit: 'read',
  query: closed(pageQuery),
  reply: { 200: listSchema(Account) },
  async handle({ caller, db, now, page, service }) {
    const isStaff = caller.grant === 'any'
    if (!isStaff && service.members && !caller.service) {
      return page({
        fetch: (after, count) => accountsActedOn(db, caller.userId, { after, count, at: now }),
        toItem: (row) => toActedAccount(row, now),
      })
    }
    return page({
      fetch: (after, count) =>
        isStaff
          ? accounts(db, { statuses: ['active', 'frozen'] }, after, count)
          : accountsByOwner(db, caller.ownerId, after, count),
      toItem: (row) => toAccount(row, now),
    })
  },
})

const open = route({
  method: 'POST',
  path: '/api/v1/accounts',
  operation: 'openAccount',
  summary:
    'Open an account. An administrator opens it for any active customer, with `iban` as a number ' +
    'of the bank that no account has. A customer has at most 100 open accounts.',
  access: { customer: 'own', admin: 'any' },
  service: 'operation',
  limit: 'sensitive',
  body: closed({
    currency: Currency,
    name: Type.Optional(Name),
    ownerId: Type.Optional(UserId),
    iban: Type.Optional(Iban),
    externalId: Type.Optional(ExternalId),
  }),
  reply: { 201: NumberedAccount },
  refusals: ['already_exists', 'idempotency_key_reused', 'limit_exceeded', 'not_found'],
  example: { currency: 'EUR', name: 'Household' },
  async handle({ body, caller, db, now, service: { config } }) {
    const { iban } = body
    if (iban !== undefined) requireGrantable(iban, caller, config)
    const ownerId = body.ownerId ?? ownIfCustomer(caller)
    const { currency, name = null, externalId } = body
    // The gate has checked a customer's own role and status: they can only just have been lost.
    const absent = caller.grant === 'any' ? 'not_found' : 'forbidden'
    const opening = { id: newId(now), ownerId, currency, name, now, absent } as const
    const open = <R>(within: Parameters<typeof openAccount<R>>[0]) =>
      iban === undefined
        ? openAccount(within, opening, ibanSource(config))
        : openGivenAccount(within, opening, iban)
    if (externalId === undefined) {
      return toOpened(await open((make) => transaction(db, make)), { now })
    }
    const number = { id: opening.id, kind: 'account', callerId: caller.userId, externalId } as const
    const terms = { ownerId, currency, name, iban: iban ?? null }
    const { row, isReplayed } = await open((make) =>
      onceNumbered(db, {
        ...number,
        operation: 'openAccount',
        terms,
        make,
        readAgain: accountById,
      }),
    )
    return toOpened(row, { now, externalId, isReplayed })
  },
})

type Opened = { now: number; externalId?: string | null; isReplayed?: boolean }

const toOpened = (row: AccountRow, { now, externalId = null, isReplayed }: Opened) =>
  new Answer(toNumberedAccount({ ...row, externalId }, now), {
    location: `/api/v1/accounts/${row.id}`,
    ...(isReplayed && { 'idempotency-replayed': 'true' }),
  })

/** Customers do not choose their number. Staff choose one of the bank's, with its check digits. */
function requireGrantable(iban: string, { grant }: Caller, config: Config): void {
  if (grant !== 'any') refuse('forbidden')
  if (!isValidIBAN(iban) || !isOwnIban(ownBanks(config), iban)) {
    invalid('/body/iban', 'is not an IBAN of this bank')
  }
}

const ownIfCustomer = ({ userId, roles }: Caller): string =>
  roles.includes('customer') ? userId : invalid('/body/ownerId', 'is missing')

const read = route({
  method: 'GET',
  path: '/api/v1/accounts/:accountId',
  operation: 'getAccount',
  summary: 'Read an account with its balance.',
  access: { customer: 'own', 'support-agent': 'any', admin: 'any' },
  service: 'read',
  member: 'view',
  limit: 'read',
  params,
  reply: { 200: Account },
  refusals: ['not_found'],
  row: readAccount,
  async handle({ row, now }) {
    return toAccount(requireOpen(row), now)
  },
})

const rename = route({
  method: 'PATCH',
  path: '/api/v1/accounts/:accountId',
  operation: 'renameAccount',
  summary: 'Give an account another name, or none.',
  access: { customer: 'own' },
  limit: 'sensitive',
  params,
  body: closed({ name: nullable(Name) }),
  reply: { 200: Account },
  refusals: ['not_found'],
  example: { name: 'Household' },
  async handle({ params: { accountId }, body: { name }, db, now }) {
    const renamed = await transaction(db, (tx) => setName(tx, accountId, name))
    return toAccount(renamed ?? refuse('not_found'), now)
  },
})

const details = route({
  method: 'GET',
  path: '/api/v1/accounts/:accountId/details',
  operation: 'getAccountDetails',
  summary: 'Read an account with the personal data of its holder.',
  access: { customer: 'own', 'support-agent': 'any', admin: 'any' },
  service: 'operation',
  limit: 'read',
  params,
  reply: { 200: Details },
  refusals: ['not_found'],
  row: readDetails,
  async handle({ row, now, service }) {
    return toDetails(requireOpen(row), service.config, now)
  },
})

const readFreeze = route({
  method: 'GET',
  path: '/api/v1/accounts/:accountId/freeze',
  operation: 'getAccountFreeze',
  summary:
    'Read whether an account is frozen, and since when. Staff see who froze it and why; its ' +
    'owner and members do not.',
  access: { customer: 'own', 'support-agent': 'any', admin: 'any' },
  member: 'view',
  limit: 'read',
  params,
  reply: { 200: Freeze },
  refusals: ['not_found'],
  row: readAccount,
  async handle({ row, db, caller, service: { members } }) {
    const { id, status } = requireOpen(row)
    const found = status === 'frozen' ? await freezeOf(db, id) : undefined
    const reader = { userId: caller.userId, areMembersOn: members !== undefined }
    return toFreeze(found, caller.grant === 'any' && !(await isKeptFrom(db, reader, id)))
  },
})

const remove = route({
  method: 'DELETE',
  path: '/api/v1/accounts/:accountId',
  operation: 'closeAccount',
  summary:
    'Close an account for good. Its balance must be zero, nothing held of it, no payment to ' +
    'another bank on its way, and no block on it.',
  access: { customer: 'own', admin: 'any' },
  service: 'operation',
  limit: 'sensitive',
  params,
  reply: { 204: Nothing },
  refusals: [
    'not_found',
    'account_frozen',
    'account_not_empty',
    'credits_blocked',
    'debits_blocked',
  ],
  async handle({ params, caller, db, record, service: { clock } }) {
    const by = caller.grant === 'any' ? 'staff' : 'owner'
    await closeAccount(db, params.accountId, { clock, by, record })
  },
})

export const accountRoutes = [
  list,
  open,
  read,
  details,
  readFreeze,
  rename,
  remove,
  ...settingsRoutes,
  ...adminRoutes,
]
