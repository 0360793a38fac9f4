// Data of links that set a password.
import { isInvited } from '../../ledger/rows/made-resources.ts'
import { type Db, one, sql, statement } from '../../database/statements/statement.ts'

const writeToken = statement(
  'reset_write_token',
  ['uuid', 'bytea', 'timestamptz'],
  { email: 'text' },
  sql`insert into password_tokens as t (user_id, token_hash, email, password_version, expires_at)
   select u.id, $2, u.email, u.password_version, $3 from users u
   where u.id = $1 and u.status = 'active' and ${isInvited}
   on conflict (user_id) do update
   set token_hash = excluded.token_hash, email = excluded.email,
       password_version = excluded.password_version, expires_at = excluded.expires_at
   returning email`,
)
/**
 * Replaces the link of a user.
 *
 * @returns the stored address it may be sent to; undefined when the user is disabled, or when a
 *   program alone has invited the user, which may not invite now
 */
export const replaceToken = (db: Db, userId: string, tokenHash: Buffer, expiresAt: number) =>
  one(db, writeToken, [userId, tokenHash, new Date(expiresAt)])

const findToken = statement(
  'reset_find_token',
  ['bytea', 'timestamptz'],
  { id: 'uuid', username: 'text' },
  sql`select u.id, u.username
   from password_tokens t join users u
     on u.id = t.user_id and u.email = t.email and u.password_version = t.password_version
   where t.token_hash = $1 and t.expires_at > $2 and u.status = 'active' and ${isInvited}`,
)
/** The user whose password a link may set now; undefined when it is not valid. */
export const userByToken = (db: Db, tokenHash: Buffer, now: number) =>
  one(db, findToken, [tokenHash, new Date(now)])

const useToken = statement(
  'reset_use_token',
  ['bytea', 'timestamptz', 'text'],
  { id: 'uuid' },
  sql`with used as (
     delete from password_tokens where token_hash = $1 and expires_at > $2
     returning user_id, email, password_version
   )
   update users u set password_hash = $3, password_version = u.password_version + 1
   from used
   where u.id = used.user_id and u.email = used.email
     and u.password_version = used.password_version and u.status = 'active'
     and ${isInvited}
   returning u.id`,
)
/**
 * Uses a link. Of any number of simultaneous uses exactly one gets the user, the others undefined.
 * Lock the user first: a change that voids links has done so. A login that has checked the previous
 * password fails (`holdUser`).
 */
export const usePasswordToken = (tx: Db, tokenHash: Buffer, passwordHash: string, now: number) =>
  one(tx, useToken, [tokenHash, new Date(now), passwordHash])

const deleteLinks = statement(
  'reset_delete_links',
  ['uuid'],
  'delete from password_tokens where user_id = $1',
)
export const voidLinks = (tx: Db, userId: string) => tx.run(deleteLinks, [userId])

const deleteDevices = statement(
  'reset_delete_devices',
  ['uuid'],
  'delete from devices where user_id = $1',
)
export const forgetDevices = (tx: Db, userId: string) => tx.run(deleteDevices, [userId])
