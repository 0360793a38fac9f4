// A landed migration is never edited: banks that have run it would differ from new ones.
import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { test } from 'node:test'
import { knownMigrations } from '../src/database/migrations.ts'

test('each migration is the file that landed, by its SHA-256', async () => {
  const held = await readFile(new URL('migrations.sha256', import.meta.url), 'utf8')
  const lines = (await knownMigrations()).map(
    ({ name, sha256 }) => `${sha256}  migrations/${name}.sql\n`,
  )
  for (const line of lines) {
    const hint = `a new file: add this line to test/migrations.sha256; one that landed: undo its edit`
    assert.ok(held.includes(line), `${hint}\n${line}`)
  }
  assert.equal(held, lines.join(''), 'no file that landed is gone')
})
