// What service accounts may do, on every route, made from the list of routes: a new route is tested
// as soon as it is there.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { findIdentifiers } from '../src/http/route-check.ts'
import { grantableOperations, type Route } from '../src/http/route.ts'
import { routes } from '../src/features/routes.ts'
import { newId } from '../src/domain/ids.ts'
import { newKey } from '../src/gate/service-keys.ts'
import { readEvent } from './support/audit-events.ts'
import { deposit } from './support/fixture.ts'
import { readBelongings, sendTo, toParts, toPath } from './support/requests.ts'
import { newProgram, serviceAccountsPath, toGrants } from './support/service-accounts.ts'
import { clientWith, commonWorld, people, type Reply, world } from './support/world.ts'

const guarded = routes.filter(({ access }) => access !== 'public')
const isOpen = ({ service }: Route) => service !== undefined
const operations = [...grantableOperations(routes)]
const named = ({ method, path }: Route) => `${method} ${path}`
const unknown = newId(Date.UTC(2026, 0, 1))
const hour = 60 * 60_000

const everything = (payFrom: string[]) => toGrants({ readAccounts: 'all', payFrom, operations })

function assertRefused(reply: Reply, status: number, code: string, what: string): void {
  assert.equal(reply.status, status, `${what}: ${reply.text}`)
  assert.equal(reply.body.code, code, what)
}

test('a route that declares no grant is closed to a service account that has every grant', async () => {
  const bank = await commonWorld()
  const own = await readBelongings(bank, 'ada')
  const program = await newProgram(bank, everything([own.account]))
  const closed = guarded.filter((route) => !isOpen(route))
  for (const route of closed) {
    const parts = toParts(route, ({ resource }) => own[resource])
    const reply = await sendTo(bank, route, parts, program.token)
    assertRefused(reply, 403, 'forbidden', named(route))
    const invalid = await sendTo(bank, route, { ...parts, body: { x: 1 } }, program.token)
    assert.equal(invalid.status, 403, `${named(route)}: before the body is judged`)
  }
  const isPersonal = /\/(auth|me|sessions|service-accounts|portal)(\/|$)/
  for (const route of guarded.filter(({ path }) => isPersonal.test(path))) {
    assert.ok(closed.includes(route), named(route))
  }
  const changesPeople = ({ method, path }: Route) => method !== 'GET' && path.includes('/users')
  const opened = guarded.filter((route) => changesPeople(route) && isOpen(route))
  assert.deepEqual(opened.map(named), ['POST /api/v1/admin/users'], 'it invites customers')
})

test('each grant opens its routes alone, and without it they are closed at once', async () => {
  const bank = await commonWorld()
  const own = await readBelongings(bank, 'ada')
  const program = await newProgram(bank)
  const only = (route: Route) => {
    if (route.service === 'read') return toGrants({ readAccounts: people.ada.id })
    if (route.service === 'pay') return toGrants({ payFrom: [own.account] })
    return toGrants({ operations: [route.operation] })
  }
  const allBut = (route: Route) => {
    const all = everything([own.account])
    if (route.service === 'read') return { ...all, readAccounts: null }
    if (route.service === 'pay') return { ...all, payFrom: [] }
    return { ...all, operations: operations.filter((name) => name !== route.operation) }
  }
  const opened = guarded.filter(isOpen)
  assert.ok(opened.length > 30)
  for (const route of opened) {
    // Admitted, it fails on the query that is not known.
    const parts = toParts(route, ({ resource }) => own[resource])
    const ask = () => sendTo(bank, route, { ...parts, query: { surplus: '1' } }, program.token)
    await program.change({ grants: allBut(route) })
    assertRefused(await ask(), 403, 'forbidden', named(route))
    await program.change({ grants: only(route) })
    assertRefused(await ask(), 400, 'invalid_request', named(route))
  }
})

test('one customer’s reader reads what is that customer’s, and gets the same 403 for all else', async () => {
  const bank = await commonWorld()
  const own = await readBelongings(bank, 'ada')
  const theirs = await readBelongings(bank, 'ben')
  const { token } = await newProgram(bank, { readAccounts: people.ada.id })
  const foreign = [theirs.account, theirs.transfer, theirs.card, theirs.beneficiary, people.ben.id]
  const reads = guarded.filter(({ service }) => service === 'read')
  for (const route of reads) {
    const read = (ids: typeof own) =>
      sendTo(
        bank,
        route,
        toParts(route, ({ resource }) => ids[resource]),
        token,
      )
    const mine = await read(own)
    assert.equal(mine.status, 200, `${named(route)}: ${mine.text}`)
    for (const id of foreign) assert.ok(!mine.text.includes(id), `${named(route)} shows ${id}`)
    const required = findIdentifiers(route)
    if (required.length === 0) continue
    const others = await read(theirs)
    const nothing = await sendTo(
      bank,
      route,
      toParts(route, () => unknown),
      token,
    )
    assertRefused(others, 403, 'forbidden', named(route))
    assert.equal(others.text, nothing.text, named(route))
    assert.deepEqual(Object.keys(others.headers), Object.keys(nothing.headers), named(route))
  }
  assert.ok(reads.some((route) => route.path === '/api/v1/transactions'))
})

test('a reader of all accounts reads what staff may read, and each read is recorded as its own', async () => {
  const bank = await commonWorld()
  const own = await readBelongings(bank, 'ada')
  const { token, id } = await newProgram(bank, { readAccounts: 'all' })
  for (const route of guarded.filter(({ service }) => service === 'read')) {
    const parts = toParts(route, ({ resource }) => own[resource])
    const reply = await sendTo(bank, route, parts, token)
    const isForStaff = Object.values(route.access).includes('any')
    assert.equal(reply.status, isForStaff ? 200 : 403, `${named(route)}: ${reply.text}`)
    const { actorId, action, outcome } = await readEvent(bank, reply)
    const wanted = [id, route.operation, isForStaff ? 'success' : 'forbidden']
    assert.deepEqual([actorId, action, outcome], wanted)
  }
})

test('no staff operation of a service account changes an account of an administrator behind it', async () => {
  const bank = await commonWorld()
  const others = await readBelongings(bank, 'ada')
  await bank.sql(`update users set roles = '{customer,admin}' where id = $1`, [people.both.id])
  const own = await readBelongings(bank, 'both')
  const program = await newProgram(bank, { operations })
  const both = await bank.as('both')
  const cash = { amount: '1.00', currency: 'EUR', reason: 'Desk' }
  const into = (account: string) => program.post(`/api/v1/admin/accounts/${account}/deposits`, cash)
  assert.equal((await into(own.account)).status, 201, 'nothing of theirs is in it')
  const shown = await both.post(`${serviceAccountsPath}/${program.id}/keys`)
  assert.equal(shown.status, 201, shown.text)
  bank.clock.advance(20_000)
  const refused = await into(own.account)
  assertRefused(refused, 403, 'forbidden', 'a key was shown to them')
  assert.equal((await readEvent(bank, refused)).actorId, program.id)
  assert.equal((await into(others.account)).status, 201)
  for (const route of guarded) {
    const isChange = route.method !== 'GET' && route.service === 'operation'
    if (!isChange || !findIdentifiers(route).some(({ resource }) => resource !== 'user')) continue
    const parts = toParts(route, ({ resource }) => own[resource])
    const reply = await sendTo(bank, route, parts, program.token)
    assertRefused(reply, 403, 'forbidden', named(route))
  }
  await bank.sql(`update users set roles = '{customer,support-agent}' where id = $1`, [
    people.both.id,
  ])
})

test('whatever is wrong with a key, the answer is the same 401, on every route', async () => {
  const bank = await commonWorld()
  const root = await bank.as('root')
  const live = await newProgram(bank, everything([]))
  const revoked = await newProgram(bank, everything([]))
  await root.delete(`${serviceAccountsPath}/${revoked.id}/keys/${revoked.keyId}`)
  const disabled = await newProgram(bank, everything([]))
  await disabled.change({ status: 'disabled' })
  const expiresAt = new Date(bank.clock.now() + 1000).toISOString()
  const expired = await newProgram(bank, everything([]), { expiresAt })
  const elsewhere = await newProgram(bank, everything([]), { addresses: ['192.0.2.0/24', '::1'] })
  bank.clock.advance(1000)
  const flipped = live.token.replace(/.$/, (last) => (last === 'A' ? 'B' : 'A'))
  const keys = {
    unknown: newKey(),
    misspelt: flipped,
    cut: live.token.slice(0, -1),
    longer: `${live.token}0`,
    capital: live.token.replace('srk_', 'SRK_'),
    revoked: revoked.token,
    disabled: disabled.token,
    expired: expired.token,
    elsewhere: elsewhere.token,
  }
  const bodies = new Set<string>()
  for (const route of guarded) {
    const parts = toParts(route, () => unknown)
    for (const [why, key] of Object.entries(keys)) {
      const reply = await sendTo(bank, route, parts, key)
      assertRefused(reply, 401, 'unauthenticated', `${named(route)}: ${why}`)
      assert.equal(reply.headers['www-authenticate'], 'Bearer error="invalid_token"')
      bodies.add(`${reply.text} ${Object.keys(reply.headers).join()}`)
    }
    // In any other place a key is not looked at.
    const path = toPath(route, parts)
    for (const headers of [
      { cookie: `token=${live.token}; __Host-strongroom=${live.token}` },
      { 'x-api-key': live.token },
      { authorization: `Basic ${live.token}` },
      { authorization: live.token },
    ]) {
      const reply = await bank.send(route.method, path, { headers })
      assertRefused(reply, 401, 'unauthenticated', named(route))
    }
    const target = `${path}?access_token=${live.token}`
    assertRefused(await bank.send(route.method, target), 401, 'unauthenticated', named(route))
  }
  assert.equal(bodies.size, 1)
  const onPortal = await live.get('/portal/api/v1/accounts', {
    headers: { 'sec-fetch-site': 'same-origin' },
  })
  assertRefused(onPortal, 401, 'unauthenticated', 'where the cookie is the only credential')
  assert.equal((await live.get('/api/v1/accounts')).status, 200)
})

test('refused keys count as forged tokens do, and a live key is let in all the same', async (t) => {
  const limits = { badTokens: { burst: '6/1m' } }
  const bank = await world(t, { settings: { LIMITS: JSON.stringify(limits) } })
  const live = await newProgram(bank, { readAccounts: 'all' })
  const disabled = await newProgram(bank, { readAccounts: 'all' })
  await disabled.change({ status: 'disabled' })
  const away = await newProgram(bank, { readAccounts: 'all' }, { addresses: ['192.0.2.7'] })
  const ask = async (key: string) =>
    (await clientWith(bank.send, key).get('/api/v1/accounts')).status
  const misspelt = live.token.replace(/.$/, (last) => (last === 'A' ? 'B' : 'A'))
  const bad = [misspelt, newKey(), disabled.token, away.token]
  const statuses = []
  for (const key of [...bad, ...bad]) statuses.push(await ask(key))
  assert.deepEqual(statuses, [401, 401, 401, 401, 401, 401, 429, 429])
  assert.equal(await ask(live.token), 200)
  bank.clock.advance(60_000)
  assert.equal(await ask(misspelt), 401)
})

test('service accounts count in a class of their own, over all routes and both keys', async (t) => {
  const limits = { service: { burst: '3/1s', sustained: '5/1h' }, read: { burst: '1/1s' } }
  const bank = await world(t, { settings: { LIMITS: JSON.stringify(limits) } })
  const root = await bank.as('root')
  const program = await newProgram(bank, { readAccounts: 'all', operations: ['listUsers'] })
  const other = await newProgram(bank, { readAccounts: 'all' })
  const { body } = await root.post(`${serviceAccountsPath}/${program.id}/keys`)
  const second = clientWith(bank.send, body.key)
  const first = await program.get('/api/v1/accounts')
  const policy = '"burst";q=3;w=1, "sustained";q=5;w=3600'
  assert.equal(first.headers['ratelimit-policy'], policy)
  assert.equal((await second.get('/api/v1/admin/users')).status, 200)
  // A refusal by grant counts, as one by role does.
  const forbidden = await second.get('/api/v1/me')
  assert.deepEqual([forbidden.status, forbidden.headers['ratelimit-policy']], [403, policy])
  const limited = await program.get('/api/v1/accounts')
  assert.deepEqual([limited.status, limited.headers['retry-after']], [429, '1'])
  assert.equal((await other.get('/api/v1/accounts')).status, 200)
  bank.clock.advance(1000)
  assert.equal((await program.get('/api/v1/accounts')).status, 200)
  assert.equal((await program.get('/api/v1/accounts')).status, 200)
  const later = await program.get('/api/v1/accounts')
  assert.equal(later.headers['retry-after'], String(hour / 1000 - 1))
})

test('the audit trail names the service account of a change, and its money has it as the caller', async () => {
  const bank = await commonWorld()
  const own = await readBelongings(bank, 'ada')
  await deposit(await bank.as('root'), own.account, '5.00')
  const granted = ['createDeposit', 'freezeAccount', 'unfreezeAccount']
  const program = await newProgram(bank, { operations: granted })
  const at = `/api/v1/admin/accounts/${own.account}`
  const paid = await program.post(`${at}/deposits`, {
    amount: '3.00',
    currency: 'EUR',
    reason: 'Counter',
  })
  const frozen = await program.post(`${at}/freeze`, { reason: 'Reported' })
  await program.post(`${at}/unfreeze`, { reason: 'Cleared' })
  for (const [reply, action] of [
    [paid, 'createDeposit'],
    [frozen, 'freezeAccount'],
  ] as const) {
    const event = await readEvent(bank, reply)
    assert.deepEqual([event.actorId, event.action], [program.id, action], reply.text)
  }
  const { rows } = await bank.sql('select caller_id, session_id from transfers where id = $1', [
    paid.body.id,
  ])
  assert.deepEqual(rows, [{ caller_id: program.id, session_id: program.keyId }])
})
