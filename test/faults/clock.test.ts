// The wall clock is set forward, set back and shaken: no session comes back, no lock opens early or
// stays for ever, and the books keep their order.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { fakeClock, systemClock } from '../../src/clock.ts'
import { assertSound, scene, transferBody } from '../scene.ts'
import { password, world } from '../world.ts'

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
  // It has followed the furthest step, and no more than that.
  assert.ok(Math.abs(last - (real.call(Date) + 2 * hour)) < 1000)
})

test('a clock that jumps ahead opens no lock early, keeps none for ever, and ends sessions for good', async (t) => {
  const bank = await world(t, { limits: 'contract' })
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

test('two instances whose clocks are an hour apart keep one order in the books', async (t) => {
  const made = await scene(t)
  const ahead = await made.another({ clock: fakeClock(made.clock.now() + hour) })
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
  const times = items.map(({ createdAt }) => createdAt)
  assert.deepEqual(times, times.toSorted().toReversed())
  assert.deepEqual(
    items.map(({ balanceAfter }) => balanceAfter),
    ['6.00', '5.00', '4.00', '3.00', '2.00', '1.00'],
  )
  await assertSound(made)
})
