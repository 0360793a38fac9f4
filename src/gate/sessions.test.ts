// When a session ends, to the millisecond, and what counts as its activity; below the interface.
import assert from 'node:assert/strict'
import { readConfig } from '../config/config.ts'
import { after, test } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import { createActivity } from './activity.ts'
import { bank, code, sessions } from '../../test/support/bank.ts'
import { fakeClock } from '../../test/support/clock.ts'
import { people } from '../../test/support/people.ts'
import type { Database } from '../database/connections/connect.ts'
import { transaction } from '../database/connections/transaction.ts'
import {
  endedAt,
  endSessionsOfUser,
  readSessionsByHandle,
  type SessionState,
  writeActivity,
  writeExpiry,
} from './live-sessions.ts'
import { createSessions } from './sessions.ts'

const { account, db, sql } = await bank({ after })

const start = Date.UTC(2026, 0, 2, 9)
const idle = 300_000
const settings = { ...readConfig({}), sessionIdle: idle }
const at = (ms: number) => new Date(start + ms)

/** A live session of Ada's that was used last at the start and ends after an hour. */
const live: SessionState = {
  user_id: people.ada.id,
  username: 'ada',
  roles: ['customer'],
  status: 'active',
  last_used_at: at(0),
  ends_at: at(3_600_000),
  ended_because: null,
  revoked_kids: null,
  has_factor: false,
  user_created_at: at(0),
  is_restricted: false,
  issuer: null,
  issuer_factor: false,
}

test('inside a transaction a session is refused by each of its conditions alone', () => {
  const acting = { userId: people.ada.id, kid: 'key' }
  const last = start + 3_599_999
  const cases: [what: string, refusal: string | undefined, Parameters<typeof endedAt>][] = [
    ['alive to its last millisecond', undefined, [live, acting, last]],
    ['at its end', 'session_expired', [live, acting, last + 1]],
    ['unknown', 'unauthenticated', [undefined, acting, start]],
    ["another user's", 'unauthenticated', [{ ...live, user_id: people.ben.id }, acting, start]],
    ['of a revoked key', 'unauthenticated', [{ ...live, revoked_kids: ['key'] }, acting, start]],
    ['of another key', undefined, [{ ...live, revoked_kids: ['other'] }, acting, start]],
    ['ended', 'session_revoked', [{ ...live, ended_because: 'logout' }, acting, start]],
    ['expired', 'session_expired', [{ ...live, ended_because: 'expired' }, acting, start]],
    ['of a disabled user', 'session_revoked', [{ ...live, status: 'disabled' }, acting, start]],
  ]
  for (const [what, refusal, asked] of cases) assert.equal(endedAt(...asked), refusal, what)
})

/** A database that gives that session; unless `isEnding`, it does not write its end. */
const showing = (read: () => SessionState | Promise<SessionState>, isEnding = false): Database => {
  const run = async (_: unknown, [, now, idleSince]: [string, Date, Date]) => {
    assert.equal(now.getTime() - idleSince.getTime(), idle)
    return isEnding ? [{ id: sessions.ada }] : []
  }
  return {
    run,
    lookup: async () => [await read()],
    runTransaction: async (work: (tx: Database) => unknown) => work({ run } as never),
  } as never
}

const check = (state: Partial<SessionState>, ms: number, isEnding = false) => {
  const clock = fakeClock(start + ms)
  let reads = 0
  // After its end was not written, the session is read again: now it was used at this moment.
  const read = () => (reads++ === 0 ? { ...live, ...state } : { ...live, last_used_at: at(ms) })
  const opened = createSessions(showing(read, isEnding), clock, settings)
  return opened.check(sessions.ada, people.ada.id, 'key').then(() => reads)
}

test('the gate lets a session in to the last millisecond of its idle time and of its life', async () => {
  assert.equal(await check({}, idle - 1), 1)
  assert.equal(await check({}, idle), 2, 'its end is written, unless it was used meanwhile')
  const lastUsed = { last_used_at: at(3_500_000) }
  assert.equal(await check(lastUsed, 3_599_999), 1)
  assert.equal(await code(check(lastUsed, 3_600_000, true)), 'session_expired')
  assert.equal(await code(check({}, idle, true)), 'session_expired')
  await assert.rejects(check({ ...lastUsed, user_id: people.ben.id }, 3_500_001))
  await assert.rejects(check({ ...lastUsed, revoked_kids: ['key'] }, 3_500_001))
})

test('checks of cookies that arrive together share one statement, and each gets its own session', async () => {
  const give = (id: string, handle: string) =>
    sql(
      `update sessions set handle_hash = sha256(convert_to($2, 'utf8')), last_used_at = $3,
         ends_at = $4
       where id = $1`,
      [id, handle, at(0), at(60_000)],
    )
  await give(sessions.ada, 'handle of Ada')
  await give(sessions.ben, 'handle of Ben')
  const checks = createSessions(db, fakeClock(start), settings)
  const before = db.lookupCounts(readSessionsByHandle)
  const [asked, sent] = [before.asked, before.sent]
  const found = await Promise.all(
    ['handle of Ada', 'handle of Ben', 'handle of Ada', 'forged'].map(checks.checkHandle),
  )
  await checks.close()
  assert.deepEqual(
    found.map((session) => session?.sessionId),
    [sessions.ada, sessions.ben, sessions.ada, undefined],
  )
  const counts = db.lookupCounts(readSessionsByHandle)
  assert.deepEqual([counts.asked - asked, counts.sent - sent], [4, 1])
})

test('activity that is written while the session is read is not overlooked', async () => {
  const clock = fakeClock(start)
  const opened = createSessions(
    showing(async () => {
      await opened.flush()
      return live
    }, true),
    clock,
    settings,
  )
  const session = await opened.check(sessions.ada, people.ada.id, 'key')
  clock.advance(idle - 1)
  void opened.touch({ ...session, idleEndsAt: Infinity })
  clock.advance(1)
  await opened.check(sessions.ada, people.ada.id, 'key')
})

test('activity that could not be written counts, and is written later', async () => {
  const clock = fakeClock(start)
  let isAway = true
  const { promise: answer, resolve: giveUp } = Promise.withResolvers<Error>()
  const written: unknown[][] = []
  const away = {
    ...showing(() => live),
    runTransaction: async (work: (tx: unknown) => unknown) => {
      if (isAway) throw await answer
      return work({ run: async (_: unknown, values: unknown[]) => void written.push(values) })
    },
  } as never
  const opened = createSessions(away, clock, settings)
  const session = await opened.check(sessions.ada, people.ada.id, 'key')
  clock.advance(idle - 1)
  void opened.touch({ ...session, idleEndsAt: Infinity })
  const writing = opened.flush()
  clock.advance(1)
  await opened.check(sessions.ada, people.ada.id, 'key')
  giveUp(new Error('away'))
  await writing
  await opened.check(sessions.ada, people.ada.id, 'key')
  isAway = false
  await opened.flush()
  assert.deepEqual(written, [[[sessions.ada], [at(idle - 1)]]])
})

test('an answer waits for its own activity to be written, in the last twenty seconds of the idle time', async () => {
  const written: unknown[][] = []
  const parts = {
    ...showing(() => live),
    runTransaction: async (work: (tx: unknown) => unknown) =>
      work({ run: async (_: unknown, values: unknown[]) => void written.push(values) }),
  } as never
  const opened = createSessions(parts, fakeClock(start), settings)
  const session = await opened.check(sessions.ada, people.ada.id, 'key')
  const ofBen = { ...session, sessionId: sessions.ben }
  assert.equal(opened.touch({ ...ofBen, idleEndsAt: start + 20_000 }), undefined)
  await opened.touch({ ...session, idleEndsAt: start + 19_999 })
  assert.deepEqual(written, [[[sessions.ada], [at(0)]]])
})

const readSession = async (id: string) =>
  (await sql('select last_used_at, ended_because, generation from sessions where id = $1', [id]))[0]

/** A session of Ada's that was used last at the start and ends a minute later. */
async function newSession(): Promise<string> {
  const [row] = await sql(
    `insert into sessions (id, user_id, created_at, last_used_at, ends_at)
     values (gen_random_uuid(), $1, $2, $2, $3) returning id`,
    [people.ada.id, at(0), at(60_000)],
  )
  return row?.['id'] as string
}

test('activity is written by one statement at a time, however often it is asked for', async () => {
  const answers: (() => void)[] = []
  const runTransaction = () => new Promise<void>((resolve) => void answers.push(resolve))
  const activity = createActivity({ runTransaction } as never, writeActivity, 3_600_000)
  const flushes: Promise<void>[] = []
  for (let use = 1; use <= 3; use++) {
    activity.note(sessions.ada, use)
    flushes.push(activity.flush())
  }
  await setImmediate()
  assert.equal(answers.length, 1)
  answers[0]?.()
  await flushes[0]
  await setImmediate()
  assert.deepEqual([answers.length, activity.notedAt(sessions.ada)], [2, 3])
  answers[1]?.()
  await Promise.all(flushes)
  assert.equal(activity.notedAt(sessions.ada), 3, 'until the next write begins')
  await activity.close()
})

test('much activity is written in pieces, each sorted, and what is not written counts on', async () => {
  const pieces: string[][] = []
  let isAway = false
  const parts = {
    runTransaction: async (work: (tx: unknown) => Promise<unknown>) => {
      if (isAway) throw new Error('away')
      isAway = pieces.length === 2
      return work({ run: async (_: unknown, [ids]: [string[]]) => void pieces.push(ids) })
    },
  }
  const activity = createActivity(parts as never, writeActivity, 3_600_000)
  const ids = Array.from({ length: 1700 }, (_, at) => `id ${(at * 7) % 1700}`)
  for (const id of ids) activity.note(id, 5)
  await activity.flush()
  assert.equal(pieces.length, 3, 'the database went away')
  const written = new Set(pieces.flat())
  assert.equal(written.size, 1500)
  isAway = false
  for (const id of ids) assert.equal(activity.notedAt(id), 5)
  await activity.flush()
  const left = ids.filter((id) => !written.has(id))
  assert.deepEqual(pieces[3], left.toSorted(), 'those alone, once')
  for (const piece of pieces) assert.deepEqual(piece, piece.toSorted())
  await activity.close()
})

test('activity is written within its interval, a tenth at a time, each session once in it', async (t) => {
  let now = 0
  t.mock.timers.enable({ apis: ['setInterval'] })
  const written: [number, string[]][] = []
  const parts = {
    runTransaction: async (work: (tx: unknown) => Promise<unknown>) =>
      work({ run: async (_: unknown, [ids]: [string[]]) => void written.push([now, ids]) }),
  }
  const activity = createActivity(parts as never, writeActivity, 1000)
  while (now < 2000) {
    for (let use = 0; use < 10; use++) activity.note('busy', now)
    if (now < 1000) activity.note(`used at ${now}`, now)
    now += 50
    t.mock.timers.tick(50)
    await setImmediate()
  }
  const of = (name: string) => written.flatMap(([at, ids]) => (ids.includes(name) ? at : []))
  assert.deepEqual(of('busy'), [900, 1800])
  for (let used = 0; used < 1000; used += 50) {
    const [at = Infinity, ...more] = of(`used at ${used}`)
    assert.deepEqual([at > used && at <= used + 1000, more], [true, []], `${used}: ${at}`)
  }
  assert.ok(
    written.every(([, ids]) => ids.length <= 3),
    'and never all at once',
  )
  await activity.close()
})

test('activity that could not be written is tried again a tenth of a second later', async (t) => {
  t.mock.timers.enable({ apis: ['setInterval'] })
  const tried: string[][] = []
  const parts = {
    runTransaction: async (work: (tx: unknown) => Promise<unknown>) => {
      await work({ run: async (_: unknown, [ids]: [string[]]) => void tried.push(ids) })
      if (tried.length < 3) throw new Error('away')
    },
  }
  const activity = createActivity(parts as never, writeActivity, 10_000)
  activity.note('other', 1)
  await activity.write('due', 1)
  for (let turn = 0; turn < 4; turn++) {
    t.mock.timers.tick(100)
    await setImmediate()
  }
  assert.deepEqual(tried, [['due'], ['due'], ['due']])
  assert.equal(activity.notedAt('other'), 1)
  await activity.close()
})

test('what waits to be written when a service ends is written then', async () => {
  const id = await newSession()
  const activity = createActivity(db, writeActivity, 3_600_000)
  activity.note(id, start + 7)
  await activity.close()
  assert.deepEqual((await readSession(id))?.['last_used_at'], at(7))
})

test('within a transaction a session is let in to the last millisecond of its life, and refused by why it is not', async () => {
  const [id, ended] = [await newSession(), await newSession()]
  await sql(`update sessions set ended_at = now(), ended_because = 'logout' where id = $1`, [ended])
  const clock = fakeClock(start + 59_999)
  const made = createSessions(db, clock, settings)
  const judge = (sessionId: string, userId: string = people.ada.id) =>
    transaction(db, (tx) =>
      made.checkLocked(tx, { sessionId, userId, kid: null }, { people: [userId] }),
    )
  const found = await judge(id)
  assert.deepEqual([found.sessionId, found.userId], [id, people.ada.id])
  assert.equal(await code(judge(ended)), 'session_revoked')
  assert.equal(await code(judge(id, people.ben.id)), 'unauthenticated')
  assert.equal(await code(judge(people.ada.id)), 'unauthenticated', 'there is none')
  clock.advance(1)
  assert.equal(await code(judge(id)), 'session_expired')
  await made.close()
})

test('urgent activity, one after the other without an end, keeps no other from being written', async (t) => {
  t.mock.timers.enable({ apis: ['setInterval'] })
  const written: string[] = []
  let isOver = false
  const parts = {
    runTransaction: async (work: (tx: unknown) => Promise<unknown>) => {
      await setImmediate()
      // Another one is asked for while this one is written.
      if (!isOver) void activity.write('due', 1)
      await work({ run: async (_: unknown, [ids]: [string[]]) => void written.push(...ids) })
    },
  }
  const activity = createActivity(parts as never, writeActivity, 200)
  activity.note('other', 1)
  void activity.write('due', 1)
  for (let turn = 0; turn < 4; turn++) {
    t.mock.timers.tick(100)
    await setImmediate()
  }
  isOver = true
  assert.ok(written.includes('other'), written.join(' '))
  await activity.close()
})

test('activity moves a time forward only, and never that of an ended session', async () => {
  const id = await newSession()
  const write = (ms: number) => transaction(db, (tx) => tx.run(writeActivity, [[id], [at(ms)]]))
  await write(2)
  assert.deepEqual((await readSession(id))?.['last_used_at'], at(2))
  await write(1)
  assert.deepEqual((await readSession(id))?.['last_used_at'], at(2))
  await sql(`update sessions set ended_at = now(), ended_because = 'logout' where id = $1`, [id])
  await write(3)
  assert.deepEqual((await readSession(id))?.['last_used_at'], at(2))
})

test('an end is written only for a session whose time is over, and over no other reason', async () => {
  const id = await newSession()
  const expire = async (nowMs: number, idleSinceMs: number) =>
    (await transaction(db, (tx) => tx.run(writeExpiry, [id, at(nowMs), at(idleSinceMs)]))).length
  assert.equal(await expire(59_999, -1), 0, 'alive by both of its times')
  const undo = `update sessions set ended_at = null, ended_because = null where id = $1`
  assert.equal(await expire(59_999, 0), 1, 'idle since the start')
  await sql(undo, [id])
  assert.equal(await expire(60_000, -1), 1, 'at its absolute end')
  await sql(undo, [id])
  await sql(`update sessions set ended_at = now(), ended_because = 'logout' where id = $1`, [id])
  assert.equal(await expire(60_000, 0), 0)
  assert.equal((await readSession(id))?.['ended_because'], 'logout')
})

test('ending all sessions of a user keeps the one that is named, if it is theirs and lives', async () => {
  const [kept, ended] = [await newSession(), await newSession()]
  await sql(`update sessions set ended_at = now(), ended_because = 'logout' where id = $1`, [ended])
  const generation = async (id: string) => (await readSession(id))?.['generation'] as number
  const before = await generation(kept)
  await transaction(db, (tx) =>
    endSessionsOfUser(tx, people.ada.id, { now: start, keep: ended, by: 'owner' }),
  )
  assert.deepEqual([await generation(ended), await generation(kept)], [before, before])
  await transaction(db, (tx) =>
    endSessionsOfUser(tx, people.ada.id, { now: start, keep: sessions.ben, by: 'owner' }),
  )
  assert.equal(await generation(sessions.ben), before)
  await transaction(db, (tx) =>
    endSessionsOfUser(tx, people.ada.id, { now: start, keep: kept, by: 'owner' }),
  )
  assert.equal(await generation(kept), before + 3)
})

test('the end of all sessions of a person locks the accounts on which something is asked for, and no other', async () => {
  const now = at(0)
  const later = at(1)
  const made: Record<string, string> = {}
  const add = async (what: string, set: string, values: unknown[] = []) => {
    made[what] = await account()
    await sql(`update accounts set ${set} where id = $1`, [made[what], ...values])
  }
  const invite = async (what: string, set: string) => {
    await add(what, 'name = null')
    await sql(
      `insert into account_members (id, account_id, person_id, username, rights, invited_at,
         expires_at)
       values (gen_random_uuid(), $1, $2, 'ben', 'view', $3, $4)`,
      [made[what], people.ben.id, now, at(3_600_000)],
    )
    await sql(`update account_members set ${set} where account_id = $1`, [made[what]])
  }
  await add('nothing', 'name = null')
  await add('limits in force', 'next_per_day = 1, next_limits_at = $2', [now])
  await add('limits to come', 'next_per_day = 1, next_limits_at = $2', [later])
  await add('signatures in force', 'next_signatures_from = 1, next_signatures_at = $2', [now])
  await add('signatures to come', 'next_signatures_from = 1, next_signatures_at = $2', [later])
  await invite('an invitation', `username = 'ben'`)
  await invite('a member', 'accepted_at = invited_at')
  await invite(
    'no member any more',
    `accepted_at = invited_at, ended_at = now(), ended_by = 'owner'`,
  )
  await invite('an invitation that has ended', `ended_at = now(), ended_by = 'owner'`)
  const locked = await transaction(db, async (tx) => {
    await endSessionsOfUser(tx, people.ada.id, { now: start, by: 'owner' })
    const free = await sql(
      'select id from accounts where owner_id = $1 for no key update skip locked',
      [people.ada.id],
    )
    const ids = new Set(free.map(({ id }) => id))
    return Object.keys(made).filter((what) => !ids.has(made[what]))
  })
  assert.deepEqual(locked, ['limits to come', 'signatures to come', 'an invitation'])
})
