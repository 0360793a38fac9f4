// A cluster of a test's own, to be ended, copied, filled up and brought back; made quickly, as the
// copy of one that is made once.
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
  /** As a power cut would: nothing is written on the way. Resolves when it is gone. */
  crash(): Promise<void>
  restart(): Promise<void>
  /** What `serve` does with its own: starts it again when it ended by itself. */
  restartIfGone(): Promise<void>
}

/** Its end is the caller's to register; `into` is a folder that is there. */
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
