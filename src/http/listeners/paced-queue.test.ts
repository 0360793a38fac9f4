import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import { PacedQueue } from './paced-queue.ts'
import { mockTimers } from '../../../test/support/timers.ts'

function fixture(t: TestContext, pause: (waiting: number) => number = () => 8) {
  mockTimers(t, 'setTimeout', 'setImmediate')
  const queue = new PacedQueue(pause)
  const begun: string[] = []
  const add = (name: string, address = '192.0.2.1') => queue.add(address, () => begun.push(name))
  /** How many begin in each of the next milliseconds. */
  const pass = (milliseconds: number) =>
    Array.from({ length: milliseconds }, () => {
      const before = begun.length
      t.mock.timers.tick(1)
      return begun.length - before
    })
  return { add, begun, pass }
}

const sum = (counts: readonly number[]): number => counts.reduce((one, other) => one + other, 0)

test('a single item begins at once; several have pauses between them', (t) => {
  const { add, begun, pass } = fixture(t)
  add('alone')
  assert.deepEqual(begun, ['alone'])
  pass(8)
  for (const name of ['a', 'b', 'c']) add(name)
  assert.deepEqual(begun, ['alone', 'a'])
  assert.deepEqual(pass(17), [...none(7), 1, ...none(7), 1, 0])
  assert.deepEqual(begun, ['alone', 'a', 'b', 'c'])
  pass(8)
  add('later')
  assert.equal(begun.at(-1), 'later', 'at once again')
})

test('the length of the queue sets the pause; each item begins exactly once', (t) => {
  const { add, begun, pass } = fixture(t, (waiting) => (waiting > 900 ? 1 : 5))
  const names = Array.from({ length: 1000 }, (_, at) => `${at}`)
  for (const name of names) add(name)
  assert.ok(sum(pass(90)) >= 80)
  assert.ok(sum(pass(1000)) <= 220)
  pass(10_000)
  assert.deepEqual(begun, names)
})

test('a removed item leaves neither a turn nor a place in the queue', (t) => {
  const { add, begun, pass } = fixture(t, (waiting) => (waiting > 10 ? 1 : 8))
  add('first')
  const removed = Array.from({ length: 700 }, (_, at) => add(`gone ${at}`))
  add('there')
  const other = add('also gone', '192.0.2.2')
  for (const remove of [...removed, other, ...removed]) remove()
  pass(8)
  assert.deepEqual(begun, ['first', 'there'])
  assert.deepEqual(pass(100), none(100))
  add('later')
  add('last')
  pass(8)
  assert.deepEqual(begun, ['first', 'there', 'later', 'last'])
})

for (const perTurn of [1, 4]) {
  test(`without a pause ${perTurn} begin in each turn of the event loop`, async () => {
    const queue = new PacedQueue(() => 0, perTurn)
    const begun: number[] = []
    for (let at = 0; at < 20; at++) queue.add(`192.0.2.${at % 3}`, () => begun.push(at))
    assert.deepEqual(begun, [0])
    for (let turn = 1; begun.length < 20; turn++) {
      await new Promise((resolve) => setImmediate(resolve))
      assert.equal(begun.length, Math.min(20, 1 + turn * perTurn))
    }
    assert.equal(new Set(begun).size, 20)
  })
}

test('addresses take turns: a single item does not wait for the crowd of another address', (t) => {
  const { add, begun, pass } = fixture(t)
  for (let at = 0; at < 50; at++) add(`crowd ${at}`)
  pass(20)
  const before = begun.length
  add('alone', '192.0.2.2')
  pass(1000)
  assert.equal(begun.length, 51)
  assert.ok(begun.indexOf('alone') <= before + 1, `${begun.indexOf('alone')} after ${before}`)
})

function none(count: number): number[] {
  return Array<number>(count).fill(0)
}
