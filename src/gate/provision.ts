// What a migrated database needs besides its schema: the key that signs tokens and the symmetric
// keys all instances share. Made once, as the owner of the schema; the service can only read them.
import { createHmac, randomBytes } from 'node:crypto'
import { calculateJwkThumbprint, exportJWK, generateKeyPair } from 'jose'
import pg from 'pg'
import type { Clock } from '../domain/clock.ts'
import { type Address, clientOptions, type LocalAddress, serviceRole } from '../database/connect.ts'
import { signingAlgorithm } from './signing-keys.ts'
import { type Db, statement } from '../database/statement.ts'
import { toDb } from '../database/pool.ts'

const secretNames = ['card', 'cursor', 'limit', 'refresh'] as const
export type SecretName = (typeof secretNames)[number]

/**
 * Makes the keys that are missing. Safe to run by several processes at once. When none is missing
 * it only reads, so that a login without the owner's rights can start the service.
 */
export async function provision(address: Address, now: number): Promise<void> {
  await asOwner(address, async (client) => {
    const there = await client.query<{ name: string }>('select name from secrets')
    const names = new Set<string>(there.rows.map(({ name }) => name))
    for (const name of secretNames.filter((wanted) => !names.has(wanted))) {
      await client.query(
        'insert into secrets (name, value) values ($1, $2) on conflict (name) do nothing',
        [name, randomBytes(32)],
      )
    }
    const { rows } = await client.query('select 1 from signing_keys where retired_at is null')
    if (rows.length === 0) await addSigningKey(client, now)
  })
}

/** Its only right is to become the service's role. */
const serviceLoginName = 'strongroom_login'

/**
 * The address as a login that can do nothing but become {@link serviceRole}: for the embedded
 * database, whose owner may do everything. Its password follows from the owner's.
 */
export async function serviceLogin(address: LocalAddress): Promise<LocalAddress> {
  const password = createHmac('sha256', address.password)
    .update('service login')
    .digest('base64url')
  await asOwner(address, async (client) => {
    const login = client.escapeIdentifier(serviceLoginName)
    const { rows } = await client.query('select 1 from pg_roles where rolname = $1', [
      serviceLoginName,
    ])
    if (rows.length === 0) await client.query(`create role ${login} login noinherit`)
    await client.query(`alter role ${login} password ${client.escapeLiteral(password)}`)
    await client.query(`grant ${client.escapeIdentifier(serviceRole)} to ${login}`)
  })
  return { ...address, user: serviceLoginName, password }
}

export type Rotation = {
  /** Whether earlier keys verify nothing from the commit on, whatever their tokens' expiry. */
  isRevoking?: boolean
  /** Records the rotation in its transaction; given the new key's `kid`. */
  record?: (tx: Db, kid: string) => Promise<unknown>
}

/**
 * A new key signs from now on. Earlier ones verify until their last token has expired, unless they
 * are revoked.
 *
 * @param record writes the event of the rotation, in its transaction
 * @returns the new key's `kid`
 */
export async function rotateSigningKey(
  address: Address,
  now: number,
  { isRevoking = false, record }: Rotation = {},
): Promise<string> {
  return inOwnersTransaction(address, async (client, tx) => {
    // Two rotations at once: the later one retires, and revokes, the key of the earlier one too.
    await client.query('lock table signing_keys in share row exclusive mode')
    const at = new Date(now)
    await client.query('update signing_keys set retired_at = $1 where retired_at is null', [at])
    if (isRevoking) {
      await client.query('update signing_keys set revoked_at = $1 where revoked_at is null', [at])
    }
    const kid = await addSigningKey(client, now)
    await record?.(tx, kid)
    return kid
  })
}

/** Replaces shared secrets, all in one transaction. */
export async function rotateSecrets(
  address: Address,
  names: readonly SecretName[],
  { record }: { record?: (tx: Db) => Promise<unknown> } = {},
): Promise<void> {
  await inOwnersTransaction(address, async (client, tx) => {
    for (const name of names) {
      await client.query('update secrets set value = $2 where name = $1', [name, randomBytes(32)])
    }
    await record?.(tx)
  })
}

/** Another process may add one in the same moment; the unique index lets one of them through. */
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

async function asOwner<R>(address: Address, work: (client: pg.Client) => Promise<R>): Promise<R> {
  const client = new pg.Client(clientOptions(address, undefined))
  client.on('error', () => {})
  await client.connect()
  try {
    return await work(client)
  } finally {
    await client.end()
  }
}

function inOwnersTransaction<R>(
  address: Address,
  work: (client: pg.Client, tx: Db) => Promise<R>,
): Promise<R> {
  return asOwner(address, async (client) => {
    await client.query('begin')
    const result = await work(client, toDb(client))
    const { command } = await client.query('commit')
    if (command !== 'COMMIT') throw new Error(`COMMIT answered ${command}`)
    return result
  })
}

const readSecret = statement(
  'read_secret',
  ['text'],
  { value: 'bytea' },
  'select value from secrets where name = $1',
)

/** 32 bytes all instances share, as they are now. */
export async function secret(db: Db, name: SecretName): Promise<Buffer> {
  const [row] = await db.run(readSecret, [name])
  if (!row) throw new Error(`There is no secret ${name}`)
  return row.value
}

const secretMaxAgeMs = 1000

/**
 * The secret without a statement for each use. A use that finds it read more than a second ago has
 * it read again for the uses that follow; while the database is out of reach it stays as it was.
 */
export async function recentSecret(db: Db, clock: Clock, name: SecretName): Promise<() => Buffer> {
  let value = await secret(db, name)
  let readAt = clock.monotonic()
  return () => {
    if (clock.monotonic() - readAt > secretMaxAgeMs) {
      readAt = clock.monotonic()
      void secret(db, name).then(
        (read) => (value = read),
        () => {},
      )
    }
    return value
  }
}
