// What the statements of sign-in guard by themselves, when something changed since it was read.
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { bank, code, sessions } from '../../../test/support/bank.ts'
import { people } from '../../../test/support/people.ts'
import { transaction } from '../../database/connections/transaction.ts'
import type { Db } from '../../database/statements/statement.ts'
import { sha256 } from '../../gate/opaque-secret.ts'
import { rotateRefreshToken } from './refresh.ts'
import {
  addRefreshToken,
  changePassword,
  deviceByToken,
  endSession,
  lockUser,
  replaceHash,
  sessionCount,
} from './sql.ts'

const { db, sql } = await bank({ after })
const ada = people.ada.id
const now = Date.UTC(2026, 0, 2, 9)
const run = <R>(work: (tx: Db) => Promise<R>): Promise<R> => transaction(db, work)

test('a login is held for an active user whose password was not changed since', async () => {
  const hold = (version: number | null) => run((tx) => lockUser(tx, ada, version))
  await run(async (tx) => {
    assert.equal((await lockUser(tx, ada, 0))?.sessionGeneration, 0)
    const free = 'select from users where id = $1 for no key update skip locked'
    assert.equal((await sql(free, [ada])).length, 0, 'until its transaction ends')
  })
  assert.equal(await hold(1), undefined)
  assert.equal((await hold(null))?.id, ada, 'by a passkey alone: whatever the password is')
  await sql(`update users set status = 'disabled' where id = $1`, [ada])
  assert.deepEqual([await hold(0), await hold(null)], [undefined, undefined])
  await sql(`update users set status = 'active' where id = $1`, [ada])
})

test('a password or a hash that was set in the meantime is kept', async () => {
  const change = (version: number) => run((tx) => changePassword(tx, ada, version, 'changed'))
  assert.equal(await change(1), undefined)
  assert.deepEqual(await change(0), { id: ada })
  assert.equal(await change(0), undefined)
  const stored = async () =>
    (await sql('select password_hash, password_version from users where id = $1', [ada]))[0]
  await run((tx) => replaceHash(tx, ada, 'another', 'renewed'))
  assert.deepEqual(await stored(), { password_hash: 'changed', password_version: 1 })
  await run((tx) => replaceHash(tx, ada, 'changed', 'renewed'))
  assert.deepEqual(await stored(), { password_hash: 'renewed', password_version: 1 })
})

test('a session counts to the last millisecond of its life', async () => {
  const ends = Date.UTC(2027, 0, 1)
  assert.equal(await sessionCount(db, ada, ends - 1), 1n)
  assert.equal(await sessionCount(db, ada, ends), 0n)
})

test('a device is its user’s alone, and known while it was used since', async () => {
  await sql(
    `insert into devices (id, user_id, token_hash, created_at, last_used_at)
     values (gen_random_uuid(), $1, sha256('token'), $2, $2)`,
    [ada, new Date(now)],
  )
  const isKnown = async (userId: string, since: number) =>
    (await deviceByToken(db, sha256('token'), userId, since)) !== undefined
  assert.equal(await isKnown(ada, now - 1), true)
  assert.equal(await isKnown(ada, now), false)
  assert.equal(await isKnown(people.ben.id, now - 1), false)
})

test('a session that has ended keeps its reason, and no refresh token of it works', async () => {
  await run((tx) => addRefreshToken(tx, { tokenHash: sha256('first'), sessionId: sessions.ben }))
  const refresh = () => {
    const session = { userId: people.ben.id, sessionId: sessions.ben }
    const used = { token: 'first', ...session, key: Buffer.alloc(32), now }
    return rotateRefreshToken(db, used, async () => assert.fail('it was not used before'))
  }
  await run((tx) => endSession(tx, sessions.ben, 'revoked', now))
  assert.equal(await code(refresh()), 'session_revoked')
  assert.deepEqual(await run((tx) => endSession(tx, sessions.ben, 'logout', now)), {
    id: sessions.ben,
  })
  const rows = await sql('select ended_because from sessions where id = $1', [sessions.ben])
  assert.deepEqual(rows, [{ ended_because: 'revoked' }])
})
