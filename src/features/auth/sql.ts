// Data of login, sessions and refresh tokens.
import { insertInto } from '../../database/statements/rows.ts'
import {
  type Db,
  one,
  type RowOf,
  select,
  sql,
  statement,
} from '../../database/statements/statement.ts'
import { credentials } from '../credentials/sql.ts'
import type { Origin } from '../issuer/sql.ts'

const login = {
  id: 'uuid',
  roles: 'text[]',
  status: 'text',
  hasFactor: 'bool',
  ...credentials,
} as const
const foundLogin = { ...login, isLinked: 'bool' } as const

const findLogin = statement(
  'auth_find_login',
  ['text'],
  foundLogin,
  sql`select ${select(login)},
     exists (select from issuer_links l where l.user_id = users.id) as "isLinked"
   from users where username = $1 or email = $1
   order by username = $1 desc limit 1`,
)
/** The user with that user name, else the one with that e-mail address; both normalised. */
export const userForLogin = (db: Db, name: string) => one(db, findLogin, [name])

const device = { id: 'uuid', codeFailures: 'int4' } as const
export type Device = RowOf<typeof device>
const findDevice = statement(
  'auth_find_device',
  ['bytea', 'uuid', 'timestamptz'],
  device,
  sql`select ${select(device)} from devices
   where token_hash = $1 and user_id = $2 and last_used_at > $3`,
)
/** The device with that token, if it is a device of that user and was used since. */
export const deviceByToken = (db: Db, tokenHash: Buffer, userId: string, since: number) =>
  one(db, findDevice, [tokenHash, userId, new Date(since)])

const findDeviceById = statement(
  'auth_find_device_by_id',
  ['uuid', 'uuid', 'timestamptz'],
  device,
  sql`select ${select(device)} from devices where id = $1 and user_id = $2 and last_used_at > $3`,
)
export const deviceById = (db: Db, id: string, userId: string, since: number) =>
  one(db, findDeviceById, [id, userId, new Date(since)])

const touchDevice = statement(
  'auth_touch_device',
  ['uuid', 'timestamptz'],
  { id: 'uuid' },
  'update devices set last_used_at = $2, code_failures = 0 where id = $1 returning id',
)
/** A session begins there. Undefined when the device was forgotten in the meantime. */
export const useDevice = (tx: Db, id: string, now: number) =>
  one(tx, touchDevice, [id, new Date(now)])

/** Forgets the least recently used devices, so that the user has at most `countMax`. */
export const addDevice = insertInto(
  'auth_insert_device',
  'devices',
  { id: 'uuid', userId: 'uuid', tokenHash: 'bytea', createdAt: 'timestamptz' },
  {
    more: { countMax: 'int4' },
    first: `with others as (
     delete from devices where id in (
       select id from devices where user_id = :userId
       order by last_used_at desc, id desc offset :countMax::int4 - 1 limit 1000
     )
   )`,
    as: { lastUsedAt: ':createdAt' },
  },
)

const locked = {
  id: 'uuid',
  username: 'text',
  roles: 'text[]',
  hasFactor: 'bool',
  createdAt: 'timestamptz',
  sessionGeneration: 'int4',
} as const
export type LockedUser = RowOf<typeof locked>

const lockLogin = statement(
  'auth_lock_user',
  ['uuid', 'int4?'],
  locked,
  sql`select ${select(locked)} from users
   where id = $1 and ($2::int4 is null or password_version = $2) and status = 'active'
   for no key update`,
)
/**
 * Locks the user if the password that was checked is still the current one. No password change,
 * reset or disabling can then commit between the check and the new session, and no other login of
 * this user counts the sessions in the meantime.
 *
 * @param passwordVersion null on a login by passkey alone
 */
export const lockUser = (tx: Db, userId: string, passwordVersion: number | null) =>
  one(tx, lockLogin, [userId, passwordVersion])

const writeRenewedHash = statement(
  'auth_write_renewed_hash',
  ['uuid', 'text', 'text'],
  'update users set password_hash = $3 where id = $1 and password_hash = $2',
)
/** Stores a new hash of the same password; a password set in the meantime is kept. */
export const replaceHash = (tx: Db, userId: string, stored: string, renewed: string) =>
  tx.run(writeRenewedHash, [userId, stored, renewed])

const countSessions = statement(
  'auth_count_sessions',
  ['uuid', 'timestamptz'],
  { count: 'int8' },
  'select count(*) as count from current_sessions where user_id = $1 and ends_at > $2',
)
/** The number of sessions of a user that have not ended, idle ones included. */
export async function sessionCount(db: Db, userId: string, now: number): Promise<bigint> {
  return (await one(db, countSessions, [userId, new Date(now)]))?.count ?? 0n
}

const endLeastUsed = statement(
  'auth_end_replaced_sessions',
  ['uuid', 'timestamptz', 'int4', 'bytea?'],
  `with locked as materialized (
     select id from sessions where ended_at is null and id = any(array(
       (select id from current_sessions where user_id = $1 and ends_at > $2
        order by last_used_at desc, id desc offset $3::int4 - 1 limit 1000)
       union all
       select id from sessions where handle_hash = $4
     )) order by id for no key update
   )
   update sessions set ended_at = $2, ended_because = 'replaced'
   where id = any(array(select id from locked)) and ended_at is null`,
)
type Replaced = {
  countMax: number
  now: number
  /** SHA-256 of the handle of the session that the browser held. The person of it is locked. */
  replaces?: Buffer | undefined
}
/**
 * Ends what a new session replaces: that of its browser, and the least recently used ones, so that
 * the user has at most `countMax` with the new one. Idle sessions end first, since they were used
 * before any live one. All in one statement, which locks them in their order.
 */
export const endReplaced = (tx: Db, userId: string, { countMax, now, replaces }: Replaced) =>
  tx.run(endLeastUsed, [userId, new Date(now), countMax, replaces ?? null])

const begun = {
  id: 'uuid',
  userId: 'uuid',
  device: 'text?',
  createdAt: 'timestamptz',
  endsAt: 'timestamptz',
  generation: 'int4',
  isRestricted: 'bool',
} as const
const insertSession = insertInto(
  'auth_insert_session',
  'sessions',
  { ...begun, issuer: 'text?', issuerSidHash: 'bytea?', issuerFactor: 'bool' },
  { as: { lastUsedAt: ':createdAt', bankGeneration: '(select number from bank_generation)' } },
)
/** `generation`: the session generation of the user, who is locked. */
export type NewSession = RowOf<typeof begun> & {
  /** Where it began; undefined at this bank. */
  origin: Origin | undefined
}
export const addSession = (tx: Db, { origin, ...session }: NewSession) => {
  const {
    issuer = null,
    sidHash: issuerSidHash = null,
    hasFactor: issuerFactor = false,
  } = origin ?? {}
  return insertSession(tx, { ...session, issuer, issuerSidHash, issuerFactor })
}

const writeHandle = statement(
  'auth_write_handle',
  ['uuid', 'bytea'],
  'update sessions set handle_hash = $2 where id = $1',
)

/** The session is known by a handle, in a cookie, from here on. */
export const addHandle = (tx: Db, handleHash: Buffer, sessionId: string) =>
  tx.run(writeHandle, [sessionId, handleHash])

const lockBoth = statement(
  'auth_lock_replaced',
  ['uuid', 'bytea'],
  `select from users
   where id = any(array[$1::uuid] || array(select user_id from sessions where handle_hash = $2))
   order by id for no key update`,
)
/** Locks a person, and the one whose session has that handle; the order: `gate/lock-callers.ts`. */
export const lockReplaced = (tx: Db, userId: string, handleHash: Buffer) =>
  tx.run(lockBoth, [userId, handleHash])

export const addRefreshToken = insertInto('auth_insert_refresh_token', 'refresh_tokens', {
  tokenHash: 'bytea',
  sessionId: 'uuid',
})

const findRefreshToken = statement(
  'auth_find_refresh_token',
  ['bytea'],
  { sessionId: 'uuid', userId: 'uuid', usedAt: 'timestamptz?' },
  `select r.session_id as "sessionId", s.user_id as "userId", r.used_at as "usedAt"
   from refresh_tokens r join sessions s on s.id = r.session_id
   where r.token_hash = $1`,
)
export const refreshTokenByHash = (db: Db, tokenHash: Buffer) =>
  one(db, findRefreshToken, [tokenHash])

const useRefreshToken = statement(
  'auth_use_refresh_token',
  ['bytea', 'timestamptz'],
  'update refresh_tokens set used_at = $2 where token_hash = $1',
)
export const markUsed = (tx: Db, tokenHash: Buffer, now: number) =>
  tx.run(useRefreshToken, [tokenHash, new Date(now)])

const endOne = statement(
  'auth_end_session',
  ['uuid', 'timestamptz', 'text'],
  { id: 'uuid' },
  `with ended as (
     update sessions set ended_at = coalesce(ended_at, $2), ended_because = $3
     where id = $1 and (ended_at is null
       or $3 <> 'logout' and ended_because not in ('revoked', 'reuse'))
   )
   select id from sessions where id = $1`,
)
type EndReason = 'logout' | 'revoked' | 'reuse'
/**
 * Undefined when there is no such session. Of one that has ended already the time stays. Only a
 * revocation becomes its reason: what was asked for in it may be the wish of a thief.
 */
export const endSession = (db: Db, sessionId: string, because: EndReason, now: number) =>
  one(db, endOne, [sessionId, new Date(now), because])

const writePassword = statement(
  'auth_write_password',
  ['uuid', 'int4', 'text'],
  { id: 'uuid' },
  `update users set password_hash = $3, password_version = password_version + 1
   where id = $1 and password_version = $2
   returning id`,
)
/** Undefined when the password was changed in the meantime. */
export const changePassword = (tx: Db, userId: string, version: number, passwordHash: string) =>
  one(tx, writePassword, [userId, version, passwordHash])
