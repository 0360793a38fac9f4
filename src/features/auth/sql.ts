// Data of login, sessions and refresh tokens.
import { type Db, one, statement } from '../../database/statement.ts'

const findLogin = statement(
  'auth_find_login',
  ['text'],
  {
    id: 'uuid',
    username: 'text',
    roles: 'text[]',
    status: 'text',
    password_hash: 'text?',
    password_version: 'int4',
  },
  `select id, username, roles, status, password_hash, password_version
   from users where username = $1 or email = $1
   order by username = $1 desc limit 1`,
)
/** The user with that user name, else the one with that e-mail address; both normalised. */
export const userForLogin = (db: Db, name: string) => one(db, findLogin, [name])

const findCredentials = statement(
  'auth_find_credentials',
  ['uuid'],
  { username: 'text', password_hash: 'text?', password_version: 'int4' },
  'select username, password_hash, password_version from users where id = $1',
)
export const credentialsByUser = (db: Db, userId: string) => one(db, findCredentials, [userId])

const findDevice = statement(
  'auth_find_device',
  ['bytea', 'uuid', 'timestamptz'],
  { id: 'uuid' },
  'select id from devices where token_hash = $1 and user_id = $2 and last_used_at > $3',
)
/** The device, if the token was given to that user and was used since. */
export const deviceByToken = (db: Db, tokenHash: Buffer, userId: string, since: number) =>
  one(db, findDevice, [tokenHash, userId, new Date(since)])

const touchDevice = statement(
  'auth_touch_device',
  ['uuid', 'timestamptz'],
  { id: 'uuid' },
  'update devices set last_used_at = $2 where id = $1 returning id',
)
/** Undefined when the device was forgotten meanwhile. */
export const useDevice = (tx: Db, id: string, now: number) =>
  one(tx, touchDevice, [id, new Date(now)])

const insertDevice = statement(
  'auth_insert_device',
  ['uuid', 'uuid', 'bytea', 'timestamptz', 'int4'],
  {},
  `with others as (
     delete from devices where id in (
       select id from devices where user_id = $2
       order by last_used_at desc, id desc offset $5::int4 - 1 limit 1000
     )
   )
   insert into devices (id, user_id, token_hash, created_at, last_used_at)
   values ($1, $2, $3, $4, $4)`,
)
type NewDevice = { id: string; userId: string; tokenHash: Buffer; now: number }
/** Forgets those used longest ago, so that the user has `countMax` at most. */
export const addDevice = (tx: Db, { id, userId, tokenHash, now }: NewDevice, countMax: number) =>
  tx.run(insertDevice, [id, userId, tokenHash, new Date(now), countMax])

const lockLogin = statement(
  'auth_lock_user',
  ['uuid', 'int4'],
  { session_generation: 'int4' },
  `select session_generation from users
   where id = $1 and password_version = $2 and status = 'active'
   for no key update`,
)
/**
 * Holds the user as the login saw him: no password change, reset or disabling can pass between the
 * check of his password and the session that follows from it, and no other login of the same user
 * counts the sessions meanwhile.
 */
export const holdUser = (tx: Db, userId: string, passwordVersion: number) =>
  one(tx, lockLogin, [userId, passwordVersion])

const writeRenewedHash = statement(
  'auth_write_renewed_hash',
  ['uuid', 'text', 'text'],
  {},
  'update users set password_hash = $3 where id = $1 and password_hash = $2',
)
/** The same password under a new hash; another one that was set meanwhile stays. */
export const replaceHash = (tx: Db, userId: string, stored: string, renewed: string) =>
  tx.run(writeRenewedHash, [userId, stored, renewed])

const countSessions = statement(
  'auth_count_sessions',
  ['uuid', 'timestamptz'],
  { count: 'int8' },
  'select count(*) as count from current_sessions where user_id = $1 and ends_at > $2',
)
/** How many sessions of a user have not ended, idle ones included. */
export async function sessionCount(db: Db, userId: string, now: number): Promise<bigint> {
  return (await one(db, countSessions, [userId, new Date(now)]))?.count ?? 0n
}

const endLeastUsed = statement(
  'auth_end_replaced_sessions',
  ['uuid', 'timestamptz', 'int4'],
  {},
  `update sessions set ended_at = $2, ended_because = 'replaced'
   where ended_at is null and id in (
     select id from current_sessions where user_id = $1 and ends_at > $2
     order by last_used_at desc, id desc offset $3::int4 - 1 limit 1000
   )`,
)
/**
 * Ends the sessions used longest ago, so that with a new one the user has `countMax` at most. Idle
 * ones were used before any live one, so they go first.
 */
export const endReplaced = (tx: Db, userId: string, countMax: number, now: number) =>
  tx.run(endLeastUsed, [userId, new Date(now), countMax])

const insertSession = statement(
  'auth_insert_session',
  ['uuid', 'uuid', 'text?', 'timestamptz', 'timestamptz', 'int4'],
  {},
  `insert into sessions
     (id, user_id, device, created_at, last_used_at, ends_at, generation, bank_generation)
   values ($1, $2, $3, $4, $4, $5, $6, (select number from bank_generation))`,
)
export type NewSession = {
  id: string
  userId: string
  device: string | null
  now: number
  endsAt: number
  /** That of the user, who is held. */
  generation: number
}
export const addSession = (tx: Db, made: NewSession) =>
  tx.run(insertSession, [
    made.id,
    made.userId,
    made.device,
    new Date(made.now),
    new Date(made.endsAt),
    made.generation,
  ])

const insertRefreshToken = statement(
  'auth_insert_refresh_token',
  ['bytea', 'uuid'],
  {},
  'insert into refresh_tokens (token_hash, session_id) values ($1, $2)',
)
export const addRefreshToken = (tx: Db, tokenHash: Buffer, sessionId: string) =>
  tx.run(insertRefreshToken, [tokenHash, sessionId])

const findRefreshToken = statement(
  'auth_find_refresh_token',
  ['bytea'],
  { session_id: 'uuid', user_id: 'uuid' },
  `select r.session_id, s.user_id
   from refresh_tokens r join sessions s on s.id = r.session_id
   where r.token_hash = $1`,
)
export const sessionOfRefreshToken = (db: Db, tokenHash: Buffer) =>
  one(db, findRefreshToken, [tokenHash])

const readRefreshToken = statement(
  'auth_read_refresh_token',
  ['bytea'],
  { used_at: 'timestamptz?' },
  'select used_at from refresh_tokens where token_hash = $1',
)
export const refreshToken = (tx: Db, tokenHash: Buffer) => one(tx, readRefreshToken, [tokenHash])

const useRefreshToken = statement(
  'auth_use_refresh_token',
  ['bytea', 'timestamptz'],
  {},
  'update refresh_tokens set used_at = $2 where token_hash = $1',
)
export const markUsed = (tx: Db, tokenHash: Buffer, now: number) =>
  tx.run(useRefreshToken, [tokenHash, new Date(now)])

const endOne = statement(
  'auth_end_session',
  ['uuid', 'timestamptz', 'text'],
  {},
  `update sessions set ended_at = $2, ended_because = $3 where id = $1 and ended_at is null`,
)
export type Ending = 'logout' | 'revoked' | 'reuse'
export const endSession = (db: Db, sessionId: string, because: Ending, now: number) =>
  db.run(endOne, [sessionId, new Date(now), because])

const writePassword = statement(
  'auth_write_password',
  ['uuid', 'int4', 'text'],
  { id: 'uuid' },
  `update users set password_hash = $3, password_version = password_version + 1
   where id = $1 and password_version = $2
   returning id`,
)
/** Undefined when the password was changed meanwhile by somebody else. */
export const changePassword = (tx: Db, userId: string, version: number, passwordHash: string) =>
  one(tx, writePassword, [userId, version, passwordHash])
