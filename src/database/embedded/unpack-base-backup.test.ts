// What an archive that was changed in its storage can write, and where.
import assert from 'node:assert/strict'
import { mkdir, readdir, readFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { test } from 'node:test'
import { newFolder } from '../../../test/support/embedded.ts'
import { type Entry, tarEntry } from '../../../test/support/tar.ts'
import { unpackBaseBackup } from './unpack-base-backup.ts'

const usual: Entry[] = [
  { name: 'backup_label', content: 'label' },
  { name: 'PG_VERSION', content: '18\n' },
  { name: 'base/', type: '5' },
  { name: './base/1/', type: '5' },
  { name: 'base/1/1247_fsm', content: 'x'.repeat(1000) },
  { name: 'base/1/1248', content: 'y'.repeat(512) },
]

async function* inChunks(archive: Buffer, bytes: number) {
  for (let at = 0; at < archive.length; at += bytes) yield archive.subarray(at, at + bytes)
}

const unpack = (into: string, archive: Buffer, bytes = 1000) =>
  unpackBaseBackup(inChunks(archive, bytes), into, { account: undefined })

const archiveOf = (...entries: Entry[]) =>
  Buffer.concat([...entries.map(tarEntry), Buffer.alloc(1024)])

test('an archive is written as it is, however its bytes arrive; what lies beside the data is left out', async (t) => {
  const beside = [
    'recovery.signal',
    'postgresql.auto.conf',
    'pg_hba.conf',
    'include/more.conf',
    'tablespace_map',
    'postmaster.pid',
    'evil.so',
  ]
  for (const bytes of [1, 511, 512, 513, 100_000]) {
    const into = await newFolder(t)
    await mkdir(into)
    const others = beside.map((name) => ({ name, content: 'orders' }))
    await unpack(into, archiveOf(...others, ...usual), bytes)
    assert.deepEqual((await readdir(into, { recursive: true })).toSorted(), [
      'PG_VERSION',
      'backup_label',
      'base',
      'base/1',
      'base/1/1247_fsm',
      'base/1/1248',
      'pg_hba.conf',
      'pg_ident.conf',
      'postgresql.conf',
    ])
    assert.equal(await readFile(join(into, 'base/1/1247_fsm'), 'utf8'), 'x'.repeat(1000))
    assert.equal(await readFile(join(into, 'base/1/1248'), 'utf8'), 'y'.repeat(512))
    assert.doesNotMatch(await readFile(join(into, 'pg_hba.conf'), 'utf8'), /orders/)
  }
})

const hostile: [what: string, entry: Entry][] = [
  ['a symbolic link', { name: 'base/link', type: '2', target: '/etc' }],
  ['a hard link', { name: 'base/hard', type: '1', target: 'PG_VERSION' }],
  ['a tablespace', { name: 'pg_tblspc/16400', type: '2', target: '/var/lib/elsewhere' }],
  ['a character device', { name: 'base/null', type: '3' }],
  ['a block device', { name: 'base/disk', type: '4' }],
  ['a pipe', { name: 'base/pipe', type: '6' }],
  ['a name by pax', { name: 'base/pax', type: 'x', content: '12 path=/x\n' }],
  ['a name by GNU tar', { name: 'base/long', type: 'L', content: '/etc/x' }],
  ['a file above', { name: '../outside', content: 'x' }],
  ['a file above, after a dot', { name: './../outside', content: 'x' }],
  ['a file above, by way of a folder', { name: 'base/../../outside', content: 'x' }],
  ['a folder above', { name: '../outside/', type: '5' }],
  ['an absolute path', { name: '/tmp/strongroom-outside', content: 'x' }],
  ['an empty part', { name: 'base//1', content: 'x' }],
  ['a folder with content', { name: 'base/2/', type: '5', content: 'x' }],
  ['a file twice', { name: 'PG_VERSION', content: '18\n' }],
  ['a folder twice', { name: 'base/', type: '5' }],
  ['a file without its folder', { name: 'base/none/1', content: 'x' }],
  ['a file below a file', { name: 'base/1/1248/1', content: 'x' }],
  ['signs of a terminal', { name: '\u001b[2J\u009b', type: '2' }],
]

test('an archive that holds a link, a device, a path that leads elsewhere or a file twice is refused in one line', async (t) => {
  for (const [what, entry] of hostile) {
    const into = await newFolder(t)
    await mkdir(into)
    await assert.rejects(unpack(into, archiveOf(...usual, entry)), (thrown: Error) => {
      assert.match(
        thrown.message,
        /^The archive of the backup cannot be used: it holds [ -~]+\.$/,
        what,
      )
      return true
    })
    assert.deepEqual(await readdir(dirname(into)), ['data'], what)
  }
})

test('an archive that is cut off, or is none, is refused', async (t) => {
  const whole = archiveOf(...usual)
  const cases: [archive: Buffer, reason: RegExp][] = [
    [whole.subarray(0, -1024), /it is cut off/],
    [whole.subarray(0, -1600), /it is cut off/],
    [Buffer.from('no archive'), /it is cut off/],
    [Buffer.alloc(2048, 'no archive'), /it is no archive of PostgreSQL/],
  ]
  for (const [archive, reason] of cases) {
    const into = await newFolder(t)
    await mkdir(into)
    await assert.rejects(unpack(into, archive), reason)
  }
})
