// What a migrated database needs besides its schema: the key that signs tokens, and the symmetric
// keys that all instances share. They are created by the owner of the schema; the service reads
// them.
import { createHmac, randomBytes } from 'node:crypto'
import { calculateJwkThumbprint, exportJWK, generateKeyPair } from 'jose'
import pg from 'pg'
import type { Clock } from '../domain/clock.ts'
import {
  type Address,
  createClient,
  type LocalAddress,
  serviceRole,
} from '../database/connections/connect.ts'
import { signingAlgorithm } from './signing-keys.ts'
import { type Db, one, statement } from '../database/statements/statement.ts'
import { commit } from '../database/connections/commit.ts'
import { toDb } from '../database/connections/pool.ts'
import { LoggedError } from '../domain/logged-error.ts'

const secretNames = ['card', 'cursor', 'factors', 'limit', 'refresh'] as const
export type SecretName = (typeof secretNames)[number]
const newSecret = () => randomBytes(32)

/**
 * Creates the keys that are missing. Safe to run by several processes at once. When none is missing
 * it only reads, so that a login without the owner's rights can start the service.
 */
export const provision = (address: Address, now: number): Promise<void> =>
  asOwner(address, async (client) => {
    const existing = await client.query<{ name: string }>('select name from secrets')
    for (const name of secretNames) {
      if (existing.rows.some((row) => row.name === name)) continue
      await client.query(
        'insert into secrets (name, value) values ($1, $2) on conflict (name) do nothing',
        [name, newSecret()],
      )
    }
    const { rows } = await client.query('select 1 from signing_keys where retired_at is null')
    if (rows.length === 0) await addSigningKey(client, now)
  })

/** May only become the service's role. */
const serviceLoginName = 'strongroom_login'

/**
 * The address with a login that may only become {@link serviceRole}: for the embedded database,
 * whose owner may do everything. Its password is derived from the owner's.
 */
export async function serviceLogin(address: LocalAddress): Promise<LocalAddress> {
  const password = createHmac('sha256', address.password)
    .update('service login')
    .digest('base64url')
  await asOwner(address, async (client) => {
    const { rows } = await client.query('select 1 from pg_roles where rolname = $1', [
      serviceLoginName,
    ])
    if (rows.length === 0) await client.query(`create role ${serviceLoginName} login noinherit`)
    await client.query(`alter role ${serviceLoginName} password ${pg.escapeLiteral(password)}`)
    await client.query(`grant ${serviceRole} to ${serviceLoginName}`)
  })
  return { ...address, user: serviceLoginName, password }
}

export type Rotation = {
  /** Whether earlier keys verify nothing after the commit, even unexpired tokens. */
  isRevoking?: boolean
  /** Records the rotation in its transaction; receives the new key's `kid`. */
  record?: (tx: Db, kid: string) => Promise<unknown>
}

/**
 * A new key signs from now on. Earlier ones verify until their last token has expired, unless they
 * are revoked. Returns the new key's `kid`.
 */
export const rotateSigningKey = (
  address: Address,
  now: number,
  { isRevoking = false, record }: Rotation = {},
): Promise<string> =>
  asOwner(address, async (client, tx) => {
    // The later one of two concurrent rotations retires, and revokes, the key of the earlier one
    // too.
    await client.query('lock table signing_keys in share row exclusive mode')
    const at = new Date(now)
    await client.query('update signing_keys set retired_at = $1 where retired_at is null', [at])
    if (isRevoking) {
      // Waits for the movements and the changes whose callers were judged while the key was good
      // (hold.ts). The orders first: a batch of them may be about to need the table.
      await client.query('select shut_out_bank()')
      await client.query('lock table users in exclusive mode')
      await client.query('update signing_keys set revoked_at = $1 where revoked_at is null', [at])
    }
    const kid = await addSigningKey(client, now)
    await record?.(tx, kid)
    return kid
  })

/** Replaces shared secrets, all in one transaction. */
export const rotateSecrets = (
  address: Address,
  names: readonly SecretName[],
  { record }: { record?: (tx: Db) => Promise<unknown> } = {},
): Promise<void> =>
  asOwner(address, async (client, tx) => {
    for (const name of names) {
      await client.query('update secrets set value = $2 where name = $1', [name, newSecret()])
    }
    await record?.(tx)
  })

/** Another process may add one at the same time; the unique index admits one of them. */
async function addSigningKey(client: pg.Client, now: number): Promise<string> {
  const { publicKey, privateKey } = await generateKeyPair(signingAlgorithm, {
    crv: 'Ed25519',
    extractable: true,
  })
  const publicJwk = await exportJWK(publicKey)
  const kid = await calculateJwkThumbprint(publicJwk)
  const named = { ...publicJwk, kid, alg: signingAlgorithm, use: 'sig' }
  await client.query(
    `insert into signing_keys (kid, public_jwk, private_jwk, created_at)
     values ($1, $2, $3, $4) on conflict do nothing`,
    [kid, named, await exportJWK(privateKey), new Date(now)],
  )
  return kid
}

/** One transaction on a connection of the owner; a failure of any part of it rolls it back. */
export async function asOwner<R>(
  address: Address,
  work: (client: pg.Client, tx: Db) => Promise<R>,
): Promise<R> {
  const client = createClient(address, undefined)
  await client.connect()
  try {
    await client.query('begin')
    const result = await work(client, toDb(client))
    const tag = await commit(client)
    if (tag !== 'COMMIT') throw new LoggedError(`COMMIT answered ${tag}`)
    return result
  } finally {
    await client.end()
  }
}

const selectSecret = statement(
  'read_secret',
  ['text'],
  { value: 'bytea' },
  'select value from secrets where name = $1',
)

/** 32 bytes that all instances share, as they are now. */
export async function readSecret(db: Db, name: SecretName): Promise<Buffer> {
  const row = await one(db, selectSecret, [name])
  if (!row) throw new LoggedError(`There is no secret ${name}`)
  return row.value
}

const secretMaxAgeMs = 1000

/**
 * The secret without a statement for each use. A use more than a second after the last read starts
 * another for the uses that follow; while the database is out of reach the old value stays.
 */
export async function recentSecret(db: Db, clock: Clock, name: SecretName): Promise<() => Buffer> {
  let value = await readSecret(db, name)
  let readAt = clock.monotonic()
  return () => {
    if (clock.monotonic() - readAt > secretMaxAgeMs) {
      readAt = clock.monotonic()
      void readSecret(db, name).then(
        (read) => (value = read),
        () => {},
      )
    }
    return value
  }
}
