// The database of a command.
import assert from 'node:assert/strict'
import { mkdir, readdir } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { test } from 'node:test'
import { bank } from '../../test/support/bank.ts'
import { cluster, toUrl } from '../../test/support/database.ts'
import { newFolder } from '../../test/support/embedded.ts'
import { run } from '../../test/support/program.ts'
import { readConfig } from '../config/config.ts'
import type { Address, LocalAddress } from '../database/connections/connect.ts'
import { statement } from '../database/statements/statement.ts'
import { withOwner } from './database.ts'

const sleep = statement('test_sleep', [], { done: 'void' }, 'select pg_sleep(1.5) as done')

test("a read of the owner's commands may take longer than one of a request", async (t) => {
  const { address } = await bank(t)
  const config = readConfig({ STRONGROOM_DATABASE_URL: toUrl(address as LocalAddress) })
  await withOwner(config, (db) => db.run(sleep, []))
})

/** Every command that works on a bank and makes none. */
const commands = [
  'verify',
  'backup copy',
  'end-sessions',
  'rotate-keys',
  'rotate-secrets',
  'create-admin --username ada --email ada@example.com',
  'erase --before 2010-01-01',
  'export-person ada',
  'export-audit --before 2026-01 audit.jsonl',
  'ibans --left',
  `close-day ${join(tmpdir(), `strongroom-closing-${process.pid}`)}`,
].map((line) => line.split(' '))

test('a command on a folder without a bank says so, creates nothing and ends with 2', async (t) => {
  const folder = await newFolder(t)
  for (const command of commands) {
    const program = run(command, { DATA_DIR: folder })
    assert.equal(await program.ended, 2, command[0])
    assert.equal(program.err(), `There is no bank in ${folder} (STRONGROOM_DATA_DIR).\n`)
    assert.deepEqual(await readdir(dirname(folder)), [])
  }
  await mkdir(folder)
  const program = run(['verify'], { DATA_DIR: folder })
  assert.equal(await program.ended, 2)
  assert.deepEqual(await readdir(folder), [])
})

test('a command on a database without a schema says so and ends with 2', async (t) => {
  const shared = await cluster()
  t.after(() => shared.stop())
  const settings = { DATABASE_URL: toUrl({ ...shared.address, database: 'postgres' }) }
  for (const command of commands.filter(([name]) => name !== 'backup')) {
    const program = run(command, settings)
    assert.equal(await program.ended, 2, command[0])
    assert.equal(program.err(), 'The database has no schema yet; run `strongroom migrate`.\n')
  }
})

/** Runs each command there. All are refused with 2 and that line. */
async function assertRefused(address: Address, line: string): Promise<void> {
  for (const command of commands.filter(([name]) => name !== 'backup')) {
    const program = run(command, { DATABASE_URL: toUrl(address as LocalAddress) })
    assert.equal(await program.ended, 2, command[0])
    assert.equal(program.err(), line, command[0])
  }
}

test('a command on a database that a newer release made says so and ends with 2', async (t) => {
  const { address, sql } = await bank(t)
  await sql(
    `insert into strongroom.migrations (name, run_on, oldest_release)
     values ('9999_later', now(), '99.0.0')`,
  )
  await assertRefused(address, 'The database was made by a newer Strongroom (9999_later).\n')
})

test('a command on a database with the schema of an older release says what to do first and ends with 2', async (t) => {
  const { address, sql } = await bank(t)
  const [last] = await sql(
    `delete from strongroom.migrations where id = (select max(id) from strongroom.migrations)
     returning name`,
  )
  await assertRefused(
    address,
    `The database has the schema of an older release (${String(last?.['name'])} is missing); ` +
      'run `strongroom migrate` first.\n',
  )
})
