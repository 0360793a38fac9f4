import assert from 'node:assert/strict'
import { test } from 'node:test'
import { insertInto, updateIn } from './rows.ts'
import { statements } from './statement.ts'

/** Collects what is sent, with each run of white space as one blank. */
function record() {
  const sent: [text: string, values: unknown[]][] = []
  const run = async ({ text }: { text: string }, values: unknown[]) => {
    sent.push([text.replace(/\s+/g, ' ').trim(), values])
    return []
  }
  return { sent, db: { run } as never }
}

test('a written row has each value in the place of its column, whatever order it comes in', async () => {
  const columns = { id: 'uuid', givenName: 'text', createdAt: 'timestamptz' } as const
  const add = insertInto('test_rows_insert', 'people', columns, {
    gives: { id: 'uuid' },
    conflict: 'on conflict do nothing',
  })
  const write = updateIn('test_rows_update', 'people', columns)
  const { sent, db } = record()
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

test('a value stands by its name in what is computed, in a condition and in what comes before', async () => {
  const columns = { id: 'uuid', ownerId: 'uuid', firstOn: 'text' } as const
  const add = insertInto('test_rows_condition', 'orders', columns, {
    first: 'with gone as (delete from drafts where owner_id = :ownerId)',
    as: { firstOn: ':firstOn::date', kind: "'once'" },
    more: { countMax: 'int4' },
    where: '(select count(*) from orders where owner_id = :ownerId) < :countMax::int4',
  })
  const write = updateIn('test_rows_computed', 'orders', columns, {
    as: { version: 'version + 1' },
  })
  const { sent, db } = record()
  const row = { id: 'a', ownerId: 'b', firstOn: '2026-01-31' }
  await add(db, { ...row, countMax: 3 })
  await write(db, row)
  assert.deepEqual(sent, [
    [
      'with gone as (delete from drafts where owner_id = $2) ' +
        "insert into orders (id, owner_id, first_on, kind) select $1, $2, $3::date, 'once' " +
        'where (select count(*) from orders where owner_id = $2) < $4::int4',
      ['a', 'b', '2026-01-31', 3],
    ],
    [
      'update orders set owner_id = $2, first_on = $3, version = version + 1 where id = $1',
      ['a', 'b', '2026-01-31'],
    ],
  ])
  assert.throws(
    () => insertInto('test_rows_unknown', 'orders', columns, { where: ':other' }),
    /No value is named other/,
  )
  statements.delete('test_rows_condition')
  statements.delete('test_rows_computed')
})
