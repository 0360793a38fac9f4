// `strongroom end-sessions`, and a database login without ownership of the schema.
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { test } from 'node:test'
import { newProgram } from '../../test/support/service-accounts.ts'
import { people, world } from '../../test/support/world.ts'
import { openDatabase } from '../database/connections/connect.ts'
import { transaction } from '../database/connections/transaction.ts'
import { prepareDatabase } from './serve.ts'
import { endAll } from '../features/auth/revoke-all.ts'

test('end-sessions ends every access token, refresh token, reset link and known device', async (t) => {
  const w = await world(t)
  const voice = await w.login('ada')
  const program = await newProgram(w, { readAccounts: 'all' })
  assert.equal((await program.get('/api/v1/accounts')).status, 200)
  const { send } = w
  await send('POST', '/api/v1/auth/password-reset', { body: { email: 'ada@example.com' } })
  await w.sql(
    `insert into password_tokens (user_id, token_hash, email, password_version, expires_at)
     values ($1, $2, 'ada@example.com', 0, '2030-01-01') on conflict do nothing`,
    [people.ada.id, randomBytes(32)],
  )
  const db = openDatabase(w.address)
  t.after(() => db.close())
  const backup = await w.sql('select * from sessions')
  await transaction(db, (tx) => endAll(tx, w.clock.now()))

  assert.equal((await voice.get('/api/v1/me')).body.code, 'session_revoked')
  assert.equal((await program.get('/api/v1/accounts')).status, 401)
  const body = { refreshToken: voice.refreshToken }
  assert.equal((await send('POST', '/api/v1/auth/refresh', { body })).status, 401)
  // Rows that are restored from the backup afterwards stay ended as well.
  await w.sql('delete from refresh_tokens')
  await w.sql('delete from sessions')
  await w.sql('insert into sessions select * from jsonb_populate_recordset(null::sessions, $1)', [
    JSON.stringify(backup.rows),
  ])
  assert.equal((await voice.get('/api/v1/me')).body.code, 'session_revoked')
  const left = await w.sql(
    `select (select count(*) from password_tokens) + (select count(*) from devices)
          + (select count(*) from mails) as count`,
  )
  assert.equal(left.rows[0]?.['count'], '0')
  const trail = await w.sql(
    `select actor_id, address, detail from audit_events where action = 'endSessions'`,
  )
  assert.deepEqual(trail.rows, [{ actor_id: null, address: 'operator', detail: null }])
  const again = await w.login('ada')
  assert.equal((await again.get('/api/v1/me')).status, 200)
})

test('a login that is only a member of the service role can start the service, not create a schema', async (t) => {
  const w = await world(t)
  const user = `only_service_${randomBytes(6).toString('hex')}`
  await w.sql(`create role ${user} login password 'member' in role strongroom_service`)
  t.after(() => w.sql(`drop role ${user}`).catch(() => {}))
  const address = { ...(w.address as object), user, password: 'member' } as typeof w.address
  await prepareDatabase(address)
  const db = openDatabase(address)
  await db.ping()
  await db.close()

  await w.sql(`delete from secrets where name = 'cursor'`)
  await assert.rejects(
    prepareDatabase(address),
    /permission denied.*; run `strongroom migrate` with/,
  )
})
