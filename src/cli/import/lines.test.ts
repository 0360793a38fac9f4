// Lines of a file, wherever its pieces end.
import assert from 'node:assert/strict'
import { writeFile } from 'node:fs/promises'
import { test } from 'node:test'
import { newPlace } from '../../../test/support/import-folder.ts'
import { StartupError } from '../../domain/startup-error.ts'
import { readLines } from './lines.ts'

test('lines are whole where pieces of the file end within them, the last one without its end too', async (t) => {
  const place = await newPlace(t)
  // 64 KB is a piece: lines of many lengths end at each place of one.
  const lines = Array.from({ length: 500 }, (_, index) => 'ä'.repeat(index % 331))
  for (const end of ['', '\n']) {
    await writeFile(place, lines.join('\n') + end)
    const found: string[] = []
    let bytes = 0
    for await (const line of readLines(place, (more) => (bytes += more))) {
      assert.equal(line.number, found.length + 1)
      found.push((line.bytes as Buffer).toString())
    }
    assert.deepEqual(found, lines)
    assert.equal(bytes, Buffer.byteLength(lines.join('\n') + end))
  }
})

test('a line that is too long is told as such, and those behind it are read', async (t) => {
  const place = await newPlace(t)
  await writeFile(place, `${'x'.repeat(16_384)}\n${'x'.repeat(300_000)}\nlast`)
  const found: (number | undefined)[] = []
  for await (const { bytes } of readLines(place)) found.push(bytes?.length)
  assert.deepEqual(found, [16_384, undefined, 4])
})

test('a file that is missing has no lines; one that cannot be read is refused', async (t) => {
  const place = await newPlace(t)
  for await (const line of readLines(place)) assert.fail(String(line.number))
  await assert.rejects(async () => {
    for await (const line of readLines('/')) assert.fail(String(line.number))
  }, StartupError)
})
