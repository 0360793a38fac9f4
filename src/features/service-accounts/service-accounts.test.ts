// Making, changing and ending service accounts and their keys.
import assert from 'node:assert/strict'
import { hash } from 'node:crypto'
import { test } from 'node:test'
import { readEvent } from '../../../test/support/audit-events.ts'
import { many, openAccount, patiently, tally } from '../../../test/support/fixture.ts'
import { hold } from '../../../test/support/held.ts'
import {
  newProgram,
  serviceAccountsPath as path,
  toGrants,
} from '../../../test/support/service-accounts.ts'
import { clientWith, commonWorld, people, world } from '../../../test/support/world.ts'

const minute = 60_000

test('a service account is shown to staff, and its key to the administrator this once', async () => {
  const bank = await commonWorld()
  const [root, agnes, ada] = [await bank.as('root'), await bank.as('agnes'), await bank.as('ada')]
  const account = await openAccount(ada)
  const expiresAt = '2030-01-31T00:00:00.000Z'
  const terms = {
    name: 'Payroll',
    grants: {
      readAccounts: people.ada.id,
      payFrom: [account],
      operations: ['settleTransfer'],
    },
    addresses: ['192.0.2.0/24', '2001:db8::/32'],
    expiresAt,
  }
  const made = await root.post(path, { ...terms, expiresAt: '2030-01-31t01:00:00.0009+01:00' })
  assert.equal(made.status, 201, made.text)
  const { key, ...shown } = made.body
  assert.match(key, /^srk_[0-9A-Za-z]{36}$/)
  assert.equal(made.headers['location'], `${path}/${shown.id}`)
  const [first] = shown.keys
  assert.deepEqual(shown, {
    id: shown.id,
    ...terms,
    status: 'active',
    keys: [{ id: first.id, createdAt: '2026-01-02T09:00:00.000Z', lastUsedAt: null }],
    administrators: [people.root.id],
    createdAt: '2026-01-02T09:00:00.000Z',
  })
  const read = await agnes.get(`${path}/${shown.id}`)
  assert.deepEqual(read.body, { ...shown, openOrders: 0 })
  assert.deepEqual((await agnes.get(`${path}?limit=1`)).body.items, [shown])
  const { action, actorId, target } = await readEvent(bank, made)
  assert.deepEqual([action, actorId, target], ['createServiceAccount', people.root.id, shown.id])
  const { rows } = await bank.sql(
    `select encode(key_hash, 'hex') as hash, to_jsonb(k)::text || to_jsonb(s)::text as all
     from service_keys k join service_accounts s on s.id = k.service_account_id where k.id = $1`,
    [first.id],
  )
  assert.equal(rows[0]?.['hash'], hash('sha256', key))
  assert.ok(!String(rows[0]?.['all']).includes(key), 'the key itself is not stored')
  assert.ok(!bank.logged.join('').includes(key), 'nor logged')
})

test('what cannot be granted is refused with its place', async () => {
  const bank = await commonWorld()
  const [root, ada] = [await bank.as('root'), await bank.as('ada')]
  const closed = await openAccount(ada)
  await ada.delete(`/api/v1/accounts/${closed}`)
  const unknown = '01940000-0000-7000-8000-0000000000ff'
  const cash = '00000000-0000-8000-8000-000001455552'
  const name = 'Wrong'
  const good = { name, grants: toGrants({}) }
  const wrong: [body: object, at: string][] = [
    [{ name, grants: toGrants({ readAccounts: unknown }) }, '/body/grants/readAccounts'],
    [{ name, grants: toGrants({ readAccounts: people.agnes.id }) }, '/body/grants/readAccounts'],
    [{ name, grants: toGrants({ readAccounts: 'some' }) }, '/body/grants/readAccounts'],
    [{ name, grants: toGrants({ payFrom: [unknown] }) }, '/body/grants/payFrom'],
    [{ name, grants: toGrants({ payFrom: [closed] }) }, '/body/grants/payFrom'],
    [{ name, grants: toGrants({ payFrom: [cash] }) }, '/body/grants/payFrom'],
    [{ name, grants: toGrants({ operations: ['getHealth'] }) }, '/body/grants/operations/0'],
    [{ name, grants: toGrants({ operations: ['updateUser'] }) }, '/body/grants/operations/0'],
    [{ name, grants: toGrants({ operations: ['updateServiceAccount'] }) }, '/body/grants'],
    [{ ...good, addresses: ['192.0.2.0/33'] }, '/body/addresses/0'],
    [{ ...good, addresses: ['::1', '0.0.0.0/0'] }, '/body/addresses/1'],
    [{ ...good, addresses: ['::ffff:192.0.2.1'] }, '/body/addresses/0'],
    [{ ...good, expiresAt: '2026-02-30T00:00:00.000Z' }, '/body/expiresAt'],
    [{ ...good, expiresAt: '2026-01-02T09:00:00.000Z' }, '/body/expiresAt'],
  ]
  const { rows: before } = await bank.sql('select count(*) from service_accounts')
  for (const [body, at] of wrong) {
    const reply = await root.post(path, body)
    assert.equal(reply.status, 400, JSON.stringify(body))
    assert.ok(reply.body.details[0].path.startsWith(at), reply.text)
  }
  assert.deepEqual((await bank.sql('select count(*) from service_accounts')).rows, before)
})

test('two keys live at a time: a new one works before the old one is revoked', async () => {
  const bank = await commonWorld()
  const root = await bank.as('root')
  const program = await newProgram(bank, { readAccounts: 'all' })
  const keysAt = `${path}/${program.id}/keys`
  const second = await root.post(keysAt)
  assert.equal(second.status, 201, second.text)
  const next = clientWith(bank.send, second.body.key)
  for (const client of [program, next]) {
    assert.equal((await client.get('/api/v1/accounts')).status, 200)
  }
  assert.equal((await root.post(keysAt)).body.code, 'limit_exceeded')
  assert.equal((await root.delete(`${keysAt}/${program.keyId}`)).status, 204)
  assert.equal((await program.get('/api/v1/accounts')).status, 401)
  assert.equal((await next.get('/api/v1/accounts')).status, 200)
  assert.equal((await root.delete(`${keysAt}/${program.keyId}`)).status, 404, 'once')
  const other = await newProgram(bank)
  assert.equal((await root.delete(`${keysAt}/${other.keyId}`)).status, 404, 'of another account')
  assert.equal((await root.post(keysAt)).status, 201)
})

test('each key is stored with the administrator who was shown it', async (t) => {
  const bank = await world(t)
  await bank.sql(`update users set roles = '{admin}' where id = $1`, [people.both.id])
  const { id } = await newProgram(bank)
  await (await bank.as('both')).post(`${path}/${id}/keys`)
  const { rows } = await bank.sql('select issued_by as by from service_keys order by place')
  assert.deepEqual(rows, [{ by: people.root.id }, { by: people.both.id }])
})

test('a person who is an administrator no more leaves a list of the keys that this person was shown', async (t) => {
  const bank = await world(t)
  const both = people.both.id
  const root = await bank.as('root')
  const change = (body: object) => root.patch(`/api/v1/admin/users/${both}`, body)
  const listed = async () => {
    const query = `target=${both}&action=knownServiceKey&limit=100`
    const { items } = (await root.get(`/api/v1/admin/audit-events?${query}`)).body
    return (items as { detail: string }[]).map(({ detail }) => detail).toReversed()
  }
  await change({ roles: ['customer', 'admin'] })
  const programs = [await newProgram(bank), await newProgram(bank)]
  const wanted: string[] = []
  for (const { id } of programs) {
    const made = await (await bank.as('both')).post(`${path}/${id}/keys`)
    const key = made.body.id as string
    if (id === programs[0]?.id) wanted.push(`${key} of ${id}`)
    else await root.delete(`${path}/${id}/keys/${key}`)
  }
  await change({ phone: '+442079460000' })
  assert.deepEqual(await listed(), [], 'still an administrator')
  await change({ roles: ['customer'] })
  assert.deepEqual(await listed(), wanted)
  await change({ status: 'disabled' })
  assert.deepEqual(await listed(), wanted, 'an administrator no more: once')

  await change({ roles: ['admin'], status: 'active' })
  await bank.sql(
    `with made as (
       insert into service_accounts
       select (jsonb_populate_record(s, jsonb_build_object('id', gen_random_uuid()))).*
       from service_accounts s, generate_series(1, 22) where s.id = $1 returning id
     )
     insert into service_keys (id, service_account_id, key_hash, place, created_at, issued_by)
     select gen_random_uuid(), id, sha256(id::text::bytea), 1, now(), $2 from made`,
    [programs[0]?.id, both],
  )
  bank.clock.advance(1)
  await change({ status: 'disabled' })
  const all = await listed()
  assert.equal(all.length, 1 + 20 + 1)
  assert.ok(all.includes('and 3 more'))
})

test('of fifty keys asked for at once on two instances, no account has more than two', async (t) => {
  const bank = await world(t)
  const [root, other] = [await bank.as('root'), await bank.another()]
  const { id } = await newProgram(bank)
  const replies = await many(50, (index) =>
    patiently(() =>
      (index % 2 === 0 ? bank : other).send('POST', `${path}/${id}/keys`, { token: root.token }),
    ),
  )
  const { 201: made = 0, '409 limit_exceeded': refused } = tally(replies)
  assert.ok(made <= 1)
  assert.equal(refused, 50 - made)
  const { rows } = await bank.sql(
    'select count(*)::int from service_keys where service_account_id = $1',
    [id],
  )
  assert.deepEqual(rows, [{ count: 2 }])
  const insert = `insert into service_keys (id, service_account_id, key_hash, place, created_at)
                  values (gen_random_uuid(), $1, sha256('x'), 2, now())`
  await assert.rejects(bank.sql(insert, [id]), { constraint: 'service_keys_live' })
})

test('changes apply to the next request, on every instance', async (t) => {
  const bank = await world(t)
  const other = await bank.another()
  const program = await newProgram(bank, { readAccounts: 'all' })
  const elsewhere = program.on(other.send)
  const ask = async () => (await elsewhere.get('/api/v1/accounts')).status
  assert.equal(await ask(), 200)
  const changes: [change: object, status: number][] = [
    [{ grants: toGrants({}) }, 403],
    [{ grants: toGrants({ readAccounts: people.ada.id }) }, 200],
    [{ status: 'disabled' }, 401],
    [{ status: 'active' }, 200],
    [{ addresses: ['192.0.2.7'] }, 401],
    [{ addresses: ['192.0.2.7', '127.0.0.0/8'] }, 200],
    [{ expiresAt: new Date(bank.clock.now() + minute).toISOString() }, 200],
  ]
  for (const [change, status] of changes) {
    await program.change(change)
    assert.equal(await ask(), status, JSON.stringify(change))
  }
  bank.clock.advance(minute - 1)
  assert.equal(await ask(), 200)
  bank.clock.advance(1)
  assert.equal(await ask(), 401)
  await program.change({ expiresAt: null, name: 'Renamed' })
  assert.equal(await ask(), 200)
})

test('a grant on what a customer has ends with the customer', async (t) => {
  const bank = await world(t)
  const root = await bank.as('root')
  const program = await newProgram(bank, { readAccounts: people.ben.id })
  const ask = async () => (await program.get('/api/v1/accounts')).status
  assert.equal(await ask(), 200)
  await root.patch(`/api/v1/admin/users/${people.ben.id}`, { status: 'disabled' })
  assert.equal(await ask(), 403)
  await root.patch(`/api/v1/admin/users/${people.ben.id}`, { status: 'active' })
  assert.equal(await ask(), 200)
  await root.patch(`/api/v1/admin/users/${people.ben.id}`, { roles: ['support-agent'] })
  assert.equal(await ask(), 403)
})

test('a key has no idle end, and its last use is written once in five minutes', async (t) => {
  const bank = await world(t)
  const agnes = () => bank.login('agnes')
  const program = await newProgram(bank, { readAccounts: 'all' })
  const unused = await newProgram(bank, { readAccounts: 'all' })
  const read = async ({ id } = program) => {
    const { body } = await (await agnes()).get(`${path}/${id}`)
    return body.keys[0].lastUsedAt as string | null
  }
  assert.equal(await read(), null)
  assert.equal((await program.get('/api/v1/me')).status, 403)
  assert.equal(await read(), null, 'a refused request is no use')
  await program.get('/api/v1/accounts')
  const first = new Date(bank.clock.now()).toISOString()
  assert.equal(await read(), first)
  assert.equal(await read(unused), null, 'of another key')
  bank.clock.advance(5 * minute - 1)
  await program.get('/api/v1/accounts')
  assert.equal(await read(), first)
  bank.clock.advance(1)
  await program.get('/api/v1/accounts')
  assert.equal(await read(), new Date(bank.clock.now()).toISOString())
  bank.clock.advance(30 * 24 * 60 * minute)
  assert.equal((await program.get('/api/v1/accounts')).status, 200)
})

test('an administrator whose session or role ends while the body is on its way makes nothing', async (t) => {
  const bank = await world(t)
  const { id } = await newProgram(bank)
  const asked: [path: string, body: object, method: string][] = [
    [path, { name: 'Mole', grants: toGrants({}) }, 'POST'],
    [`${path}/${id}`, { name: 'Mole' }, 'PATCH'],
  ]
  for (const [at, body, method] of asked) {
    const root = await bank.login('root')
    const held = await hold(bank, method, at, root.token, body)
    await bank.send('GET', '/healthz')
    await root.post('/api/v1/auth/logout')
    assert.equal((await held.finish()).status, 401)
  }
  const { rows } = await bank.sql(`select id from service_accounts where name = 'Mole'`)
  assert.deepEqual(rows, [])
})
