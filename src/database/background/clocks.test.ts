// The comparison of the two clocks on a real database, with the clock of a running service.
import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import { bank, code } from '../../../test/support/bank.ts'
import { until } from '../../../test/support/mailbox.ts'
import { systemClock } from '../../domain/clock.ts'
import { fakeClock } from '../../../test/support/clock.ts'
import { openLedger } from '../../ledger/batch/batch.ts'
import { purgeLedger } from '../../ledger/batch/purge.ts'
import { purgeOnce } from './purge.ts'
import { createLog } from '../../telemetry/log.ts'
import { beginReading, watchClocks } from './clocks.ts'

const hour = 3_600_000

async function watched(t: TestContext) {
  const { db } = await bank(t)
  const clocks = await watchClocks(
    db,
    systemClock(),
    createLog('silent', () => {}),
  )
  t.after(() => clocks.close())
  return async () => code(Promise.try(() => clocks.require()))
}

/** Lets the machine's clock be wrong: the result sets by how many milliseconds. */
function skewed(t: TestContext, of: typeof Date | typeof performance): (ms: number) => void {
  const real = of.now.bind(of)
  let skew = 0
  t.mock.method(of as { now(): number }, 'now', () => real() + skew)
  return (ms) => (skew = ms)
}

for (const aheadMs of [25 * hour, -25 * hour]) {
  test(`a wall clock that is ${aheadMs / hour} hours off is noticed at once, and so is its return`, async (t) => {
    const set = skewed(t, Date)
    const answer = await watched(t)
    assert.equal(await answer(), 'done')
    set(aheadMs)
    // When the clock is set back, the service follows its monotonic clock, which is right.
    assert.equal(await answer(), aheadMs > 0 ? 'unavailable' : 'done')
    set(0)
    await until('agreement', async () => (await answer()) === 'done')
  })
}

test('a process that was suspended for long serves nothing before it has compared the clocks again', async (t) => {
  const setMonotonic = skewed(t, performance)
  const setWall = skewed(t, Date)
  const answer = await watched(t)
  setMonotonic(3 * hour)
  setWall(3 * hour)
  assert.equal(await answer(), 'unavailable')
  setMonotonic(0)
  setWall(0)
  await until('agreement', async () => (await answer()) === 'done')
})

test('the duration of the reading is not counted as a difference', async () => {
  const database = fakeClock()
  const at = (aheadMs: number, tookMs: number) => {
    const clock = fakeClock(database.now() + aheadMs, database)
    const toTime = beginReading(clock)
    clock.advance(tookMs)
    return code(Promise.try(() => toTime(new Date())))
  }
  await Promise.all(
    (
      [
        [5000, 0, 'done'],
        [5001, 0, 'unavailable'],
        [-5000, 0, 'done'],
        [-5001, 0, 'unavailable'],
        [-7000, 2000, 'done'],
        [-7001, 2000, 'unavailable'],
        [5001, 2000, 'unavailable'],
      ] as const
    ).map(async ([aheadMs, tookMs, expected]) => {
      assert.equal(await at(aheadMs, tookMs), expected, `${aheadMs} ms ahead, ${tookMs} ms`)
    }),
  )
})

test('a batch and a purge read the clock themselves', async (t) => {
  const { db, clock: database, ledger, account, movement, balance, sql } = await bank(t)
  const clock = fakeClock(database.now(), database)
  const other = openLedger(db, clock)
  const lane = db.openLane()
  t.after(() => Promise.all([other.close(), lane.close()]))
  const [from, to] = [await account(10n), await account()]
  const keyed = movement(from, to, { key: 'k' })
  assert.equal(await code(ledger.submit(keyed)), 'done')
  for (const aheadMs of [25 * hour, -25 * hour]) {
    clock.jump(aheadMs)
    assert.equal(await code(other.submit(movement(from, to, { key: 'l' }))), 'unavailable')
    assert.equal(await code(purgeOnce(lane, clock, purgeLedger)), 'unavailable')
    clock.jump(-aheadMs)
  }
  assert.deepEqual(await sql('select key from claims'), [{ key: 'k' }])
  assert.equal((await other.submit(keyed)).isReplayed, true)
  assert.equal(await balance(to), 1n)
})

test('an account with an entry in the future refuses transfers, and does not date other accounts', async (t) => {
  const { clock, ledger, account, movement, balance, sql } = await bank(t)
  const [from, to, future] = [await account(10n), await account(), await account(10n)]
  const date = (aheadMs: number) =>
    sql('update accounts set last_entry_at = $2 where id = $1', [
      future,
      new Date(clock.now() + aheadMs),
    ])
  await date(10 * 365 * 24 * hour)
  const into = movement(from, future, { key: 'k' })
  const answers = [into, movement(future, to), movement(from, to)].map((each) =>
    code(ledger.submit(each)),
  )
  assert.deepEqual(await Promise.all(answers), ['unavailable', 'unavailable', 'done'])
  await date(5000)
  const { transfer } = await ledger.submit(into)
  assert.equal(transfer.createdAt.getTime(), clock.now() + 5000)
  assert.deepEqual([await balance(from), await balance(future)], [8n, 11n])
})
