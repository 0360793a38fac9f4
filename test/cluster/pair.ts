// A primary and a standby that nothing waits for, of the embedded PostgreSQL.
import { chmod, mkdir, writeFile } from 'node:fs/promises'
import path from 'node:path'
import type { LocalAddress } from '../../src/database/connections/connect.ts'
import { type Embedded, startEmbedded } from '../../src/database/embedded/embedded.ts'
import { query } from '../faults/base.ts'
import { type DatabaseProxy, databaseProxy } from '../faults/database-proxy.ts'
import { execute } from '../faults/own-cluster.ts'

export type Pair = {
  /** The primary, as its owner. */
  primary: Embedded
  /** Straight to the standby, as its owner. */
  atStandby(text: string): Promise<Record<string, unknown>[]>
  /** The service's way to the standby; it leads to the present one. */
  wire: DatabaseProxy
  /** The URL of that way, with a login of the primary. */
  urlFor(login: LocalAddress): string
  /** SIGKILL of the standby's main process. */
  kill(): Promise<void>
  /** A clean end, before the files of the standby are changed. */
  end(): Promise<void>
  /** Starts it again. */
  start(): Promise<void>
  /** Makes the standby one without a primary, once it starts again. */
  markStandby(): Promise<void>
  stop(): Promise<void>
}

const settings = { fsync: 'off', max_connections: '200', wal_retrieve_retry_interval: '100' }

/** Replay gives way to a read for so long. */
const conflictMs = 100

/** @param prepare fills the primary before the standby is copied from it */
export async function openPair(
  parent: string,
  prepare: (address: LocalAddress) => Promise<unknown>,
): Promise<Pair> {
  await chmod(parent, 0o711)
  const [folder, copy] = [path.join(parent, 'primary'), path.join(parent, 'standby')]
  const made = await startEmbedded(folder, settings)
  await prepare({ ...made.address, database: 'postgres' })
  await made.stop()
  await mkdir(copy)
  await execute('cp', ['-a', `${folder}/.`, copy])
  const primary = await startEmbedded(folder, settings)
  const { host, port, user, password } = primary.address
  const upstream = `host=${host} port=${port} user=${user} password=${password}`
  const target = { host: '', port }
  let standby: Embedded | undefined
  const wire = await databaseProxy(target)

  async function start(): Promise<void> {
    standby = await startEmbedded(copy, {
      ...settings,
      primary_conninfo: upstream,
      max_standby_streaming_delay: `${conflictMs}`,
    })
    target.host = standby.address.host
  }
  const markStandby = () => writeFile(path.join(copy, 'postgres/standby.signal'), '')
  await markStandby()
  await start()
  return {
    primary,
    atStandby: (text) => query((standby as Embedded).address, text),
    wire,
    urlFor: ({ user: name, password: secret, database }) =>
      `postgres://${name}:${encodeURIComponent(secret)}@127.0.0.1:${wire.port}/${database}`,
    async kill() {
      const { pid, ended } = standby as Embedded
      process.kill(pid, 'SIGKILL')
      await ended
    },
    end: async () => standby?.stop(),
    start,
    markStandby,
    async stop() {
      await wire.close()
      await Promise.all([standby?.stop(), primary.stop()])
    },
  }
}
