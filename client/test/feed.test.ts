// The feed of events, without a network.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fakeBank, lost, reply, type Request } from './fake-bank.ts'

test('a feed is read up to now, pages without an event of the caller too', async () => {
  const { bank, requests } = fakeBank([
    reply(200, { items: [], nextAfter: '10' }),
    reply(200, { items: [], nextAfter: '4' }),
    reply(200, { items: [{ number: '5' }], nextAfter: '9' }),
    reply(200, { items: [{ number: '12' }], nextAfter: '12' }),
    () => assert.fail('the end was reached, also where events go on'),
  ])
  const seen: unknown[] = []
  for await (const { number } of bank.events.list({ after: '2' })) seen.push(number)
  assert.deepEqual(seen, ['5', '12'])
  assert.deepEqual(
    requests.map(({ path }) => path),
    ['last', '2', '4', '9'].map((after) => `/api/v1/events?after=${after}&wait=0`),
  )
})

test('a feed is followed without a gap while nothing happens', async () => {
  const followed = fakeBank([
    reply(200, { items: [{ number: '3' }, { number: '5' }], nextAfter: '5' }),
    reply(200, { items: [], nextAfter: '8' }),
    lost(),
    reply(200, { items: [{ number: '9' }], nextAfter: '9' }),
  ])
  const seen: string[] = []
  for await (const { number } of followed.bank.events
    .list({ types: 'transfer.completed' })
    .follow()) {
    seen.push(number)
    if (number === '9') break
  }
  assert.deepEqual(seen, ['3', '5', '9'])
  const asked = '/api/v1/events?types=transfer.completed'
  assert.deepEqual(
    followed.requests.map(({ path }) => path),
    [`${asked}&wait=15`, ...['5', '8', '8'].map((after) => `${asked}&after=${after}&wait=15`)],
  )
})

for (const options of [{ deadlineSeconds: 1.9 }, { attemptSeconds: 1.9 }]) {
  const [name] = Object.keys(options)
  test(`with a short ${name} a feed is followed with pauses, until the signal is aborted`, async () => {
    const stop = new AbortController()
    const { bank, requests, waits } = fakeBank(
      [
        reply(200, { items: [{ number: '3' }], nextAfter: '3' }),
        reply(200, { items: [], nextAfter: '3' }),
        reply(200, { items: [{ number: '4' }], nextAfter: '4' }),
        () => {
          stop.abort(new Error('Enough'))
          return reply(200, { items: [], nextAfter: '4' })(requests[0] as Request)
        },
      ],
      options,
    )
    const seen: string[] = []
    await assert.rejects(async () => {
      for await (const { number } of bank.events.list({}, { signal: stop.signal }).follow()) {
        seen.push(number)
      }
    }, /Enough/)
    assert.deepEqual(seen, ['3', '4'])
    assert.deepEqual(waits, [1000, 1000])
    assert.equal(requests.at(-1)?.path, '/api/v1/events?after=4&wait=0')
  })
}
