// A PostgreSQL cluster of a test's own that the test may end, copy, fill up and start again. It is
// a copy of one that is made once, which is quick.
import { execFile } from 'node:child_process'
import { chmod, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { after } from 'node:test'
import { promisify } from 'node:util'
import { isAlive } from '../support/embedded.ts'
import { clusterIn, makeTemplate, type TestCluster } from '../support/database.ts'

export const execute = promisify(execFile)

let made: Promise<string> | undefined
after(async () => made && rm(path.dirname(await made), { recursive: true, force: true }))

async function makeOnce(): Promise<string> {
  const folder = path.join(await newParent(), 'data')
  const started = await clusterIn(folder, { prepare: makeTemplate })
  await started.stop()
  return folder
}

async function newParent(): Promise<string> {
  const parent = await mkdtemp(path.join(tmpdir(), 'strongroom-faults-'))
  await chmod(parent, 0o711)
  return parent
}

export type OwnCluster = TestCluster & {
  folder: string
  /** As in a power cut: nothing more is written. Resolves when it is gone. */
  crash(): Promise<void>
  restart(): Promise<void>
  /** As `serve` does with its own: starts it again if it ended by itself. */
  restartIfGone(): Promise<void>
}

/** The caller registers its end; `into` is an existing folder. */
export async function ownCluster(into?: string): Promise<OwnCluster> {
  const parent = into ?? (await newParent())
  const folder = path.join(parent, 'data')
  await execute('cp', ['-a', await (made ??= makeOnce()), folder])
  let current = await clusterIn(folder)
  let isUp = true
  const cluster: OwnCluster = {
    address: current.address,
    login: current.login,
    folder,
    async crash() {
      // PostgreSQL's immediate shutdown, as of `pg_ctl stop -m immediate`.
      process.kill(current.pid, 'SIGQUIT')
      await current.stop()
      isUp = false
    },
    async restart() {
      current = await clusterIn(folder)
      isUp = true
    },
    async restartIfGone() {
      if (!isAlive(current.pid)) await cluster.restart()
    },
    async stop() {
      if (isUp) await current.stop()
      isUp = false
    },
  }
  return cluster
}
