import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import { fakeClock } from '../../test/support/clock.ts'
import type { LockHolder } from '../database/connections/lock-holder.ts'
import { type Code, type OutageCause, Refusal } from '../domain/errors.ts'
import { watchEpisodes } from './episodes.ts'
import { createLog, describeError } from './log.ts'
import { outages } from './outages.ts'

type Line = { level: number; message: string; faultCount?: number }

function watched(t: TestContext) {
  t.mock.timers.enable({ apis: ['setInterval'] })
  const lines: Line[] = []
  // The level that is written decides nothing.
  const log = createLog('error', (line) => void lines.push(JSON.parse(line) as Line))
  const clock = fakeClock()
  const episodes = watchEpisodes(log, clock)
  t.after(() => episodes.stop())
  const wait = (ms: number) => {
    clock.advance(ms)
    t.mock.timers.tick(1000)
  }
  const refuse = (code: Code, state?: string) => {
    const because = Object.assign(new Error('x'), { code: state })
    log.warn(
      { code, error: describeError(new Refusal(code, { outage: 'database', because })) },
      'refused',
    )
  }
  return { lines, log, episodes, wait, refuse }
}

test('a full disk is told once when it begins and once when no write met it for a minute', (t) => {
  const { lines, episodes, wait, refuse } = watched(t)
  for (let turn = 0; turn < 5; turn++) {
    refuse('unavailable', '53100')
    wait(59_000)
  }
  assert.deepEqual(
    lines.map(({ message }) => message),
    ['the disk of the database is full'],
  )
  assert.equal(episodes.isOpen('disk'), true)
  wait(1000)
  assert.equal(episodes.isOpen('disk'), false)
  refuse('unavailable', '53100')
  assert.deepEqual(
    lines.slice(1).map(({ message }) => message),
    ['the disk of the database has room again', 'the disk of the database is full'],
  )
})

test('an episode ends with a line of the level of its begin that counts its faults', (t) => {
  t.mock.timers.enable({ apis: ['setInterval'] })
  const lines: Line[] = []
  const log = createLog('info', (line) => void lines.push(JSON.parse(line) as Line))
  const clock = fakeClock()
  const episodes = watchEpisodes(log, clock)
  t.after(() => episodes.stop())
  for (const code of ['internal_error', 'outcome_unknown'] as const) {
    for (let turn = 0; turn < 3; turn++)
      log.error({ code, error: describeError(undefined) }, 'refused')
  }
  log.error({ error: describeError(undefined) }, 'unhandled rejection')
  log.error({ code: 'reset', attemptCount: 3 }, 'mail given up')
  clock.advance(60_000)
  t.mock.timers.tick(1000)
  const told = lines.filter(({ message }) => !/^(refused|unhandled)/.test(message))
  assert.deepEqual(
    told.map(({ level, message, faultCount }) => [level, message, faultCount]),
    [
      [50, 'a defect fails requests', undefined],
      [50, 'outcomes of changes are not known', undefined],
      [50, 'mail given up', undefined],
      [50, 'no request failed by a defect for a minute', 4],
      [50, 'no outcome was unknown for a minute', 3],
      [50, 'no mail was given up for a minute', 1],
    ],
  )
})

test('other refusals are no episode', (t) => {
  const { lines, log, refuse } = watched(t)
  for (const state of ['53200', '57P03', undefined]) refuse('unavailable', state)
  log.warn({ code: 'reset' }, 'mail not sent; will try again')
  assert.deepEqual(lines, [])
})

const holderOf = (backend: number, isCertain = true): LockHolder => ({
  backend,
  role: 'operator',
  application: 'psql',
  state: 'idle in transaction',
  relation: 'transfers',
  mode: 'AccessExclusiveLock',
  since: new Date(Date.UTC(2026, 0, 2)),
  words: 'lock table transfers',
  isCertain,
})

/** A log of outages, where the session that holds a lock is the one that is set. */
function diagnosed(t: TestContext) {
  t.mock.timers.enable({ apis: ['setInterval'] })
  type Said = { cause?: OutageCause; message: string; lock?: { backend: number } }
  const lines: Said[] = []
  const log = createLog('info', (line) => void lines.push(JSON.parse(line) as Said))
  const clock = fakeClock()
  const now = { holder: undefined as LockHolder | undefined, isAway: false, asked: 0 }
  const episodes = watchEpisodes(log, clock, async () => {
    now.asked++
    if (now.isAway) throw new Refusal('unavailable', { outage: 'read-only' })
    return now.holder
  })
  t.after(() => episodes.stop())
  const settled = () => new Promise((resolve) => void setImmediate(resolve))
  return {
    now,
    clock,
    episodes,
    async refuse(cause: OutageCause, count = 1) {
      for (let sent = 0; sent < count; sent++) log.warn({ cause, code: 'unavailable' }, 'refused')
      await settled()
    },
    async wait(ms: number) {
      clock.advance(ms)
      t.mock.timers.tick(1000)
      await settled()
    },
    said: () =>
      lines
        .filter(({ message }) => message !== 'refused')
        .map(({ cause, message, lock }) => [cause, message, lock?.backend]),
  }
}
const { lock, timeout } = outages

test('the database is asked for a lock once in three seconds, however many requests are refused', async (t) => {
  const { now, clock, refuse, said } = diagnosed(t)
  await refuse('timeout', 500)
  assert.equal(now.asked, 1)
  await refuse('pool', 500)
  assert.equal(now.asked, 1)
  clock.advance(3000)
  await refuse('timeout', 500)
  assert.equal(now.asked, 2)
  // The others are known by now.
  clock.advance(3000)
  await refuse('ibans')
  assert.equal(now.asked, 2)
  assert.equal(said().length, 3)
})

test('what is refused behind a lock is told as that lock, and each session that holds one once', async (t) => {
  const { now, clock, refuse, said, episodes } = diagnosed(t)
  now.holder = holderOf(1)
  await refuse('timeout', 3)
  await refuse('pool', 3)
  clock.advance(3000)
  now.holder = holderOf(2)
  await refuse('queue', 3)
  assert.deepEqual(said(), [
    ['lock', lock.begin, 1],
    ['lock', lock.begin, 2],
  ])
  assert.deepEqual(episodes.causes(), ['lock'])
})

test('a session that only may hold it is named where a lock is certain, and nowhere else', async (t) => {
  const { now, refuse, said } = diagnosed(t)
  now.holder = holderOf(1, false)
  await refuse('timeout')
  await refuse('lock')
  assert.deepEqual(said(), [
    ['timeout', timeout.begin, undefined],
    ['lock', lock.begin, 1],
  ])
})

test('a lock is not over before its session has let go, whether or not a request meets it', async (t) => {
  const { now, wait, refuse, said, episodes } = diagnosed(t)
  now.holder = holderOf(1)
  await refuse('lock')
  await wait(60_000)
  await wait(59_000)
  assert.deepEqual(episodes.causes(), ['lock'])
  now.holder = undefined
  await wait(1000)
  assert.deepEqual(said().at(-1), ['lock', lock.end, undefined])
  assert.deepEqual(episodes.causes(), [])
})

test('where the database cannot be asked, that is the cause', async (t) => {
  const { now, refuse, episodes } = diagnosed(t)
  now.isAway = true
  await refuse('pool')
  assert.deepEqual(episodes.causes(), ['read-only'])
})

test('an instance that closes tells of no outage', async (t) => {
  const { refuse, said } = diagnosed(t)
  await refuse('closing')
  assert.deepEqual(said(), [])
})
