// What of an archive is on disk when it counts as written.
import assert from 'node:assert/strict'
import { mkdtemp, open, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { test } from 'node:test'
import { writeFolder } from './folder.ts'

test('all files, their folder and its name in the folder above are on disk before an archive counts', async (t) => {
  const place = await mkdtemp(path.join(tmpdir(), 'strongroom-archive-'))
  t.after(() => rm(place, { recursive: true }))
  const handle = await open(place)
  const prototype = Object.getPrototypeOf(handle) as typeof handle
  await handle.close()
  const synced: number[] = []
  // oxlint-disable-next-line typescript/unbound-method
  const { sync } = prototype
  t.mock.method(prototype, 'sync', async function (this: typeof handle) {
    const { ino } = await this.stat()
    // The name counts once the folder is in its place.
    const isNamed = await stat(path.join(place, 'books')).then(
      () => true,
      () => false,
    )
    if (ino !== (await stat(place)).ino || isNamed) synced.push(ino)
    return sync.call(this)
  })
  const about = { id: 1, until: '2026-01-01T00:00:00.000Z', madeAt: '2026-01-02T00:00:00.000Z' }
  const books = path.join(place, 'books')
  await writeFolder(books, { ...about, previous: null }, async ({ heads }) => heads.add('{}'))
  const names = ['heads.jsonl', 'entries.jsonl', 'transfers.jsonl', 'kept.jsonl', 'manifest.json']
  const files = [...names.map((name) => path.join(books, name)), books, place]
  const wanted = await Promise.all(files.map(async (file) => (await stat(file)).ino))
  assert.deepEqual(synced, wanted)
})
