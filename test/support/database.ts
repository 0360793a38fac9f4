// Databases for tests: one embedded PostgreSQL for the whole run, a migrated template in it with
// five people, and a clone of that for every world.
import { randomBytes } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import pg from 'pg'
import {
  createPasswords,
  type Hashing,
  argonParameters,
} from '../../src/features/credentials/passwords.ts'
import type { Address, LocalAddress } from '../../src/database/connections/connect.ts'
import { startEmbedded } from '../../src/database/embedded/embedded.ts'
import type { Settings } from '../../src/database/embedded/cluster.ts'
import { foldName } from '../../src/domain/folding.ts'
import { migrate } from '../../src/database/schema/migrate.ts'
import type { Passwords } from '../../src/http/services.ts'
import { provision, serviceLogin } from '../../src/gate/provision.ts'
import { loadCertificate } from '../../src/http/listeners/tls.ts'
import { people, password } from './people.ts'

type AddressParts = Exclude<Address, { connectionString: string }>
export type TestCluster = {
  /** As the owner. */
  address: AddressParts
  /** As the service logs in. */
  login: AddressParts
  /** A data folder that holds a local certificate and nothing else, for worlds to copy. */
  certified?: string
  stop(): Promise<void>
}

/** A test, a file of tests, or a program, at whose end functions are run. */
export type Span = { after(end: () => Promise<void>): void }

const template = 'strongroom_template'
/** How the global set-up tells the test processes where the cluster is. */
export const clusterVariable = 'TEST_CLUSTER'

/** The public address of the services under test. */
export const publicUrl = 'https://bank.example'

/**
 * For worlds of several test files at once. Nothing waits for the disk: tests that crash a database
 * have a cluster of their own.
 */
const settings = {
  fsync: 'off',
  max_connections: '400',
  max_prepared_transactions: '10',
  max_wal_size: '256MB',
}

/** Starts PostgreSQL in a folder of its own and makes the template. */
export async function startCluster(): Promise<TestCluster & { pid: number }> {
  const folder = await mkdtemp(path.join(tmpdir(), 'strongroom-test-'))
  const started = await clusterIn(folder, { settings, prepare: makeTemplate })
  const certified = path.join(folder, 'certified')
  const none = { tlsCert: undefined, tlsKey: undefined }
  await loadCertificate({ ...none, dataDir: certified, host: '127.0.0.1', publicUrl })
  return {
    ...started,
    certified,
    async stop() {
      await started.stop()
      await rm(folder, { recursive: true, force: true })
    },
  }
}

/** Starts PostgreSQL on that folder, and leaves the folder when it stops. */
export async function clusterIn(
  folder: string,
  options: { settings?: Settings; prepare?: (address: AddressParts) => Promise<void> } = {},
): Promise<TestCluster & { pid: number }> {
  const embedded = await startEmbedded(folder, options.settings)
  const address = { ...embedded.address, database: 'postgres' }
  const { pid } = embedded
  await options.prepare?.(address)
  return { address, login: await serviceLogin(address), pid, stop: () => embedded.stop() }
}

export async function makeTemplate(address: AddressParts): Promise<void> {
  await onServer(address, 'create database strongroom_template')
  const prepared = { ...address, database: template }
  await migrate(prepared)
  await provision(prepared, Date.UTC(2026, 0, 1))
  await insertPeople(prepared, await createPasswords({ hashing: cheapHashing }))
}

/** The cluster of this run: made by the global set-up, or here when one file is run alone. */
export async function cluster(): Promise<TestCluster> {
  const told = process.env[clusterVariable]
  if (told !== undefined) {
    return { ...(JSON.parse(told) as Omit<TestCluster, 'stop'>), stop: async () => {} }
  }
  return startCluster()
}

/** A fresh copy of the template, or of another one without connections; its `stop` drops it. */
export async function cloneTemplate(from: TestCluster, original = template): Promise<TestCluster> {
  const { address, login } = from
  const database = `world_${randomBytes(8).toString('hex')}`
  await onServer(address, `create database ${database} template ${original} strategy file_copy`)
  return {
    ...from,
    address: { ...address, database },
    login: { ...login, database },
    stop: () => onServer(address, `drop database ${database} with (force)`),
  }
}

const servers = new Map<string, pg.Pool>()

/**
 * Databases that tests copy, by name: the first process that needs one makes it. What `make` has to
 * tell of it is its comment, and says that it is complete.
 *
 * @param make makes a database without connections, by any name
 */
export async function madeOnce<Content>(
  { address }: TestCluster,
  name: string,
  make: () => Promise<{ database: string; told: Content }>,
): Promise<Content> {
  const client = new pg.Client(address)
  await client.connect()
  try {
    await client.query('select pg_advisory_lock(hashtext($1))', [name])
    const { rows } = await client.query<{ told: string | null }>(
      `select shobj_description(oid, 'pg_database') as told from pg_database where datname = $1`,
      [name],
    )
    const [former] = rows
    if (former?.told) return JSON.parse(former.told) as Content
    if (former) await client.query(`drop database ${name} with (force)`)
    const { database, told } = await make()
    await client.query(`alter database ${database} rename to ${name}`)
    await client.query(
      `comment on database ${name} is ${client.escapeLiteral(JSON.stringify(told))}`,
    )
    return told
  } finally {
    await client.end()
  }
}

/** Keeps the connection for later statements. It does not keep the process running. */
async function onServer(address: AddressParts, text: string): Promise<void> {
  // By what it says: the address of a cluster changes when a standby takes over.
  const key = JSON.stringify(address)
  let server = servers.get(key)
  if (!server) {
    server = new pg.Pool({ ...address, max: 1, idleTimeoutMillis: 0, allowExitOnIdle: true })
    server.on('error', () => {})
    servers.set(key, server)
  }
  await server.query(text)
}

/** The least cost of a hash: most tests are not about hashing and log in several times each. */
export const cheapHashing: Hashing = { ...argonParameters, memoryCost: 8, timeCost: 1 }

export async function insertPeople(address: AddressParts, passwords: Passwords): Promise<void> {
  const client = new pg.Client(address)
  await client.connect()
  const hashed = await passwords.hash(password)
  for (const { id, username, roles, givenName, familyName } of Object.values(people)) {
    await client.query(
      `insert into strongroom.users
         (id, username, email, given_name, family_name, folded_name, roles, password_hash,
          created_at)
       values ($1, $2, $3, $4, $5, $8, $6, $7,
               -- The grace of second factors holds in tests of either clock, the fake and the real.
               case when 'admin' = any ($6::text[]) then now() else '2026-01-01' end)`,
      [
        id,
        username,
        `${username}@example.com`,
        givenName,
        familyName,
        roles,
        hashed,
        foldName(`${givenName} ${familyName}`),
      ],
    )
  }
  await client.end()
}

/** A test database as a setting names it, by the folder of its socket. */
export function toUrl({ user, password, host, port, database }: LocalAddress): string {
  const login = `${user}:${encodeURIComponent(password)}`
  return `postgres://${login}@localhost:${port}/${database}?host=${encodeURIComponent(host)}`
}
