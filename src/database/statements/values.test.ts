import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import { fc } from '../../../test/support/random.ts'
import pg from 'pg'
import { world } from '../../../test/support/world.ts'
import { clientOptions } from '../connections/connect.ts'
import { execute } from './query.ts'
import { type ColumnType, type ParameterType, statement } from './statement.ts'
import { createToRow, encode } from './values.ts'

const id = '01890a5d-ac96-774b-bcce-b302099a8057'

/** A client of a database of the test, closed before that is dropped. */
async function withClient(t: TestContext, work: (client: pg.Client) => Promise<void>) {
  const { address } = await world(t)
  const client = new pg.Client(clientOptions(address, undefined))
  await client.connect()
  try {
    await work(client)
  } finally {
    await client.end()
  }
}

const array = <I>(of: fc.Arbitrary<I>) => fc.array(fc.option(of), { maxLength: 4 })
const years = { min: new Date('0001-01-02'), max: new Date('9999-12-30'), noInvalidDate: true }
const anyText = fc.string({ unit: fc.constantFrom('a', '"', '\\', ',', '{', '}', "'", ' ', 'é') })
const anyInt8 = fc.bigInt(-(2n ** 63n), 2n ** 63n - 1n)
const anyBytes = fc.uint8Array().map((bytes) => Buffer.from(bytes))

test('values arrive at PostgreSQL as they were sent, in arrays too', async (t) => {
  const takes: ParameterType[] = [
    'int8[]',
    'uuid[]',
    'timestamptz[]',
    'text[]',
    'bytea[]',
    'timestamptz',
  ]
  const text = `select ${takes.map((type, index) => `$${index + 1}::${type}`).join(', ')}`
  const values = fc.tuple(
    array(anyInt8),
    array(fc.uuid()),
    array(fc.date(years)),
    array(anyText),
    array(anyBytes),
    fc.date(years),
  )
  await withClient(t, async (client) => {
    const property = fc.asyncProperty(values, async (sent) => {
      const query = { text, values: [...encode(takes, sent)], rowMode: 'array' as const }
      const { rows } = await client.query<unknown[]>(query)
      // The driver reads int8 as text.
      const [numbers, ...others] = sent
      const asText = numbers.map((number) => number?.toString() ?? null)
      assert.deepEqual(rows[0], [asText, ...others])
    })
    await fc.assert(property, { numRuns: 200, seed: 7 })
  })
})

test('a row is what the statement declares, on its first execution and on later ones', async (t) => {
  const types = [
    'uuid',
    'text',
    'int8',
    'bool',
    'timestamptz',
    'bytea',
    'int4',
    'text[]',
    'uuid[]',
    'jsonb',
    'int2',
  ] as const
  const text = `select ${types.map((type, index) => `$${index + 1}::${type}`).join(', ')}`
  const gives = Object.fromEntries(types.map((type): [string, ColumnType] => [type, `${type}?`]))
  const made = statement(
    'test_values',
    types.map((type): ParameterType => `${type}?`),
    gives,
    text,
  )
  const values: fc.Arbitrary<unknown>[] = [
    fc.uuid(),
    anyText,
    anyInt8,
    fc.boolean(),
    fc.date(years),
    anyBytes,
    fc.integer(),
    array(anyText),
    array(fc.uuid()),
    fc.record({ a: anyText, b: fc.integer() }, { noNullPrototype: true }),
    fc.integer({ min: -32768, max: 32767 }),
  ]
  const row = fc.tuple(...values.map((value) => fc.option(value)))
  await withClient(t, async (client) => {
    const property = fc.asyncProperty(row, async (sent) => {
      const rows = await execute(client, made, sent as never)
      assert.deepEqual(rows, [Object.fromEntries(types.map((type, index) => [type, sent[index]]))])
    })
    await fc.assert(property, { numRuns: 200, seed: 7 })
    await assert.rejects(execute(client, made, [1] as never), { code: '08P01' })
    const invalid = statement('test_invalid', ['text'], { value: 'jsonb' }, 'select $1::text')
    await assert.rejects(execute(client, invalid, ['{']), SyntaxError)
    assert.deepEqual(await execute(client, invalid, ['{}']), [{ value: {} }])
  })
})

test('a column of a type that is not read is refused when it is declared', () => {
  assert.throws(() => createToRow({ times: 'timestamptz[]' }), /A column of type timestamptz/)
})

test('no item of an array of identifiers becomes two', () => {
  for (const item of [`${id},${id}`, `${id}"`, '', 'NULL', `{${id}}`]) {
    assert.throws(() => encode(['uuid[]'], [[id, item]]), TypeError, item)
  }
  assert.deepEqual(encode(['uuid[]'], [[id, null]]), [`{${id},NULL}`])
})

test('an array of texts is read with quotes and without', () => {
  const toRow = createToRow({ texts: 'text[]' })
  for (const [text, texts] of [
    ['{}', []],
    ['{customer}', ['customer']],
    ['{a b,NULL,null}', ['a b', null, 'null']],
    ['{"NULL",a}', ['NULL', 'a']],
    ['{"a,b","c\\"d","{e}",""}', ['a,b', 'c"d', '{e}', '']],
  ] as const) {
    assert.deepEqual(toRow([text]).texts, texts, text)
  }
})

test('a time is read to the millisecond, whatever its fraction', () => {
  const toRow = createToRow({ at: 'timestamptz' })
  for (const [text, iso] of [
    ['2026-01-31 09:30:00+00', '2026-01-31T09:30:00.000Z'],
    ['2026-01-31 09:30:00.1+00', '2026-01-31T09:30:00.100Z'],
    ['2026-01-31 09:30:00.123456+00', '2026-01-31T09:30:00.123Z'],
    ['2026-01-31 10:30:00.12+01', '2026-01-31T09:30:00.120Z'],
    ['2026-01-31 09:30:59.999+00', '2026-01-31T09:30:59.999Z'],
  ] as const) {
    assert.equal(toRow([text]).at.toISOString(), iso, text)
  }
})
