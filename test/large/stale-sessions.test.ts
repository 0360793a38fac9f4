// Ending sessions costs by the live ones. Abandoned sessions that lie in the table, however many,
// slow nothing down and keep nothing alive.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import pg from 'pg'
import type { Config } from '../../src/config/config.ts'
import type { LocalAddress } from '../../src/database/connections/connect.ts'
import { endSessions } from '../../src/cli/end-sessions.ts'
import { tokenMailedTo } from '../support/mailbox.ts'
import {
  password,
  people,
  type PersonName,
  type ApiClient,
  world,
  type World,
} from '../support/world.ts'

/** The issue was seen from 150 000 on; `STALE_SESSIONS` sets another number per person. */
const stalePerPerson = Number.parseInt(process.env['STALE_SESSIONS'] ?? '150000', 10)

/**
 * Sessions that were never ended: a third past their absolute end, the others idle. A token of each
 * has been used.
 */
async function abandon(bank: World, names: readonly PersonName[]): Promise<void> {
  const owner = new pg.Client({ ...bank.address, options: '-c search_path=strongroom' })
  await owner.connect()
  try {
    // Without the foreign keys' triggers, which cost more than the rows.
    await owner.query('set session_replication_role = replica')
    for (const name of names) {
      await owner.query(
        `insert into sessions (id, user_id, created_at, last_used_at, ends_at)
         select gen_random_uuid(), $1, at, at, at + interval '12 hours'
         from generate_series(1, $2::int) as number,
           lateral (select $3::timestamptz - number % 15 * interval '1 hour'
                           - interval '6 minutes' as at) as times`,
        [people[name].id, stalePerPerson, new Date(bank.clock.now())],
      )
    }
  } finally {
    await owner.end()
  }
}

async function assertOut(voice: ApiClient): Promise<void> {
  const { status, body } = await voice.get('/api/v1/me')
  assert.deepEqual([status, body.code], [401, 'session_revoked'])
}

async function assertIn(voice: ApiClient): Promise<void> {
  assert.equal((await voice.get('/api/v1/me')).status, 200)
}

test('every way to end sessions works among 600 000 abandoned ones', async (t) => {
  const bank = await world(t)
  await abandon(bank, ['ada', 'ben', 'agnes', 'both'])
  const root = await bank.login('root')

  await t.test('revoking all sessions of a person', async () => {
    const thief = await bank.login('ada')
    const { id } = people.ada
    assert.equal((await root.delete(`/api/v1/admin/users/${id}/sessions`)).status, 204)
    await assertOut(thief)
  })

  await t.test('disabling a person', async () => {
    const thief = await bank.login('ben')
    const path = `/api/v1/admin/users/${people.ben.id}`
    assert.equal((await root.patch(path, { status: 'disabled' })).status, 200)
    assert.equal((await root.patch(path, { status: 'active' })).status, 200)
    await assertOut(thief)
  })

  await t.test('changing the password', async () => {
    const [owner, thief] = [await bank.login('agnes'), await bank.login('agnes')]
    const body = { currentPassword: password, newPassword: 'another fine password' }
    assert.equal((await owner.post('/api/v1/auth/password', body)).status, 204)
    await assertOut(thief)
    await assertIn(owner)
  })

  await t.test('resetting the password', async () => {
    const thief = await bank.login('both')
    const email = 'both@example.com'
    await bank.send('POST', '/api/v1/auth/password-reset', { body: { email } })
    const token = await tokenMailedTo(bank, email)
    const body = { token, newPassword: 'another fine password' }
    const used = await bank.send('POST', '/api/v1/auth/password-reset/confirm', { body })
    assert.equal(used.status, 204)
    await assertOut(thief)
  })

  await t.test('listing them shows the live ones', async () => {
    const [first, second] = [await bank.login('ada'), await bank.login('ada')]
    const ids = [second.sessionId, first.sessionId]
    const path = `/api/v1/admin/users/${people.ada.id}/sessions`
    for (const { body } of [await first.get('/api/v1/auth/sessions'), await root.get(path)]) {
      assert.deepEqual(body.items.map(({ id }: { id: string }) => id).toSorted(), ids.toSorted())
    }
  })

  await t.test('ending those of the whole bank', async () => {
    const ada = await bank.login('ada')
    const { host, port, user, password: secret, database } = bank.address as LocalAddress
    const login = `${user}:${encodeURIComponent(secret)}`
    const databaseUrl = `postgres://${login}@/${database}?host=${encodeURIComponent(host)}&port=${port}`
    await endSessions({ databaseUrl } as Config, () => {})
    for (const voice of [ada, root]) await assertOut(voice)
    await assertIn(await bank.login('ada'))
  })
})
