// Every way to shut out a person or a program, for tests of what is under way meanwhile.
import assert from 'node:assert/strict'
import { hash, randomBytes } from 'node:crypto'
import type pg from 'pg'
import { openDatabase } from '../../src/database/connections/connect.ts'
import { transaction } from '../../src/database/connections/transaction.ts'
import { endAll } from '../../src/features/auth/revoke-all.ts'
import { rotateSigningKey } from '../../src/gate/provision.ts'
import { handleCookie, openSession } from './browser-session.ts'
import { beginEnrolment, codeOf, factorsPath } from './factors.ts'
import { inTime, openHolder, waitingForLock } from './locks.ts'
import { type Program, serviceAccountsPath, toGrants } from './service-accounts.ts'
import { type ApiClient, password, people, type Reply, type Span, type World } from './world.ts'

export type RevocationScene = {
  bank: World
  ada: ApiClient
  other: ApiClient
  root: ApiClient
  program: Program
}
type Revoke = (scene: RevocationScene) => Promise<Reply | undefined>

const newPassword = 'eight fat kine and a barn'
export const adaAt = `/api/v1/admin/users/${people.ada.id}`
const programAt = ({ program }: RevocationScene) => `${serviceAccountsPath}/${program.id}`

export async function resetPassword(
  { bank }: Pick<RevocationScene, 'bank'>,
  userId: string = people.ada.id,
) {
  const token = randomBytes(32).toString('base64url')
  await bank.sql(
    `insert into password_tokens (user_id, token_hash, email, password_version, expires_at)
     select id, $2, email, password_version, $3 from users where id = $1
     on conflict (user_id) do update set token_hash = excluded.token_hash,
       email = excluded.email, password_version = excluded.password_version`,
    [userId, hash('sha256', token, 'buffer'), new Date(bank.clock.now() + 60_000)],
  )
  const body = { token, newPassword }
  return bank.send('POST', '/api/v1/auth/password-reset/confirm', { body })
}

async function reuseRefreshToken({ bank, ada: { refreshToken, sessionId } }: RevocationScene) {
  const longAgo = new Date(bank.clock.now() - 60_000)
  await bank.sql('update refresh_tokens set used_at = $1 where session_id = $2', [
    longAgo,
    sessionId,
  ])
  return bank.send('POST', '/api/v1/auth/refresh', { body: { refreshToken } })
}

async function logInElse({ bank, ada }: RevocationScene) {
  const handle = randomBytes(32).toString('base64url')
  await bank.sql('update sessions set handle_hash = $2 where id = $1', [
    ada.sessionId,
    hash('sha256', handle, 'buffer'),
  ])
  return openSession(bank, 'ben', { cookies: { [handleCookie]: handle } })
}

async function endAllOfBank({ bank }: RevocationScene) {
  const db = openDatabase(bank.address)
  try {
    await transaction(db, (tx) => endAll(tx, bank.clock.now()))
  } finally {
    await db.close()
  }
  return undefined
}

async function enrolElsewhere({ bank, other }: RevocationScene) {
  const { id, totp } = (await beginEnrolment(other)).body
  return other.post(`${factorsPath}/${id}/activate`, { code: codeOf(totp.uri, bank.clock.now()) })
}

export const revocationsOfPeople: Record<string, Revoke> = {
  'a logout': ({ ada }) => ada.post('/api/v1/auth/logout'),
  'its end by its owner': ({ ada, other }) =>
    other.delete(`/api/v1/auth/sessions/${ada.sessionId}`),
  'its end by an administrator': ({ ada, root }) =>
    root.delete(`/api/v1/admin/sessions/${ada.sessionId}`),
  'the end of all sessions of its person': ({ root }) => root.delete(`${adaAt}/sessions`),
  'other roles': ({ root }) => root.patch(adaAt, { roles: ['support-agent'] }),
  'a disabled person': ({ root }) => root.patch(adaAt, { status: 'disabled' }),
  'a new e-mail address': ({ root }) => root.patch(adaAt, { email: 'ada@example.org' }),
  'a new password': ({ other }) =>
    other.post('/api/v1/auth/password', {
      currentPassword: password,
      newPassword,
    }),
  'a password set by a link': (scene) => resetPassword(scene),
  'a refresh token used again': reuseRefreshToken,
  'a new factor': enrolElsewhere,
  'a login of another person in its browser': logInElse,
  'the end of all sessions of the bank': endAllOfBank,
  'the revocation of the key that signed its token': async ({ bank }) => {
    await rotateSigningKey(bank.address, bank.clock.now(), { isRevoking: true })
    return undefined
  },
}
export const revocationsOfPrograms: Record<string, Revoke> = {
  'a revoked key': (scene) => scene.root.delete(`${programAt(scene)}/keys/${scene.program.keyId}`),
  'other grants': (scene) => scene.root.patch(programAt(scene), { grants: toGrants({}) }),
  'a disabled service account': (scene) =>
    scene.root.patch(programAt(scene), { status: 'disabled' }),
  'the end of all keys of the bank': endAllOfBank,
}

/** Batches stop where they write, behind their judgement, until that connection commits. */
export async function stopBatches(t: Span, bank: Pick<World, 'sql' | 'address'>) {
  await bank.sql(`create function stop() returns trigger language plpgsql as $$
    begin perform pg_advisory_xact_lock_shared(1); return new; end $$`)
  await bank.sql(
    'create trigger stop before insert on transfers for each row execute function stop()',
  )
  const holder = await openHolder(t, bank)
  await holder.query('begin')
  await holder.query('select pg_advisory_xact_lock(1)')
  return holder
}

/**
 * The change under way waits for the holder's lock, and the revocation for the change: it is
 * answered only when the lock is let go, and the change takes effect.
 */
export async function assertAnsweredAfter(
  bank: Pick<World, 'sql'>,
  holder: pg.Client,
  changing: Promise<Reply>,
  revoke: () => Promise<Reply | undefined>,
): Promise<void> {
  const order: string[] = []
  await waitingForLock(bank)
  const revoking = revoke().then((reply) => {
    order.push('answered')
    return reply
  })
  await Promise.race([waitingForLock(bank, 2), changing])
  order.push('released')
  await holder.query('commit')
  const [changed, reply] = await Promise.all([changing, revoking])
  inTime(changed, reply)
  assert.ok(changed.status < 300, changed.text)
  assert.ok(!reply || reply.status < 300 || reply.body.code === 'session_revoked', reply?.text)
  assert.deepEqual(order, ['released', 'answered'])
}
