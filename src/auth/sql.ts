// Data of login, sessions and refresh tokens.
import { type Db, one, statement } from '../database/statement.ts'

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
export const credentialsOf = (db: Db, userId: string) => one(db, findCredentials, [userId])

const findDevice = statement(
  'auth_find_device',
  ['bytea', 'uuid'],
  { id: 'uuid' },
  'select id from devices where token_hash = $1 and user_id = $2',
)
/** The device, if the token was given to that user. */
export const deviceOf = (db: Db, tokenHash: Buffer, userId: string) =>
  one(db, findDevice, [tokenHash, userId])

const insertDevice = statement(
  'auth_insert_device',
  ['uuid', 'uuid', 'bytea', 'timestamptz'],
  {},
  'insert into devices (id, user_id, token_hash, created_at) values ($1, $2, $3, $4)',
)
export const addDevice = (db: Db, id: string, userId: string, tokenHash: Buffer, now: number) =>
  db.run(insertDevice, [id, userId, tokenHash, new Date(now)])

const lockUser = statement(
  'auth_lock_user',
  ['uuid', 'int4'],
  { id: 'uuid' },
  `select id from users
   where id = $1 and password_version = $2 and status = 'active'
   for share`,
)
/**
 * Holds the user as the login saw him: no password change, reset or disabling can pass between the
 * check of his password and the session that follows from it.
 */
export const holdUser = (tx: Db, userId: string, passwordVersion: number) =>
  one(tx, lockUser, [userId, passwordVersion])

const insertSession = statement(
  'auth_insert_session',
  ['uuid', 'uuid', 'text?', 'timestamptz', 'timestamptz'],
  {},
  `insert into sessions (id, user_id, device, created_at, last_used_at, ends_at)
   values ($1, $2, $3, $4, $4, $5)`,
)
export type NewSession = {
  id: string
  userId: string
  device: string | null
  now: number
  endsAt: number
}
export const addSession = (tx: Db, { id, userId, device, now, endsAt }: NewSession) =>
  tx.run(insertSession, [id, userId, device, new Date(now), new Date(endsAt)])

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

const lockSession = statement(
  'auth_lock_session',
  ['uuid'],
  { ended_because: 'text?' },
  'select ended_because from sessions where id = $1 for update',
)
/** Whoever ends, refreshes or revokes a session does it under this lock. */
export const lockedSession = (tx: Db, sessionId: string) => one(tx, lockSession, [sessionId])

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
export type Ending = 'logout' | 'revoked' | 'password' | 'reuse'
export const endSession = (db: Db, sessionId: string, because: Ending, now: number) =>
  db.run(endOne, [sessionId, new Date(now), because])

const endOthers = statement(
  'auth_end_other_sessions',
  ['uuid', 'uuid?', 'timestamptz'],
  {},
  `update sessions set ended_at = $3, ended_because = 'password'
   where user_id = $1 and id is distinct from $2 and ended_at is null`,
)
/** Ends all sessions of a user but one; all of them when none is to be kept. */
export const endSessionsOf = (tx: Db, userId: string, keep: string | null, now: number) =>
  tx.run(endOthers, [userId, keep, new Date(now)])

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

const listSessions = statement(
  'auth_list_sessions',
  ['uuid', 'timestamptz', 'timestamptz', 'uuid?', 'int4'],
  { id: 'uuid', device: 'text?', created_at: 'timestamptz', last_used_at: 'timestamptz' },
  `select id, device, created_at, last_used_at from sessions
   where user_id = $1 and ended_at is null and ends_at > $2 and last_used_at > $3
     and ($4::uuid is null or id < $4)
   order by id desc limit $5::int4`,
)
/** Sessions of a user that are alive: not ended, neither idle nor past their absolute end. */
export const liveSessions = (
  db: Db,
  userId: string,
  { now, idleSince, after, count }: LiveSessionsQuery,
) => db.run(listSessions, [userId, new Date(now), new Date(idleSince), after ?? null, count])
export type LiveSessionsQuery = {
  now: number
  idleSince: number
  after: string | undefined
  count: number
}
