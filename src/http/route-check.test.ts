// What a route may declare for service accounts, members and confirmations, and that no schema is
// too deep for the checks of a start.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  AccountId,
  CardId,
  HoldId,
  OrderId,
  PayeeCheckId,
  PaymentListId,
  resourceKey,
  TransferId,
} from '../domain/ids.ts'
import { closed, Name, Nothing, nullable, open, secretKey } from '../domain/schema.ts'
import { type TProperties, type TSchema, Type } from '../domain/type.ts'
import { route } from './route.ts'

const ofAccount = {
  method: 'POST',
  path: '/api/v1/accounts/:accountId/name',
  operation: 'updateAccount',
  summary: 'Name an account.',
  access: { customer: 'own' },
  limit: 'sensitive',
  params: closed({ accountId: AccountId }),
  body: closed({ name: Name }),
  reply: { 204: Nothing },
  handle: async () => {},
}
const declare = (change: object) => route({ ...ofAccount, ...change } as never)

const read = { method: 'GET', body: undefined }
const at = (path: string, params?: TProperties) => ({
  path: `/api/v1/${path}`,
  params: params && closed(params),
})
const staff = { access: { admin: 'any' } }
const nowhere = { ...at('x'), access: { customer: 'self' } }
const withBody = (properties: TProperties) => ({
  ...at('x'),
  access: { customer: 'own' },
  body: closed(properties),
})
const RequestId = Type.String({ maxLength: 36, [resourceKey]: 'request', examples: ['x'] })
const ownerless = { requestId: RequestId }
const ofOwner = ['cards', 'card-payments', 'limits', 'members', 'notices', 'settings', 'signatures']
const inAccount = (noun: string) => at(`accounts/:accountId/${noun}`, { accountId: AccountId })

const allowed: Record<string, object> = {
  'staff read what has no owner': { ...read, ...staff, ...at('x/:requestId', ownerless) },
  'a service account reads': { ...read, service: 'read' },
  'a service account does what staff do': { ...staff, service: 'operation' },
  'a service account does what staff do, and customers': {
    access: { customer: 'own', admin: 'any' },
    service: 'operation',
  },
  'a payment from the account in the path': { service: 'pay' },
  'a payment from the first account of the body': {
    ...withBody({ fromAccountId: AccountId, toAccountId: AccountId }),
    service: 'pay',
  },
  'a payment of an order': { ...at('orders/:id', { id: OrderId }), service: 'pay' },
  'a payment of a list': { ...at('lists/:id', { id: PaymentListId }), service: 'pay' },
  'a payment of a transfer': { ...at('transfers/:id', { id: TransferId }), service: 'pay' },
  'a member reads': { ...read, member: 'view' },
  'a member prepares': { member: 'prepare' },
  'a member pays': { member: 'pay' },
  'a member reads what is not of the owner alone': {
    ...read,
    ...inAccount('holds'),
    member: 'view',
  },
  'a member reads the account itself': {
    ...read,
    ...at('accounts/:accountId', { accountId: AccountId }),
    member: 'view',
  },
  'a member reads who has to sign': { ...read, ...inAccount('signatures'), member: 'view' },
  'a member asks for an account': {
    ...read,
    ...at('x'),
    query: closed({ accountId: AccountId }),
    member: 'view',
  },
  'a member pays by a payee check': {
    ...inAccount('transfers/:id'),
    params: closed({ accountId: AccountId, id: PayeeCheckId }),
    member: 'pay',
  },
  'a person confirms a change': { confirm: true },
  'a person changes what has no identifier': { ...nowhere, body: undefined },
  'staff read what has no identifier': { ...read, ...staff, ...at('x') },
  'staff change what the path names, with more in the body': {
    ...staff,
    body: closed({ cardId: CardId }),
  },
  'staff make what has no identifier yet': { ...staff, ...at('x'), reply: { 201: Nothing } },
  'staff change each item of a body': { ...staff, ...at('x'), each: 'updateAccount' },
  'an optional parameter without an example': {
    query: closed({ of: Type.Optional(Type.String({ maxLength: 9 })) }),
  },
  'a body that is shown as a whole': {
    body: closed({ of: Type.String({ maxLength: 9 }) }),
    example: { of: 'x' },
  },
  'a body that is declared open': { body: open({ name: Name }, { description: 'Any' }) },
}
for (const [what, change] of Object.entries(allowed)) {
  test(`boots: ${what}`, () => void declare(change))
}

const refused: Record<string, [change: object, says: RegExp]> = {
  'an unknown grant': [{ service: 'write' }, /unknown grant of service accounts write$/],
  'a grant on a public route': [
    { ...read, access: 'public', service: 'read' },
    /a public route asks for no grant$/,
  ],
  'a change that is read': [{ service: 'read' }, /a change is no read$/],
  'what has no owner, read of one customer': [
    { ...read, ...staff, ...at('x/:requestId', ownerless), service: 'read' },
    /no owner can be found for a request$/,
  ],
  'an operation of customers': [{ service: 'operation' }, /an operation that staff do not have$/],
  'a payment by staff': [{ ...staff, service: 'pay' }, /a payment names its source first$/],
  'a payment from what holds no money': [
    { ...at('cards/:cardId', { cardId: CardId }), service: 'pay' },
    /a payment names its source first$/,
  ],
  'a payment that names its target first': [
    { ...withBody({ toAccountId: AccountId, fromAccountId: AccountId }), service: 'pay' },
    /a payment names its source first$/,
  ],
  'a payment whose source is within another member': [
    { ...withBody({ payer: closed({ fromAccountId: AccountId }) }), service: 'pay' },
    /a payment names its source first$/,
  ],
  'a payment from an account of the query': [
    { ...nowhere, ...withBody({ name: Name }), query: ofAccount.params, service: 'pay' },
    /a payment names its source first$/,
  ],
  'an unknown right': [{ member: 'close' }, /unknown right of members close$/],
  'a member of what is of staff': [
    { ...staff, member: 'pay' },
    /members reach only what is a customer's own$/,
  ],
  'a member of what is public': [
    { access: 'public', member: 'pay' },
    /members reach only what is a customer's own$/,
  ],
  'a member that changes by seeing': [{ member: 'view' }, /a member changes nothing by seeing$/],
  'a member of a card': [
    { ...at('x/:accountId/:cardId', { accountId: AccountId, cardId: CardId }), member: 'pay' },
    /no member reaches a card$/,
  ],
  'a member of no account, by a payee check': [
    { ...at('x/:id', { id: PayeeCheckId }), member: 'pay' },
    /members reach what lies in an account$/,
  ],
  'a member of no account, by the query': [
    { ...read, ...at('x'), query: closed({ holdId: HoldId }), member: 'view' },
    /members reach what lies in an account$/,
  ],
  'a member of the account itself': [
    { ...at('accounts/:accountId', { accountId: AccountId }), member: 'pay' },
    /the account itself is the owner's alone$/,
  ],
  'a member that sets who has to sign': [
    { ...inAccount('signatures'), member: 'pay' },
    /signatures are the owner's alone$/,
  ],
  'a read that is confirmed': [
    { ...read, confirm: true },
    /only a change of a person is confirmed$/,
  ],
  'what is public and confirmed': [
    { access: 'public', confirm: true },
    /only a change of a person is confirmed$/,
  ],
  'a list without its page': [
    { reply: { 200: Type.Array(Name) } },
    /a list replies with items and nextCursor$/,
  ],
  'a required parameter without an example': [
    { query: closed({ of: Type.String({ maxLength: 9 }) }) },
    /query\.of has no example$/,
  ],
}
for (const noun of ofOwner.filter((each) => each !== 'signatures')) {
  refused[`a member that reads the ${noun}`] = [
    { ...read, ...inAccount(noun), member: 'view' },
    new RegExp(`${noun} are the owner's alone$`),
  ]
}
for (const [what, [change, says]] of Object.entries(refused)) {
  test(`does not boot: ${what}`, () => assert.throws(() => declare(change), says))
}

/** What no request may hold, under the key `of`. */
const faults: [what: string, fault: TSchema, says: string][] = [
  ['an open object', Type.Object({}), 'is open to unknown keys'],
  ['a text without a bound', Type.String(), 'has no bound'],
  ['a list without a bound', Type.Array(Name), 'has no bound'],
  ['a list with half a bound', Type.Array(Name, { maxItems: 1.5 }), 'has no bound'],
  ['a number without a least one', Type.Unsafe({ type: 'number', maximum: 9 }), 'has no bound'],
  ['an integer without a greatest one', Type.Integer({ minimum: 1 }), 'has no bound'],
]
const places: [where: string, around: (fault: TSchema) => TSchema, at: string][] = [
  ['of an object', (fault) => closed({ in: fault }), '.in'],
  ['of an object within one', (fault) => closed({ in: closed({ in: fault }) }), '.in.in'],
  ['of a list', (fault) => Type.Array(fault, { maxItems: 2 }), '[]'],
  ['as an alternative', (fault) => nullable(fault), ''],
  ['as the last alternative', (fault) => Type.Union([Type.Null(), fault]), ''],
]
for (const part of ['params', 'query', 'body'] as const) {
  test(`no part of a request is too deep for its checks: ${part}`, () => {
    for (const [what, fault, says] of faults) {
      for (const [where, around, at] of places) {
        const change = { [part]: closed({ of: around(fault) }) }
        const message = `: ${part}.of${at} ${says}`
        const isIt = ({ message: told }: Error) => told.endsWith(message)
        assert.throws(() => declare(change), isIt, `${what} ${where}`)
      }
    }
  })
}

test('nor is an answer, and a request neither, for what opens it or names nothing', () => {
  const loose = Type.String({ maxLength: 36 })
  const secret = Type.String({ maxLength: 6, [secretKey]: true })
  for (const [where, around, at] of places) {
    const reply = { 200: closed({ of: around(Type.Object({})) }) }
    assert.throws(
      () => declare({ reply }),
      new RegExp(`reply\\.of${at.replace('[]', '..')} is open`),
    )
    for (const [properties, says] of [
      [{ cardId: loose }, /cardId is an identifier without a resource$/],
      [{ pinCode: loose }, /pinCode is a secret by its name/],
    ] as const) {
      const body = closed({ of: around(closed(properties)) })
      assert.throws(() => declare({ body }), says, where)
    }
    const codes = around(Type.Array(closed({ by: secret }), { maxItems: 2 }))
    assert.throws(() => declare({ body: closed({ of: codes }) }), /is a list with secrets$/, where)
  }
})
