import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import { Refusal } from '../../domain/errors.ts'
import { openDatabase } from './connect.ts'
import { findUnfit, readPosition, toPosition } from './log-position.ts'
import { replaceableSnapshot, type UnusedCause, watchUse } from './read-standby.ts'
import type { Snapshot } from './snapshot.ts'
import { statement } from '../statements/statement.ts'
import { bank } from '../../../test/support/bank.ts'
import { until } from '../../../test/support/mailbox.ts'
import { mockTimers } from '../../../test/support/timers.ts'

const noAnswer = () => Promise.reject(new Refusal('unavailable', { outage: 'database' }))
const conflict = () => Promise.reject(new Refusal('unavailable', { outage: 'lock' }))
const readNothing = statement('test_read_nothing', [], {}, 'select 1')
const turn = () => new Promise<void>((resolve) => setImmediate(resolve))

/** A standby that answers, or does not. */
async function fixture(t: TestContext) {
  mockTimers(t, 'setTimeout')
  const standby = { answers: true, probes: 0 }
  const use = watchUse(() => {
    standby.probes++
    return standby.answers ? Promise.resolve() : noAnswer()
  })
  t.after(() => use.close())
  const told: (UnusedCause | undefined)[] = []
  use.onChange((cause) => told.push(cause))
  const pass = async (ms: number) => {
    t.mock.timers.tick(ms)
    await turn()
    await turn()
  }
  await turn()
  await turn()
  const read = (there: () => Promise<string>) => use.firstOf(there, async () => 'primary')
  return { standby, use, told, pass, read }
}

const answer = async () => 'standby'

test('the primary answers what fails at the standby, which is left alone and asked each second', async (t) => {
  const { standby, use, told, pass, read } = await fixture(t)
  assert.equal(await read(answer), 'standby')
  standby.answers = false
  assert.equal(await read(noAnswer), 'primary')
  assert.equal(await read(() => assert.fail('it is left alone')), 'primary')
  const { probes } = standby
  for (let second = 0; second < 5; second++) await pass(1000)
  assert.equal(standby.probes - probes, 5)
  standby.answers = true
  await pass(1000)
  assert.equal(await read(answer), 'standby')
  assert.deepEqual(told, ['no answer'])
  assert.deepEqual(use.counts(), { answered: 2, handedOver: 1 })
})

test('the end is told once the standby was used for ten seconds, and no second beginning before', async (t) => {
  const { told, pass, read } = await fixture(t)
  for (let time = 0; time < 3; time++) {
    await read(noAnswer)
    await pass(1000)
    await pass(9000)
  }
  assert.deepEqual(told, ['no answer'])
  await pass(1000)
  assert.deepEqual(told, ['no answer', undefined])
  await read(noAnswer)
  assert.deepEqual(told, ['no answer', undefined, 'no answer'])
})

test('a conflict or a defect of one statement is answered by the primary, and the standby is used on', async (t) => {
  const { use, told, read } = await fixture(t)
  assert.equal(await read(conflict), 'primary')
  assert.equal(await read(() => Promise.reject(new Error('defect'))), 'primary')
  assert.equal(await read(answer), 'standby')
  assert.deepEqual([use.isUsed(), ...told], [true])
})

test('after its end nothing is told of the standby, and it is probed no more', async (t) => {
  const { use, told, standby, pass, read } = await fixture(t)
  await read(noAnswer)
  await pass(1000)
  assert.deepEqual([use.isUsed(), told], [true, ['no answer']])
  use.close()
  await pass(10_000)
  await read(noAnswer)
  const { probes } = standby
  await pass(10_000)
  assert.deepEqual([told, standby.probes], [['no answer'], probes])
})

/** As {@link openSnapshots} gives one: the signal is that of its time-out alone. */
function openSnapshot(name: string, fails: () => boolean) {
  const timeout = new AbortController()
  let isOpen = true
  const snapshot = {
    signal: timeout.signal,
    async run() {
      if (!isOpen) throw new Refusal('unavailable', { outage: 'capacity' })
      return fails() ? noAnswer() : [name]
    },
    close: () => void (isOpen = false),
  }
  return { snapshot: snapshot as unknown as Snapshot, timeout, isOpen: () => isOpen }
}

/** A snapshot at a standby that answers until it is told not to. */
function replaceable() {
  const standby = { answers: true, opened: 0 }
  const there = openSnapshot('standby', () => !standby.answers)
  const here = openSnapshot('primary', () => false)
  const openHere = async () => {
    standby.opened++
    await turn()
    return here.snapshot
  }
  const firstOf = <R>(one: () => Promise<R>, other: () => Promise<R>) => one().catch(other)
  const snapshot = replaceableSnapshot(there.snapshot, { firstOf }, openHere)
  const run = () => snapshot.run(readNothing, [])
  return { standby, there, here, snapshot, run }
}

test('a snapshot is replaced once, by the first statement that fails at the standby', async () => {
  const { standby, there, here, snapshot, run } = replaceable()
  assert.deepEqual([await run(), standby.opened], [['standby'], 0])
  standby.answers = false
  assert.deepEqual(await Promise.all([run(), run()]), [['primary'], ['primary']])
  standby.answers = true
  assert.deepEqual([await run(), standby.opened], [['primary'], 1], 'it stays where it is')
  assert.deepEqual([there.isOpen(), here.isOpen(), snapshot.signal.aborted], [false, true, false])
  here.timeout.abort('late')
  assert.equal(snapshot.signal.reason, 'late')
  snapshot.close()
  assert.equal(here.isOpen(), false)
})

test('a snapshot is not replaced after its end, and one that is opened meanwhile is closed', async () => {
  for (const end of ['closed', 'aborted'] as const) {
    const { standby, there, snapshot, run } = replaceable()
    // The time-out closes it before it tells so.
    if (end === 'closed') snapshot.close()
    else {
      there.snapshot.close()
      there.timeout.abort('late')
    }
    assert.deepEqual([there.isOpen(), snapshot.signal.aborted], [false, end === 'aborted'])
    await assert.rejects(run(), { code: 'unavailable' }, end)
    assert.equal(standby.opened, 0, end)
  }
  const { standby, here, snapshot, run } = replaceable()
  standby.answers = false
  const refused = assert.rejects(run(), { code: 'unavailable' })
  for (let turn = 0; turn < 100 && standby.opened === 0; turn++) await Promise.resolve()
  snapshot.close()
  await refused
  assert.deepEqual([standby.opened, here.isOpen()], [1, false])
})

test('a server that is no standby is left alone, says so, and the primary answers', async (t) => {
  const { address } = await bank(t)
  const db = openDatabase(address, { standby: address })
  t.after(() => db.close())
  const { readStandby = assert.fail() } = db
  const told: (UnusedCause | undefined)[] = []
  readStandby.onChange((cause) => told.push(cause))
  await until('it is told', () => told.length > 0)
  assert.deepEqual([told, readStandby.isUsed()], [['no standby'], false])
  await db.onBehalfOf('ada', db.readStandby?.openRequest()).run(readNothing, [])
  assert.deepEqual(readStandby.counts(), { answered: 0, handedOver: 0 })
})

test('a refusal for want of a place is that of the caller', async (t) => {
  const { read } = await fixture(t)
  const refused = () => Promise.reject(new Refusal('unavailable', { outage: 'capacity' }))
  await assert.rejects(read(refused), { code: 'unavailable' })
})

test('a position is compared within one system and one timeline, at a standby', () => {
  const wanted = { system: 7n, timeline: '00000002', at: 100n }
  const found = { ...wanted, isStandby: true }
  assert.equal(findUnfit(found, wanted), undefined)
  assert.equal(findUnfit({ ...found, at: 101n }, wanted), undefined)
  assert.equal(findUnfit({ ...found, at: 99n }, wanted), 'behind')
  assert.equal(findUnfit({ ...found, at: null }, wanted), 'behind')
  assert.equal(findUnfit({ ...found, at: 200n, timeline: '00000001' }, wanted), 'another timeline')
  assert.equal(findUnfit({ ...found, at: 200n, timeline: '00000003' }, wanted), 'another timeline')
  assert.equal(findUnfit({ ...found, system: 8n }, wanted), 'another system')
  assert.equal(findUnfit({ ...found, isStandby: false }, wanted), 'no standby')
})

test('a connection tells its system and timeline, also after a transaction that was undone', async (t) => {
  const { db, sql } = await bank(t)
  const lane = db.openLane()
  t.after(() => lane.close())
  const connection = await lane.forTransaction()
  const ask = async () => {
    const [row = assert.fail()] = await connection.run(readPosition, [['now']])
    assert.equal(row.id, 'now')
    return toPosition(row)
  }
  await connection.command('begin')
  const asked = [await ask()]
  await connection.command('rollback')
  asked.push(await ask(), await ask())
  const [server] = await sql(
    `select system_identifier::text as system, left(pg_walfile_name('0/1'), 8) as timeline
     from pg_control_system()`,
  )
  for (const { system, timeline, at } of asked) {
    assert.deepEqual({ system: `${system}`, timeline }, { ...server })
    assert.ok(at > 0n)
  }
})
