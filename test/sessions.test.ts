// How sessions and their refresh tokens begin, live and end, over HTTPS and on several instances;
// what a change of keys means to them, and what of them is never written down.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import pg from 'pg'
import { rotateSigningKey } from '../src/gate/provision.ts'
import { routes } from '../src/features/routes.ts'
import { patiently } from './support/fixture.ts'
import { dump } from './support/database-dump.ts'
import { decoded, forgersBench, jws } from './support/forge.ts'
import { until } from './support/mailbox.ts'
import { readBelongings, toParts, sendTo } from './support/requests.ts'
import { password, type PersonName, type Reply, world, type World } from './support/world.ts'

const me = '/api/v1/me'
const second = 1000
const minute = 60 * second

type Sender = Pick<World, 'send'>
const refresh = ({ send }: Sender, refreshToken: string) =>
  send('POST', '/api/v1/auth/refresh', { body: { refreshToken } })

test('a session ends at its absolute end to the second, despite activity and refreshes', async (t) => {
  const bank = await world(t, { settings: { SESSION_MAX: '20m', TOKEN_TTL: '15m' } })
  const ada = await bank.login('ada')
  let { token, refreshToken } = ada
  for (let turn = 0; turn < 5; turn++) {
    bank.clock.advance(4 * minute - second / 5)
    ;({ token, refreshToken } = (await refresh(bank, refreshToken)).body)
    assert.equal((await bank.send('GET', me, { token })).status, 200)
  }
  // One second before the end.
  assert.equal((await bank.send('GET', me, { token })).status, 200)
  const last = (await refresh(bank, refreshToken)).body
  bank.clock.advance(second)
  assert.equal((await bank.send('GET', me, { token: last.token })).body.code, 'session_expired')
  assert.equal((await refresh(bank, last.refreshToken)).body.code, 'session_expired')
})

test('refused requests do not keep a session alive: 400, 401, 403, 404, 405, 413, 415 and 429', async (t) => {
  const bank = await world(t, {
    settings: { LIMITS: '{"read":{"burst":"1/10m"},"address":{"burst":"1000/1s"}}' },
  })
  const ada = await bank.login('ada')
  // The last accepted request; the next one of its class is too many for ten minutes.
  assert.equal((await ada.get(me)).status, 200)
  bank.clock.advance(5 * minute - second)
  const before = await bank.sql('select last_used_at from sessions')
  const big = `{"name":"${'x'.repeat(70_000)}"}`
  const plain = { headers: { 'content-type': 'text/plain' } }
  const unknown = '01940000-0000-7000-8000-0000000000ff'
  const replies = [
    await ada.get(me),
    await ada.get('/api/v1/admin/users'),
    await ada.post('/api/v1/accounts', { surplus: 1 }),
    await ada.post('/api/v1/accounts', big),
    await ada.post('/api/v1/accounts', '{', plain),
    await ada.delete(`/api/v1/accounts/${unknown}`),
    await ada.get('/api/v1/nothing'),
    await ada.put('/api/v1/accounts', {}),
    await bank.send('GET', me, { token: `${ada.token}x` }),
    await refresh(bank, 'A'.repeat(43)),
  ]
  const statuses = replies.map(({ status }) => status)
  assert.deepEqual(statuses, [429, 429, 400, 413, 415, 403, 404, 405, 401, 401])
  await bank.running.edge.flush()
  assert.deepEqual((await bank.sql('select last_used_at from sessions')).rows, before.rows)
  bank.clock.advance(second)
  assert.equal((await ada.post('/api/v1/auth/logout')).body.code, 'session_expired')
})

test('a session is alive a second before its idle end, and an accepted request restarts the idle time', async (t) => {
  const bank = await world(t)
  const [kept, left] = [await bank.login('ada'), await bank.login('ada')]
  bank.clock.advance(5 * minute - second)
  assert.equal((await kept.get(me)).status, 200)
  bank.clock.advance(2 * second)
  assert.equal((await left.get(me)).body.code, 'session_expired', 'a second after its idle end')
  assert.equal((await refresh(bank, left.refreshToken)).body.code, 'session_expired')
  bank.clock.advance(5 * minute - 3 * second)
  assert.equal((await kept.get(me)).status, 200)
})

test('a session is listed to the last millisecond of its idle time and of its life', async (t) => {
  const settings = { SESSION_IDLE: '10m', SESSION_MAX: '15m' }
  const bank = await world(t, { settings })
  const isListed = async ({ sessionId }: { sessionId: string }) => {
    const reply = await (await bank.login('ada')).get('/api/v1/auth/sessions?limit=100')
    return (reply.body.items as { id: string }[]).some(({ id }) => id === sessionId)
  }
  const [idle, used] = [await bank.login('ada'), await bank.login('ada')]
  bank.clock.advance(10 * minute - 1)
  assert.equal((await used.get(me)).status, 200)
  assert.equal(await isListed(idle), true)
  bank.clock.advance(1)
  assert.equal(await isListed(idle), false)
  bank.clock.advance(5 * minute - 1)
  assert.equal(await isListed(used), true)
  bank.clock.advance(1)
  assert.equal(await isListed(used), false)
})

test('twenty concurrent uses on two instances create one successor, and one token is live', async (t) => {
  const bank = await world(t)
  const instances: Sender[] = [bank, await bank.another()]
  const ada = await bank.login('ada')
  let { refreshToken } = ada
  for (let round = 0; round < 3; round++) {
    const replies = await Promise.all(
      Array.from({ length: 20 }, (_, turn) =>
        patiently(() => refresh(instances[turn % 2] as Sender, refreshToken)),
      ),
    )
    assert.deepEqual(new Set(replies.map(({ status }) => status)), new Set([200]))
    const successors = [...new Set(replies.map(({ body }) => body.refreshToken as string))]
    assert.equal(successors.length, 1)
    const sessions = new Set(replies.map(({ body }) => body.sessionId))
    assert.deepEqual(sessions, new Set([ada.sessionId]), 'the same session, not a second one')
    const { rows } = await bank.sql(
      'select count(*)::int as live from refresh_tokens where session_id = $1 and used_at is null',
      [ada.sessionId],
    )
    assert.deepEqual(rows, [{ live: 1 }])
    refreshToken = successors[0] as string
  }
  bank.clock.advance(10 * second + 1)
  assert.equal((await refresh(bank, ada.refreshToken)).body.code, 'session_revoked')
  for (const instance of instances) {
    assert.equal((await refresh(instance, refreshToken)).status, 401, 'the whole family is dead')
    assert.equal((await instance.send('GET', me, { token: ada.token })).status, 401)
  }
})

test('the first use wins: of two concurrent holders of a token only one continues', async (t) => {
  const bank = await world(t)
  const ada = await bank.login('ada')
  const stolen = ada.refreshToken
  const owner = (await refresh(bank, stolen)).body
  const thief = (await refresh(bank, stolen)).body
  assert.equal(owner.refreshToken, thief.refreshToken, 'within ten seconds: one and the same')
  assert.equal((await refresh(bank, owner.refreshToken)).status, 200)
  bank.clock.advance(10 * second + 1)
  assert.equal((await refresh(bank, thief.refreshToken)).body.code, 'session_revoked')
  assert.equal((await bank.send('GET', me, { token: owner.token })).status, 401)
})

/** How many connections of this database wait for a lock. */
async function waiting({ sql }: World): Promise<unknown> {
  const { rows } = await sql(
    `select count(*)::int as n from pg_stat_activity
     where datname = current_database() and wait_event_type = 'Lock'`,
  )
  return rows[0]?.['n']
}

test('a refresh concurrent with a revocation leaves nothing alive, in either order', async (t) => {
  const bank = await world(t)
  const root = await bank.as('root')
  const holder = new pg.Client({ ...bank.address, options: '-c search_path=strongroom' })
  holder.on('error', () => {})
  await holder.connect()
  t.after(() => holder.end())
  for (const order of ['refresh first', 'revocation first'] as const) {
    const ada = await bank.login('ada')
    await holder.query('begin')
    await holder.query('select from sessions where id = $1 for update', [ada.sessionId])
    const steps = [
      () => refresh(bank, ada.refreshToken),
      () => root.delete(`/api/v1/admin/sessions/${ada.sessionId}`),
    ]
    if (order === 'revocation first') steps.reverse()
    const replies: Promise<Reply>[] = []
    let isBusy = false
    for (const [index, step] of steps.entries()) {
      const first = step()
      void first.then(({ status }) => (isBusy ||= status === 503))
      replies.push(first.then((reply) => (reply.status === 503 ? patiently(step) : reply)))
      await until(order, async () => (await waiting(bank)) === index + 1)
    }
    await holder.query('commit')
    const all = await Promise.all(replies)
    const [refreshed, revoked] = order === 'refresh first' ? all : all.toReversed()
    assert.equal(revoked?.status, 204)
    // One that waited too long for the lock was refused, and the order is another one.
    if (!isBusy) assert.equal(refreshed?.status, order === 'refresh first' ? 200 : 401, order)
    const tokens = [ada.token, ...(refreshed?.status === 200 ? [refreshed.body.token] : [])]
    for (const token of tokens) {
      assert.equal((await bank.send('GET', me, { token })).body.code, 'session_revoked', order)
    }
    const successor = refreshed?.body.refreshToken ?? ada.refreshToken
    assert.equal((await refresh(bank, successor)).status, 401, order)
  }
})

test('refresh and device tokens are stored as hashes, access tokens are not stored', async (t) => {
  const bank = await world(t)
  const body = { username: 'ada', password }
  const first = (await bank.send('POST', '/api/v1/auth/login', { body })).body
  const next = (await refresh(bank, first.refreshToken)).body
  const everything = await dump(bank)
  assert.ok(everything.includes(first.sessionId), 'the sessions are there')
  const secrets = [first.refreshToken, next.refreshToken, first.deviceToken]
  for (const secret of [...secrets, ...[first, next].map(({ token }) => token.split('.')[2])]) {
    const bytes = Buffer.from(secret, 'base64url')
    for (const form of [secret, bytes.toString('hex'), Buffer.from(secret).toString('hex')]) {
      assert.ok(!everything.includes(form))
    }
  }
})

test('each login creates a new session, whose identifier the client cannot choose', async (t) => {
  const bank = await world(t)
  const before = await bank.login('ada')
  const chosen = '01940000-0000-7000-8000-00000000beef'
  const body = { username: 'ada', password }
  const headers = {
    authorization: `Bearer ${before.token}`,
    cookie: `sid=${chosen}; session=${chosen}; sessionId=${before.sessionId}`,
    'x-session-id': chosen,
  }
  const seen = new Set([before.sessionId, chosen])
  const tokens = new Set([before.token, before.refreshToken])
  for (const more of [{}, { headers }]) {
    const { status, body: made } = await bank.send('POST', '/api/v1/auth/login', { body, ...more })
    assert.equal(status, 200)
    for (const set of [
      [seen, made.sessionId],
      [tokens, made.token],
      [tokens, made.refreshToken],
    ]) {
      const [known, value] = set as [Set<string>, string]
      assert.ok(!known.has(value))
      known.add(value)
    }
  }
  for (const key of ['sessionId', 'sid', 'jti', 'token', 'refreshToken', 'kid', 'roles']) {
    const reply = await bank.send('POST', '/api/v1/auth/login', {
      body: { ...body, [key]: chosen },
    })
    assert.equal(reply.body.details?.[0].path, `/body/${key}`)
  }
  assert.equal((await before.get(me)).status, 200, 'a login elsewhere ends no other session')
})

/** Words that may stand in no log line and in no audit event. */
async function canaries(bank: World): Promise<string[]> {
  const word = 'a canary of nine feathers'
  const voices = await Promise.all((['ada', 'agnes', 'root'] as const).map((name) => bank.as(name)))
  const { body: device } = await bank.send('POST', '/api/v1/auth/login', {
    body: { username: 'ben', password },
  })
  await bank.send('POST', '/api/v1/auth/login', { body: { username: 'ada', password: word } })
  await bank.send('POST', '/api/v1/auth/login', {
    body: { username: 'ada', password: { [word]: word }, surplus: word },
  })
  await bank.send('POST', '/api/v1/auth/password-reset/confirm', {
    body: { token: 'canary-reset-token', newPassword: word },
  })
  await refresh(bank, `canary${'A'.repeat(37)}`)
  return [
    word,
    encodeURIComponent(word),
    password,
    'canary',
    device.deviceToken,
    ...voices.flatMap(({ token, refreshToken }) => [
      token,
      refreshToken,
      token.split('.')[2] ?? '',
    ]),
  ]
}

test('no log line and no audit event contains a token, password or hash', async (t) => {
  const bank = await world(t)
  const words = await canaries(bank)
  const own = await readBelongings(bank, 'ada')
  for (const route of routes) {
    for (const name of ['ada', 'agnes', 'root'] as PersonName[]) {
      const { token, refreshToken } = await bank.as(name)
      const parts = toParts(route, ({ resource }) => own[resource])
      // Neither the reset link nor the sessions that carry the canaries are used up here.
      const isEnding = /logout|sessions|password$/.test(route.path) || route.method === 'DELETE'
      const asked = { ...parts, query: { ...parts.query, token, refreshToken } }
      await sendTo(bank, route, asked, token)
      await sendTo(bank, route, parts, `${token}canary`)
      if (!isEnding) await sendTo(bank, route, parts, token)
      if (parts.body) await sendTo(bank, route, { ...parts, body: { token, refreshToken } }, token)
    }
  }
  await bank.send('GET', `/nowhere/${words.at(-1)}?password=canary`)
  const { rows: events } = await bank.sql('select e::text from audit_events e')
  const { rows: users } = await bank.sql('select password_hash from users')
  assert.ok(bank.logged.length > routes.length && events.length > 0, 'something is written down')
  const hashes = users.map(({ password_hash: hash }) => String(hash))
  for (const text of [...bank.logged, JSON.stringify(events)]) {
    for (const word of [...words, ...hashes]) assert.ok(!text.includes(word), `${word} in ${text}`)
    assert.doesNotMatch(text, /eyJ|\$argon2|Bearer \S/)
  }
})

test('after a key rotation, tokens of the old key are valid until they expire', async (t) => {
  const bank = await world(t, { settings: { SESSION_IDLE: '2h' } })
  const instances: Sender[] = [bank, await bank.another()]
  const ada = await bank.login('ada')
  const bench = await forgersBench(bank, ada)
  const serves = async () => {
    for (const { send } of instances) {
      const read = await patiently(() => send('GET', me, { token: ada.token }))
      assert.equal(read.status, 200)
    }
  }
  const rotating = rotateSigningKey(bank.address, bank.clock.now())
  await Promise.all([rotating, ...Array.from({ length: 50 }, serves)])
  const kid = await rotating
  const published = async () => {
    const { keys } = (await bank.send('GET', '/.well-known/jwks.json')).body
    return (keys as { kid: string }[]).map((key) => key.kid)
  }
  bank.clock.advance(30 * second + 1)
  const renewed = (await refresh(bank, ada.refreshToken)).body
  assert.equal(decoded(renewed.token.split('.')[0])['kid'], kid, 'noticed within half a minute')
  assert.deepEqual(new Set(await published()), new Set([kid, bench.publicJwk.kid]))
  for (const { send } of instances) {
    assert.equal((await send('GET', me, { token: renewed.token })).status, 200)
  }
  await serves()
  bank.clock.advance(15 * minute - 30 * second - 2)
  await serves()
  bank.clock.advance(1)
  assert.equal((await ada.get(me)).body.code, 'token_expired')
  // The old key signs nothing any more, once the last token of an instance late to notice is over.
  bank.clock.advance(minute)
  const { iat } = bench.claims as { iat: number }
  const late = { ...bench.claims, iat: iat + 960, exp: iat + 1800 }
  const reply = await bank.send('GET', me, { token: jws(bench.header, late, bench.own) })
  assert.equal(reply.body.code, 'unauthenticated')
  assert.deepEqual(await published(), [kid])
})

test('every instance knows a new key at its first token, and a flood of unknown keys causes few statements', async (t) => {
  const bank = await world(t)
  const other = await bank.another()
  const ada = await bank.login('ada')
  assert.equal((await other.send('GET', me, { token: ada.token })).status, 200)
  bank.clock.advance(2 * second)
  await rotateSigningKey(bank.address, bank.clock.now())
  const third = await bank.another()
  const body = { username: 'ada', password }
  const { token } = (await third.send('POST', '/api/v1/auth/login', { body })).body
  assert.equal((await other.send('GET', me, { token })).status, 200)
  const [header = '', ...rest] = token.split('.')
  const unknown = Buffer.from(JSON.stringify({ ...decoded(header), kid: 'x' })).toString(
    'base64url',
  )
  const forged = async () =>
    (await other.send('GET', me, { token: [unknown, ...rest].join('.') })).status
  bank.clock.advance(second + 1)
  assert.equal(await forged(), 401, 'looked up once')
  // From here on whoever reads the keys fails, and would answer so.
  await bank.sql('revoke select on signing_keys from strongroom_service')
  for (let turn = 0; turn < 100; turn++) assert.equal(await forged(), 401)
  bank.clock.advance(second + 1)
  assert.equal(await forged(), 500, 'a second later it is looked up again')
  await bank.sql('grant select on signing_keys to strongroom_service')
  assert.equal((await ada.get(me)).status, 200)
})
