// An invitation whose session or signing key was revoked since: it may have been a thief's.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { assertSound, sceneIn } from '../../../test/support/fixture.ts'
import { readMails } from '../../../test/support/mailbox.ts'
import { people, type Span, world } from '../../../test/support/world.ts'
import { rotateSigningKey } from '../../gate/provision.ts'
import { openDatabase } from '../../database/connections/connect.ts'
import { transaction } from '../../database/connections/transaction.ts'
import { purgeAuth } from '../auth/purge.ts'
import { endAll } from '../auth/revoke-all.ts'
import { sweepMembers } from './sweep.ts'

const minute = 60_000
const day = 24 * 60 * minute

async function membersScene(t: Span) {
  const settings = { MEMBERS: 'on', LIMITS: '{"login":{"attempts":"100000/1h"}}' }
  const bank = await sceneIn(await world(t, { settings }), '500.00')
  const { address, clock, sql, from, login } = bank
  const path = `/api/v1/accounts/${from}/members`
  const inviteBy = async (by: typeof bank.ada, username: string): Promise<string> => {
    const reply = await by.post(path, { username, rights: 'pay' })
    assert.equal(reply.status, 201, reply.text)
    return reply.body.id as string
  }
  const accept = async (by: 'ben' | 'both', id: string) =>
    (await login(by)).post(`/api/v1/members/${id}/accept`)
  const within = async (work: Parameters<typeof transaction<unknown>>[1]) => {
    const db = openDatabase(address)
    const result = await transaction(db, work)
    await db.close()
    return result
  }
  const sweep = () => within((tx) => sweepMembers(tx, clock.now()))
  const read = async (id: string) => {
    const { rows } = await sql(
      `select ended_by, ended_at, (
         select array_agg(address || ' ' || detail) from audit_events
         where action = 'endMember' and detail like m.id || '%') as trail
       from account_members m where id = $1`,
      [id],
    )
    return rows[0]
  }
  return { ...bank, path, inviteBy, accept, within, sweep, read }
}
type MembersScene = Awaited<ReturnType<typeof membersScene>>
type Voice = MembersScene['ada']

/** What ends the session that invited, and whether it may have been a thief's. */
const ends: Record<
  string,
  { end(bank: MembersScene, by: Voice): Promise<unknown>; isRevoked: boolean }
> = {
  'its person revokes it': {
    end: async ({ login }, { sessionId }) =>
      (await login('ada')).delete(`/api/v1/auth/sessions/${sessionId}`),
    isRevoked: true,
  },
  'staff revoke it': {
    end: async ({ login }, { sessionId }) =>
      (await login('root')).delete(`/api/v1/admin/sessions/${sessionId}`),
    isRevoked: true,
  },
  'its refresh token is used again': {
    async end({ send, clock }, { refreshToken }) {
      const refresh = () => send('POST', '/api/v1/auth/refresh', { body: { refreshToken } })
      assert.equal((await refresh()).status, 200)
      clock.advance(10_001)
      assert.equal((await refresh()).status, 401)
    },
    isRevoked: true,
  },
  'all sessions of the bank end': {
    end: ({ within, clock }) => within((tx) => endAll(tx, clock.now())),
    isRevoked: true,
  },
  'it is over, and then staff revoke it': {
    async end({ login }, by) {
      await by.post('/api/v1/auth/logout')
      await (await login('root')).delete(`/api/v1/admin/sessions/${by.sessionId}`)
    },
    isRevoked: true,
  },
  'its person logs out': { end: (_, by) => by.post('/api/v1/auth/logout'), isRevoked: false },
  'it expires': { end: async ({ clock }) => clock.advance(day), isRevoked: false },
  'it is of an earlier release, and revoked': {
    async end({ login, sql }, { sessionId }) {
      await sql('update account_members set inviter_session_id = null where ended_at is null')
      await (await login('ada')).delete(`/api/v1/auth/sessions/${sessionId}`)
    },
    isRevoked: false,
  },
}

test('an invitation is not accepted once the session that sent it is revoked, and is when it is over', async (t) => {
  const bank = await membersScene(t)
  const { login, inviteBy, accept, sweep, read, clock, sql } = bank
  for (const [what, { end, isRevoked }] of Object.entries(ends)) {
    const [by, other] = [await login('ada'), await login('ada')]
    const id = await inviteBy(by, 'ben')
    const unknown = await inviteBy(by, 'somebody')
    const another = await inviteBy(other, 'both')
    await end(bank, by)
    if (what !== 'all sessions of the bank end') {
      assert.equal((await accept('both', another)).status, 200, what)
    }
    const accepted = await accept('ben', id)
    const expected = isRevoked ? [404, 'not_found'] : [200, undefined]
    assert.deepEqual([accepted.status, accepted.body.code], expected, what)
    const mailed = (await readMails(bank)).length
    assert.equal(await sweep(), isRevoked, what)
    assert.equal(await sweep(), false, what)
    for (const one of [id, unknown]) {
      const swept = {
        ended_by: 'revocation',
        ended_at: new Date(clock.now()),
        trail: [`service ${one}`],
      }
      const kept = { ended_by: null, ended_at: null, trail: null }
      assert.deepEqual(await read(one), isRevoked ? swept : kept, what)
    }
    assert.equal((await readMails(bank)).length, mailed, 'an invitation ends without a mail')
    await sql(
      `update account_members set ended_at = $1, ended_by = 'owner' where ended_at is null`,
      [new Date(clock.now())],
    )
    clock.advance(minute)
  }
  await assertSound(bank)
})

test('the same name is invited anew at once when the session that invited it was revoked', async (t) => {
  const { login, inviteBy, accept, read, clock } = await membersScene(t)
  const by = await login('ada')
  const lapsed = await inviteBy(by, 'both')
  clock.advance(7 * day)
  const thief = await login('ada')
  const first = await inviteBy(thief, 'ben')
  const ada = await login('ada')
  for (const { sessionId } of [by, thief]) await ada.delete(`/api/v1/auth/sessions/${sessionId}`)
  const second = await inviteBy(ada, 'ben')
  assert.equal((await accept('ben', first)).body.code, 'not_found')
  assert.equal((await accept('ben', second)).status, 200)
  assert.equal((await read(first))?.['ended_by'], 'revocation')
  assert.equal((await read(lapsed))?.['ended_by'], 'time', 'it had lapsed before')
})

test('a session that an open invitation names is not purged before its end', async (t) => {
  const { path, login, inviteBy, accept, within, sweep, clock, sql } = await membersScene(t)
  const [by, accepting, changing] = [await login('ada'), await login('ada'), await login('ada')]
  const id = await inviteBy(by, 'ben')
  assert.equal((await changing.patch(`${path}/${id}`, { rights: 'view' })).status, 200)
  assert.equal((await accept('both', await inviteBy(accepting, 'both'))).status, 200)
  const purge = () =>
    within((tx) => purgeAuth({ sessionKeep: 0, deviceIdle: 365 * day })(tx, clock.now()))
  const isKept = async ({ sessionId }: Voice) =>
    (await sql('select from sessions where id = $1', [sessionId])).rows.length === 1
  clock.advance(5 * day)
  await purge()
  const kept = [await isKept(by), await isKept(changing), await isKept(accepting)]
  assert.deepEqual(kept, [true, true, false])
  await (await login('root')).delete(`/api/v1/admin/users/${people.ada.id}/sessions`)
  assert.equal((await accept('ben', id)).body.code, 'not_found')
  await sweep()
  await purge()
  assert.equal(await isKept(by), false)
})

test('an invitation is not accepted once the key is revoked that signed the token of its sender', async (t) => {
  const bank = await membersScene(t)
  const { address, login, inviteBy, accept, sweep, read, clock, sql } = bank
  const ada = await login('ada')
  const [id, ofEarlierRelease] = [await inviteBy(ada, 'ben'), await inviteBy(ada, 'both')]
  await sql('update account_members set inviter_kid = null where id = $1', [ofEarlierRelease])
  assert.equal(await sweep(), false)
  await rotateSigningKey(address, clock.now(), { isRevoking: true })
  assert.equal((await accept('ben', id)).body.code, 'not_found')
  assert.equal((await accept('both', ofEarlierRelease)).status, 200)
  assert.equal(await sweep(), true)
  const swept = {
    ended_by: 'revocation',
    ended_at: new Date(clock.now()),
    trail: [`service ${id}`],
  }
  assert.deepEqual(await read(id), swept)
  await assertSound(bank)
})

test('an invitation ends with the session, or the key, that changed it last', async (t) => {
  const bank = await membersScene(t)
  const { path, login, inviteBy, accept, sweep, sql, clock } = bank
  const change = async (by: Voice, id: string, body: object = { rights: 'pay' }) =>
    (await by.patch(`${path}/${id}`, body)).status
  const owner = await login('ada')
  const revoke = async ({ sessionId }: Voice) => {
    assert.equal((await owner.delete(`/api/v1/auth/sessions/${sessionId}`)).status, 204)
  }
  const [id, other] = [await inviteBy(owner, 'ben'), await inviteBy(owner, 'both')]
  const thief = await login('ada')
  assert.deepEqual([await change(thief, id), await change(thief, other)], [200, 200])
  // The owner, in a session that stands, had the last word of the other one.
  clock.advance(minute)
  assert.equal(await change(owner, other, { rights: 'view' }), 200)
  await revoke(thief)
  assert.equal((await accept('ben', id)).body.code, 'not_found')
  clock.advance(minute)
  assert.equal(await change(owner, id, { rights: 'view' }), 404, 'no later change revives it')
  const joined = await accept('both', other)
  assert.deepEqual([joined.status, joined.body.rights], [200, 'view'])
  assert.deepEqual([await sweep(), await sweep()], [true, false])

  clock.advance(minute)
  const next = await inviteBy(owner, 'ben')
  assert.equal(await change(await login('ada'), next), 200)
  await sql(
    `insert into signing_keys (kid, public_jwk, private_jwk, created_at, retired_at, revoked_at)
     select 'former', public_jwk, private_jwk, created_at, $1, $1 from signing_keys limit 1`,
    [new Date(clock.now())],
  )
  await sql(`update account_members set changer_kid = 'former' where id = $1`, [next])
  assert.equal((await accept('ben', next)).body.code, 'not_found')

  // A membership stands, and what changes it ends nothing.
  clock.advance(minute)
  const last = await login('ada')
  assert.equal(await change(last, joined.body.id, { rights: 'view' }), 200)
  await revoke(last)
  assert.equal(await change(owner, joined.body.id), 200)
  await assertSound(bank)
})
