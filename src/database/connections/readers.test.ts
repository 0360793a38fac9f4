import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Refusal } from '../../domain/errors.ts'
import type { Lane } from './lane.ts'
import { openReaders } from './readers.ts'
import { statement } from '../statements/statement.ts'
import { mockTimers } from '../../../test/support/timers.ts'

const read = statement('test_readers', ['text'], 'select 1')
const turn = () => new Promise<void>((resolve) => setImmediate(resolve))

/** Connections whose statements run until `end`, and the statements in the order of sending. */
function fixture(count: number) {
  const sent: string[] = []
  const ends = new Map<string, () => void>()
  const lane = {
    async run(_statement: unknown, [name]: [string]) {
      sent.push(name)
      await new Promise<void>((resolve) => ends.set(name, resolve))
      return []
    },
  } as unknown as Lane
  const readers = openReaders(
    Array.from({ length: count }, () => lane),
    1000,
  )
  const ask = (caller: string, name: string) => readers.as(caller).run(read, [name])
  const end = async (name: string) => {
    ends.get(name)?.()
    await turn()
  }
  return { sent, ask, end }
}

test("a caller's third statement waits, and another caller's first does not", async () => {
  const { sent, ask, end } = fixture(6)
  const all = ['a1', 'a2', 'a3', 'a4'].map((name) => ask('a', name))
  all.push(ask('b', 'b1'))
  await turn()
  assert.deepEqual(sent, ['a1', 'a2', 'b1'])
  await end('b1')
  assert.deepEqual(sent, ['a1', 'a2', 'b1'], 'a connection is free, but not for that caller')
  for (const name of ['a1', 'a2', 'a3', 'a4']) await end(name)
  await Promise.all(all)
  assert.deepEqual(sent, ['a1', 'a2', 'b1', 'a3', 'a4'])
})

test('a caller who is done with one of two statements still has the other one', async () => {
  const { sent, ask, end } = fixture(6)
  const all = ['a1', 'a2'].map((name) => ask('a', name))
  await turn()
  await end('a1')
  all.push(ask('a', 'a3'), ask('a', 'a4'))
  await turn()
  assert.deepEqual(sent, ['a1', 'a2', 'a3'])
  for (const name of ['a2', 'a3', 'a4']) await end(name)
  await Promise.all(all)
})

test('when all connections are in use callers take turns, however many reads of one caller wait', async () => {
  const { sent, ask, end } = fixture(2)
  const all = ['a1', 'a2', 'a3', 'a4', 'a5'].map((name) => ask('a', name))
  all.push(ask('b', 'b1'), ask('c', 'c1'), ask('b', 'b2'))
  await turn()
  for (const name of ['a1', 'a2', 'a3', 'b1', 'c1', 'a4', 'b2', 'a5']) await end(name)
  await Promise.all(all)
  assert.deepEqual(sent, ['a1', 'a2', 'a3', 'b1', 'c1', 'a4', 'b2', 'a5'])
})

test('a read that waits too long is refused and not sent, and the others go on', async (t) => {
  mockTimers(t, 'setTimeout')
  const { sent, ask, end } = fixture(1)
  const first = ask('a', 'a1')
  const late = ask('b', 'b1').catch((thrown: unknown) => thrown)
  t.mock.timers.tick(999)
  const fresh = ask('c', 'c1')
  t.mock.timers.tick(1)
  const refusal = await late
  assert.ok(refusal instanceof Refusal && refusal.code === 'unavailable', String(refusal))
  await end('a1')
  await end('c1')
  await Promise.all([first, fresh])
  assert.deepEqual(sent, ['a1', 'c1'])
})

test('a read that waited too long leaves its place to another', async (t) => {
  mockTimers(t, 'setTimeout')
  const { sent, ask, end } = fixture(1)
  const first = ask('a', 'a1')
  const late = Array.from({ length: 2048 }, (_, index) => ask(`${index}`, 'late'))
  const refusals = Promise.allSettled(late)
  t.mock.timers.tick(1000)
  assert.ok((await refusals).every(({ status }) => status === 'rejected'))
  const next = ask('b', 'b1')
  await end('a1')
  await end('b1')
  await Promise.all([first, next])
  assert.deepEqual(sent, ['a1', 'b1'])
})

test('a read that has begun is none that waits, also when its time to wait is over', async (t) => {
  mockTimers(t, 'setTimeout')
  const { sent, ask, end } = fixture(1)
  const [first, next] = [ask('a', 'a1'), ask('b', 'b1')]
  await end('a1')
  t.mock.timers.tick(1000)
  assert.deepEqual(sent, ['a1', 'b1'])
  const waiting = Array.from({ length: 2048 }, (_, index) => ask(`${index}`, `${index}`))
  const more = ask('late', 'late').catch(({ code }: Refusal) => code)
  assert.equal(await Promise.race([more, turn()]), 'unavailable', 'one more than may wait')
  await end('b1')
  for (let index = 0; index < waiting.length; index++) await end(`${index}`)
  await Promise.all([first, next, ...waiting])
})

test('reads beyond the bound on waiting reads are refused at once', async (t) => {
  // On a busy machine the last of them would wait for longer than one may.
  mockTimers(t, 'setTimeout')
  const { ask, end } = fixture(1)
  const first = ask('a', 'a1')
  const waiting = Array.from({ length: 2048 }, (_, index) => ask(`${index}`, `${index}`))
  await assert.rejects(ask('late', 'late'), { code: 'unavailable' })
  await end('a1')
  for (let index = 0; index < waiting.length; index++) await end(`${index}`)
  await Promise.all([first, ...waiting])
})
