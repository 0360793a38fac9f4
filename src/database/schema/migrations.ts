// The migrations of this version, and whether a database was made by these very files.
import { createHash } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import pg from 'pg'
import { isAtLeast, release } from '../../domain/release.ts'
import { StartupError } from '../../domain/startup-error.ts'
import { schemaName } from '../connections/connect.ts'

export const migrationsFolder = fileURLToPath(new URL('../../../migrations', import.meta.url))
const migrationsTable = 'migrations'

export type Migration = {
  /** The file's name, without its ending. */
  name: string
  /** The hash of the file's bytes, in hexadecimal digits. */
  sha256: string
}

let own: Promise<Migration[]> | undefined

/** The migrations of this version, in order, as they are when they are first read. */
export const knownMigrations = (folder = migrationsFolder): Promise<Migration[]> =>
  folder === migrationsFolder ? (own ??= readMigrations(folder)) : readMigrations(folder)

async function readMigrations(folder: string): Promise<Migration[]> {
  const files = (await readdir(folder)).filter((file) => file.endsWith('.sql'))
  return Promise.all(
    files.toSorted().map(async (file) => {
      const bytes = await readFile(join(folder, file))
      return {
        name: file.replace(/\.sql$/, ''),
        sha256: createHash('sha256').update(bytes).digest('hex'),
      }
    }),
  )
}

/** Makes the schema and the table of what was run, where they are missing. */
export async function createMigrationsTable(client: pg.Client): Promise<void> {
  await client.query(
    `create schema if not exists ${schemaName};
     set search_path to ${schemaName};
     create table if not exists ${migrationsTable} (
       id serial primary key, name varchar(255) not null, run_on timestamp not null)`,
  )
}

/** The statement that stores that a file was run. */
export const toStored = (name: string): string =>
  `insert into ${migrationsTable} (name, run_on) values (${pg.escapeLiteral(name)}, now())`

/** Runs a file in a transaction, and stores its name. */
export async function runWhole(client: pg.Client, name: string, text: string): Promise<void> {
  try {
    await client.query(`begin;\n${text}\n;${toStored(name)}`)
    // A message of its own: PostgreSQL would run what it has, also when this process is gone.
    await client.query('commit')
  } catch (thrown) {
    // Fails where the connection has ended, which rolls back too.
    await client.query('rollback').catch(() => {})
    throw thrown
  }
}

/** A row of the table; a database from before 0019 lacks the two columns. */
type Applied = { name: string; sha256: string | null; oldestRelease: string | null }

/** What was run on a database, in that order. Empty without a schema. */
export async function appliedMigrations(client: pg.Client): Promise<Applied[]> {
  const found = await client.query<{ exists: boolean }>(
    'select to_regclass($1) is not null as exists',
    [`${schemaName}.${migrationsTable}`],
  )
  if (!found.rows[0]?.exists) return []
  const { rows } = await client.query<Applied>(
    `select name, to_jsonb(m)->>'sha256' as sha256,
       to_jsonb(m)->>'oldest_release' as "oldestRelease"
     from strongroom.migrations m order by id`,
  )
  return rows
}

/**
 * Throws {@link StartupError} when other files made the database: edited ones, others of the same
 * time, or those of a newer release that does not support instances of this one.
 */
export function requireOwnFiles(
  applied: readonly Applied[],
  known: readonly Migration[],
  own = release,
): void {
  const hashes = new Map(known.map(({ name, sha256 }) => [name, sha256]))
  const edited = applied.find(
    ({ name, sha256 }) => sha256 !== null && hashes.has(name) && hashes.get(name) !== sha256,
  )
  if (edited) {
    throw new StartupError(
      `The file ${edited.name}.sql is not the one that made this database: ` +
        'it, or the database, was changed since.',
    )
  }
  const unknown = applied.filter(({ name }) => !hashes.has(name))
  const last = known.at(-1)?.name ?? ''
  const former = unknown.filter(({ name }) => name <= last)
  if (former.length > 0) {
    throw new StartupError(
      `The database was made by files that this version does not have (${namesOf(former)}): ` +
        'it cannot be upgraded.',
    )
  }
  const tooNew = unknown.filter(
    ({ oldestRelease }) => oldestRelease === null || !isAtLeast(own, oldestRelease),
  )
  if (tooNew.length > 0) {
    throw new StartupError(`The database was made by a newer Strongroom (${namesOf(tooNew)}).`)
  }
}

const namesOf = (migrations: readonly { name: string }[]): string =>
  migrations.map(({ name }) => name).join(', ')

/**
 * Stores the hashes of files that ran before hashes were kept. A login without the owner's rights
 * leaves that to the owner.
 */
export async function keepHashes(client: pg.Client, known: readonly Migration[]): Promise<void> {
  const { rows } = await client.query<{ may: boolean }>(
    `select has_table_privilege('strongroom.migrations', 'update') and exists (
       select from strongroom.migrations where sha256 is null) as may`,
  )
  if (!rows[0]?.may) return
  await client.query(
    `update strongroom.migrations m set sha256 = k.sha256
     from unnest($1::text[], $2::text[]) as k (name, sha256)
     where m.name = k.name and m.sha256 is null`,
    [known.map(({ name }) => name), known.map(({ sha256 }) => sha256)],
  )
}
