// Migrates the schema, in one process at a time, and refuses a schema that is newer than the code.
import { readdir } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import pg from 'pg'
import { type Address, schemaName } from './connect.ts'

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
 * Runs the migrations that are missing, each in its own transaction, as the role of `address`
 * (the owner of the schema). Several processes may call it at once; they take turns.
 *
 * @returns the names of the migrations that were run
 */
export async function migrate(address: Address): Promise<string[]> {
  const client = new pg.Client({ ...address, connectionTimeoutMillis: 5000 })
  client.on('error', () => {})
  await client.connect()
  try {
    const known = await knownMigrations()
    const applied = await appliedMigrations(client)
    const unknown = applied.filter((name) => !known.includes(name))
    if (unknown.length > 0) throw new NewerSchema(unknown.join(', '))
    if (applied.length === known.length) return []
    // Loaded only when it is needed: most starts find nothing to migrate.
    const { runner } = await import('node-pg-migrate')
    const run = await runner({
      dbClient: client,
      dir: folder,
      direction: 'up',
      migrationsTable: table,
      migrationsSchema: schemaName,
      createMigrationsSchema: true,
      schema: schemaName,
      createSchema: true,
      advisoryLockMode: 'wait',
      checkOrder: true,
      log: () => {},
    })
    return run.map(({ name }) => name)
  } finally {
    await client.end()
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
