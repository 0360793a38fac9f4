// How an answer of a target is judged: delivered or not, and when it is sent again.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import http from 'node:http'
import type { AddressInfo } from 'node:net'
import { test, type TestContext } from 'node:test'
import { openAccount } from '../../../test/support/fixture.ts'
import { world } from '../../../test/support/world.ts'
import { jitterRatio, retryDelaysMs } from './worker.ts'

const path = '/api/v1/admin/webhooks'
const [firstMs = 0] = retryDelaysMs
const capMs = retryDelaysMs.at(-1) ?? 0

/** Gives the newest delivery after a target has answered an event in each of these ways. */
async function deliverTo(t: TestContext) {
  const answer = { status: 200, fields: {} as Record<string, string> }
  const server = http.createServer((request, response) => {
    request.resume().on('end', () => response.writeHead(answer.status, answer.fields).end())
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.after(() => server.close())
  const bank = await world(t, { settings: { PRIVATE_WEBHOOKS: 'on' } })
  const [ada, root] = [await bank.as('ada'), await bank.as('root')]
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
  const { body: hook } = await root.post(path, { url, types: ['account.opened'] })
  const { core } = bank.running
  return {
    now: () => bank.clock.now(),
    async deliver(status: number, fields: Record<string, string> = {}) {
      Object.assign(answer, { status, fields })
      // Deliveries of one millisecond have no order.
      bank.clock.advance(1)
      await openAccount(ada)
      await core.feed.last()
      await core.webhooks.work()
      const { body } = await root.get(`${path}/${hook.id}/deliveries`)
      return body.items[0] as Record<'status' | 'failure' | 'dueAt', string> & {
        lastStatus: number
      }
    },
  }
}

test('an answer from 200 to 299 is a delivery, and no other one is, a redirect neither', async (t) => {
  const { deliver } = await deliverTo(t)
  for (const status of [200, 202, 204, 299]) {
    const { lastStatus, failure, ...found } = await deliver(status)
    assert.deepEqual([found.status, lastStatus, failure], ['delivered', status, null])
  }
  for (const status of [300, 301, 302, 303, 304, 307, 308, 400, 404, 429, 500, 503, 599]) {
    const { lastStatus, failure, ...found } = await deliver(status, {
      location: 'https://a.example',
    })
    assert.deepEqual([found.status, lastStatus], ['waiting', status])
    assert.equal(failure, `The answer was ${status}`)
  }
})

test('Retry-After of a target delays the next attempt, in both of its forms, up to ten hours', async (t) => {
  const { deliver, now } = await deliverTo(t)
  const at = (seconds: number) => new Date(now() + seconds * 1000).toUTCString()
  const usual = [firstMs, firstMs * (1 + jitterRatio)] as const
  const exactly = (ms: number) => [ms, ms] as const
  const cases: [field: string, wait: readonly [number, number]][] = [
    ['120', exactly(120_000)],
    ['0', usual],
    ['36000', exactly(capMs)],
    ['36001', exactly(capMs)],
    ['9'.repeat(400), exactly(capMs)],
    [at(3600), [3_599_000, 3_600_000]],
    [at(86_400), exactly(capMs)],
    [at(-3600), usual],
    ['soon', usual],
    ['-5', usual],
    ['1e3', usual],
    ['', usual],
  ]
  for (const status of [301, 429, 503]) {
    for (const [field, [least, most]] of cases) {
      const { dueAt } = await deliver(status, { 'retry-after': field })
      const waitMs = Date.parse(dueAt) - now()
      assert.ok(waitMs >= least && waitMs <= most, `${status} ${field.slice(0, 40)}: ${waitMs} ms`)
    }
  }
})
