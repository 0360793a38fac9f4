// A draft that was made or signed by a session or signing key that was revoked since: it may have
// been a thief's.
import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { test } from 'node:test'
import { openDatabase } from '../../database/connections/connect.ts'
import { transaction } from '../../database/connections/transaction.ts'
import { draftScene, type DraftScene } from '../../../test/support/drafts.ts'
import { assertSound, readBalance } from '../../../test/support/fixture.ts'
import { readMails } from '../../../test/support/mailbox.ts'
import { newDraft } from '../../../test/support/requests.ts'
import { password, people } from '../../../test/support/world.ts'
import { rotateSigningKey } from '../../gate/provision.ts'
import { purgeAuth } from '../auth/purge.ts'
import { endAll } from '../auth/revoke-all.ts'
import { sweepDrafts } from './sweep.ts'

const day = 24 * 3_600_000
const root = `/api/v1/admin/users/${people.ben.id}`

async function within(
  { address }: DraftScene,
  work: Parameters<typeof transaction<unknown>>[1],
): Promise<void> {
  const db = openDatabase(address)
  await transaction(db, work)
  await db.close()
}

/** What ends the session of Ben, and whether it may have been a thief's. */
const ends: Record<string, { end(bank: DraftScene): Promise<unknown>; isRevoked: boolean }> = {
  'its owner revokes it': {
    end: async ({ login, voices: { ben } }) =>
      (await login('ben')).delete(`/api/v1/auth/sessions/${ben.sessionId}`),
    isRevoked: true,
  },
  'staff revoke all of them': {
    end: (bank) => bank.root.delete(`${root}/sessions`),
    isRevoked: true,
  },
  'another session changes the password': {
    async end({ login }) {
      const [newer, other] = [await login('ben'), 'seven lean kine and a barn']
      const change = { currentPassword: password, newPassword: other }
      assert.equal((await newer.post('/api/v1/auth/password', change)).status, 204)
      const back = { currentPassword: other, newPassword: password }
      assert.equal((await newer.post('/api/v1/auth/password', back)).status, 204)
    },
    isRevoked: true,
  },
  'it is over, and then all of them are revoked': {
    async end({ root: admin, voices: { ben } }) {
      await ben.post('/api/v1/auth/logout')
      await admin.delete(`${root}/sessions`)
    },
    isRevoked: true,
  },
  'it is over, and then it is revoked alone': {
    async end({ root: admin, voices: { ben } }) {
      await ben.post('/api/v1/auth/logout')
      await admin.delete(`/api/v1/admin/sessions/${ben.sessionId}`)
    },
    isRevoked: true,
  },
  'an earlier release purges it': {
    async end({ sql, voices: { ben } }) {
      await sql('delete from refresh_tokens where session_id = $1', [ben.sessionId])
      await sql('delete from sessions where id = $1', [ben.sessionId])
    },
    isRevoked: true,
  },
  'its person logs out': {
    end: ({ voices: { ben } }) => ben.post('/api/v1/auth/logout'),
    isRevoked: false,
  },
  'it expires': {
    async end(bank) {
      bank.clock.advance(3_600_000)
      await bank.loginAgain()
    },
    isRevoked: false,
  },
}

test('a draft is void once a session in which it was made or signed is revoked, and not when one is over', async (t) => {
  const bank = await draftScene(t, { settings: { LIMITS: '{"login":{"attempts":"100000/1h"}}' } })
  await bank.member('both', 'prepare')
  await bank.rule('1.00')
  let balance = 500_000
  for (const [what, { end, isRevoked }] of Object.entries(ends)) {
    await bank.loginAgain()
    await bank.member('ben', 'prepare')
    const prepared = await bank.make('ben', '100.00')
    await bank.member('ben', 'pay')
    const made = await bank.make('ben', '10.00', { reference: 'Made' })
    const signed = await bank.make('both', '20.00')
    assert.equal((await bank.sign('ben', signed)).body.status, 'waiting')
    const others = await bank.make('both', '1.00')
    await end(bank)
    const outcomes = []
    for (const id of [prepared, made, signed, others]) {
      const { body } = await bank.sign('ada', id)
      outcomes.push(body.code ?? body.status)
    }
    const refused = 'illegal_transition'
    const expected = isRevoked
      ? [refused, refused, refused, 'waiting']
      : ['waiting', 'paid', 'paid', 'waiting']
    assert.deepEqual(outcomes, expected, what)
    if (!isRevoked) balance -= 3000
    await within(bank, (tx) => sweepDrafts(tx, bank.clock.now()))
    const statuses = []
    for (const id of [prepared, made, signed, others]) statuses.push(await bank.status(id))
    const swept = isRevoked
      ? ['void', 'void', 'void', 'waiting']
      : ['waiting', 'paid', 'paid', 'waiting']
    assert.deepEqual(statuses, swept, what)
    assert.equal((await bank.read(made)).reference, isRevoked ? '' : 'Made')
    bank.clock.advance(1000)
  }
  assert.equal(await readBalance(bank.voices.ada, bank.from), `${balance / 100}.00`)
  const told = (await readMails(bank)).filter(
    ({ subject, to }) => subject === 'A payment was not made' && to?.[0]?.name === 'Ben Lindqvist',
  )
  // An hour has ten alerts at most.
  assert.equal(told.length, 10)
  await assertSound(bank)
})

test('the end of all sessions of the bank voids its drafts; a session with a draft that waits is kept', async (t) => {
  const bank = await draftScene(t)
  await bank.member('ben', 'prepare')
  const made = await bank.make('ben', '10.00')
  const { sessionId } = bank.voices.ben
  bank.clock.advance(20 * day)
  const purge = () =>
    within(bank, (tx) =>
      purgeAuth({ sessionKeep: day, deviceIdle: 365 * day })(tx, bank.clock.now()),
    )
  const isKept = async () =>
    (await bank.sql('select from sessions where id = $1', [sessionId])).rows.length === 1
  await purge()
  assert.ok(await isKept())
  await bank.loginAgain()
  await within(bank, (tx) => endAll(tx, bank.clock.now()))
  await bank.loginAgain()
  assert.equal((await bank.sign('both', made)).body.code, 'illegal_transition')
  await within(bank, (tx) => sweepDrafts(tx, bank.clock.now()))
  assert.equal(await bank.status(made), 'void')
  await purge()
  assert.ok(!(await isKept()))
})

test('sessions that drafts keep, however many, hold up the purge of no other and of no token', async (t) => {
  const bank = await draftScene(t)
  await bank.member('ben', 'prepare')
  await bank.make('ben', '10.00')
  const kept = Array.from({ length: 501 }, () => randomUUID())
  const times = [new Date(0), people.ben.id, kept]
  await bank.sql(
    `insert into sessions (id, user_id, created_at, last_used_at, ends_at)
     select id, $2, $1, $1, $1 from unnest($3::uuid[]) id`,
    times,
  )
  await bank.sql(
    `insert into payment_drafts select (jsonb_populate_record(null::payment_drafts,
       to_jsonb(d) || jsonb_build_object('id', gen_random_uuid(), 'maker_session_id', kept))).*
     from payment_drafts d, unnest($1::uuid[]) kept`,
    [kept],
  )
  bank.clock.advance(20 * day)
  const purge = purgeAuth({ sessionKeep: day, deviceIdle: 365 * day })
  for (let turn = 0; turn < 3; turn++) await within(bank, (tx) => purge(tx, bank.clock.now()))
  const { rows } = await bank.sql(
    `select (select count(*)::int from refresh_tokens) as tokens,
       (select count(*)::int from sessions where id = any($1)) as kept,
       (select count(*)::int from sessions) as all`,
    [kept],
  )
  // That of Ben, whose draft waits, is kept as well.
  assert.deepEqual(rows[0], { tokens: 0, kept: 501, all: 502 })
})

test('a draft is void once a key is revoked that signed the token of its maker or a signer', async (t) => {
  const bank = await draftScene(t)
  await bank.member('both', 'prepare')
  await bank.rule('1.00')
  const keys = await bank.sql('select kid from signing_keys')
  const outcomes = async (by: 'ada' | 'ben', ids: readonly string[]) => {
    const found = []
    for (const id of ids) {
      const { body } = await bank.sign(by, id)
      found.push(body.code ?? body.status)
    }
    return found
  }
  const sweptStatuses = async (ids: readonly string[]) => {
    await within(bank, (tx) => sweepDrafts(tx, bank.clock.now()))
    return Promise.all(ids.map((id) => bank.status(id)))
  }
  await bank.member('ben', 'prepare')
  const prepared = await bank.make('ben', '100.00')
  await bank.member('ben', 'pay')
  const made = await bank.make('ben', '10.00')
  const ofEarlierRelease = await newDraft(bank, bank.from, bank.payeeId, people.both.id)
  await rotateSigningKey(bank.address, bank.clock.now())
  bank.voices.both = await bank.login('both')
  const signed = await bank.make('both', '20.00')
  assert.deepEqual(await outcomes('ben', [signed]), ['waiting'])
  const others = await bank.make('both', '1.00')
  const all = [prepared, made, signed, others, ofEarlierRelease]

  await bank.sql('update signing_keys set revoked_at = $2 where kid = $1', [
    keys.rows[0]?.['kid'],
    new Date(bank.clock.now()),
  ])
  await bank.loginAgain()
  const refused = 'illegal_transition'
  assert.deepEqual(await outcomes('ada', all), [refused, refused, refused, 'waiting', 'waiting'])
  assert.deepEqual(await sweptStatuses(all), ['void', 'void', 'void', 'waiting', 'waiting'])

  await rotateSigningKey(bank.address, bank.clock.now(), { isRevoking: true })
  await bank.loginAgain()
  assert.deepEqual(await outcomes('ben', [others]), [refused])
  assert.deepEqual(await sweptStatuses([others]), ['void'])
  assert.equal(await readBalance(bank.voices.ada, bank.from), '5000.00')
  await assertSound(bank)
})

test('each signature names the key of its token, the last one too', async (t) => {
  const bank = await draftScene(t)
  const made = await bank.make('ben', '1000.00')
  assert.equal((await bank.sign('both', made)).body.status, 'paid')
  const { rows } = await bank.sql(
    `select count(distinct s.person_id)::int as count from draft_signatures s
     join payment_drafts d on d.id = s.draft_id and d.maker_kid = s.kid
     join signing_keys k on k.kid = s.kid`,
  )
  assert.deepEqual(rows, [{ count: 2 }])
})
