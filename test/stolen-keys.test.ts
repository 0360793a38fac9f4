// What an operator does after a theft: signing keys are revoked and shared secrets replaced while
// the service runs, with effect from the moment the command has answered.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { addEvents, commandEvent } from '../src/audit/sql.ts'
import { rotateSecrets, rotateSigningKey } from '../src/gate/provision.ts'
import { decoded, forgersBench, jws } from './support/forge.ts'
import { hold, holdHash } from './support/held.ts'
import { inTime, untilInTime, waitingForLock } from './support/locks.ts'
import { run } from './support/program.ts'
import { deposit, openAccount } from './support/fixture.ts'
import { password, people, type World, world } from './support/world.ts'

const me = '/api/v1/me'
const revoke = (bank: World, asked: object = {}) =>
  rotateSigningKey(bank.address, bank.clock.now(), { isRevoking: true, ...asked })

const readKeyId = (token: string) => decoded(token.split('.')[0])['kid']

test('after a key is revoked no instance accepts its tokens, sessions stay, and the next token has the new key', async (t) => {
  const bank = await world(t)
  const instances = [bank, await bank.another()]
  const ada = await bank.login('ada')
  const ben = await bank.login('ben')
  const bench = await forgersBench(bank, ada)
  const forged = jws(
    bench.header,
    { ...bench.claims, sid: ben.sessionId, sub: people.ben.id },
    bench.own,
  )
  // Every instance has met the key, and the fake clock lets no cache grow old.
  for (const { send } of instances) {
    for (const token of [ada.token, ben.token, forged]) {
      assert.equal((await send('GET', me, { token })).status, 200)
    }
  }
  const kid = await revoke(bank)
  for (const { send } of instances) {
    for (const token of [ada.token, ben.token, forged]) {
      const { status, body } = await send('GET', me, { token })
      assert.deepEqual([status, body.code], [401, 'unauthenticated'])
    }
  }
  for (const [index, { send }] of instances.entries()) {
    const body = { refreshToken: [ada, ben][index]?.refreshToken }
    const renewed = await send('POST', '/api/v1/auth/refresh', { body })
    assert.equal(renewed.status, 200)
    assert.equal(readKeyId(renewed.body.token), kid)
    for (const each of instances) {
      assert.equal((await each.send('GET', me, { token: renewed.body.token })).status, 200)
    }
  }
  bank.clock.advance(1001)
  const { keys } = (await bank.send('GET', '/.well-known/jwks.json')).body
  assert.deepEqual(
    keys.map((key: { kid: string }) => key.kid),
    [kid],
  )
})

test('no request that begins after the confirmed revocation of its key succeeds', async (t) => {
  const bank = await world(t)
  const other = await bank.another()
  const { token } = await bank.as('ada')
  let isRevoked = false
  const wrong: number[] = []
  let counted = 0
  const ask = async (send: World['send']): Promise<void> => {
    for (let last = false; !last;) {
      last = isRevoked
      const { status } = await send('GET', me, { token })
      if (last) counted++
      if (last && status !== 401) wrong.push(status)
    }
  }
  const asking = [bank.send, other.send].flatMap((send) =>
    Array.from({ length: 8 }, () => ask(send)),
  )
  await revoke(bank)
  isRevoked = true
  await Promise.all(asking)
  assert.deepEqual([counted, wrong], [16, []])
})

test('a delayed body changes nothing if the key of its token is revoked meanwhile', async (t) => {
  const bank = await world(t)
  const root = await bank.as('root')
  const { id: _id, ...ben } = people.ben
  const body = { ...ben, username: 'mole', email: 'mole@example.com' }
  const held = await hold(bank, 'POST', '/api/v1/admin/users', root.token, body)
  await bank.send('GET', '/healthz')
  await revoke(bank)
  assert.equal((await held.finish()).status, 401)
  const { rows } = await bank.sql(`select id from users where username = 'mole'`)
  assert.deepEqual(rows, [])
})

test('tokens of a revoked key do not count as forged', async (t) => {
  const bank = await world(t, { settings: { LIMITS: '{"badTokens":{"burst":"1/1m"}}' } })
  const ada = await bank.as('ada')
  await revoke(bank)
  for (let turn = 0; turn < 5; turn++) assert.equal((await ada.get(me)).status, 401)
  bank.clock.advance(31_000)
  assert.equal((await ada.get(me)).status, 401, 'also when the instance has read the keys again')
})

test('a rotation without revocation keeps tokens valid, and of two concurrent revocations the later includes the earlier key', async (t) => {
  const bank = await world(t)
  const ada = await bank.as('ada')
  const second = await rotateSigningKey(bank.address, bank.clock.now())
  assert.equal((await ada.get(me)).status, 200)
  const body = { username: 'ben', password }
  const ben = (await bank.send('POST', '/api/v1/auth/login', { body })).body
  assert.equal(readKeyId(ben.token), second, 'the next token is of the new key')
  const kids = await Promise.all([revoke(bank), revoke(bank), revoke(bank)])
  const { rows } = await bank.sql('select kid from signing_keys where revoked_at is null')
  assert.equal(rows.length, 1)
  assert.ok(kids.includes(rows[0]?.['kid'] as string))
  assert.equal((await bank.sql('select 1 from signing_keys')).rows.length, 5)
  for (const token of [ada.token, ben.token]) {
    assert.equal((await bank.send('GET', me, { token })).status, 401)
  }
})

const rotated = (bank: World, ...names: Parameters<typeof rotateSecrets>[1]) =>
  rotateSecrets(bank.address, names)

test('a new cursor secret invalidates cursors, a new refresh secret repeats of refreshes, and neither ends a session', async (t) => {
  const bank = await world(t)
  const ada = await bank.login('ada')
  for (let turn = 0; turn < 2; turn++) await ada.post('/api/v1/accounts', { currency: 'EUR' })
  const list = '/api/v1/accounts?limit=1'
  const { nextCursor } = (await ada.get(list)).body
  const next = () => ada.get(`${list}&cursor=${nextCursor}`)
  const refresh = (refreshToken: string) =>
    bank.send('POST', '/api/v1/auth/refresh', { body: { refreshToken } })
  assert.equal((await next()).status, 200)
  const renewed = (await refresh(ada.refreshToken)).body
  assert.equal((await refresh(ada.refreshToken)).body.refreshToken, renewed.refreshToken)

  await rotated(bank, 'cursor', 'refresh', 'limit')
  bank.clock.advance(1001)
  const answers: number[] = []
  for (let turn = 0; turn < 50 && answers.at(-1) !== 400; turn++)
    answers.push((await next()).status)
  assert.equal(answers.at(-1), 400)
  const again = (await ada.get(list)).body.nextCursor
  assert.equal((await ada.get(`${list}&cursor=${again}`)).status, 200)

  const successor = await refresh(renewed.refreshToken)
  assert.equal(successor.status, 200)
  assert.equal((await ada.get(me)).status, 200)
  const other = await bank.login('ben')
  assert.equal((await refresh(other.refreshToken)).status, 200)
  await rotated(bank, 'refresh')
  assert.equal((await refresh(other.refreshToken)).body.code, 'session_revoked')
})

test('both commands work beside a running service, are recorded, and name the secret that cannot be rotated', async (t) => {
  const bank = await world(t)
  const { user, password: secret, database, host, port } = bank.address as Record<string, string>
  const url = `postgres://${user}:${encodeURIComponent(`${secret}`)}@localhost:${port}/${database}?host=${encodeURIComponent(`${host}`)}`
  const command = async (...args: string[]) => {
    const program = run(args, { DATABASE_URL: url })
    return { code: await program.ended, said: program.err() }
  }
  const ada = await bank.as('ada')
  const before = await bank.sql('select name, value from secrets order by name')

  const revoked = await command('rotate-keys', '--revoke')
  assert.deepEqual(
    [revoked.code, /no instance accepts/.test(revoked.said)],
    [0, true],
    revoked.said,
  )
  assert.equal((await ada.get(me)).status, 401)

  const all = await command('rotate-secrets')
  assert.equal(all.code, 0, all.said)
  assert.match(all.said, /^cursor: .*400.*\nrefresh: .*logged out.*\nlimit: /)
  const after = await bank.sql('select name, value from secrets order by name')
  const changed = after.rows.filter(
    ({ value }, index) => !(value as Buffer).equals(before.rows[index]?.['value'] as Buffer),
  )
  assert.deepEqual(
    changed.map(({ name }) => name),
    ['cursor', 'limit', 'refresh'],
  )

  const card = await command('rotate-secrets', 'cursor', 'card')
  assert.equal(card.code, 2)
  assert.match(card.said, /^The secret card cannot be rotated: .*\n$/)
  const unknown = await command('rotate-secrets', 'cursors')
  assert.deepEqual(
    [unknown.code, unknown.said],
    [2, 'That is not a secret; the secrets are cursor, refresh, limit.\n'],
  )
  assert.deepEqual(
    (await bank.sql('select name, value from secrets order by name')).rows,
    after.rows,
  )
  const { rows } = await bank.sql(
    `select action, detail, address from audit_events where address = 'operator' order by id`,
  )
  const keys = await bank.sql('select kid from signing_keys where retired_at is null')
  const kid = keys.rows[0]?.['kid'] as string
  assert.deepEqual(rows, [
    { action: 'rotateKeys', detail: `${kid}; earlier keys revoked`, address: 'operator' },
    { action: 'rotateSecrets', detail: 'cursor, refresh, limit', address: 'operator' },
  ])
})

test('a rotation that cannot be recorded does not take place', async (t) => {
  const bank = await world(t)
  const ada = await bank.as('ada')
  const event = commandEvent(bank.clock.now(), { action: '' as 'verify' })
  await assert.rejects(revoke(bank, { record: (tx: never) => addEvents(tx, [event]) }))
  assert.equal((await ada.get(me)).status, 200)
})

test('a request that hashes while its key is revoked changes nothing', async (t) => {
  const bank = await world(t)
  const newPassword = 'another fine password'
  const backdoor = { username: 'backdoor', email: 'backdoor@example.com', roles: ['admin'] }
  const names = { givenName: 'Back', familyName: 'Door' }
  const [root, ada] = [await bank.login('root'), await bank.login('ada')]
  const asks = [
    () => root.post('/api/v1/admin/users', { ...backdoor, ...names, password: newPassword }),
    () => ada.post('/api/v1/auth/password', { currentPassword: password, newPassword }),
  ]
  const held = holdHash(t, bank)
  const asked = asks.map((ask) => ask())
  await held.begun
  await revoke(bank)
  held.release()
  for (const reply of await Promise.all(asked)) assert.equal(reply.status, 401, reply.text)
  const { rows } = await bank.sql(`select from users where username = 'backdoor'`)
  assert.equal(rows.length, 0)
})

test('a transfer that waits for its account while its key is revoked moves nothing', async (t) => {
  await untilInTime(async () => {
    const bank = await world(t)
    const ada = await bank.login('ada')
    const [from, to] = [await openAccount(ada), await openAccount(ada)]
    await deposit(await bank.as('root'), from, '50.00')
    await bank.sql('begin')
    await bank.sql('select from accounts where id = $1 for update', [from])
    const order = { fromAccountId: from, toAccountId: to, amount: '5.00', currency: 'EUR' }
    const paying = ada.post('/api/v1/transfers', order)
    await waitingForLock(bank)
    await revoke(bank)
    await bank.sql('commit')
    const reply = await paying
    inTime(reply)
    assert.deepEqual([reply.status, reply.body.code], [401, 'unauthenticated'])
  })
})

test('a token of a new key is valid on the instance that signed it, also after a forged one', async (t) => {
  const bank = await world(t)
  const bench = await forgersBench(bank, await bank.login('ada'))
  const forged = jws({ ...bench.header, kid: 'nobody' }, bench.claims, bench.own)
  assert.equal((await bank.send('GET', me, { token: forged })).status, 401)
  await rotateSigningKey(bank.address, bank.clock.now())
  const ben = await bank.login('ben')
  assert.equal((await ben.get(me)).status, 200)
})

test('keys of three rotations at one moment are known to another instance at once', async (t) => {
  const bank = await world(t)
  const other = await bank.another()
  for (let turn = 0; turn < 3; turn++) {
    await rotateSigningKey(bank.address, bank.clock.now())
    const { token } = await bank.login('ben')
    assert.equal((await other.send('GET', me, { token })).status, 200)
  }
})
