// A primary and two standbys of the embedded PostgreSQL, one of which has to confirm each COMMIT.
// The wires between them can be cut, waiting back ends be ended, and a standby be promoted.
import { chmod, rm, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { LocalAddress } from '../../src/database/connections/connect.ts'
import { type Embedded, startEmbedded } from '../../src/database/embedded/embedded.ts'
import { query } from '../faults/base.ts'
import { type DatabaseProxy, databaseProxy } from '../faults/database-proxy.ts'
import { execute } from '../faults/own-cluster.ts'

/** How a standby is out of reach: its connection ends, falls silent, or the standby is stopped. */
export type Absence = 'cut' | 'silent' | 'stopped'

export type Nodes = {
  /** The primary, as its owner. Changed in place when another one is promoted. */
  readonly address: LocalAddress
  /** The service's way to the primary; it leads to the new one after a promotion. */
  readonly wire: DatabaseProxy
  /** One of the standbys, as its owner. */
  standby(): LocalAddress
  /** No standby confirms anything until {@link rejoin}. */
  part(how: Absence): Promise<void>
  /** Resolves when a standby has confirmed a COMMIT. */
  rejoin(): Promise<void>
  /** Ends the wait of all back ends that wait for a standby. Gives how many those were. */
  endWaits(how: 'pg_cancel_backend' | 'pg_terminate_backend'): Promise<number>
  /** SIGKILL of the primary's main process, or another signal. */
  crash(signal?: NodeJS.Signals): Promise<void>
  start(): Promise<void>
  /** Promotes the standby that has the most, after the primary has ended. */
  promote(): Promise<void>
  /** Makes a standby of the primary that was ended, as a copy of the other standby. */
  rebuild(): Promise<void>
  /** The service's way leads to a standby, or to the primary again. */
  mislead(isWrong: boolean): void
  stop(): Promise<void>
}

/** Nothing waits for the disk: processes are killed here, machines are not. */
const settings = {
  fsync: 'off',
  synchronous_standby_names: 'any 1 (one, two, three)',
  wal_retrieve_retry_interval: '100',
  wal_keep_size: '1GB',
}

type Node = {
  name: string
  folder: string
  running: Embedded | undefined
  /** From this node to its primary. */
  upstream: DatabaseProxy
}

/** Starts them in new folders. The database is empty. */
export async function openNodes(
  parent: string,
  prepare: (address: LocalAddress) => Promise<unknown> = async () => {},
): Promise<Nodes> {
  const names = ['one', 'two', 'three'] as const
  const folders = names.map((name) => path.join(parent, name))
  await chmod(parent, 0o711)
  const made = await startEmbedded(folders[0] as string, { fsync: 'off' })
  const address = { ...made.address }
  await prepare(address)
  await made.stop()
  const target = { host: '', port: address.port }
  const nodes: Node[] = []
  for (const [index, name] of names.entries()) {
    const folder = folders[index] as string
    if (index > 0) await execute('cp', ['-a', folders[0] as string, folder])
    nodes.push({ name, folder, running: undefined, upstream: await databaseProxy(target) })
  }
  const wire = await databaseProxy(target)
  let [primary, ...standbys] = nodes as [Node, ...Node[]]

  const sql = (text: string) => query(address, text)
  const ask = async (node: Node, text: string) =>
    (await query((node.running as Embedded).address, text))[0] ?? {}

  function lead(node: Node): void {
    primary = node
    standbys = nodes.filter((each) => each !== node)
    target.host = (node.running as Embedded).address.host
    Object.assign(address, (node.running as Embedded).address)
  }

  async function run(node: Node): Promise<void> {
    const { user, password } = address
    const primary_conninfo = Object.entries({
      host: '127.0.0.1',
      port: node.upstream.port,
      user,
      password,
      application_name: node.name,
      // The wire reads the protocol, so nothing may come before the start-up packet.
      sslmode: 'disable',
      gssencmode: 'disable',
    })
      .map((pair) => pair.join('='))
      .join(' ')
    node.running = await startEmbedded(node.folder, { ...settings, primary_conninfo })
  }

  /** Every process of a server is stopped: its main process and those it has started. */
  async function signal({ running }: Node, name: 'SIGSTOP' | 'SIGCONT'): Promise<void> {
    const { pid } = running as Embedded
    const { stdout } = await execute('ps', ['-o', 'pid=', '--ppid', String(pid)])
    for (const each of [pid, ...stdout.split('\n').map(Number)]) if (each) kill(each, name)
  }

  async function confirmed(): Promise<void> {
    for (let turn = 0; turn < 600; turn++) {
      const rows = await sql(
        `select from pg_stat_replication where sync_state = 'quorum' and state = 'streaming'`,
      ).catch(() => [])
      if (rows.length > 0) return
      await sleep(50)
    }
    throw new Error('No standby has joined the primary')
  }

  const nodesOf: Nodes = {
    address,
    wire,
    standby: () => ((standbys[0] as Node).running as Embedded).address,
    async part(how) {
      for (const node of standbys) {
        if (how === 'cut') node.upstream.cut()
        else if (how === 'silent') node.upstream.drop()
        else if (node.running) await signal(node, 'SIGSTOP')
      }
    },
    async rejoin() {
      for (const node of standbys) {
        if (node.running) await signal(node, 'SIGCONT')
        node.upstream.heal()
      }
      await confirmed()
    },
    async endWaits(how) {
      const rows = await sql(
        `select ${how}(pid) from pg_stat_activity where wait_event = 'SyncRep'`,
      ).catch(() => [])
      return rows.length
    },
    async crash(name = 'SIGKILL') {
      const running = primary.running as Embedded
      kill(running.pid, name)
      await running.ended
      primary.running = undefined
    },
    async start() {
      await run(primary)
      lead(primary)
    },
    async promote() {
      // From now on nothing is confirmed by the way to the primary that has ended.
      for (const { upstream } of nodes) upstream.cut()
      for (const node of standbys) if (node.running) await signal(node, 'SIGCONT')
      const ahead = await Promise.all(
        standbys.map(async (node) => {
          const text = `select (pg_last_wal_receive_lsn() - '0/0')::text as at`
          return { node, at: BigInt((await ask(node, text))['at'] as string) }
        }),
      )
      const [best] = ahead.toSorted((one, other) => (one.at < other.at ? 1 : -1))
      const { node } = best as { node: Node }
      await ask(node, 'select pg_promote(true, 60)')
      lead(node)
      for (const each of nodes) each.upstream.heal()
      wire.heal()
    },
    async rebuild() {
      const gone = standbys.find(({ running }) => running === undefined) as Node
      const other = standbys.find((node) => node !== gone) as Node
      await other.running?.stop()
      await rm(gone.folder, { recursive: true, force: true })
      await execute('cp', ['-a', other.folder, gone.folder])
      await Promise.all([run(other), run(gone)])
      await confirmed()
    },
    mislead(isWrong) {
      const node = isWrong ? (standbys[0] as Node) : primary
      target.host = (node.running as Embedded).address.host
      wire.cut()
      wire.heal()
    },
    async stop() {
      for (const node of standbys) if (node.running) await signal(node, 'SIGCONT')
      await Promise.all([...nodes.map(({ upstream }) => upstream.close()), wire.close()])
      await Promise.all(nodes.map(({ running }) => running?.stop()))
    },
  }
  for (const node of standbys) {
    await writeFile(path.join(node.folder, 'postgres/standby.signal'), '')
  }
  try {
    await run(primary)
    lead(primary)
    await Promise.all(standbys.map(run))
    await confirmed()
    return nodesOf
  } catch (thrown) {
    // What runs would keep the process of the test alive.
    await nodesOf.stop()
    throw thrown
  }
}

function kill(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name)
  } catch {
    // It has ended.
  }
}
