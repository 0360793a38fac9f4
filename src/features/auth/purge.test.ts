// Expired rows are deleted in batches, and no others.
import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import { beginEnrolment } from '../../../test/support/factors.ts'
import { people, world, type World } from '../../../test/support/world.ts'
import { until } from '../../../test/support/mailbox.ts'
import { openDatabase } from '../../database/connections/connect.ts'
import { purgeOnce } from '../../database/background/purge.ts'
import { purgeAuth } from './purge.ts'
import { mockTimers } from '../../../test/support/timers.ts'

const minute = 60_000
const hour = 60 * minute
const day = 24 * hour
const purge = purgeAuth({ sessionKeep: 30 * day, deviceIdle: 365 * day })

const nothing = {
  sessions: 0,
  tokens: 0,
  links: 0,
  devices: 0,
  challenges: 0,
  pending: 0,
  resets: 0,
}

const counts = async ({ sql }: World) => {
  const { rows } = await sql(
    `select (select count(*)::int from sessions) as sessions,
            (select count(*)::int from refresh_tokens) as tokens,
            (select count(*)::int from password_tokens) as links,
            (select count(*)::int from devices) as devices,
            (select count(*)::int from challenges) as challenges,
            (select count(*)::int from factors) as pending,
            (select count(*)::int from factor_resets) as resets`,
  )
  return rows[0]
}

/** A world, and the connection on which a purge runs. */
async function withLane(t: TestContext) {
  const bank = await world(t)
  const db = openDatabase(bank.address)
  const lane = db.openLane()
  t.after(() => Promise.all([lane.close(), db.close()]))
  return { bank, lane }
}

test('sessions and their tokens, links, devices and challenges are purged when they expire, to the millisecond', async (t) => {
  const { bank, lane } = await withLane(t)
  const ada = await bank.login('ada')
  await beginEnrolment(ada)
  await bank.send('POST', '/api/v1/auth/login/passkey')
  await ada.post('/api/v1/auth/logout')
  const startedAt = bank.clock.now()
  await bank.sql(
    `insert into password_tokens (user_id, token_hash, email, password_version, expires_at)
     values ($1, sha256('x'), 'ada@example.com', 0, $2)`,
    [people.ada.id, new Date(startedAt + hour)],
  )
  await bank.sql(
    `insert into factor_resets (user_id, token_hash, email, expires_at)
     values ($1, sha256('y'), 'ada@example.com', $2)`,
    [people.ada.id, new Date(startedAt + 2 * minute)],
  )
  const all = {
    sessions: 1,
    tokens: 1,
    links: 1,
    devices: 1,
    challenges: 2,
    pending: 1,
    resets: 1,
  }
  const soon = { ...all, resets: 0 }
  const later = { ...soon, challenges: 0, pending: 0 }
  const steps: [at: number, left: object][] = [
    [2 * minute - 1, all],
    [2 * minute, soon],
    [5 * minute - 1, soon],
    [5 * minute, later],
    [hour - 1, later],
    [hour, { ...later, links: 0 }],
    [12 * hour + 30 * day - 1, { ...later, links: 0 }],
    [12 * hour + 30 * day, { ...later, links: 0, sessions: 0, tokens: 0 }],
    [365 * day - 1, { ...later, links: 0, sessions: 0, tokens: 0 }],
    [365 * day, { ...later, links: 0, sessions: 0, tokens: 0, devices: 0 }],
  ]
  for (const [at, left] of steps) {
    bank.clock.advance(startedAt + at - bank.clock.now())
    await purgeOnce(lane, bank.clock, purge)
    assert.deepEqual(await counts(bank), left, `after ${at} ms`)
  }
})

test('a row that is locked stops no purge, and is purged by a later one', async (t) => {
  const { bank, lane } = await withLane(t)
  const ada = await bank.login('ada')
  await beginEnrolment(ada)
  await bank.send('POST', '/api/v1/auth/login/passkey')
  await bank.sql(
    `insert into password_tokens (user_id, token_hash, email, password_version, expires_at)
     values ($1, sha256('x'), 'ada@example.com', 0, '2026-01-03')`,
    [people.ada.id],
  )
  await bank.sql(
    `insert into factor_resets (user_id, token_hash, email, expires_at)
     values ($1, sha256('y'), 'ada@example.com', '2026-01-03')`,
    [people.ada.id],
  )
  const all = await counts(bank)
  bank.clock.advance(400 * day)
  await bank.sql('begin')
  const tables = [
    'sessions',
    'password_tokens',
    'devices',
    'challenges',
    'factors',
    'factor_resets',
  ]
  for (const table of tables) await bank.sql(`select from ${table} for update`)
  await purgeOnce(lane, bank.clock, purge)
  await bank.sql('commit')
  assert.deepEqual(await counts(bank), { ...all, tokens: 0 })
  await purgeOnce(lane, bank.clock, purge)
  assert.deepEqual(await counts(bank), nothing)
})

test('one sweep purges more than one batch, also of sessions with thousands of tokens, and skips locked rows', async (t) => {
  const { bank, lane } = await withLane(t)
  await bank.sql(
    `insert into sessions (id, user_id, created_at, last_used_at, ends_at)
     select gen_random_uuid(), $1, '2025-01-01', '2025-01-01',
            '2025-01-02'::timestamptz + number * interval '1 second'
     from generate_series(1, 1600) as number`,
    [people.ada.id],
  )
  await bank.sql(
    `insert into refresh_tokens (token_hash, session_id)
     select sha256(convert_to(s.id::text || number, 'UTF8')), s.id
     from (select id from sessions order by ends_at limit 3) s, generate_series(1, 4000) as number`,
  )
  const live = await bank.login('ada')
  await bank.sql('begin')
  await bank.sql('select from sessions order by ends_at limit 1 for update')
  await purgeOnce(lane, bank.clock, purge)
  await bank.sql('commit')
  assert.deepEqual(await counts(bank), { ...nothing, sessions: 2, tokens: 1, devices: 1 })
  await purgeOnce(lane, bank.clock, purge)
  assert.deepEqual(await counts(bank), { ...nothing, sessions: 1, tokens: 1, devices: 1 })
  assert.equal((await live.get('/api/v1/me')).status, 200)
})

test('a running service purges periodically, by its settings', async (t) => {
  mockTimers(t, 'setInterval')
  const settings = { SESSION_KEEP: '15m', DEVICE_IDLE: '20h' }
  const bank = await world(t, { settings, isPolling: true })
  await bank.login('ada')
  bank.clock.advance(12 * hour + 15 * 60_000)
  t.mock.timers.tick(10_000)
  await until('the sessions are deleted', async () => {
    return (await counts(bank))?.['sessions'] === 0
  })
  assert.deepEqual(await counts(bank), { ...nothing, devices: 1 })
  bank.clock.advance(8 * hour)
  await until('the device is deleted', async () => {
    // A tick while the purge before is still running starts none.
    t.mock.timers.tick(10_000)
    return (await counts(bank))?.['devices'] === 0
  })
})
