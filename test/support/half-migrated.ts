// A bank in the middle of its migrations.
import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import type { TestContext } from 'node:test'
import pg from 'pg'
import {
  createMigrationsTable,
  knownMigrations,
  migrationsFolder,
  runWhole,
} from '../../src/database/schema/migrations.ts'
import { isPiecemeal, runPiecemeal } from '../../src/database/schema/piecemeal.ts'
import { bank } from './bank.ts'

/** A database with the migrations before `next` only; 0012 changes the table `beneficiaries`. */
export async function halfMigrated(t: TestContext, next = '0012_confirmations') {
  const { address, sql } = await bank(t)
  const names = (await knownMigrations()).map(({ name }) => name)
  await sql('drop schema strongroom cascade')
  const count = names.indexOf(next)
  const migrating = new pg.Client(address)
  await migrating.connect()
  await createMigrationsTable(migrating)
  for (const name of names.slice(0, count)) {
    const text = await readFile(`${migrationsFolder}/${name}.sql`, 'utf8')
    await (isPiecemeal(text) ? runPiecemeal : runWhole)(migrating, name, text)
  }
  await migrating.end()
  const missing = names.slice(count)
  assert.equal(missing[0], next)
  const other = new pg.Client({ ...address, options: '-c search_path=strongroom' })
  // It ends with its database.
  other.on('error', () => {})
  await other.connect()
  const said: string[] = []
  const say = (text: string) => void said.push(text)
  return { address, sql, missing, other, said, say }
}
