// The comparison of the two clocks on a real database, with the clock of a running service.
import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import { bank, code } from '../../../test/support/bank.ts'
import { until } from '../../../test/support/mailbox.ts'
import { systemClock } from '../../domain/clock.ts'
import { Refusal } from '../../domain/errors.ts'
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

test('two readings without an answer are an outage, which is told once by its reason, and its end once', async (t) => {
  t.mock.timers.enable({ apis: ['setInterval'] })
  const clock = fakeClock()
  const failing: unknown[] = []
  const row = () => ({ at: new Date(clock.now()), zones: '', since: null, kind: null })
  const lane = {
    run: async () => (failing.length > 0 ? Promise.reject(failing.shift()) : [row()]),
    close: async () => {},
  }
  const told: string[] = []
  const note = (fields: object, message: string) =>
    void told.push(`${message}: ${Object.values(fields).join(' ')}`)
  const log = {
    error: note,
    over: (_: string, fields: object, message: string) => note(fields, message),
  }
  const clocks = await watchClocks({ openLane: () => lane } as never, clock, log)
  t.after(() => clocks.close())
  const next = async () => {
    t.mock.timers.tick(1000)
    for (let turn = 0; turn < 3; turn++) await new Promise((resolve) => setImmediate(resolve))
  }
  const coded = (code: unknown) => Object.assign(new Error('10.0.0.7 is away'), { code })
  const refusal = (because?: unknown) => new Refusal('unavailable', { outage: 'database', because })
  for (const [thrown, reason] of [
    [coded('57P03'), '57P03'],
    [refusal(coded('57P03')), '57P03'],
    [refusal(coded('ECONNREFUSED')), 'ECONNREFUSED'],
    [refusal(coded(7)), 'no answer'],
    [refusal('10.0.0.7 is away'), 'no answer'],
    [refusal(), 'no answer'],
  ]) {
    failing.push(thrown, thrown, thrown)
    const seen: boolean[] = []
    for (let turn = 0; turn < 5; turn++) {
      await next()
      seen.push(clocks.isReachable())
    }
    assert.deepEqual(seen, [true, false, false, true, true], String(reason))
    const lines = [`the database is out of reach: ${reason}`, 'the database is back: ']
    assert.deepEqual(told.splice(0), lines)
  }
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
