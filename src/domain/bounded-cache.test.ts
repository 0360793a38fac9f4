import assert from 'node:assert/strict'
import { test } from 'node:test'
import { BoundedCache } from './bounded-cache.ts'

const fill = (cache: BoundedCache<string, number>, count: number, name = 'key'): void => {
  for (let number = 0; number < count; number++) cache.set(`${name} ${number}`, number)
}
const countKnown = (cache: BoundedCache<string, number>, count: number, name = 'key'): number =>
  Array.from({ length: count }, (_, at) => cache.get(`${name} ${at}`)).filter(
    (value) => value !== undefined,
  ).length

test('a full cache loses one entry for each that is added, and never more than its bytes are held', () => {
  const cache = new BoundedCache<string, number>(10_000, () => 10)
  fill(cache, 1000)
  assert.equal(cache.bytes, 10_000)
  for (let more = 0; more < 500; more++) {
    cache.set(`more ${more}`, more)
    assert.equal(cache.bytes, 10_000)
  }
  assert.equal(countKnown(cache, 1000), 500)
  assert.equal(countKnown(cache, 500, 'more'), 500)
})

test('what is used stays, however many others are asked for once', () => {
  const cache = new BoundedCache<string, number>(10_000, () => 10)
  fill(cache, 500, 'used')
  for (let flood = 0; flood < 100; flood++) {
    assert.equal(countKnown(cache, 500, 'used'), 500)
    fill(cache, 400, `flood ${flood}`)
  }
  assert.equal(countKnown(cache, 500, 'used'), 500)
})

test('the hits fall slowly, not at once, when there are more keys than room', () => {
  const cache = new BoundedCache<string, number>(10_000, () => 10)
  const hits = (keys: number): number => {
    let found = 0
    let seed = 7
    for (let turn = 0; turn < 20_000; turn++) {
      seed = (seed * 48_271) % 2_147_483_647
      const key = `key ${seed % keys}`
      if (cache.get(key) === undefined) cache.set(key, seed)
      else if (turn >= 10_000) found++
    }
    return found / 10_000
  }
  assert.equal(hits(990), 1)
  assert.ok(hits(1100) > 0.85)
  assert.ok(hits(2000) > 0.45)
})

test('entries of different sizes fit, one as large as the cache is alone, a larger one is not kept', () => {
  const cache = new BoundedCache<string, number>(100, (_, bytes) => bytes)
  for (const bytes of [30, 40, 30]) cache.set(`${bytes}`, bytes)
  assert.equal(cache.bytes, 70, 'the same key again replaces its entry')
  cache.set('101', 101)
  assert.equal(cache.bytes, 70)
  cache.set('100', 100)
  assert.deepEqual([cache.bytes, cache.get('100'), cache.get('40')], [100, 100, undefined])
})
