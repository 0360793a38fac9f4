// Pages of lists and their cursors.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createCursors } from './pagination.ts'

const { page, read, write } = createCursors(() => Buffer.alloc(32, 1), 100)
const list = ['listThings', undefined, 'ada']
const refused = { code: 'invalid_request' }

test('a cursor is read for its own list, in its one encoding, and nothing else is a cursor', () => {
  const cursor = write(list, 'key')
  assert.equal(read(list, cursor), 'key')
  assert.throws(() => read(['listThings', undefined, 'ben'], cursor), refused)
  assert.throws(() => read(['listThings', 'ada'], cursor), refused)
  const bytes = Buffer.from(cursor, 'base64url')
  for (let index = 0; index < bytes.length; index++) {
    const changed = Buffer.from(bytes)
    changed[index] = (changed[index] as number) ^ 1
    assert.throws(() => read(list, changed.toString('base64url')), refused)
  }
  for (const text of ['A', 'AAAA', bytes.subarray(0, 15).toString('base64url'), `${cursor}A`]) {
    assert.throws(() => read(list, text), refused, text)
  }
  const other = write(list, 'k')
  // Bits that the last character does not need are zero.
  const last = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'
  const next = last[last.indexOf(other.at(-1) as string) + 1] as string
  assert.throws(() => read(list, other.slice(0, -1) + next), refused)
})

test('a cursor of another key is refused, as soon as there is another', () => {
  let key = Buffer.alloc(32, 1)
  const cursors = createCursors(() => key, 100)
  const cursor = cursors.write(list, 'key')
  key = Buffer.alloc(32, 2)
  assert.throws(() => cursors.read(list, cursor), refused)
  assert.equal(cursors.read(list, cursors.write(list, 'key')), 'key')
  key = Buffer.alloc(32, 1)
  assert.equal(cursors.read(list, cursor), 'key')
})

test('a page has at most as many items as the cap, and a cursor only if there are more', async () => {
  const rows = Array.from({ length: 101 }, (_, index) => ({ id: `${index}` }))
  const asked: [string | undefined, number][] = []
  const fetch = async (after: string | undefined, count: number) => {
    asked.push([after, count])
    return rows.slice(after === undefined ? 0 : Number(after) + 1).slice(0, count)
  }
  const toItem = ({ id }: { id: string }) => id
  const first = await page({ limit: '5000' }, list, { fetch, toItem })
  assert.equal(first.items.length, 100)
  const rest = await page({ cursor: first.nextCursor as string }, list, { fetch, toItem })
  assert.deepEqual(rest, { items: ['100'], nextCursor: null })
  const whole = await page({ limit: '1', cursor: write(list, '99') }, list, { fetch, toItem })
  assert.deepEqual(whole, { items: ['100'], nextCursor: null }, 'nothing behind the last one')
  assert.deepEqual(asked, [
    [undefined, 101],
    ['99', 21],
    ['99', 2],
  ])
})

test('a page whose reading stopped has a cursor to go on from, also when it is empty', async () => {
  const fetch = async (after?: string) =>
    after === undefined
      ? { rows: [], next: '7' }
      : { rows: [{ id: `after ${after}` }], next: undefined }
  const toItem = ({ id }: { id: string }) => id
  const first = await page({}, list, { fetch, toItem })
  assert.deepEqual(first.items, [])
  const second = await page({ cursor: first.nextCursor as string }, list, { fetch, toItem })
  assert.deepEqual(second, { items: ['after 7'], nextCursor: null })
})
