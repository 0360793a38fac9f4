import assert from 'node:assert/strict'
import { test } from 'node:test'
import { insertInto, updateIn } from './rows.ts'
import { statements } from './statement.ts'

test('a written row has each value in the place of its column, whatever order it comes in', async () => {
  const columns = { id: 'uuid', givenName: 'text', createdAt: 'timestamptz' } as const
  const add = insertInto('test_rows_insert', 'people', columns, {
    gives: { id: 'uuid' },
    conflict: 'on conflict do nothing',
  })
  const write = updateIn('test_rows_update', 'people', columns)
  const sent: [text: string, values: unknown[]][] = []
  const db = {
    run: async ({ text }: { text: string }, values: unknown[]) => {
      sent.push([text.replace(/\s+/g, ' ').trim(), values])
      return []
    },
  } as never
  const at = new Date(0)
  const row = { createdAt: at, more: 'not a column', givenName: 'Ada', id: 'a' }
  assert.equal(await add(db, row), undefined)
  await write(db, row)
  assert.deepEqual(sent, [
    [
      'insert into people (id, given_name, created_at) values ($1, $2, $3) ' +
        'on conflict do nothing returning id',
      ['a', 'Ada', at],
    ],
    ['update people set given_name = $2, created_at = $3 where id = $1', ['a', 'Ada', at]],
  ])
  statements.delete('test_rows_insert')
  statements.delete('test_rows_update')
})
