// Free text is stored as it is sent or refused, and is never markup where it is shown (CWE-79,
// CWE-1236).
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Route } from '../../src/http/route.ts'
import { routes } from '../../src/features/routes.ts'
import {
  forAll,
  makeRequired,
  type Belongings,
  readBelongings,
  toParts,
  toPath,
  toTarget,
  sendTo,
} from '../support/requests.ts'
import { openAccount } from '../support/fixture.ts'
import { password, people, type Reply, world, type World, commonWorld } from '../support/world.ts'
import { blank, joined, misplacedJoiners, refusedCharacters, taken } from './characters.ts'
import {
  bodyFields,
  type Field,
  lengthMax,
  textFields,
  personForRoute,
  requiredTextFields,
} from './fields.ts'

type Own = Belongings & { savings: string }

async function readOwn(bank: World): Promise<Own> {
  const own = await readBelongings(bank, 'ada')
  return { ...own, savings: await openAccount(await bank.as('ada')) }
}

/** A request of the route that succeeds, with these fields in its body. */
function send(bank: World, route: Route, own: Own, fields: object, token: string): Promise<Reply> {
  const parts = toParts(route, ({ keys, resource }) =>
    keys[0] === 'toAccountId' ? own.savings : own[resource],
  )
  const body = { ...parts.body, beneficiaryId: undefined, payeeCheckId: undefined }
  const fitting = {
    ...('iban' in body && { iban: 'FR1420041010050500013M02606' }),
    ...('username' in body && route.limit === 'login' && { username: 'ada', password }),
  }
  return sendTo(bank, route, { ...parts, body: { ...body, ...fitting, ...fields } }, token)
}

const named = ({ route, key }: Field) => `${route.method} ${route.path} ${key}`

test('no field of free text takes a character outside the allowed set, wherever it stands', async () => {
  const bank = await commonWorld()
  const own = await readOwn(bank)
  assert.ok(textFields.length > 15)
  await forAll(textFields, async (field) => {
    const { token } = await bank.as(personForRoute(field.route))
    for (const [what, character] of Object.entries(refusedCharacters)) {
      const reply = await send(bank, field.route, own, { [field.key]: `a${character}b` }, token)
      const [detail] = reply.body.details ?? []
      const seen = [reply.status, detail?.path, detail?.message]
      const wanted = [400, `/body/${field.key}`, 'is not of the accepted form']
      assert.deepEqual(seen, wanted, `${named(field)} with ${what}: ${reply.text}`)
    }
  })
})

test('a field of free text that must not be empty takes none with nothing to see', async () => {
  const bank = await commonWorld()
  const own = await readOwn(bank)
  assert.ok(requiredTextFields.length > 10)
  await forAll(requiredTextFields, async (field) => {
    const { token } = await bank.as(personForRoute(field.route))
    for (const [what, text] of Object.entries(blank)) {
      const reply = await send(bank, field.route, own, { [field.key]: text }, token)
      const [detail] = reply.body.details ?? []
      const seen = [reply.status, detail?.path, detail?.message]
      const wanted = [400, `/body/${field.key}`, 'is not of the accepted form']
      assert.deepEqual(seen, wanted, `${named(field)} with ${what}: ${reply.text}`)
    }
  })
})

test('a joiner of no width stands between two letters, and nowhere else', async () => {
  const bank = await commonWorld()
  const own = await readOwn(bank)
  await forAll(textFields, async (field) => {
    const { token } = await bank.as(personForRoute(field.route))
    for (const [where, text] of Object.entries(misplacedJoiners)) {
      const { status, body } = await send(bank, field.route, own, { [field.key]: text }, token)
      const seen = [status, body.details?.[0]?.path]
      assert.deepEqual(seen, [400, `/body/${field.key}`], `${named(field)} ${where}`)
    }
  })
})

test('no reason that the audit trail would keep holds a card number', async () => {
  const bank = await commonWorld()
  const own = await readOwn(bank)
  const reasons = textFields.filter(({ key }) => key === 'reason')
  assert.ok(reasons.length > 5)
  const root = await bank.as('root')
  await forAll(reasons, async ({ route }) => {
    const reason = 'Found 4111 1111 1111 1111 12.27'
    const { status, body } = await send(bank, route, own, { reason }, root.token)
    const seen = [status, body.details?.[0]]
    const wanted = { path: '/body/reason', message: 'holds what looks like a card number' }
    assert.deepEqual(seen, [400, wanted], `${route.method} ${route.path}`)
  })
  const { rows } = await bank.sql(`select 1 from audit_events where detail like '%4111%'`)
  assert.equal(rows.length, 0)
})

test('a field of that name is free text on every route that has it', () => {
  const known = new Set(textFields.map(({ key }) => key))
  assert.deepEqual([...known].toSorted(), [
    'address',
    'description',
    'device',
    'familyName',
    'givenName',
    'name',
    'nickname',
    'reason',
    'reference',
    'text',
  ])
  for (const field of bodyFields) {
    // Of another bank, whose signs are mapped; a code; or notes of staff, which have lines.
    const others = [
      'createIncomingPayment',
      'answerPayeeCheck',
      'completeIssuerLogin',
      'chargeBackCardPayment',
      'disputeCardPayment',
      'createUserNote',
      'createAccountNote',
    ]
    if (others.includes(field.route.operation)) continue
    if (known.has(field.key)) assert.ok(textFields.includes(field), named(field))
  }
})

test('free text is as long as it is in characters, not in bytes or halves of pairs, to the last one', async (t) => {
  const bank = await world(t)
  const own = await readOwn(bank)
  const units = { ascii: 'x', astral: '𐐀', decomposed: 'e\u0301' }
  await forAll(textFields, async (field) => {
    const { token } = await bank.as(personForRoute(field.route))
    const longest = lengthMax(field)
    assert.ok([70, 140].includes(longest), named(field))
    for (const [what, unit] of Object.entries(units)) {
      const count = longest / [...unit].length
      const over = await send(
        bank,
        field.route,
        own,
        { [field.key]: `${unit.repeat(count)}y` },
        token,
      )
      const [detail] = over.body.details ?? []
      const seen = [over.status, detail?.path, detail?.message]
      const wanted = [400, `/body/${field.key}`, 'is too long']
      assert.deepEqual(seen, wanted, `${named(field)} ${what}`)
    }
  })
})

/**
 * What they take is shown once a second factor is active: the tests of factors do that. The name of
 * a payee that is only compared is shown nowhere; a dispute that is closed is of no payment of the
 * table.
 */
const showsNothing = ({ path }: Route): boolean =>
  path.endsWith('/disputes/:id/close') ||
  path.endsWith('/second-factor') ||
  path.includes('/auth/factors') ||
  path.endsWith('-checks')

/** Fills every field of free text there is through the route that takes it. Gives the texts. */
async function fillAll(bank: World, own: Own, textOf: (field: Field, turn: number) => string) {
  const texts: Record<string, string> = {}
  for (const route of new Set(textFields.map((field) => field.route))) {
    if (showsNothing(route)) continue
    const { token } = await bank.as(personForRoute(route))
    const fields = textFields.filter((field) => field.route === route)
    const body: Record<string, string> = {}
    for (const field of fields) {
      const turn = textFields.indexOf(field)
      body[field.key] = texts[named(field)] = textOf(field, turn)
    }
    const reply = await send(bank, route, own, body, token)
    assert.ok(reply.status < 300, `${route.method} ${route.path}: ${reply.text}`)
    for (const [key, text] of Object.entries(reply.body ?? {})) {
      // A dispute shows the reason of its holder under that name, and that of its end beside it.
      if (key in body && route.operation !== 'closeDispute')
        assert.equal(text, body[key], `${route.path} ${key}`)
    }
  }
  return texts
}

/** What each route that reads answers to the customer and an administrator, lists to their end. */
async function readAll(bank: World, own: Own): Promise<Map<string, Reply>> {
  const replies = new Map<string, Reply>()
  // There is no issuer, so no link to one.
  const reads = routes.filter(
    ({ method, path }) => method === 'GET' && !path.endsWith('/issuer-link'),
  )
  for (const route of reads) {
    for (const [role, name] of [
      ['customer', 'ada'],
      ['admin', 'root'],
    ] as const) {
      if (route.access !== 'public' && route.access[role] === undefined) continue
      const { token } = await bank.as(name)
      const parts = toParts(route, ({ resource }) => own[resource])
      const query: Record<string, unknown> = route.query?.properties['limit']
        ? { limit: '100' }
        : {}
      // It takes one of several.
      const isOne = route.operation === 'findPayments'
      for (const asked of [parts.query, isOne ? parts.query : makeRequired(route.query)]) {
        let cursor: string | null = null
        do {
          const page = { ...asked, ...query, ...(cursor !== null && { cursor }) }
          const path = toPath(route, { ...parts, query: page })
          const reply = await bank.send('GET', path, { token })
          replies.set(`${name} ${path}`, reply)
          const { items = [], nextCursor = null } = reply.body ?? {}
          cursor = route.query?.properties['cursor'] && items.length > 0 ? nextCursor : null
        } while (cursor !== null)
      }
    }
  }
  return replies
}

/** All texts in a value, however deep. */
const textsIn = (value: unknown): string[] =>
  typeof value === 'string'
    ? [value]
    : typeof value === 'object' && value !== null
      ? Object.values(value).flatMap(textsIn)
      : []

test('free text of any script is given back as it was sent, by whichever route shows it', async (t) => {
  const bank = await world(t, { settings: { MEMBERS: 'on' } })
  const own = await readOwn(bank)
  const texts = await fillAll(
    bank,
    own,
    (_, turn) =>
      [` ${taken}  ${turn} `, ...joined.map((word) => `${word} ${turn}`)][turn % 5] as string,
  )
  const replies = await readAll(bank, own)
  const shown = new Set([...replies.values()].flatMap(({ body }) => textsIn(body)))
  for (const [field, text] of Object.entries(texts)) assert.ok(shown.has(text), field)
})

test('the longest text there can be is kept whole', async (t) => {
  const bank = await world(t, { settings: { MEMBERS: 'on' } })
  const own = await readOwn(bank)
  const texts = await fillAll(bank, own, (field, turn) => {
    const mark = String(turn)
    return '𐐀'.repeat(lengthMax(field) - mark.length) + mark
  })
  const replies = await readAll(bank, own)
  const shown = new Set([...replies.values()].flatMap(({ body }) => textsIn(body)))
  for (const [field, text] of Object.entries(texts)) assert.ok(shown.has(text), field)
})

const markup = /[<>&\u2028\u2029]/

test('no byte of any answer is markup, whatever is stored', async (t) => {
  const bank = await world(t, { settings: { MEMBERS: 'on' } })
  const own = await readOwn(bank)
  const root = await bank.as('root')
  const texts = await fillAll(bank, own, (_, turn) =>
    `A & B's &amp; &#60;b&#62; ${turn}`.replaceAll(';', ','),
  )
  const email = "o'neil&sons&lt@example.com"
  // Of another person: a change of it ends the sessions of the one it belongs to.
  const changed = await root.patch(`/api/v1/admin/users/${people.ben.id}`, { email })
  assert.deepEqual([changed.status, changed.body.email], [200, email])
  assert.doesNotMatch(changed.text, markup)
  const replies = await readAll(bank, own)
  for (const [path, reply] of replies) {
    assert.equal(reply.status, 200, `${path}: ${reply.text}`)
    assert.doesNotMatch(reply.text, markup, path)
    assert.doesNotMatch(JSON.stringify(reply.headers), markup, path)
  }
  const shown = new Set([...replies.values()].flatMap(({ body }) => textsIn(body)))
  for (const [field, text] of Object.entries(texts)) assert.ok(shown.has(text), field)
})

test('no byte of a refusal is markup, whatever the request named', async () => {
  const bank = await commonWorld()
  const own = await readOwn(bank)
  const hostile = '</script><script>&alert\u2028\u2029'
  const encoded = encodeURIComponent(hostile)
  await forAll(routes, async (route) => {
    const { token } = await bank.as(personForRoute(route))
    const parts = toParts(route, () => own.user)
    const path = toPath(route, { ...parts, query: {} })
    const headers = { 'sec-fetch-site': 'same-origin' }
    const answers = [
      await bank.send(route.method, toTarget(route, parts, `${encoded}=${encoded}`), {
        token,
        headers,
      }),
      await bank.send(route.method, `${path}/${encoded}`, { token }),
      await bank.send('PROPFIND', path, { token }),
    ]
    if (route.body) answers.push(await send(bank, route, own, { [hostile]: hostile }, token))
    for (const { status, text } of answers) assert.match(String(status), /^40[045]$/, path + text)
    for (const { text, headers } of answers) {
      assert.doesNotMatch(text + JSON.stringify(headers), markup, path)
    }
    const named = answers.filter(({ body }) => body.details?.[0]?.path.includes(hostile))
    assert.ok(named.length > 0, path)
  })
})

test('no cell of a statement is one that a spreadsheet computes, whatever is stored', async (t) => {
  const bank = await world(t, { settings: { MEMBERS: 'on' } })
  const own = await readOwn(bank)
  await fillAll(bank, own, (_, turn) => `+1+${turn}`)
  const ada = await bank.as('ada')
  for (const account of [own.account, own.savings]) {
    const reply = await ada.get(`/api/v1/accounts/${account}/statement?format=csv`)
    assert.equal(reply.status, 200, reply.text)
    assert.match(reply.text, /'\+1\+/)
    assert.doesNotMatch(reply.text, /(^|[,"\n])[=@\t\r]|(^|[,"\n])[+-](?!\d+\.\d\d[,\r])/)
  }
})
