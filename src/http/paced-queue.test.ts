import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import { PacedQueue } from './paced-queue.ts'

function line(t: TestContext, pause: (waiting: number) => number = () => 8) {
  t.mock.timers.enable({ apis: ['setTimeout', 'setImmediate'] })
  const turns = new PacedQueue(pause)
  const begun: string[] = []
  const come = (name: string, remoteAddress = '192.0.2.1') =>
    turns.take({ remoteAddress }, () => begun.push(name))
  /** What is begun in each of the next milliseconds. */
  const pass = (milliseconds: number) =>
    Array.from({ length: milliseconds }, () => {
      const before = begun.length
      t.mock.timers.tick(1)
      return begun.length - before
    })
  return { come, begun, pass }
}

const sum = (counts: readonly number[]): number => counts.reduce((one, other) => one + other, 0)

test('who comes alone begins at once; a few that come together have pauses between them', (t) => {
  const { come, begun, pass } = line(t)
  come('alone')
  assert.deepEqual(begun, ['alone'])
  pass(8)
  for (const name of ['a', 'b', 'c']) come(name)
  assert.deepEqual(begun, ['alone', 'a'])
  assert.deepEqual(pass(17), [...none(7), 1, ...none(7), 1, 0])
  assert.deepEqual(begun, ['alone', 'a', 'b', 'c'])
  pass(8)
  come('later')
  assert.equal(begun.at(-1), 'later', 'at once again')
})

test('the line decides on the pause; nobody is forgotten, and nobody is let in twice', (t) => {
  const { come, begun, pass } = line(t, (waiting) => (waiting > 900 ? 1 : 5))
  const names = Array.from({ length: 1000 }, (_, at) => `${at}`)
  for (const name of names) come(name)
  assert.ok(sum(pass(90)) >= 80)
  assert.ok(sum(pass(1000)) <= 220)
  pass(10_000)
  assert.deepEqual(begun, names)
})

test('who leaves is not waited for: neither his turn nor his place in line is left', (t) => {
  const { come, begun, pass } = line(t, (waiting) => (waiting > 10 ? 1 : 8))
  come('first')
  const leavers = Array.from({ length: 700 }, (_, at) => come(`gone ${at}`))
  come('there')
  const other = come('also gone', '192.0.2.2')
  for (const leave of [...leavers, other]) leave()
  for (const leave of leavers) leave()
  pass(8)
  assert.deepEqual(begun, ['first', 'there'])
  assert.deepEqual(pass(100), none(100))
  come('later')
  come('last')
  pass(8)
  assert.deepEqual(begun, ['first', 'there', 'later', 'last'])
})

test('without a pause there is one a turn of the event loop', async () => {
  const turns = new PacedQueue(() => 0)
  let begun = 0
  for (let at = 0; at < 20; at++) turns.take({ remoteAddress: '192.0.2.1' }, () => begun++)
  for (let turn = 1; turn < 20; turn++) {
    assert.ok(begun <= turn, `${begun} in ${turn} turns`)
    await new Promise((resolve) => setImmediate(resolve))
  }
  await new Promise((resolve) => setImmediate(resolve))
  assert.equal(begun, 20)
})

test('addresses take turns: who comes alone does not wait for the crowd of another', (t) => {
  const { come, begun, pass } = line(t)
  for (let at = 0; at < 50; at++) come(`crowd ${at}`)
  pass(20)
  const before = begun.length
  come('alone', '192.0.2.2')
  come('neighbour', '::ffff:192.0.2.1')
  pass(1000)
  assert.equal(begun.length, 52)
  assert.ok(begun.indexOf('alone') <= before + 1, `${begun.indexOf('alone')} after ${before}`)
  assert.equal(begun.at(-1), 'neighbour', 'one address in two spellings is one')
})

function none(count: number): number[] {
  return Array<number>(count).fill(0)
}
