// The background job of the purges: what fails in it is told.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate as turn } from 'node:timers/promises'
import { bank } from '../../../test/support/bank.ts'
import { until } from '../../../test/support/mailbox.ts'
import { systemClock } from '../../domain/clock.ts'
import { type PurgeBatch, startPurge } from './purge.ts'
import { statement } from '../statements/statement.ts'

const divide = statement('test_purge_divide', ['int8'], { is: 'int8' }, 'select 1 / $1 as is')

/** Without PostgreSQL's own, such as an automatic vacuum. */
const clients = `select from pg_stat_activity
  where datname = current_database() and backend_type = 'client backend'`

test('a purge that the database refuses is told of once, and again after one that ran', async (t) => {
  const { db, sql } = await bank(t)
  const connections = async () => (await sql(clients)).length
  const before = await connections()
  const state = { divisor: 0n, runs: 0 }
  const told: unknown[] = []
  t.mock.timers.enable({ apis: ['setInterval'] })
  const purge = startPurge(
    db,
    systemClock(),
    [
      async (tx) => {
        state.runs++
        await tx.run(divide, [state.divisor])
        return false
      },
    ],
    (thrown) => void told.push((thrown as { code?: string }).code),
  )
  const runNext = async () => {
    const next = state.runs + 1
    // A tick while the run before is ending starts none.
    while (state.runs < next) {
      t.mock.timers.tick(10_000)
      await turn()
    }
  }
  await runNext()
  await runNext()
  await runNext()
  state.divisor = 1n
  await runNext()
  await runNext()
  state.divisor = 0n
  await runNext()
  await purge.stop()
  assert.deepEqual(told, ['22012', '22012'])
  await until('the end of its connection', async () => (await connections()) === before)
})

const transactionTime = statement(
  'test_purge_time',
  [],
  { at: 'text' },
  'select extract(epoch from now())::text as at',
)
const note = statement('test_purge_note', ['int8'], 'insert into noted (number) values ($1)')
const lock = statement(
  'test_purge_lock',
  [],
  { id: 'uuid' },
  'select id from users limit 1 for no key update',
)

test('batches that find nothing share a transaction, and one that changed something is committed before the next', async (t) => {
  const { db, sql } = await bank(t)
  await sql('create table noted (number int8)')
  await sql('grant insert on noted to strongroom_service')
  const times: string[] = []
  const look: PurgeBatch = async (tx) => {
    times.push((await tx.run(transactionTime, []))[0]?.at ?? '')
    return false
  }
  const noting =
    (number: bigint): PurgeBatch =>
    async (tx) => (await look(tx, 0), await tx.run(note, [number]), false)
  t.mock.timers.enable({ apis: ['setInterval'] })
  const kinds: PurgeBatch[] = [
    async (tx) => look(tx, 0),
    async (tx) => look(tx, 0),
    noting(1n),
    async (tx) => (await look(tx, 0), await tx.run(lock, []), false),
    async (tx) => look(tx, 0),
    noting(2n),
    async (tx) => (await look(tx, 0), await tx.run(divide, [0n]), false),
    async (tx) => (await noting(3n)(tx, 0), await tx.run(divide, [0n]), false),
    async (tx) => look(tx, 0),
  ]
  const told: unknown[] = []
  const purge = startPurge(db, systemClock(), kinds, (thrown) => void told.push(thrown))
  t.mock.timers.tick(10_000)
  await purge.stop()
  const order = [...new Set(times)]
  assert.deepEqual(
    times.map((time) => order.indexOf(time)),
    [0, 0, 0, 1, 2, 2, 3, 4, 5],
  )
  assert.equal(told.length, 2)
  const rows = await sql('select number::int from noted order by number')
  assert.deepEqual(rows, [{ number: 1 }, { number: 2 }])
})
