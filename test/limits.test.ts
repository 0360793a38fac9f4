import assert from 'node:assert/strict'
import { test } from 'node:test'
import { enrolTotp } from './support/factors.ts'
import { inTime, untilInTime } from './support/locks.ts'
import { until } from './support/mailbox.ts'
import { startStore, withoutStore } from './support/redis.ts'
import { password, people, type PersonName, world, type World } from './support/world.ts'

const minute = 60_000
const logInPath = '/api/v1/auth/login'
const passwordPath = '/api/v1/auth/password'
const from = '127.0.7.1'

const logIn = (bank: World, username: string, guess = password, address = from) =>
  bank.send('POST', logInPath, { from: address, body: { username, password: guess } })

/** All five people and one of them again: right logins, in one moment, behind one address. */
const six = [...(Object.keys(people) as PersonName[]), 'ada'] as const

/**
 * Six log in at once, and none of them is through before one is refused; gives how many were told
 * to wait, and for how long.
 */
async function crowd(bank: World): Promise<string[]> {
  await bank.sql('begin')
  await bank.sql('select from users for update')
  const asked = six.map((name) => logIn(bank, people[name].username))
  await Promise.race(asked)
  await bank.sql('commit')
  const replies = await Promise.all(asked)
  inTime(...replies)
  const limited = replies.filter(({ status }) => status !== 200)
  for (const { status, text } of limited) assert.equal(status, 429, text)
  return limited.map(({ headers }) => String(headers['retry-after']))
}

test('concurrent valid logins from one address block it for at most a second', async (t) => {
  await untilInTime(async () => {
    const bank = await world(t, { limits: 'default' })
    const waits = await crowd(bank)
    assert.deepEqual(waits, ['1'], 'five slots are reserved, and the sixth waits a second')
    bank.clock.advance(1000)
    assert.equal((await logIn(bank, 'ada')).status, 200)
  })
})

test(
  'right logins at the same moment lock nobody with a shared store either',
  { skip: withoutStore },
  async (t) => {
    await untilInTime(async () => {
      const { url } = await startStore()
      const bank = await world(t, { limits: 'default', settings: { REDIS_URL: url } })
      for (const wait of await crowd(bank)) assert.equal(wait, '1')
      await until('the login', async () => {
        const { status, headers } = await logIn(bank, 'ada')
        if (status !== 200) assert.deepEqual([status, headers['retry-after']], [429, '1'])
        return status === 200
      })
    })
  },
)

test('mixed with valid logins, five failures a minute are checked and no sixth', async (t) => {
  const bank = await world(t, { limits: 'default' })
  let judged = 0
  for (let second = 0; second < 12; second++) {
    const replies = await Promise.all(
      six.map((name, turn) => logIn(bank, people[name].username, turn % 2 ? 'wrong' : password)),
    )
    judged += replies.filter(({ status }) => status === 401).length
    bank.clock.advance(1000)
  }
  // Right ones may have had the last slot each time.
  for (let turn = 0; turn < 6; turn++) {
    if ((await logIn(bank, 'ada', 'wrong')).status === 401) judged++
    bank.clock.advance(1000)
  }
  assert.equal(judged, 5)
  const limited = await logIn(bank, 'ada')
  assert.equal(limited.status, 429)
  const wait = Number(limited.headers['retry-after'])
  assert.ok(wait > 30 && wait <= minute / 1000, `${wait} s: real failures promise the whole wait`)
})

test('sessions behind one address do not share a refresh limit', async (t) => {
  const bank = await world(t, { limits: 'default' })
  const tokens: string[] = []
  for (let turn = 0; turn < 20; turn++) {
    tokens.push((await logIn(bank, 'ada')).body.refreshToken as string)
  }
  const refresh = (refreshToken: string) =>
    bank.send('POST', '/api/v1/auth/refresh', { from, body: { refreshToken } })
  for (let turn = 0; turn < 6; turn++) {
    for (const [index, token] of tokens.entries()) {
      const { status, body, text } = await refresh(token)
      assert.equal(status, 200, text)
      tokens[index] = body.refreshToken as string
    }
    bank.clock.advance(1000)
  }
})

test('a session has one refresh limit for all addresses', async (t) => {
  const bank = await world(t, { limits: 'default' })
  const { refreshToken } = await bank.login('ada')
  const statuses: number[] = []
  for (let turn = 0; turn < 6; turn++) {
    const body = { refreshToken }
    const asked = { from: `127.0.7.${turn + 1}`, body }
    statuses.push((await bank.send('POST', '/api/v1/auth/refresh', asked)).status)
  }
  // The repeats of a lost answer count as well.
  assert.deepEqual(statuses, [200, 200, 200, 200, 200, 429])
})

test('an answer and a refusal tell the windows of their class, also where it has one', async (t) => {
  const limits = { read: { burst: '2/1m', sustained: '9/1h' }, address: { burst: '5/1m' } }
  const bank = await world(t, { settings: { LIMITS: JSON.stringify(limits) } })
  const ada = await bank.as('ada')
  const told: unknown[] = []
  for (let turn = 0; turn < 5; turn++) {
    const { status, headers } = await ada.get('/api/v1/accounts')
    told.push([status, headers['ratelimit-policy'], headers['ratelimit']])
  }
  const reading = '"burst";q=2;w=60, "sustained";q=9;w=3600'
  const refused = [429, reading, '"burst";r=0;t=60, "sustained";r=7;t=3600']
  assert.deepEqual(told, [
    [200, reading, '"burst";r=1;t=60, "sustained";r=8;t=3600'],
    [200, reading, '"burst";r=0;t=60, "sustained";r=7;t=3600'],
    refused,
    refused,
    [429, '"burst";q=5;w=60', '"burst";r=0;t=60'],
  ])
  bank.clock.advance(minute - 1)
  assert.equal((await ada.get('/api/v1/accounts')).headers['retry-after'], '1')
  bank.clock.advance(1)
  assert.equal((await ada.get('/api/v1/accounts')).status, 200)
})

test('unknown refresh tokens count by address and do not block valid ones', async (t) => {
  const bank = await world(t, { limits: 'default' })
  const { refreshToken } = await bank.login('ada', { from })
  const refresh = (token: string) =>
    bank.send('POST', '/api/v1/auth/refresh', { from, body: { refreshToken: token } })
  for (let turn = 0; turn < 5; turn++) {
    assert.equal((await refresh(`${'A'.repeat(42)}${turn}`)).status, 401)
  }
  const limited = await refresh(`${'A'.repeat(42)}Z`)
  assert.equal(limited.status, 429)
  assert.ok(limited.headers['retry-after'] && limited.headers['ratelimit'])
  assert.equal((await refresh(refreshToken)).status, 200)
})

test('a wrong current password counts by person and with the failed logins of the address', async (t) => {
  const bank = await world(t, { limits: 'default' })
  const ada = await bank.login('ada')
  const change = (currentPassword: string, address: string) =>
    ada.post(
      passwordPath,
      { currentPassword, newPassword: 'a staple and a correct horse' },
      { from: address },
    )
  for (let turn = 0; turn < 5; turn++) {
    const { status, body } = await change('wrong', turn < 3 ? from : `127.0.8.${turn}`)
    assert.deepEqual([status, body.code], [400, 'invalid_request'])
    bank.clock.advance(250)
  }
  const other = '127.0.8.9'
  const limited = await change(password, other)
  assert.deepEqual([limited.status, limited.headers['retry-after']], [429, '59'], 'five of ada')
  assert.equal((await logIn(bank, 'ada', password, other)).status, 200, 'her logins count apart')
  for (let turn = 0; turn < 2; turn++) assert.equal((await logIn(bank, 'ben', 'no')).status, 401)
  assert.equal((await logIn(bank, 'ben', password)).status, 429, 'five of the address')
  assert.equal((await logIn(bank, 'ben', password, other)).status, 200)
  bank.clock.advance(59_000 - 1)
  assert.equal((await change(password, other)).status, 429, 'not before')
  bank.clock.advance(1)
  assert.equal((await change(password, other)).status, 204)
})

/** Fills the windows of failed logins of a person, from many addresses, without a session. */
async function guessAt(bank: World, { id, username }: { id: string; username: string }) {
  const names = [username, `${username}@example.com`, `own ${id}`, id]
  for (const [row, name] of names.entries()) {
    const guess = (turn: number) => logIn(bank, name, 'wrong', `127.0.${row + 20}.${turn}`)
    for (let turn = 1; turn <= 5; turn++) assert.equal((await guess(turn)).status, 401, name)
    assert.equal((await guess(6)).status, 429, name)
  }
}

for (const [where, skip] of [
  ['in process', false],
  ['in a shared store', withoutStore],
] as const) {
  test(`failed logins elsewhere delay nothing within a session: ${where}`, { skip }, async (t) => {
    const store = where === 'in process' ? undefined : await startStore()
    const bank = await world(t, {
      limits: 'default',
      settings: { SECOND_FACTOR_GRACE: '1d', ...(store && { REDIS_URL: store.url }) },
    })
    const yesterday = new Date(bank.clock.now() - 24 * 60 * minute)
    await bank.sql('update users set created_at = $1', [yesterday])
    const [ada, root] = [await bank.login('ada'), await bank.login('root')]
    assert.equal((await root.get('/api/v1/me')).body.restricted, true)
    await guessAt(bank, people.ada)
    await guessAt(bank, people.root)
    const body = { currentPassword: password, newPassword: 'a staple and a correct horse' }
    assert.equal((await ada.post(passwordPath, body)).status, 204)
    await enrolTotp(bank, root)
    assert.equal((await root.get('/api/v1/admin/users')).status, 200)
  })
}
