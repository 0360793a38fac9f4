import assert from 'node:assert/strict'
import { test } from 'node:test'
import { firstId, idAt, isIdentifier, isMadeAt, lastId, newId, newSalt } from './ids.ts'

const now = Date.UTC(2026, 0, 31)
const many = 10_000
const count = (values: Iterable<string>): number => new Set(values).size

test('an identifier is a UUID of version 7 that holds its time, and 74 bits of it are random', () => {
  const made = Array.from({ length: many }, () => newId(now))
  const [first = ''] = made
  assert.match(first, /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
  assert.equal(Number.parseInt(first.replace('-', '').slice(0, 12), 16), now)
  assert.equal(count(made), many)
  for (const id of made) assert.ok(isIdentifier(id), id)
  /** How many different digits there are at each of these places, taken together. */
  const variety = (...places: number[]) =>
    count(made.map((id) => places.map((place) => id[place]).join('')))
  const each = Array.from(first, (_, place) => variety(place))
  const group = (size: number) => Array.from({ length: size }, () => 16)
  const time = Array.from({ length: 14 }, () => 1)
  assert.deepEqual(each, [...time, 1, ...group(3), 1, 4, ...group(3), 1, ...group(12)])
  // No digit follows from another one.
  const random = each.flatMap((different, place) => (different > 1 ? place : []))
  for (const one of random) {
    for (const other of random.filter((place) => place > one)) {
      const wanted = (each[one] as number) * (each[other] as number)
      assert.equal(variety(one, other), wanted, `${one} and ${other}`)
    }
  }
})

test('identifiers sort by their time', () => {
  const times = [0, 1, now - 1, now, now + 1, 2 ** 48 - 1]
  const made = times.flatMap((time) => [idAt(time), newId(time)])
  assert.deepEqual(made.toSorted(), made)
  assert.deepEqual([firstId, ...made, lastId].toSorted(), [firstId, ...made, lastId])
})

test('a salt is 128 bits, and no two are alike', () => {
  const made = Array.from({ length: many }, newSalt)
  assert.equal(count(made), many)
  for (const salt of made) assert.match(salt, /^[0-9a-f]{32}$/)
})

test('an identifier is a UUID in lower case, and nothing around it', () => {
  const id = newId(now)
  assert.ok(isIdentifier(id) && isIdentifier(firstId) && isIdentifier(lastId))
  const others = ['', id.toUpperCase(), `${id} `, `${id}\n`, ` ${id}`, id.slice(1), `${id}0`]
  for (const other of [...others, id.replaceAll('-', ''), `{${id}}`, `g${id.slice(1)}`]) {
    assert.ok(!isIdentifier(other), JSON.stringify(other))
  }
  for (const other of [undefined, null, 0, [id], { toString: () => id }]) {
    assert.ok(!isIdentifier(other), typeof other)
  }
})

test('an identifier tells whether it was made at a millisecond', () => {
  const id = newId(now)
  const found = [now - 1, now, now + 1].map((time) => isMadeAt(id, new Date(time)))
  assert.deepEqual(found, [false, true, false])
  assert.equal(idAt(-1), idAt(0))
})
