// Data of factors and recovery codes.
import { insertInto } from '../../database/statements/rows.ts'
import {
  type Db,
  one,
  type RowOf,
  select,
  sql,
  statement,
  wordOf,
} from '../../database/statements/statement.ts'

export const factorKinds = ['passkey', 'totp'] as const
export type FactorKind = (typeof factorKinds)[number]

const begun = {
  id: 'uuid',
  kind: wordOf(factorKinds),
  name: 'text',
  createdAt: 'timestamptz',
} as const
const listed = { ...begun, lastUsedAt: 'timestamptz?' } as const
export type ListedFactor = RowOf<typeof listed>

const listActive = statement(
  'factors_list',
  ['uuid'],
  listed,
  sql`select ${select(listed)} from factors
   where user_id = $1 and activated_at is not null order by id`,
)
export const activeFactors = (db: Db, userId: string) => db.run(listActive, [userId])

/** Begins an enrolment, in place of one that was not finished. */
export const addPending = insertInto(
  'factors_insert',
  'factors',
  { ...begun, userId: 'uuid', secretSealed: 'bytea?' },
  {
    first:
      'with previous as (delete from factors where user_id = :userId and activated_at is null)',
  },
)

const findPending = statement(
  'factors_find_pending',
  ['uuid', 'uuid'],
  { kind: 'text', secretSealed: 'bytea?' },
  `select kind, secret_sealed as "secretSealed" from factors
   where id = $1 and user_id = $2 and activated_at is null`,
)
export const pendingFactor = (db: Db, id: string, userId: string) =>
  one(db, findPending, [id, userId])

const activateOne = statement(
  'factors_activate',
  ['uuid', 'timestamptz', 'int4?', 'bytea?', 'bytea?', 'int8', 'text[]'],
  listed,
  sql`update factors set activated_at = $2, last_step = $3, credential_id = $4, public_key = $5,
     sign_count = $6, transports = $7
   where id = $1 and activated_at is null
     and not exists (select from factors where credential_id = $4)
   returning ${select(listed)}`,
)
export type Activation = {
  lastStep?: number
  passkey?: {
    credentialId: Buffer
    publicKey: Buffer
    signCount: number
    transports: readonly string[]
  }
}
/** Undefined when it is active already, or its passkey is registered. */
export const storeActivation = (
  tx: Db,
  id: string,
  { lastStep, passkey }: Activation,
  now: number,
) =>
  one(tx, activateOne, [
    id,
    new Date(now),
    lastStep ?? null,
    passkey?.credentialId ?? null,
    passkey?.publicKey ?? null,
    BigInt(passkey?.signCount ?? 0),
    [...(passkey?.transports ?? [])],
  ])

const writeHasFactor = statement(
  'factors_write_has_factor',
  ['uuid'],
  { hasFactor: 'bool' },
  `update users set has_factor = exists (
     select from factors where user_id = $1 and activated_at is not null
   ) where id = $1 returning has_factor as "hasFactor"`,
)
/** Keeps `users.has_factor`, in the transaction that has activated or removed a factor. */
export const keepHasFactor = async (tx: Db, userId: string): Promise<boolean> =>
  (await one(tx, writeHasFactor, [userId]))?.hasFactor ?? false

const openSession = statement(
  'factors_end_restriction',
  ['uuid'],
  'update sessions set is_restricted = false where id = $1',
)
export const endRestriction = (tx: Db, sessionId: string) => tx.run(openSession, [sessionId])

const renameOne = statement(
  'factors_rename',
  ['uuid', 'text'],
  listed,
  sql`update factors set name = $2 where id = $1 and activated_at is not null
   returning ${select(listed)}`,
)
export const renameFactor = (tx: Db, id: string, name: string) => one(tx, renameOne, [id, name])

const deleteOne = statement(
  'factors_delete',
  ['uuid'],
  { id: 'uuid' },
  'delete from factors where id = $1 and activated_at is not null returning id',
)
export const removeFactor = (tx: Db, id: string) => one(tx, deleteOne, [id])

const deleteOthers = statement(
  'factors_delete_others',
  ['uuid', 'uuid?'],
  'delete from factors where user_id = $1 and id is distinct from $2',
)
/** Removes all factors of a person but one. */
export const removeOthers = (tx: Db, userId: string, keep: string | null) =>
  tx.run(deleteOthers, [userId, keep])

const totp = { id: 'uuid', secretSealed: 'bytea', lastStep: 'int4?' } as const
const listTotp = statement(
  'factors_list_totp',
  ['uuid'],
  totp,
  sql`select ${select(totp)} from factors
   where user_id = $1 and kind = 'totp' and activated_at is not null order by id`,
)
export const totpFactors = (db: Db, userId: string) => db.run(listTotp, [userId])

const useStep = statement(
  'factors_use_step',
  ['uuid', 'int4', 'timestamptz'],
  { id: 'uuid' },
  `update factors set last_step = $2, last_used_at = $3
   where id = $1 and activated_at is not null and (last_step is null or last_step < $2)
   returning id`,
)
/** Uses the code of a step up. Of any number of simultaneous uses exactly one is not undefined. */
export const useTotpStep = (tx: Db, id: string, step: number, now: number) =>
  one(tx, useStep, [id, step, new Date(now)])

const passkey = {
  id: 'uuid',
  userId: 'uuid',
  publicKey: 'bytea',
} as const
const findPasskey = statement(
  'factors_find_passkey',
  ['bytea'],
  passkey,
  sql`select ${select(passkey)} from factors
   where credential_id = $1 and activated_at is not null`,
)
export const passkeyByCredential = (db: Db, credentialId: Buffer) =>
  one(db, findPasskey, [credentialId])

const useCount = statement(
  'factors_use_count',
  ['uuid', 'int8', 'timestamptz'],
  { id: 'uuid' },
  `update factors set sign_count = $2, last_used_at = $3
   where id = $1 and activated_at is not null
     and (sign_count < $2 or (sign_count = 0 and $2 = 0))
   returning id`,
)
/** Undefined when the counter of a passkey did not grow: it was copied (WebAuthn 6.1.1). */
export const usePasskey = (tx: Db, id: string, signCount: number, now: number) =>
  one(tx, useCount, [id, BigInt(signCount), new Date(now)])

const countCodes = statement(
  'factors_count_codes',
  ['uuid'],
  { count: 'int4' },
  'select count(*)::int as count from recovery_codes where user_id = $1 and used_at is null',
)
export const codesLeft = async (db: Db, userId: string): Promise<number> =>
  (await one(db, countCodes, [userId]))?.count ?? 0

const replaceAll = statement(
  'factors_delete_codes',
  ['uuid'],
  'delete from recovery_codes where user_id = $1',
)
const insertCodes = statement(
  'factors_insert_codes',
  ['uuid', 'bytea[]', 'bytea'],
  `insert into recovery_codes (user_id, hash, salt) select $1, hash, $3 from unnest($2::bytea[]) hash`,
)
/** Replaces the recovery codes of a person; with none, removes them. */
export async function replaceCodes(
  tx: Db,
  userId: string,
  codes: { hashes: Buffer[]; salt: Buffer } | undefined,
): Promise<void> {
  await tx.run(replaceAll, [userId])
  if (codes) await tx.run(insertCodes, [userId, codes.hashes, codes.salt])
}

const readSalt = statement(
  'factors_read_salt',
  ['uuid'],
  { salt: 'bytea' },
  'select salt from recovery_codes where user_id = $1 limit 1',
)
export const saltOfCodes = async (db: Db, userId: string): Promise<Buffer | undefined> =>
  (await one(db, readSalt, [userId]))?.salt

const useOne = statement(
  'factors_use_code',
  ['uuid', 'bytea', 'timestamptz'],
  { hash: 'bytea' },
  `update recovery_codes set used_at = $3 where user_id = $1 and hash = $2 and used_at is null
   returning hash`,
)
/** Uses a recovery code up. Of any number of simultaneous uses exactly one is not undefined. */
export const useCode = (tx: Db, userId: string, hash: Buffer, now: number) =>
  one(tx, useOne, [userId, hash, new Date(now)])

const writeRecovered = statement(
  'factors_write_recovered',
  ['uuid', 'timestamptz'],
  `update users
   set cooling_since = case when recovered_at > $2::timestamptz - interval '24 hours'
                         then coalesce(cooling_since, recovered_at) else $2 end,
       recovered_at = greatest(recovered_at, $2)
   where id = $1`,
)
/**
 * From here on new beneficiaries cool down. Those that cool since an earlier recovery cool on: who
 * has stolen two codes does not open them with the second one, also where a failover has set the
 * clock back in between.
 */
export const noteRecovery = (tx: Db, userId: string, now: number) =>
  tx.run(writeRecovered, [userId, new Date(now)])

const writeReset = statement(
  'factors_write_reset',
  ['uuid', 'bytea', 'timestamptz'],
  { email: 'text' },
  `insert into factor_resets as r (user_id, token_hash, email, expires_at)
   select id, $2, email, $3 from users where id = $1 and status = 'active' and has_factor
   on conflict (user_id) do update set token_hash = excluded.token_hash,
     email = excluded.email, expires_at = excluded.expires_at, session_id = null
   returning email`,
)
/** Replaces the link of a person; undefined when there is no factor to replace. */
export const replaceReset = (tx: Db, userId: string, tokenHash: Buffer, expiresAt: number) =>
  one(tx, writeReset, [userId, tokenHash, new Date(expiresAt)])

const findResetLink = statement(
  'factors_find_reset_link',
  ['bytea', 'timestamptz'],
  { username: 'text' },
  `select u.username from factor_resets r join users u on u.id = r.user_id and u.email = r.email
   where r.token_hash = $1 and r.expires_at > $2 and r.session_id is null
     and u.status = 'active'`,
)
/** Whose factors a link may replace now; undefined when it is not valid. */
export const userByResetLink = (db: Db, tokenHash: Buffer, now: number) =>
  one(db, findResetLink, [tokenHash, new Date(now)])

const useOfReset = statement(
  'factors_use_reset',
  ['uuid', 'bytea', 'timestamptz', 'uuid', 'timestamptz'],
  { userId: 'uuid' },
  `update factor_resets r set session_id = $4, expires_at = $5
   from users u
   where r.user_id = $1 and r.token_hash = $2 and r.expires_at > $3 and r.session_id is null
     and u.id = r.user_id and u.email = r.email
   returning r.user_id as "userId"`,
)
/**
 * Uses a link up: a factor that is activated in this session replaces the others. Undefined when
 * it is not that person's link, was used or has expired, or the address it was sent to changed.
 */
export const useReset = (
  tx: Db,
  { userId, tokenHash, now }: { userId: string; tokenHash: Buffer; now: number },
  session: { id: string; endsAt: number },
) => one(tx, useOfReset, [userId, tokenHash, new Date(now), session.id, new Date(session.endsAt)])

const findReset = statement(
  'factors_find_reset',
  ['uuid', 'uuid'],
  { userId: 'uuid' },
  'select user_id as "userId" from factor_resets where user_id = $1 and session_id = $2',
)
/** Whether that session was begun with a link that replaces the factors. */
export const isReset = async (db: Db, userId: string, sessionId: string): Promise<boolean> =>
  (await one(db, findReset, [userId, sessionId])) !== undefined

const deleteReset = statement(
  'factors_delete_reset',
  ['uuid'],
  'delete from factor_resets where user_id = $1',
)
export const voidReset = (tx: Db, userId: string) => tx.run(deleteReset, [userId])
