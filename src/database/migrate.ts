// Migrates the schema, in one process at a time, and refuses a schema that is newer than the code.
import { readdir } from 'node:fs/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import pg from 'pg'
import { systemClock } from '../domain/clock.ts'
import { type Address, schemaName } from './connect.ts'
import { foldBatch } from './fold-names.ts'

const folder = fileURLToPath(new URL('../../migrations', import.meta.url))
const table = 'migrations'

/** The schema holds migrations that this version does not know. It must not use such a schema. */
export class NewerSchema extends Error {}

/** The names of this version's migrations, in order. */
export async function knownMigrations(): Promise<string[]> {
  const files = await readdir(folder)
  return files
    .filter((file) => file.endsWith('.sql'))
    .map((file) => file.replace(/\.sql$/, ''))
    .toSorted()
}

/**
 * All reads of a table wait behind a migration that waits for it. It gives up before the service
 * gives up on them (`connect.ts`).
 */
const lockTimeoutMs = 1000
/** SQLSTATEs of a migration that other sessions have kept from its locks. */
const lockedOut: unknown[] = [
  '55P03', // lock_not_available
  '40P01', // deadlock_detected
]

type Options = {
  say?: (text: string) => void
  /** How long a migration whose tables are locked is tried again. */
  patienceMs?: number
  pauseMs?: number
  /** Ends it at once, also while it waits. What is not committed yet is rolled back. */
  signal?: AbortSignal | undefined
}

/**
 * Runs the migrations that are missing, each in its own transaction, as the role of `address`
 * (the owner of the schema), and then folds the names that are not folded yet. Several processes
 * may call it at once; they take turns.
 *
 * @returns the names of the migrations that were run
 */
export async function migrate(address: Address, options: Options = {}): Promise<string[]> {
  const client = new pg.Client({ ...address, connectionTimeoutMillis: 5000 })
  client.on('error', () => {})
  options.signal?.throwIfAborted()
  options.signal?.addEventListener('abort', () => void client.end())
  await client.connect()
  try {
    const known = await knownMigrations()
    const applied = await appliedMigrations(client)
    const unknown = applied.filter((name) => !known.includes(name))
    if (unknown.length > 0) throw new NewerSchema(unknown.join(', '))
    const names = applied.length === known.length ? [] : await runMissing(client, options)
    await client.query(`set lock_timeout = ${lockTimeoutMs}`)
    while (await withPatience(client, () => foldBatch(client), options));
    return names
  } finally {
    await client.end()
  }
}

async function runMissing(client: pg.Client, options: Options): Promise<string[]> {
  // Loaded only when it is needed: most starts find nothing to migrate.
  const { runner, PG_MIGRATE_LOCK_ID } = await import('node-pg-migrate')
  // The runner's own lock, without a time-out. The end of the connection releases it.
  await client.query('select pg_advisory_lock($1)', [PG_MIGRATE_LOCK_ID])
  await client.query(`set lock_timeout = ${lockTimeoutMs}`)
  const runNext = () =>
    runner({
      dbClient: client,
      dir: folder,
      direction: 'up',
      count: 1,
      migrationsTable: table,
      migrationsSchema: schemaName,
      createMigrationsSchema: true,
      schema: schemaName,
      createSchema: true,
      noLock: true,
      checkOrder: true,
      log: () => {},
    })
  const names: string[] = []
  for (;;) {
    const [run] = await withPatience(client, runNext, options)
    if (!run) return names
    names.push(run.name)
  }
}

/** Repeats a migration that fails because another session has locked its tables. */
async function withPatience<R>(
  client: pg.Client,
  attempt: () => Promise<R>,
  { say = () => {}, patienceMs = 600_000, pauseMs = 10_000, signal }: Options,
): Promise<R> {
  const minutes = patienceMs / 60_000
  const clock = systemClock()
  const startedAt = clock.monotonic()
  for (let hasSaid = false; ; hasSaid = true) {
    try {
      return await attempt()
    } catch (thrown) {
      if (!lockedOut.includes((thrown as { code?: unknown }).code)) throw thrown
      await client.query('rollback')
      if (clock.monotonic() - startedAt > patienceMs) {
        throw new Error(
          `another session, such as a pg_dump, has kept a table locked for ${minutes} minutes; ` +
            'migrate again when it has ended',
          { cause: thrown },
        )
      }
      if (!hasSaid) {
        say(
          'Another session, such as a pg_dump, keeps a table locked. ' +
            `The migration is tried again for ${minutes} minutes.\n`,
        )
      }
      await sleep(pauseMs, undefined, { ...(signal && { signal }) })
    }
  }
}

async function appliedMigrations(client: pg.Client): Promise<string[]> {
  const found = await client.query<{ exists: boolean }>(
    'select to_regclass($1) is not null as exists',
    [`${schemaName}.${table}`],
  )
  if (!found.rows[0]?.exists) return []
  const applied = await client.query<{ name: string }>(
    'select name from strongroom.migrations order by id',
  )
  return applied.rows.map(({ name }) => name)
}
