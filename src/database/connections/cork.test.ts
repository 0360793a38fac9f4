import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { Socket } from 'node:net'
import { test, type TestContext } from 'node:test'
import { bank } from '../../../test/support/bank.ts'
import { startStore, withoutStore } from '../../../test/support/redis.ts'
import { createLog } from '../../telemetry/log.ts'
import { windowsInRedis } from '../../gate/store/redis-windows.ts'
import { corkable } from './cork.ts'
import { statement } from '../statements/statement.ts'

const ask = statement('test_cork', [], { answer: 'int4' }, 'select 1 as answer')

/** Counts the writes to sockets during `work` that hold that text; others may write meanwhile. */
async function countWrites(t: TestContext, text: string, work: () => Promise<unknown>) {
  const single = t.mock.method(Socket.prototype, '_write')
  const several = t.mock.method(Socket.prototype, '_writev' as '_write')
  await work()
  const written = [
    ...single.mock.calls.map(({ arguments: [chunk] }) => [chunk as Buffer]),
    // Node puts the bytes themselves in place of the entries when all are bytes.
    ...several.mock.calls.map(({ arguments: [chunks] }) =>
      (chunks as (Buffer | { chunk: string })[]).map((it) => ('chunk' in it ? it.chunk : it)),
    ),
  ].map((chunks) => chunks.map(String).join(''))
  single.mock.restore()
  several.mock.restore()
  return written.filter((bytes) => bytes.includes(text)).length
}

test('statements that are sent together are one write of the PostgreSQL driver', async (t) => {
  const { db } = await bank(t)
  const lane = db.openLane()
  t.after(() => lane.close())
  const connection = await lane.forTransaction()
  await connection.run(ask, [])
  const three = () => Promise.all([1, 2, 3].map(() => connection.run(ask, [])))
  assert.equal(await countWrites(t, 'test_cork', () => connection.together(three)), 1)
  assert.equal(await countWrites(t, 'test_cork', three), 3)
})

test(
  'decisions that are sent together are one write of the Redis driver',
  { skip: withoutStore },
  async (t) => {
    const log = createLog('silent', () => {})
    const { url } = await startStore()
    const key = randomBytes(32)
    const windows = await windowsInRedis(url, { secret: () => key, log })
    t.after(() => windows.close())
    const limit = { window: 'corked', quota: 10, windowMs: 1000 }
    const take = (name: string) => windows.take([{ limit, key: name }]) as Promise<unknown>
    await take('first')
    const three = () => Promise.all(['a', 'b', 'c'].map(take))
    assert.equal(await countWrites(t, 'corked', three), 1)
    assert.equal(await countWrites(t, 'corked', () => take('last')), 1)
  },
)

test('the error for a driver without a socket names the driver', () => {
  for (const stream of [undefined, {}, { cork: () => {} }]) {
    assert.throws(() => corkable(stream), /^Error: This version of pg shows no/)
  }
})
