// Migrates the schema, in one process at a time, and refuses one that this version does not fit.
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type pg from 'pg'
import { systemClock } from '../../domain/clock.ts'
import { oldestRelease } from '../../domain/release.ts'
import { type Address, createClient } from '../connections/connect.ts'
import { isCutOff, isLockedOut } from '../connections/failure.ts'
import { type OnJudging, requireFit } from './judge-schema.ts'
import { foldBatch } from './fold-names.ts'
import { watchTransactions } from './give-way.ts'
import {
  appliedMigrations,
  createMigrationsTable,
  keepHashes,
  knownMigrations,
  type Migration,
  migrationsFolder,
  requireOwnFiles,
  runWhole,
} from './migrations.ts'
import { isPiecemeal, runPiecemeal } from './piecemeal.ts'

/**
 * All reads of a table wait behind a migration that waits for it. It gives up before the service
 * gives up on them (`connect.ts`), and before a read that it has met in a deadlock does, after
 * PostgreSQL's `deadlock_timeout` of a second.
 */
const lockTimeoutMs = 500
/** Behind the first attempt, and twice as long behind each further one: a read ends soon. */
const firstPauseMs = 500
/** Until a process asks again whether it is its turn. */
const turnMs = 100
/** An advisory lock. Releases up to 0.3.0 take the same one. */
export const turnLock = 7_241_865_325_823_964

/** A migration of a large bank takes long, and waits for the one of another process. */
const unlimited = { statementMs: 0, answerMs: 0 }
const patient = ['-c lock_timeout=0', '-c idle_in_transaction_session_timeout=0']

/** The SQLSTATE of a warning that a migration raises itself. */
const raised = '01000'

type Options = {
  say?: (text: string) => void
  /** How long a migration whose tables are locked is tried again. */
  patienceMs?: number
  /** The longest pause between two attempts. */
  pauseMsMax?: number
  /** Ends it at once, also while it waits. What is not committed yet is rolled back. */
  signal?: AbortSignal | undefined
  folder?: string
  onJudging?: OnJudging | undefined
}

/**
 * Runs the migrations that are missing, each in its own transaction or piece by piece, as the role
 * of `address` (the owner of the schema), folds the names that are not folded yet, and prepares the
 * statements that are loaded. Several processes may call it at once; they take turns. Throws
 * {@link StartupError} when other files made the schema, or a statement does not fit it.
 *
 * @returns the names of the migrations that were run
 */
export async function migrate(address: Address, options: Options = {}): Promise<string[]> {
  const client = createClient(address, undefined, unlimited, patient)
  options.signal?.throwIfAborted()
  options.signal?.addEventListener('abort', () => void client.end())
  // What a migration leaves for the bank to do.
  client.on('notice', ({ severity, code, message = '' }) => {
    if (severity === 'WARNING' && code === raised) options.say?.(`${message}\n`)
  })
  await client.connect()
  try {
    const known = await knownMigrations(options.folder)
    const applied = await appliedMigrations(client)
    requireOwnFiles(applied, known)
    const names =
      findMissing(applied, known).length === 0
        ? []
        : await runMissing(address, client, known, options)
    await client.query(`set lock_timeout = ${lockTimeoutMs}`)
    while (await withPatience(client, () => foldBatch(client), options));
    await requireFit(address, { onJudging: options.onJudging })
    await keepHashes(client, known)
    return names
  } finally {
    await client.end()
  }
}

function findMissing(
  applied: readonly Pick<Migration, 'name'>[],
  known: readonly Migration[],
): Migration[] {
  const run = new Set(applied.map(({ name }) => name))
  return known.filter(({ name }) => !run.has(name))
}

async function runMissing(
  address: Address,
  client: pg.Client,
  known: readonly Migration[],
  options: Options,
): Promise<string[]> {
  await takeTurn(client, turnLock, options.signal)
  await createMigrationsTable(client)
  await client.query(`select set_config('strongroom.oldest_release', $1, false)`, [oldestRelease])
  const dir = options.folder ?? migrationsFolder
  const watch = await watchTransactions(address, client)
  async function run({ name, sha256 }: Migration): Promise<void> {
    const set = `select set_config('strongroom.migration_sha256', $1, false),
      set_config('lock_timeout', $2, false)`
    await client.query(set, [sha256, String(lockTimeoutMs)])
    const text = await readFile(join(dir, `${name}.sql`), 'utf8')
    if (isPiecemeal(text)) await runPiecemeal(client, name, text)
    else await watch.givingWay(() => runWhole(client, name, text))
  }
  try {
    // Another process may have run some while this one waited for its turn, and none from now on.
    const applied = await appliedMigrations(client)
    requireOwnFiles(applied, known)
    const missing = findMissing(applied, known)
    const [next] = missing
    const later = next && applied.find(({ name }) => name > next.name)
    if (later) throw new Error(`The migration ${next.name} is missing before ${later.name}`)
    for (const migration of missing) await withPatience(client, () => run(migration), options)
    return missing.map(({ name }) => name)
  } finally {
    await watch.close()
  }
}

/**
 * Takes the lock of those that migrate, however long that takes. The end of the connection releases
 * it. One that waited inside a statement would keep its snapshot, for whose end the building of an
 * index waits: the process whose turn it is would never end.
 */
async function takeTurn(client: pg.Client, lock: number, signal: AbortSignal | undefined) {
  const ask = () =>
    client.query<{ isMine: boolean }>('select pg_try_advisory_lock($1) as "isMine"', [lock])
  while (!(await ask()).rows[0]?.isMine) {
    await sleep(turnMs, undefined, { signal })
  }
}

/** Repeats a migration that fails because another session has its tables, or waits for them. */
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
      if (!isLockedOut(thrown) && !isCutOff(thrown)) throw thrown
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
          'Another session, such as a pg_dump, uses the same tables. ' +
            `The migration is tried again for ${minutes} minutes.\n`,
        )
      }
      await sleep(pauseMs, undefined, { signal })
      pauseMs = Math.min(2 * pauseMs, pauseMsMax)
    }
  }
}
