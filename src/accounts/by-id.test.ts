import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Database } from '../database/connect.ts'
import { statement } from '../database/statement.ts'
import { byId } from './by-id.ts'

const find = statement('by_id_test', ['uuid[]'], { id: 'uuid' }, 'select id from accounts')

/** A database that counts the statements it is sent and knows the identifiers it is given. */
function counting(known: readonly string[]) {
  const asked: string[][] = []
  const db = {
    run: async (_statement: unknown, [ids]: [string[]]) => {
      asked.push(ids)
      return ids.filter((id) => known.includes(id)).map((id) => ({ id }))
    },
  } as unknown as Database
  return { db, asked }
}

test('look-ups of the same moment share one statement, and each gets its own row', async () => {
  const { db, asked } = counting(['a', 'b'])
  const lookUp = byId(find)
  const rows = await Promise.all(['a', 'b', 'a', 'missing'].map((id) => lookUp(db, id)))
  assert.deepEqual(
    rows.map((row) => row?.id),
    ['a', 'b', 'a', undefined],
  )
  assert.deepEqual(asked, [['a', 'b', 'missing']])
})

test('each database is asked for itself', async () => {
  const [one, other] = [counting(['a']), counting([])]
  const lookUp = byId(find)
  const [here, there] = await Promise.all([lookUp(one.db, 'a'), lookUp(other.db, 'a')])
  assert.deepEqual([here, there], [{ id: 'a' }, undefined])
})
