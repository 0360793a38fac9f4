// Snapshots: one state of the database, a few at the same time, and an end at the time-out.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { test } from 'node:test'
import { until } from '../../../test/support/mailbox.ts'
import { world } from '../../../test/support/world.ts'
import type { Refusal } from '../../domain/errors.ts'
import { clientOptions, serviceRole } from './connect.ts'
import { openSnapshots } from './snapshot.ts'
import { one, statement } from '../statements/statement.ts'

const gives = { given_name: 'text' } as const
const readName = statement(
  'test_read_name',
  [],
  gives,
  'select given_name from users order by id limit 1',
)
const writeName = statement(
  'test_write',
  [],
  gives,
  "update users set given_name = 'x' where username = 'ben' returning given_name",
)
const sleepLong = statement('test_sleep_long', [], gives, "select 'x' as given_name, pg_sleep(3)")

const isRefused = { code: 'unavailable' }
const isRefusedAtOnce = ({ options }: Refusal) => options.because === 'no snapshot is free'

test('a snapshot shows one state of the database, and changes nothing', async (t) => {
  const bank = await world(t)
  const snapshots = openSnapshots(() => clientOptions(bank.address, serviceRole))
  t.after(() => snapshots.close())
  const snapshot = await snapshots.open('ada')
  assert.equal((await one(snapshot, readName, []))?.given_name, 'Ada')
  await bank.sql("update users set given_name = 'Adele' where given_name = 'Ada'")
  assert.equal((await one(snapshot, readName, []))?.given_name, 'Ada')
  await assert.rejects(snapshot.run(writeName, []), isRefused)
  snapshot.close()
  await assert.rejects(snapshot.run(readName, []), isRefused)
  const later = await snapshots.open('ada')
  assert.equal((await one(later, readName, []))?.given_name, 'Adele')
  later.close()
})

test('a holder has one snapshot, and all holders together a few; a closed one makes room for the next', async (t) => {
  const bank = await world(t)
  const snapshots = openSnapshots(() => clientOptions(bank.address, serviceRole), { max: 2 })
  t.after(() => snapshots.close())
  const ada = await snapshots.open('ada')
  await assert.rejects(snapshots.open('ada'), isRefusedAtOnce)
  const ben = await snapshots.open('ben')
  await assert.rejects(snapshots.open('cleo'), isRefusedAtOnce)
  ada.close()
  ada.close()
  const again = await snapshots.open('cleo')
  await assert.rejects(snapshots.open('dora'), isRefusedAtOnce)
  const work = again.run(sleepLong, [])
  again.close()
  await assert.rejects(work, isRefused, 'a statement that runs ends with its snapshot')
  ben.close()
})

test('at its time-out a snapshot ends, idle or at work, and makes room for the next', async (t) => {
  const bank = await world(t)
  const options = clientOptions(bank.address, serviceRole)
  const snapshots = openSnapshots(() => options, { max: 1, timeoutMs: 1000 })
  t.after(() => snapshots.close())
  for (const isWorking of [false, true]) {
    const snapshot = await snapshots.open('ada')
    await one(snapshot, readName, [])
    const work = isWorking ? snapshot.run(sleepLong, []) : undefined
    work?.catch(() => {})
    await once(snapshot.signal, 'abort')
    await assert.rejects(snapshot.run(readName, []), isRefused)
    if (work) await assert.rejects(work, isRefused)
    const next = await snapshots.open('ada')
    next.close()
  }
  await until('the end of all snapshots', async () => {
    const { rows } = await bank.sql(
      `select from pg_stat_activity where datname = current_database()
         and state like 'idle in transaction%'`,
    )
    return rows.length === 0
  })
})

test('while the database is away a snapshot is refused, and does not count as open', async (t) => {
  const bank = await world(t)
  const nowhere = { ...clientOptions(bank.address, serviceRole), port: 1 }
  const snapshots = openSnapshots(() => nowhere, { max: 1 })
  t.after(() => snapshots.close())
  for (let turn = 0; turn < 3; turn++) {
    await assert.rejects(snapshots.open('ada'), ({ options }: Refusal) => {
      return options.because !== 'no snapshot is free'
    })
  }
})

test('a snapshot that is refused on its connection leaves the place to the next', async (t) => {
  const bank = await world(t)
  let isFit = false
  const before = async () => assert.ok(isFit)
  const options = clientOptions(bank.address, serviceRole)
  const snapshots = openSnapshots(() => options, { max: 1, before })
  t.after(() => snapshots.close())
  await assert.rejects(snapshots.open('ada'), isRefused)
  isFit = true
  const snapshot = await snapshots.open('ada')
  assert.equal((await one(snapshot, readName, []))?.given_name, 'Ada')
  snapshot.close()
})
