import assert from 'node:assert/strict'
import { mkdtemp, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { StartupError } from '../../domain/startup-error.ts'
import { findAccount, oneLine, run } from './program.ts'

test('of what a program has printed the line is told that names the failure, else the last one', () => {
  const folder = 'could not create directory "/data/postgres": Permission denied'
  for (const [output, told] of [
    [
      `creating directory /data/postgres ...\n\ninitdb: error: ${folder}\ninitdb: removed\n`,
      folder,
    ],
    ['2026-11-23 19:45:31 UTC [7] FATAL:  no memory\nit was stopped\n', 'no memory'],
    ['/bin/sh: 1: initdb: not found\n', '/bin/sh: 1: initdb: not found'],
    ['first\nlast\n \n', 'last'],
    ['\n', 'no output'],
    ['', 'no output'],
  ] as const) {
    assert.equal(oneLine(output), told, output)
  }
})

test(
  'a program that cannot be run is named, with the account that it should have had',
  { timeout: 60_000 },
  async () => {
    const own = { name: 'postgres', uid: process.getuid?.() ?? 0, gid: process.getgid?.() ?? 0 }
    for (const [account, as] of [
      [undefined, ''],
      [own, ' as the account postgres'],
    ] as const) {
      const expected = new StartupError(`/nowhere/initdb cannot be run${as} (ENOENT).`)
      await assert.rejects(run('/nowhere/initdb', [], account), {
        name: expected.name,
        message: expected.message,
      })
    }
  },
)

test('PostgreSQL runs as this account, and under root as the owner of the cluster or another one', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'strongroom-account-'))
  t.after(() => rm(folder, { recursive: true, force: true }))
  const { uid } = await stat(folder)
  let own = uid
  t.mock.method(process as Required<Pick<typeof process, 'getuid'>>, 'getuid', () => own)
  const asks = (as: number, cluster = folder) => {
    own = as
    return findAccount(cluster)
  }
  assert.equal(await asks(uid || 4711, join(folder, 'none')), undefined)
  await assert.rejects(asks(uid + 1), /belongs to the user with id \d+: start Strongroom as that/)
  // A folder without a cluster may be a mount point: its owner tells nothing.
  const { name } = (await asks(0)) ?? {}
  assert.ok(name === 'postgres' || name === 'nobody', name)
  await writeFile(join(folder, 'PG_VERSION'), '18')
  if (uid === 0) return assert.rejects(asks(0), /belongs to root/)
  assert.equal((await asks(0))?.uid, uid)
  assert.equal(await asks(uid), undefined, 'its own')
})
