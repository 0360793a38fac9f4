// Migrates the schema, in one process at a time, and refuses one that this version does not fit.
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { systemClock } from '../domain/clock.ts'
import { oldestRelease } from '../domain/release.ts'
import { type Address, clientOptions, schemaName } from './connect.ts'
import { requireFit } from './fit.ts'
import { foldBatch } from './fold-names.ts'
import {
  appliedMigrations,
  keepHashes,
  knownMigrations,
  type Migration,
  migrationsFolder,
  migrationsTable,
  requireOwnFiles,
} from './migrations.ts'

/**
 * All reads of a table wait behind a migration that waits for it. It gives up before the service
 * gives up on them (`connect.ts`), and before a read that it has met in a deadlock does, after
 * PostgreSQL's `deadlock_timeout` of a second.
 */
const lockTimeoutMs = 500
/** Behind the first attempt, and twice as long behind each further one: a read ends soon. */
const firstPauseMs = 500

/** A migration of a large bank takes long, and waits for the one of another process. */
const unlimited = { statementMs: 0, answerMs: 0 }
const patient = ['-c lock_timeout=0', '-c idle_in_transaction_session_timeout=0']

/** SQLSTATEs of a migration that other sessions have kept from its locks. */
const lockedOut: unknown[] = [
  '55P03', // lock_not_available
  '40P01', // deadlock_detected
]

type Options = {
  say?: (text: string) => void
  /** How long a migration whose tables are locked is tried again. */
  patienceMs?: number
  /** The longest pause between two attempts. */
  pauseMsMax?: number
  /** Ends it at once, also while it waits. What is not committed yet is rolled back. */
  signal?: AbortSignal | undefined
}

/**
 * Runs the migrations that are missing, each in its own transaction, as the role of `address`
 * (the owner of the schema), folds the names that are not folded yet, and prepares the statements
 * that are loaded. Several processes may call it at once; they take turns. Throws
 * {@link StartupError} when other files made the schema, or a statement does not fit it.
 *
 * @returns the names of the migrations that were run
 */
export async function migrate(address: Address, options: Options = {}): Promise<string[]> {
  const client = new pg.Client(clientOptions(address, undefined, unlimited, patient))
  client.on('error', () => {})
  options.signal?.throwIfAborted()
  options.signal?.addEventListener('abort', () => void client.end())
  await client.connect()
  try {
    const known = await knownMigrations()
    const applied = await appliedMigrations(client)
    requireOwnFiles(applied, known)
    const missing = known.filter(({ name }) => !applied.some((each) => each.name === name))
    const names = missing.length === 0 ? [] : await runMissing(client, known, options)
    await client.query(`set lock_timeout = ${lockTimeoutMs}`)
    while (await withPatience(client, () => foldBatch(client), options));
    await requireFit(address)
    await keepHashes(client, known)
    return names
  } finally {
    await client.end()
  }
}

async function runMissing(
  client: pg.Client,
  known: readonly Migration[],
  options: Options,
): Promise<string[]> {
  // Loaded only when it is needed: most starts find nothing to migrate.
  const { runner, PG_MIGRATE_LOCK_ID } = await import('node-pg-migrate')
  // The runner's own lock, without a time-out. The end of the connection releases it.
  await client.query('select pg_advisory_lock($1)', [PG_MIGRATE_LOCK_ID])
  await client.query(`set lock_timeout = ${lockTimeoutMs}`)
  await client.query(`select set_config('strongroom.oldest_release', $1, false)`, [oldestRelease])
  const runNext = async () => {
    // Another process may have run some while this one waited for its turn.
    const applied = await appliedMigrations(client)
    requireOwnFiles(applied, known)
    const next = known.find(({ name }) => !applied.some((each) => each.name === name))
    const hash = [next?.sha256 ?? '']
    await client.query(`select set_config('strongroom.migration_sha256', $1, false)`, hash)
    return runner({
      dbClient: client,
      dir: migrationsFolder,
      direction: 'up',
      count: 1,
      migrationsTable,
      migrationsSchema: schemaName,
      createMigrationsSchema: true,
      schema: schemaName,
      createSchema: true,
      noLock: true,
      checkOrder: true,
      log: () => {},
    })
  }
  const names: string[] = []
  // Ends behind the last migration: each turn runs the next one.
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
  { say = () => {}, patienceMs = 600_000, pauseMsMax = 10_000, signal }: Options,
): Promise<R> {
  const minutes = patienceMs / 60_000
  const clock = systemClock()
  const startedAt = clock.monotonic()
  let pauseMs = Math.min(firstPauseMs, pauseMsMax)
  // Ends after `patienceMs`.
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
      pauseMs = Math.min(2 * pauseMs, pauseMsMax)
    }
  }
}
