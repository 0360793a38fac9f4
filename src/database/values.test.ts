import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import pg from 'pg'
import { world } from '../../test/support/world.ts'
import { clientOptions } from './connect.ts'
import { type ColumnType, type ParameterType, statement } from './statement.ts'
import { toQuery, types } from './values.ts'

const id = '01890a5d-ac96-774b-bcce-b302099a8057'

const makeStatement = <const T extends readonly ParameterType[]>(takes: T, columns: string[]) => {
  const gives: Record<string, ColumnType> = {}
  const text = `select ${columns.map((column, index) => `${column} as c${index}`).join(', ')}`
  return statement(`test ${text}`, takes, gives, text)
}

test('values come back from PostgreSQL as they were sent, in arrays too', async (t) => {
  const { address } = await world(t)
  const client = new pg.Client(clientOptions(address, undefined))
  await client.connect()
  const takes = ['int8[]', 'uuid[]', 'timestamptz[]', 'text[]', 'bytea[]', 'timestamptz'] as const
  const columns = ['$1::int8[]', '$2::uuid[]', '$3::timestamptz[]', '$4::text[]', '$5::bytea[]']
  const made = makeStatement(takes, [...columns, '$6::timestamptz'])
  const array = <I>(of: fc.Arbitrary<I>) => fc.array(fc.option(of), { maxLength: 4 })
  const years = { min: new Date('0001-01-02'), max: new Date('9999-12-30'), noInvalidDate: true }
  const values = fc.tuple(
    array(fc.bigInt(-(2n ** 63n), 2n ** 63n - 1n)),
    array(fc.uuid()),
    array(fc.date(years)),
    array(fc.string({ unit: fc.constantFrom('a', '"', '\\', ',', '{', '}', "'", ' ', 'é') })),
    array(fc.uint8Array().map((bytes) => Buffer.from(bytes))),
    fc.date(years),
  )
  const property = fc.asyncProperty(values, async (sent) => {
    const { rows } = await client.query(toQuery(made, sent))
    assert.deepEqual(Object.values(rows[0] as object), sent)
  })
  // Ended here, because the database is dropped at the end of the test.
  try {
    await fc.assert(property, { numRuns: 200, seed: 7 })
  } finally {
    await client.end()
  }
})

test('no item of an array of identifiers becomes two', () => {
  const made = makeStatement(['uuid[]'] as const, ['$1'])
  for (const item of [`${id},${id}`, `${id}"`, '', 'NULL', `{${id}}`]) {
    assert.throws(() => toQuery(made, [[id, item]]), TypeError, item)
  }
  assert.deepEqual(toQuery(made, [[id, null]]).values, [`{${id},NULL}`])
})

test('a time is read to the millisecond, whatever its fraction', () => {
  const read = types.getTypeParser(1184) as (text: string) => Date
  for (const [text, iso] of [
    ['2026-01-31 09:30:00+00', '2026-01-31T09:30:00.000Z'],
    ['2026-01-31 09:30:00.1+00', '2026-01-31T09:30:00.100Z'],
    ['2026-01-31 09:30:00.123456+00', '2026-01-31T09:30:00.123Z'],
    ['2026-01-31 10:30:00.12+01', '2026-01-31T09:30:00.120Z'],
    ['2026-01-31 09:30:59.999+00', '2026-01-31T09:30:59.999Z'],
  ] as const) {
    assert.equal(read(text).toISOString(), iso, text)
  }
})
