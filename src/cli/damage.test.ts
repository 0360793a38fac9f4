// A damaged page of the database: every command that meets it says so, with a code of its own.
import assert from 'node:assert/strict'
import { open } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { test } from 'node:test'
import { newFolder, query } from '../../test/support/embedded.ts'
import { run } from '../../test/support/program.ts'
import { openEmbedded } from '../database/embedded/embedded.ts'

/** Overwrites the middle of the first page, as a failing disk would. */
async function damage(path: string): Promise<void> {
  const file = await open(path, 'r+')
  await file.write(Buffer.alloc(64, 0x5a), 0, 64, 4096)
  await file.close()
}

test('a damaged page ends verify, backup and a start with 4 and one line, and no backup is left', async (t) => {
  const folder = await newFolder(t)
  const settings = { DATA_DIR: folder, HTTPS_PORT: '0', HTTP_PORT: '0', METRICS_PORT: '0' }
  assert.equal(await run(['create-admin'], settings).ended, 2)
  assert.equal(await run(['migrate'], settings).ended, 0)
  const added = ['create-admin', '--username', 'root', '--email', 'root@bank.example']
  assert.equal(await run(added, settings).ended, 0)
  const embedded = await openEmbedded(folder)
  const pathOf = async (table: string): Promise<string> => {
    const [row] = await query(
      embedded,
      `select pg_relation_filepath('strongroom.${table}') as path`,
    )
    return join(folder, 'postgres', String(row?.['path']))
  }
  const paths = [await pathOf('accounts'), await pathOf('users')]
  await query(embedded, 'checkpoint')
  await embedded.stop()
  for (const path of paths) await damage(path)
  const line = /^The database is damaged: .*\n$/
  for (const command of [['verify'], ['backup', join(dirname(folder), 'copy')], ['serve']]) {
    const program = run(command, settings)
    assert.equal(await program.ended, 4, `${command[0]}: ${program.err()}`)
    assert.match(program.err(), line)
  }
  await assert.rejects(open(join(dirname(folder), 'copy')), /ENOENT/)
})
