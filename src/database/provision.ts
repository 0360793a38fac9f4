// What a migrated database needs besides its schema: the key that signs tokens and the symmetric
// keys all instances share. Made once, as the owner of the schema; the service can only read them.
import { createHmac, randomBytes } from 'node:crypto'
import { calculateJwkThumbprint, exportJWK, generateKeyPair } from 'jose'
import pg from 'pg'
import { type Address, clientOptions, type LocalAddress, serviceRole } from './connect.ts'
import { signingAlgorithm } from './signing-keys.ts'
import { type Db, statement } from './statement.ts'
import { dbOf } from './transaction.ts'

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

/**
 * A new key signs from now on; the one before verifies until its last token has expired.
 *
 * @param record writes the event of the rotation, in its transaction
 * @returns the new key's `kid`
 */
export async function rotateSigningKey(
  address: Address,
  now: number,
  record?: (tx: Db, kid: string) => Promise<unknown>,
): Promise<string> {
  return asOwner(address, async (client) => {
    await client.query('begin')
    await client.query('update signing_keys set retired_at = $1 where retired_at is null', [
      new Date(now),
    ])
    const kid = await addSigningKey(client, now)
    await record?.(dbOf(client), kid)
    await client.query('commit')
    return kid
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

const readSecret = statement(
  'read_secret',
  ['text'],
  { value: 'bytea' },
  'select value from secrets where name = $1',
)

/** 32 bytes all instances share. */
export async function secret(db: Db, name: SecretName): Promise<Buffer> {
  const [row] = await db.run(readSecret, [name])
  if (!row) throw new Error(`There is no secret ${name}`)
  return row.value
}
