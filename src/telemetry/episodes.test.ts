import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import { fakeClock } from '../../test/support/clock.ts'
import { type Code, Refusal } from '../domain/errors.ts'
import { watchEpisodes } from './episodes.ts'
import { createLog, describe } from './log.ts'

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
    log.warn({ code, error: describe(new Refusal(code, { because })) }, 'refused')
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
  assert.equal(episodes.isOpen('diskFull'), true)
  wait(1000)
  assert.equal(episodes.isOpen('diskFull'), false)
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
    for (let turn = 0; turn < 3; turn++) log.error({ code, error: describe(undefined) }, 'refused')
  }
  log.error({ error: describe(undefined) }, 'unhandled rejection')
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
