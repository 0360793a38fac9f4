// The wall clock is set forward, set back and shaken: no session comes back, no lock opens early or
// stays for ever, and the books keep their order. A process whose clock is not that of the database
// serves nothing.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { systemClock } from '../../src/domain/clock.ts'
import { fakeClock } from '../support/clock.ts'
import { StartupError } from '../../src/domain/startup-error.ts'
import { until } from '../support/mailbox.ts'
import { assertSound, deposit, scene, transferBody } from '../support/fixture.ts'
import { password, world } from '../support/world.ts'
import { assertUnavailable } from './answers.ts'

const hour = 3_600_000

test('whatever the wall clock does, the service never sees time go back, and never sees it stand', async (t) => {
  const { now: real } = Date
  let skew = 0
  t.mock.method(Date, 'now', () => real.call(Date) + skew)
  const clock = systemClock()
  let last = clock.now()
  for (const step of [0, -5000, 0, hour, -hour, 2 * hour, -5000, 0, -hour, hour]) {
    skew = step
    const first = clock.now()
    assert.ok(first >= last, `${step} took the time back by ${last - first} ms`)
    await sleep(30)
    last = clock.now()
    assert.ok(last - first >= 25, 'time goes on')
  }
  // The clock has followed the furthest step, and no further.
  assert.ok(Math.abs(last - (real.call(Date) + 2 * hour)) < 1000)
})

test('a clock that jumps ahead opens no lock early, keeps none for ever, and ends sessions for good', async (t) => {
  const bank = await world(t, { limits: 'default' })
  const ben = await bank.login('ben')
  const attempt = (secret: string) => {
    const body = { username: 'ada', password: secret }
    return bank.send('POST', '/api/v1/auth/login', { body })
  }
  for (let turn = 0; turn < 5; turn++) {
    assert.equal((await attempt('not the right password')).status, 401)
  }
  bank.clock.jump(hour)
  const locked = await attempt(password)
  assert.equal(locked.status, 429)
  const wait = Number(locked.headers['retry-after'])
  assert.ok(wait >= 1 && wait <= 60, `Retry-After ${wait}`)
  bank.clock.advance(wait * 1000)
  assert.equal((await attempt(password)).status, 200)
  assert.equal((await ben.get('/api/v1/me')).status, 401)
  const body = { refreshToken: ben.refreshToken }
  assert.equal((await bank.send('POST', '/api/v1/auth/refresh', { body })).status, 401)
})

test("two instances whose clocks are four seconds apart keep one order in the books, and its time is the database's", async (t) => {
  const made = await scene(t)
  const ahead = await made.another({ clock: fakeClock(made.clock.now() + 4000, made.clock) })
  const login = await ahead.send('POST', '/api/v1/auth/login', {
    body: { username: 'ada', password },
  })
  const done: string[] = []
  for (let turn = 0; turn < 6; turn++) {
    const body = { ...transferBody(made.from, made.to), reference: `Turn ${turn}` }
    const reply =
      turn % 2 === 0
        ? await made.ada.post('/api/v1/transfers', body)
        : await ahead.send('POST', '/api/v1/transfers', { token: login.body.token, body })
    assert.equal(reply.status, 201, reply.text)
    done.unshift(reply.body.id)
  }
  const { body } = await made.ada.get(`/api/v1/accounts/${made.to}/transactions`)
  const items = body.items as { id: string; createdAt: string; balanceAfter: string }[]
  assert.deepEqual(
    items.map(({ id }) => id),
    done,
  )
  for (const { createdAt } of items) assert.equal(Date.parse(createdAt), made.clock.now())
  assert.deepEqual(
    items.map(({ balanceAfter }) => balanceAfter),
    ['6.00', '5.00', '4.00', '3.00', '2.00', '1.00'],
  )
  await assertSound(made)
})

const farOff = [
  ['25 hours ahead', 25 * hour, /^The clock of this machine is 90000 s ahead of the database's/],
  ['ten years ahead', 10 * 365 * 24 * hour, /is 315360000 s ahead of the database's/],
  ['six seconds behind', -6000, /is 6 s behind the database's; they may differ by 5 s at most\.$/],
] as const

for (const [name, aheadMs, line] of farOff) {
  test(`an instance whose clock is ${name} does not start`, async (t) => {
    const made = await world(t)
    const clock = fakeClock(made.clock.now() + aheadMs, made.clock)
    await assert.rejects(made.another({ clock }), (thrown: unknown) => {
      assert.ok(thrown instanceof StartupError)
      assert.match(thrown.message, line)
      return true
    })
  })
}

test('an instance whose clock goes wrong answers 503 and changes nothing until it is right again', async (t) => {
  const made = await scene(t)
  const clock = fakeClock(made.clock.now(), made.clock)
  const second = await made.another({ clock })
  const { token } = made.ada
  const pay = (send = second.send) =>
    send('POST', '/api/v1/transfers', {
      token,
      body: transferBody(made.from, made.to),
      headers: { 'idempotency-key': 'k' },
    })
  assert.equal((await pay()).status, 201)
  const books = 'select count(*)::int as n from entries'
  const before = (await made.sql(books)).rows

  for (const aheadMs of [25 * hour, -25 * hour, 8000]) {
    clock.jump(aheadMs)
    const body = { username: 'ada', password }
    const refused = [
      await pay(),
      await second.send('GET', '/api/v1/me', { token }),
      await second.send('POST', '/api/v1/auth/login', { body }),
      await second.send('GET', '/readyz'),
    ]
    for (const reply of refused) assertUnavailable(reply, `at ${aheadMs} ms`)
    assert.equal((await second.send('GET', '/healthz')).status, 200)
    assert.equal((await made.send('GET', '/readyz')).status, 200)
    assert.equal((await pay(made.send)).headers['idempotency-replayed'], 'true')
    clock.jump(-aheadMs)
    await until('the other instance', async () => {
      return (await second.send('GET', '/readyz')).status === 200
    })
    assert.equal((await pay()).headers['idempotency-replayed'], 'true')
  }
  assert.deepEqual((await made.sql(books)).rows, before)
  await deposit(made.root, made.to, '1.00')
  await assertSound(made)
})

test('a clock that differs for longer than a look is told to the operator once, and so is its end', async (t) => {
  const made = await world(t)
  const clock = fakeClock(made.clock.now(), made.clock)
  const second = await made.another({ clock })
  const said = (text: string) => made.logged.filter((line) => line.includes(text)).length
  clock.jump(hour)
  await until('the word of it', () => said("clock differs from the database's") > 0)
  clock.jump(-hour)
  await until('the end', () => said("clock agrees with the database's again") > 0)
  assert.equal(said("clock differs from the database's"), 1)
  assert.equal((await second.send('GET', '/readyz')).status, 200)
})
