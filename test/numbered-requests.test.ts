// Requests that carry a number of their caller's, an `externalId` or an Idempotency-Key: the same
// number with another content is refused, whichever field is another, and with another operation.
// The table is made from the routes, so that a new route or field is in it.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { routes } from '../src/features/routes.ts'
import { type Resource, resourceKey } from '../src/domain/ids.ts'
import type { SchemaNode } from '../src/domain/schema.ts'
import { isNumbered, takesKey } from '../src/http/repeats.ts'
import { isStaffChange, type Route } from '../src/http/route.ts'
import { prepareParts } from './support/changes.ts'
import type { Client, Reply } from './support/client.ts'
import { deposit } from './support/fixture.ts'
import { type Belongings, readBelongings, type RequestParts, toPath } from './support/requests.ts'
import { people, type Span, world } from './support/world.ts'

/** Another valid value of each field that is no identifier and no choice of words. */
const others: Record<string, unknown> = {
  tolerance: 17,
  amount: '1.01',
  currency: 'USD',
  username: 'another',
  email: 'another@example.com',
  givenName: 'Another',
  familyName: 'Person',
  phone: '+442079460001',
  address: '2 Other Street',
  password: 'twelve blue herons by the weir',
  reference: 'Another reference',
  reason: 'ANOTHER',
  fromCode: 'opening',
  toCode: 'opening',
  name: 'Another name',
  iban: 'FR1420041010050500013M02606',
  bic: 'BUKBGB22',
  endToEndId: 'INV-4712',
  category: '5999',
  country: 'FR',
  expiresAt: '2026-01-05T00:00:00.000Z',
  firstOn: '2027-01-01',
  lastOn: '2028-01-01',
  retryDays: 5,
  note: 'Another note',
  until: '2036-01-05T00:00:00.000Z',
  messageId: 'M-2',
  executeOn: '2027-01-01',
  debtorIban: 'GB33BUKB20201555555555',
  blockId: 'B-2',
}

/** A field that is given in place of another one takes that one's place. */
const inPlaceOf: Record<string, readonly string[]> = {
  fromCode: ['fromAccountId'],
  fromAccountId: ['fromCode'],
  toCode: ['toAccountId'],
  toAccountId: ['beneficiaryId', 'toCode'],
  beneficiaryId: ['toAccountId', 'iban'],
}

/** Accepted only beside other fields: alone it makes no request of an accepted form. */
const needsOthers = ['payeeCheckId', 'acceptPayee', 'password']

type Body = Record<string, unknown>
type Other = Readonly<Partial<Record<Resource, string>>>
/** `isPartial`: a field is left out, or is there in place of another one. */
type Changed = { path: string; body: Body; isPartial: boolean }

/** The body with each of its fields changed, added or left out, one at a time. */
function changesOf(schema: SchemaNode, body: Body, other: Other, at = ''): Changed[] {
  const changes: Changed[] = []
  for (const [key, node] of Object.entries(schema.properties ?? {})) {
    if (key === 'externalId') continue
    const path = `${at}/${key}`
    const replaced = inPlaceOf[key]?.find((each) => each in body) ?? ''
    const value = body[key]
    // An account is opened with a free IBAN of the bank alone.
    const isAdded = value === undefined && key === 'iban'
    const isInPlace = replaced in body || needsOthers.includes(key) || isAdded
    const add = (changed: Body, isPartial: boolean) =>
      changes.push({ path, body: changed, isPartial })
    if (node.items?.enum) {
      const words = node.items.enum.filter((word) => !(value as unknown[]).includes(word))
      add({ ...body, [key]: words.slice(0, 1) }, false)
      continue
    }
    if (node.items) {
      const [first] = value as [Body]
      for (const each of changesOf(node.items, first, other, `${path}/0`)) {
        changes.push({ ...each, body: { ...body, [key]: [each.body] } })
      }
      continue
    }
    if (node.type === 'object') {
      for (const each of changesOf(node, value as Body, other, path)) {
        changes.push({ ...each, body: { ...body, [key]: each.body } })
      }
      continue
    }
    add({ ...omit(body, replaced), [key]: otherValue(node, key, value, other) }, isInPlace)
    if (value !== undefined && !schema.required?.includes(key)) add(omit(body, key), true)
  }
  return changes
}

const omit = (body: Body, key: string): Body =>
  Object.fromEntries(Object.entries(body).filter(([each]) => each !== key))

function otherValue(node: SchemaNode, key: string, value: unknown, other: Other): unknown {
  const resource = node[resourceKey]
  const words = node.enum ?? []
  const found =
    resource !== undefined
      ? other[resource]
      : node.type === 'boolean'
        ? value !== true
        : (others[key] ?? words.find((word) => word !== value))
  assert.ok(found !== undefined, `this test needs another value of ${key}`)
  assert.notEqual(found, value, key)
  return found
}

type Numbering = {
  name: string
  doors: readonly Route[]
  /** The request under that number of the caller's. */
  number(parts: RequestParts, number: string): Numbered
}
type Numbered = RequestParts & { headers?: Record<string, string> }

const changing = routes.filter(({ decides }) => !decides)

const byExternalId: Numbering = {
  name: 'an externalId',
  doors: changing.filter(isNumbered),
  number(parts, externalId) {
    const { items } = (parts.body ?? {}) as { items?: Body[] }
    const body = items
      ? { items: items.map((item) => ({ ...item, externalId })) }
      : { ...parts.body, externalId }
    return { ...parts, body }
  },
}

const byKey: Numbering = {
  name: 'an Idempotency-Key',
  doors: changing.filter(takesKey),
  number: (parts, key) => ({
    ...parts,
    body: parts.body && omit(parts.body, 'externalId'),
    headers: { 'idempotency-key': key },
  }),
}

test('every route with an externalId or a key is in the tables', () => {
  const named = routes.filter((route) => JSON.stringify(route.body)?.includes('"externalId"'))
  assert.deepEqual(byExternalId.doors, named)
  assert.deepEqual([byExternalId.doors.length >= 13, byKey.doors.length >= 11], [true, true])
})

/** `done` with the status of the first answer, or the code of the refusal. */
function outcomeOf({ status, body }: Reply): string {
  const [item] = (body?.results ?? []) as { error?: { code: string } }[]
  if (status < 300) return item?.error ? item.error.code : 'done'
  return body.code as string
}

/** A number is one of its caller's. */
const voiceOf = ({ access }: Route) =>
  access !== 'public' && access.admin !== undefined ? ('root' as const) : ('ada' as const)
const toPeople = { ada: people.ada.id, root: people.root.id }

/** Ada has two of everything. */
async function scene(t: Span) {
  const bank = await world(t, { settings: { MEMBERS: 'on' } })
  const [own, foreign] = [await readBelongings(bank, 'ada'), await readBelongings(bank, 'ada')]
  const [ada, root] = [await bank.as('ada'), await bank.as('root')]
  const savings = (await ada.post('/api/v1/accounts', { currency: 'EUR' })).body.id as string
  const payees = `/api/v1/accounts/${own.account}/beneficiaries`
  const second = await ada.post(payees, { name: 'Otto', iban: 'DE89370400440532013000' })
  assert.equal(second.status, 201, second.text)
  const card = await ada.post(`/api/v1/accounts/${own.account}/cards`, {})
  assert.equal(card.status, 201, card.text)
  const voices = { ada, root }
  let peopleCount = 0
  async function prepare(route: Route, from: Belongings): Promise<RequestParts> {
    const name = voiceOf(route)
    const voice = voices[name]
    const caller = { id: toPeople[name], sessionId: voice.sessionId }
    const parts = await prepareParts(bank, route, from, { voice, caller })
    if (route.operation === 'createUser') {
      const username = `clara-${++peopleCount}`
      return { ...parts, body: { ...parts.body, username, email: `${username}@example.com` } }
    }
    if (route.operation === 'openAccount') {
      return { ...parts, body: { ...parts.body, ownerId: people.ada.id } }
    }
    if (route.operation === 'reverseTransfer') {
      // Not the same deposit again.
      bank.clock.advance(10_000)
      const { id } = await deposit(root, from.account, '1.00')
      return { ...parts, params: { id } }
    }
    // To an own account, so that the source can be another one: a payee is of one account.
    const hasPayees = route.operation === 'createPaymentList'
    if (name !== 'ada' || parts.body === undefined || hasPayees) return parts
    return {
      ...parts,
      body: { ...omit(parts.body, 'beneficiaryId'), toAccountId: savings },
    }
  }
  const sendBy =
    (to: Client['send']) =>
    (route: Route, { headers = {}, ...parts }: Numbered) =>
      to(route.method, toPath(route, parts), {
        token: voices[voiceOf(route)].token,
        headers,
        ...(parts.body !== undefined && { body: parts.body }),
      })
  /** All that a request can make or move. */
  const state = async () => (await bank.sql(madeSoFar)).rows[0]?.['made']
  const ofAccount = { beneficiary: second.body.id as string, card: card.body.id as string }
  const other = { ...foreign, ...ofAccount, user: people.ben.id }
  return { ...bank, own, foreign, other, prepare, sendBy, state }
}

const madeSoFar = `select json_build_array(
  (select json_agg(a order by id) from accounts a), (select json_agg(h order by id) from holds h),
  (select json_agg(t order by id) from transfers t), (select count(*) from card_authorizations),
  (select count(*) from standing_orders), (select count(*) from external_ids),
  (select count(*) from payment_lists),
  (select count(*) from claims), (select count(*) from approvals),
  (select json_agg(u.username order by id) from users u)
)::text as made`

const withOtherSpelling = (parts: Numbered): Numbered => ({
  ...parts,
  body: parts.body && respelled(parts.body),
})
/** An amount of 1.00 is one of 1.0. */
const respelled = (body: Body): Body => {
  const { amount, items } = body as { amount?: string; items?: Body[] }
  return {
    ...body,
    ...(amount !== undefined && { amount: amount.replace(/(\.\d)0$/, '$1') }),
    ...(items && { items: items.map(respelled) }),
  }
}

const isOneOperation = (one: Route, other: Route): boolean =>
  one.each === other.operation || other.each === one.operation

type Sent = { door: Route; parts: RequestParts }
/** The second request, about what the first one is about; undefined of two kinds of things. */
function aboutSame(first: Sent, second: Sent): RequestParts | undefined {
  const kind = kindOf(first.door)
  if (kind === undefined || kind !== kindOf(second.door)) return undefined
  const itemsOf = ({ parts }: Sent) => parts.body?.['items'] as Body[] | undefined
  const id = itemsOf(first)?.[0]?.['id'] ?? first.parts.params['id']
  const items = itemsOf(second)
  if (items) return { ...second.parts, body: { items: items.map((item) => ({ ...item, id })) } }
  return { ...second.parts, params: { id } }
}
/** The kind of resource that the path of a request or its items name by `id`. */
const kindOf = ({ params, body }: Route): Resource | undefined => {
  const { items } = ((body ?? {}) as SchemaNode).properties ?? {}
  const { properties } = (items?.items ?? params ?? {}) as SchemaNode
  return properties?.['id']?.[resourceKey]
}

type Case = { door: Route; number: string; first: RequestParts; fresh: RequestParts; params: Body }

type Table = Numbering & {
  to: Client['send']
  /** Each request waits for a second person. */
  isHeld: boolean
}

/** Sends all requests of a table. */
async function runTable(
  { own, foreign, other, prepare, sendBy, state }: Awaited<ReturnType<typeof scene>>,
  { name: tableName, doors, number: toNumbered, to, isHeld }: Table,
): Promise<void> {
  const send = sendBy(to)
  const numberOf = (door: Route, which: string) =>
    `${which} ${door.operation} ${tableName}`.replaceAll(' ', '-')
  const wrong: string[] = []
  const cases: Case[] = []
  for (const door of doors) {
    const number = numberOf(door, 'first')
    const [first, fresh] = [await prepare(door, own), await prepare(door, own)]
    const { params } = await prepare(door, foreign)
    cases.push({ door, number, first, fresh, params })
  }
  for (const { door, first, number } of cases) {
    const sent = toNumbered(first, number)
    const reply = await send(door, sent)
    const { text } = reply
    assert.equal(outcomeOf(reply), 'done', `${door.operation}: ${text}`)
    assert.equal(reply.status, isHeld ? 202 : door.success, door.operation)
    assert.equal(reply.headers['idempotency-replayed'], undefined, door.operation)
    const again = await send(door, withOtherSpelling(sent))
    const isSame = again.status === reply.status && again.text === text
    if (!isSame) wrong.push(`${door.operation} again: ${again.text} in place of ${text}`)
  }
  const before = await state()
  const requireRefusal = async (name: string, door: Route, parts: Numbered, isPartial = false) => {
    const outcome = outcomeOf(await send(door, parts))
    // What is of no accepted form then has no other content.
    const isRefused =
      outcome === 'idempotency_key_reused' || (isPartial && outcome === 'invalid_request')
    if (!isRefused) wrong.push(`${name}: ${outcome}`)
  }
  for (const { door, first, number, params } of cases) {
    const sent = toNumbered(first, number)
    for (const { path, body, isPartial } of changesOf(door.body ?? {}, sent.body ?? {}, other)) {
      await requireRefusal(
        `${door.operation} with ${path} changed`,
        door,
        { ...sent, body },
        isPartial,
      )
    }
    if (Object.keys(params).length > 0) {
      await requireRefusal(`${door.operation} of another`, door, { ...sent, params })
    }
    for (const one of cases) {
      if (one.door === door || voiceOf(one.door) !== voiceOf(door)) continue
      const name = `${one.door.operation} under the number of ${door.operation}`
      await requireRefusal(name, one.door, toNumbered(one.fresh, number))
      const same = aboutSame({ door, parts: first }, { door: one.door, parts: one.fresh })
      // One operation has one number, alone or as one of many.
      if (same === undefined || isOneOperation(door, one.door)) continue
      await requireRefusal(`${name}, of the same`, one.door, toNumbered(same, number))
    }
  }
  assert.deepEqual(wrong, [])
  assert.equal(await state(), before, 'nothing was made and nothing moved')
  for (const { door, fresh } of cases) {
    const reply = await send(door, toNumbered(fresh, numberOf(door, 'second')))
    assert.equal(
      outcomeOf(reply),
      'done',
      `${door.operation} has a number of its own: ${reply.text}`,
    )
  }
}

test('a number with another content or operation is refused at every door', async (t) => {
  const bank = await scene(t)
  const numberings = [byExternalId, byKey]
  for (const numbering of numberings) {
    await t.test(`of ${numbering.name}`, () =>
      runTable(bank, { ...numbering, to: bank.send, isHeld: false }),
    )
  }
  const isHeld = (door: Route) => isStaffChange(door) && !door.each
  const names = numberings
    .flatMap(({ doors }) => doors.filter(isHeld))
    .map((door) => door.operation)
  const { send } = await bank.another({ settings: { FOUR_EYES: [...new Set(names)].join() } })
  for (const { doors, ...numbering } of numberings) {
    const name = `${numbering.name} that waits for a second person`
    await t.test(`of ${name}`, () =>
      runTable(bank, { ...numbering, name, doors: doors.filter(isHeld), to: send, isHeld: true }),
    )
  }
})
