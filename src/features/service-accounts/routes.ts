// Endpoints of service accounts: staff see them, administrators make and change them. None of these
// routes is open to a service account.
import { Type } from '../../domain/type.ts'
import { rfc3339 } from '../../domain/clock.ts'
import { refuse } from '../../domain/errors.ts'
import { KeyId, ServiceAccountId } from '../../domain/ids.ts'
import { AnyTime } from '../../domain/date-range.ts'
import { closed, Name, Nothing, nullable, oneOf } from '../../domain/schema.ts'
import { transaction } from '../../database/connections/transaction.ts'
import { listSchema, pageQuery } from '../../http/pagination.ts'
import { Answer, type Context, route } from '../../http/route.ts'
import { countOpenOrders } from '../orders/changes-sql.ts'
import { addServiceKey, changeServiceAccount, createServiceAccount, type Issuer } from './change.ts'
import {
  Addresses,
  Grants,
  NewKey,
  ServiceAccountWithKey,
  ServiceAccount,
  toServiceAccount,
} from './schemas.ts'
import { revokeKey, serviceAccountById, serviceAccounts, statuses } from './sql.ts'

const readers = { 'support-agent': 'any', admin: 'any' } as const
const writers = { admin: 'any' } as const
const path = '/api/v1/admin/service-accounts'
const byId = closed({ serviceAccountId: ServiceAccountId })

const fields = {
  name: Name,
  grants: Grants,
  addresses: Type.Optional(Addresses),
  expiresAt: Type.Optional(nullable(AnyTime)),
}

const toIssuer = ({
  caller,
  now,
  service,
}: Pick<Context, 'caller' | 'now' | 'service'>): Issuer => ({
  userId: caller.userId,
  now,
  operations: service.operations,
})

const create = route({
  method: 'POST',
  path,
  operation: 'createServiceAccount',
  summary: 'Create a service account, and show its first key: this once.',
  access: writers,
  confirm: true,
  limit: 'admin',
  body: closed(fields),
  reply: { 201: ServiceAccountWithKey },
  example: {
    name: 'Payroll',
    grants: { readAccounts: 'all', payFrom: [], operations: ['settleTransfer'] },
    addresses: ['192.0.2.0/24'],
    expiresAt: null,
  },
  async handle(context) {
    const { key, ...row } = await transaction(context.db, (tx) =>
      createServiceAccount(tx, context.body, toIssuer(context)),
    )
    return new Answer({ ...toServiceAccount(row), key }, { location: `${path}/${row.id}` })
  },
})

const list = route({
  method: 'GET',
  path,
  operation: 'listServiceAccounts',
  summary: 'List service accounts, newest first.',
  access: readers,
  limit: 'read',
  query: closed(pageQuery),
  reply: { 200: listSchema(ServiceAccount) },
  async handle({ db, page, service }) {
    await service.serviceKeys.flush()
    return page({
      fetch: (after, count) => serviceAccounts(db, after, count),
      toItem: toServiceAccount,
    })
  },
})

const read = route({
  method: 'GET',
  path: `${path}/:serviceAccountId`,
  operation: 'getServiceAccount',
  summary: 'Read a service account with its live keys, of which only the use is shown.',
  access: readers,
  limit: 'read',
  params: byId,
  reply: { 200: ServiceAccount },
  refusals: ['not_found'],
  async handle({ params, db, service }) {
    await service.serviceKeys.flush()
    const row = (await serviceAccountById(db, params.serviceAccountId)) ?? refuse('not_found')
    return { ...toServiceAccount(row), openOrders: await countOpenOrders(db, row.id) }
  },
})

const change = route({
  method: 'PATCH',
  path: `${path}/:serviceAccountId`,
  operation: 'updateServiceAccount',
  summary: 'Change the name, grants, addresses or expiry of a service account, or disable it.',
  access: writers,
  confirm: true,
  limit: 'admin',
  params: byId,
  body: closed(Type.Partial(Type.Object({ ...fields, status: oneOf(statuses) })).properties, {
    minProperties: 1,
  }),
  reply: { 200: ServiceAccount },
  refusals: ['not_found'],
  example: { status: 'disabled' },
  async handle(context) {
    const { params, body } = context
    return transaction(context.db, async (tx) => {
      const row = await changeServiceAccount(tx, params.serviceAccountId, body, toIssuer(context))
      return { ...toServiceAccount(row), openOrders: await countOpenOrders(tx, row.id) }
    })
  },
})

const addKey = route({
  method: 'POST',
  path: `${path}/:serviceAccountId/keys`,
  operation: 'issueServiceAccountKey',
  summary: 'Issue another key, and show it this once. A service account has two live keys at most.',
  access: writers,
  confirm: true,
  limit: 'admin',
  params: byId,
  reply: { 201: NewKey },
  refusals: ['not_found', 'limit_exceeded'],
  async handle(context) {
    const { serviceAccountId } = context.params
    const { id, key, now } = await transaction(context.db, (tx) =>
      addServiceKey(tx, serviceAccountId, toIssuer(context)),
    )
    return new Answer(
      { id, key, createdAt: rfc3339(now) },
      { location: `${path}/${serviceAccountId}` },
    )
  },
})

const removeKey = route({
  method: 'DELETE',
  path: `${path}/:serviceAccountId/keys/:keyId`,
  operation: 'revokeServiceAccountKey',
  summary:
    'Revoke a key at once; another key of the same service account goes on. No standing order ' +
    'ends (`GET /api/v1/orders?status=open&orderedBy=<keyId>`): its days are refused while the ' +
    'service account has no live key.',
  access: writers,
  confirm: true,
  limit: 'admin',
  params: closed({ serviceAccountId: ServiceAccountId, keyId: KeyId }),
  reply: { 204: Nothing },
  refusals: ['not_found'],
  async handle(context) {
    const { params, now } = context
    await transaction(context.db, async (tx) => {
      if (!(await revokeKey(tx, params.serviceAccountId, params.keyId, now))) refuse('not_found')
    })
  },
})

export const serviceAccountRoutes = [create, list, read, change, addKey, removeKey]
