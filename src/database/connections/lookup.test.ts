import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Transaction } from './lane.ts'
import { statement } from '../statements/statement.ts'
import { openLookups } from './lookup.ts'

const find = statement('test_lookup', ['uuid[]'], { id: 'uuid' }, 'select id from accounts')
const other = statement('test_lookup_too', ['uuid[]'], { id: 'uuid' }, 'select id from cards')

/** Gives one connection each time. */
const connections = (run: unknown) => {
  const connection = { run, together: <R>(work: () => R) => work() } as Transaction
  return async () => connection
}

/** A database that records each statement's identifiers and has rows for the `known` ones. */
function recordingDatabase(known: readonly string[]) {
  const asked: string[][] = []
  const run = async (_statement: unknown, [ids]: [string[]]) => {
    asked.push(ids)
    return known.filter((id) => ids.includes(id)).map((id) => ({ id }))
  }
  return { asked, lookups: openLookups(connections(run)) }
}

test('look-ups that arrive together share one statement, and each gets its own rows', async () => {
  const { asked, lookups } = recordingDatabase(['a', 'b', 'b'])
  const rows = await Promise.all(['a', 'b', 'a', 'missing'].map((id) => lookups.lookup(find, id)))
  const [a, b] = [{ id: 'a' }, { id: 'b' }]
  assert.deepEqual(rows, [[a], [b, b], [a], []])
  assert.deepEqual(asked, [['a', 'b', 'missing']])
  const { asked: questions, sent } = lookups.lookupCounts(find)
  assert.deepEqual({ questions, sent }, { questions: 4, sent: 1 })
})

test('a look-up that arrives while a statement runs is not answered by it', async () => {
  const { asked, lookups } = recordingDatabase(['a'])
  const first = lookups.lookup(find, 'a')
  // The statement is sent before the next turn of the event loop.
  await new Promise((resolve) => setImmediate(resolve))
  assert.equal(asked.length, 1)
  await Promise.all([first, lookups.lookup(find, 'a')])
  assert.deepEqual(asked, [['a'], ['a']])
})

test('look-ups of different statements are sent apart, in one write', async () => {
  const sent: string[][] = []
  const lookups = openLookups(async () => ({
    run: async ({ name }) => (sent.at(-1)?.push(name), []),
    together(work) {
      sent.push([])
      return work()
    },
  }))
  await Promise.all([lookups.lookup(find, 'a'), lookups.lookup(other, 'a')])
  assert.deepEqual(sent, [[find.name, other.name]])
  assert.equal(lookups.lookupCounts(other).sent, 1)
})

test('without a connection all that wait are refused, and later ones are asked again', async () => {
  let isAway = true
  const { lookups: reachable } = recordingDatabase(['a'])
  const lookups = openLookups(async () => {
    if (isAway) throw new Error('away')
    return {
      run: () => reachable.lookup(find, 'a'),
      together: (work: () => unknown) => work(),
    } as never
  })
  const waiting = [lookups.lookup(find, 'a'), lookups.lookup(other, 'a'), lookups.lookup(find, 'b')]
  for (const each of await Promise.allSettled(waiting)) assert.equal(each.status, 'rejected')
  isAway = false
  assert.deepEqual(await lookups.lookup(find, 'a'), [{ id: 'a' }])
})

test('what is to happen before the next look-up is sent has happened by then, with or without one', async () => {
  const happened: string[] = []
  let connected = Promise.withResolvers<void>()
  const lookups = openLookups(async () => {
    await connected.promise
    return {
      run: async (_, [ids]) => (happened.push(`sent ${String(ids)}`), []),
      together: (work) => work(),
    }
  })
  const turn = () => new Promise((resolve) => setImmediate(resolve))
  lookups.beforeSending(() => void happened.push('alone'))
  await turn()
  assert.deepEqual(happened.splice(0), ['alone'])

  lookups.beforeSending(() => void happened.push('before a'))
  const first = lookups.lookup(find, 'a')
  await turn()
  // The connection is awaited; what comes now is sent with what waits.
  lookups.beforeSending(() => void happened.push('before b'))
  const second = lookups.lookup(find, 'b')
  assert.equal(happened.length, 0)
  connected.resolve()
  await Promise.all([first, second])
  assert.deepEqual(happened.splice(0), ['before a', 'before b', 'sent a,b'])

  connected = Promise.withResolvers<void>()
  connected.promise.catch(() => {})
  connected.reject(new Error('away'))
  lookups.beforeSending(() => void happened.push('before c'))
  await assert.rejects(lookups.lookup(find, 'c'), /away/)
  assert.deepEqual(happened, ['before c'])
})

test('two statements of 500 identifiers run at a time, and the rest follows', async () => {
  const asked: { ids: string[]; answer: () => void }[] = []
  const run = (_statement: unknown, [ids]: [string[]]) =>
    new Promise((resolve) => {
      asked.push({ ids, answer: () => resolve(ids.map((id) => ({ id }))) })
    })
  const lookups = openLookups(connections(run))
  const turn = () => new Promise((resolve) => setImmediate(resolve))
  const sent = () => asked.map(({ ids }) => ids.length)
  const all = Array.from({ length: 1201 }, (_, index) => lookups.lookup(find, `${index}`))
  await turn()
  await turn()
  assert.deepEqual(sent(), [500, 500])
  all.push(lookups.lookup(find, 'late'))
  await turn()
  assert.deepEqual(sent(), [500, 500], 'the third waits')
  asked[0]?.answer()
  await turn()
  await turn()
  assert.deepEqual(sent(), [500, 500, 202])
  asked[1]?.answer()
  asked[2]?.answer()
  const rows = await Promise.all(all)
  assert.deepEqual(rows.slice(1199), [[{ id: '1199' }], [{ id: '1200' }], [{ id: 'late' }]])

  asked.length = 0
  const large = ['a', 'b', 'c', 'd', 'e'].map((id) => lookups.lookup(other, id, 2))
  await turn()
  await turn()
  asked.forEach(({ answer }) => answer())
  await turn()
  await turn()
  assert.deepEqual(sent(), [2, 2, 1], 'fewer of those that find many rows')
  asked[2]?.answer()
  assert.deepEqual(
    (await Promise.all(large)).flat(),
    [...'abcde'].map((id) => ({ id })),
  )

  asked.length = 0
  const mixed = [
    lookups.lookup(other, 'small', 2),
    lookups.lookup(other, 'large', 1),
    lookups.lookup(other, 'small too', 2),
  ]
  await turn()
  await turn()
  asked.forEach(({ answer }) => answer())
  await turn()
  await turn()
  asked[2]?.answer()
  await Promise.all(mixed)
  assert.deepEqual(sent(), [1, 1, 1], 'as few as the largest allows')
})
