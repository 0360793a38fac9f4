// Databases for tests: one embedded PostgreSQL for the whole run, a migrated template in it with
// five people, and a clone of that for every world that is made.
import { randomBytes } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import pg from 'pg'
import { createPasswords } from '../../src/features/auth/passwords.ts'
import type { Address, LocalAddress } from '../../src/database/connect.ts'
import { startEmbedded } from '../../src/database/embedded.ts'
import { migrate } from '../../src/database/migrate.ts'
import { provision, serviceLogin } from '../../src/gate/provision.ts'
import { people, password } from './people.ts'

type Parts = Exclude<Address, { connectionString: string }>
export type TestCluster = {
  /** As the owner. */
  address: Parts
  /** As the service logs in. */
  login: Parts
  stop(): Promise<void>
}

const template = 'strongroom_template'
/** How the global set-up tells the test processes where the cluster is. */
export const clusterVariable = 'TEST_CLUSTER'

/** Starts PostgreSQL in a folder of its own and makes the template. */
export async function startCluster(): Promise<TestCluster> {
  const folder = await mkdtemp(path.join(tmpdir(), 'strongroom-test-'))
  const started = await clusterIn(folder, makeTemplate)
  return {
    ...started,
    async stop() {
      await started.stop()
      await rm(folder, { recursive: true, force: true })
    },
  }
}

/** Starts PostgreSQL on that folder, and leaves the folder when it stops. */
export async function clusterIn(
  folder: string,
  prepare?: (address: Parts) => Promise<void>,
): Promise<TestCluster & { pid: number }> {
  const embedded = await startEmbedded(folder)
  const address = { ...embedded.address, database: 'postgres' }
  const { pid } = embedded
  await prepare?.(address)
  return { address, login: await serviceLogin(address), pid, stop: () => embedded.stop() }
}

export async function makeTemplate(address: Parts): Promise<void> {
  await onServer(address, 'create database strongroom_template')
  const prepared = { ...address, database: template }
  await migrate(prepared)
  await provision(prepared, Date.UTC(2026, 0, 1))
  await settle(prepared)
}

/** The cluster of this run: made by the global set-up, or here when one file is run alone. */
export async function cluster(): Promise<TestCluster> {
  const told = process.env[clusterVariable]
  if (told !== undefined) {
    return { ...(JSON.parse(told) as Omit<TestCluster, 'stop'>), stop: async () => {} }
  }
  return startCluster()
}

/** A fresh copy of the template, and the way to drop it. */
export async function cloneTemplate({ address, login }: TestCluster): Promise<TestCluster> {
  const database = `world_${randomBytes(8).toString('hex')}`
  await onServer(address, `create database ${database} template ${template}`)
  return {
    address: { ...address, database },
    login: { ...login, database },
    stop: () => onServer(address, `drop database ${database} with (force)`),
  }
}

async function onServer(address: Parts, text: string): Promise<void> {
  const client = new pg.Client(address)
  client.on('error', () => {})
  await client.connect()
  try {
    await client.query(text)
  } finally {
    await client.end()
  }
}

export async function settle(address: Parts): Promise<void> {
  const client = new pg.Client(address)
  await client.connect()
  const hashed = await (await createPasswords()).hash(password)
  for (const { id, username, roles, givenName, familyName } of Object.values(people)) {
    await client.query(
      `insert into strongroom.users
         (id, username, email, given_name, family_name, roles, password_hash, created_at)
       values ($1, $2, $3, $4, $5, $6, $7, '2026-01-01')`,
      [id, username, `${username}@example.com`, givenName, familyName, roles, hashed],
    )
  }
  await client.end()
}

/** A test database as a setting names it, by the folder of its socket. */
export function toUrl({ user, password, host, port, database }: LocalAddress): string {
  const login = `${user}:${encodeURIComponent(password)}`
  return `postgres://${login}@localhost:${port}/${database}?host=${encodeURIComponent(host)}`
}
