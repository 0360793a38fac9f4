// The archive of the log of a PostgreSQL, as the metrics show it.
import assert from 'node:assert/strict'
import { rm, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { test } from 'node:test'
import { startEmbedded } from '../../database/embedded/embedded.ts'
import { atEnd, newFolder, query } from '../../../test/support/embedded.ts'
import { until } from '../../../test/support/mailbox.ts'
import { readServer } from './backlog-sql.ts'

test('an archive that fails, the log that waits for it, and the last file that it took are known', async (t) => {
  const folder = await newFolder(t)
  const closed = path.join(path.dirname(folder), 'closed')
  await writeFile(closed, '')
  const command = `test ! -f ${closed}`
  const embedded = await startEmbedded(folder, { archive_mode: 'on', archive_command: command })
  atEnd(t, () => embedded.stop())
  const read = async () => (await query(embedded, readServer.text))[0] as Record<string, unknown>
  /** Ends the file of the log that is written to; the archiver tries it at once. */
  const next = () =>
    query(embedded, "select pg_logical_emit_message(false, 'x', 'y'), pg_switch_wal()")
  await next()
  await until('the failure', async () => (await read())['isArchiveFailing'] === true)
  assert.equal((await read())['archivedAt'], null)

  await rm(closed)
  await next()
  await until('the archive', async () => (await read())['isArchiveFailing'] === false)
  assert.ok((await read())['archivedAt'] instanceof Date)
  const segment = 16 * 1024 * 1024
  const waiting = async () => Number((await read())['archiveWaiting'])
  await until('all files', async () => (await waiting()) < segment)

  await writeFile(closed, '')
  for (let file = 0; file < 3; file++) await next()
  await until('the failure', async () => (await read())['isArchiveFailing'] === true)
  const left = await waiting()
  assert.ok(left >= 3 * segment && left < 5 * segment, String(left))
})
