// One member of the lab with Patroni: a machine with Patroni and the PostgreSQL that it runs, every
// connection of which to another machine passes a link that can be cut.
import type { ChildProcess } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { chown, mkdir } from 'node:fs/promises'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { type DatabaseProxy, databaseProxy } from '../faults/database-proxy.ts'
import { execute } from '../faults/own-cluster.ts'
import { freePort } from '../support/program.ts'
import { account, binFolder, end, launch, programs } from './programs.ts'

const configuration = fileURLToPath(new URL('../../deploy/patroni.yml', import.meta.url))

/** What Patroni answers on `GET /patroni`, in part. */
export type Status = {
  role: string
  state: string
  replication_state?: string
  sync_standby?: boolean
}

export type Member = {
  name: string
  /** Where the others reach its PostgreSQL and its Patroni. */
  ports: { postgres: number; rest: number }
  /** As its own Patroni says, whatever is cut. Undefined: no answer. */
  status(): Promise<Status | undefined>
  start(): Promise<void>
  /** SIGKILL of everything on the machine at one moment. */
  kill(): Promise<void>
  killPostgres(): void
  /** SIGSTOP of everything on the machine, or SIGCONT. */
  signal(name: 'SIGSTOP' | 'SIGCONT'): Promise<void>
  /** Nothing passes to it any more, nor from it to etcd; its connections fall silent. */
  isolate(): void
  cutFromEtcd(): void
  heal(): void
  stop(): Promise<void>
}

const local = (port: number) => ({ host: '127.0.0.1', port })
const statusMsMax = 1000

/** A machine that is not running yet. */
export async function openMember(
  parent: string,
  name: string,
  { etcd, passwords }: { etcd: readonly number[]; passwords: Record<string, string> },
): Promise<Member> {
  const folder = path.join(parent, name)
  await mkdir(folder, { mode: 0o700 })
  if (account) await chown(folder, account.uid, account.gid)
  const [postgresPort, restPort] = [await freePort(), await freePort()]
  const links = {
    postgres: await databaseProxy(local(postgresPort)),
    rest: await databaseProxy(local(restPort), false),
  }
  const toEtcd = await Promise.all(etcd.map((port) => databaseProxy(local(port), false)))
  const all: DatabaseProxy[] = [...Object.values(links), ...toEtcd]
  const at = ({ port }: { port: number }) => `127.0.0.1:${port}`
  const variables = {
    ...passwords,
    PATRONI_NAME: name,
    PATRONI_ETCD3_HOSTS: toEtcd.map(at).join(','),
    // Members of etcd would be reached without the links.
    PATRONI_ETCD3_USE_PROXIES: 'true',
    PATRONI_RESTAPI_LISTEN: at({ port: restPort }),
    PATRONI_RESTAPI_CONNECT_ADDRESS: at(links.rest),
    PATRONI_POSTGRESQL_LISTEN: at({ port: postgresPort }),
    PATRONI_POSTGRESQL_CONNECT_ADDRESS: at(links.postgres),
    PATRONI_POSTGRESQL_DATA_DIR: path.join(folder, 'data'),
    PATRONI_POSTGRESQL_BIN_DIR: binFolder,
    PATRONI_POSTGRESQL_PGPASS: path.join(folder, 'pgpass'),
  }
  let patroni: ChildProcess | undefined

  function readPostmasterPid(): number[] {
    try {
      return [Number.parseInt(readFileSync(path.join(folder, 'data/postmaster.pid'), 'utf8'), 10)]
    } catch {
      return []
    }
  }
  async function processes(): Promise<number[]> {
    const main = [...(patroni?.pid ? [patroni.pid] : []), ...readPostmasterPid()]
    const { stdout } = await execute('ps', ['-o', 'pid=', '--ppid', main.join(',') || '0'])
      // Nothing found.
      .catch(() => ({ stdout: '' }))
    return [...main, ...stdout.split('\n').map(Number).filter(Boolean)]
  }
  async function signal(signalName: NodeJS.Signals): Promise<void> {
    for (const pid of await processes()) send(pid, signalName)
  }
  const member: Member = {
    name,
    ports: { postgres: links.postgres.port, rest: links.rest.port },
    async status() {
      const options = { signal: AbortSignal.timeout(statusMsMax) }
      const url = `http://127.0.0.1:${restPort}/patroni`
      const read = async () => (await (await fetch(url, options)).json()) as Status
      return read().catch(() => undefined)
    },
    async start() {
      const log = path.join(parent, `${name}.log`)
      patroni = await launch(programs.patroni, [configuration], { variables, log, as: account })
    },
    async kill() {
      await signal('SIGSTOP')
      await signal('SIGKILL')
      if (patroni) await end(patroni)
      patroni = undefined
    },
    killPostgres: () => readPostmasterPid().forEach((pid) => send(pid, 'SIGKILL')),
    signal,
    isolate: () => all.forEach((link) => link.drop()),
    cutFromEtcd: () => toEtcd.forEach((link) => link.cut()),
    heal: () => all.forEach((link) => link.heal()),
    async stop() {
      await member.kill()
      await Promise.all(all.map((link) => link.close()))
    },
  }
  // A server that Patroni has started does not end with it.
  process.once('exit', () => readPostmasterPid().forEach((pid) => send(pid, 'SIGKILL')))
  return member
}

function send(pid: number, signalName: NodeJS.Signals): void {
  try {
    process.kill(pid, signalName)
  } catch {
    // It has ended.
  }
}
