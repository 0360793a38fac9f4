// The lab with Patroni on the loopback address: three members of etcd, three of Patroni with
// PostgreSQL 18, and HAProxy, run by the files of deploy/ with the lab's own ports and folders.
import type { ChildProcess } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { chmod, chown, mkdir } from 'node:fs/promises'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { LocalAddress } from '../../src/database/connections/connect.ts'
import { query } from '../faults/base.ts'
import { now } from '../faults/history.ts'
import { freePort } from '../support/program.ts'
import { startHaproxy } from './haproxy.ts'
import { type Member, openMember, type Status } from './members.ts'
import { account, end, launch, programs } from './programs.ts'

/** A member that was seen as the primary, for the first time since it was none. */
export type Promotion = { at: number; name: string }

export type Lab = {
  members: readonly Member[]
  etcd: readonly EtcdMember[]
  /** By HAProxy to the primary, as the owner of the bank's database. */
  address: LocalAddress
  /** Where HAProxy takes what it hands to the services. */
  frontPort: number
  primary(): Promise<Member>
  /** The synchronous one. */
  standby(): Promise<Member>
  /** The first promotion after that moment, of another member than `except`. */
  promotion(after: number, except?: Member): Promise<Promotion>
  /** Resolves when etcd is whole, one member leads, the others follow, and one is synchronous. */
  whole(): Promise<void>
  stop(): Promise<void>
}

export type EtcdMember = { start(): Promise<void>; kill(): Promise<void> }

const watchIntervalMs = 200
/** What does not come right by itself within that time never will. */
const wholeMsMax = 240_000

const secret = () => randomBytes(18).toString('base64url')

/**
 * Starts it in new folders, with an empty database of the bank.
 *
 * @param folder that account may pass through its parents
 * @param servicePorts of the three instances, which need not run yet
 * @param dataDir the data folder of the services, whose certificate HAProxy shows too
 */
export async function openLab(
  folder: string,
  { servicePorts, dataDir }: { servicePorts: readonly number[]; dataDir: string },
): Promise<Lab> {
  await mkdir(folder, { recursive: true, mode: 0o711 })
  await chmod(folder, 0o711)
  const { ports: etcdPorts, members: etcd } = await openEtcd(folder)
  await Promise.all(etcd.map((each) => each.start()))
  await within('etcd has a leader', () => readEtcdVersion(etcdPorts))
  const superuser = secret()
  const passwords = {
    PATRONI_SUPERUSER_PASSWORD: superuser,
    PATRONI_REPLICATION_PASSWORD: secret(),
    PATRONI_REWIND_PASSWORD: secret(),
  }
  const members: Member[] = []
  for (const name of ['db1', 'db2', 'db3']) {
    members.push(await openMember(folder, name, { etcd: etcdPorts, passwords }))
  }
  await Promise.all(members.map((member) => member.start()))

  const promotions: Promotion[] = []
  const stopped = new AbortController()
  async function watch(member: Member): Promise<void> {
    let wasPrimary = false
    while (!stopped.signal.aborted) {
      const status = await member.status()
      const isPrimary = status?.role === 'primary' && status.state === 'running'
      if (isPrimary && !wasPrimary) promotions.push({ at: now(), name: member.name })
      wasPrimary = isPrimary
      await sleep(watchIntervalMs)
    }
  }
  const watches = members.map(watch)

  const [databasePort, frontPort] = [await freePort(), await freePort()]
  const ports = members.map((member) => ({ name: member.name, ...member.ports }))
  const database = { port: databasePort, members: ports }
  const haproxy = await startHaproxy(folder, { dataDir, servicePorts, frontPort, database })
  const address = {
    host: '127.0.0.1',
    port: databasePort,
    user: 'bank_owner',
    password: secret(),
    database: 'bank',
  }
  const find = (isWanted: (status: Status) => boolean) =>
    within('such a member', async () => {
      const seen = await Promise.all(members.map((member) => member.status()))
      return members.find((_, index) => seen[index] && isWanted(seen[index]))
    })
  async function isWhole(): Promise<boolean> {
    const seen = await Promise.all(members.map((member) => member.status()))
    const [leader, more] = seen.filter((status) => status?.role === 'primary')
    return (
      leader !== undefined &&
      more === undefined &&
      seen.every((status) => status === leader || status?.replication_state === 'streaming') &&
      seen.some((status) => status?.sync_standby)
    )
  }
  const lab: Lab = {
    members,
    etcd,
    address,
    frontPort,
    primary: () => find((status) => status.role === 'primary'),
    standby: () => find((status) => status.sync_standby ?? false),
    promotion: (after, except) =>
      within('a new primary', async () =>
        promotions.find(({ at, name }) => at > after && name !== except?.name),
      ),
    async whole() {
      await within('every member of etcd is healthy', () => isEtcdHealthy(etcdPorts))
      await within('the cluster is whole', async () => (await isWhole()) || undefined)
    },
    async stop() {
      stopped.abort()
      await Promise.all([...watches, ...members.map((member) => member.signal('SIGCONT'))])
      await end(haproxy)
      await Promise.all([
        ...members.map((member) => member.stop()),
        ...etcd.map((each) => each.kill()),
      ])
    },
  }
  try {
    await lab.whole()
    const root = { ...address, user: 'postgres', password: superuser, database: 'postgres' }
    await within('HAProxy finds the primary', () => query(root, 'select 1').catch(() => undefined))
    await query(root, `create role bank_owner login createrole password '${address.password}'`)
    await query(root, 'create database bank owner bank_owner')
    return lab
  } catch (thrown) {
    // What runs would keep the process of the test alive.
    await lab.stop()
    throw thrown
  }
}

async function within<R>(what: string, look: () => Promise<R | undefined>): Promise<R> {
  const startedAt = now()
  while (now() - startedAt < wholeMsMax) {
    const found = await look()
    if (found !== undefined) return found
    await sleep(watchIntervalMs)
  }
  throw new Error(`Not within ${wholeMsMax} ms: ${what}`)
}

async function openEtcd(parent: string): Promise<{ ports: number[]; members: EtcdMember[] }> {
  const plans = []
  for (const name of ['etcd1', 'etcd2', 'etcd3']) {
    const folder = path.join(parent, name)
    await mkdir(folder, { mode: 0o700 })
    if (account) await chown(folder, account.uid, account.gid)
    plans.push({ name, folder, port: await freePort(), peerPort: await freePort() })
  }
  const peers = plans.map(({ name, peerPort }) => `${name}=http://127.0.0.1:${peerPort}`).join(',')
  const members = plans.map(({ name, folder, port, peerPort }) => {
    const [client, peer] = [`http://127.0.0.1:${port}`, `http://127.0.0.1:${peerPort}`]
    const options = {
      name,
      'data-dir': folder,
      'listen-client-urls': client,
      'advertise-client-urls': client,
      'listen-peer-urls': peer,
      'initial-advertise-peer-urls': peer,
      'initial-cluster': peers,
      'initial-cluster-state': 'new',
      // A loaded machine would change its leader again and again.
      'heartbeat-interval': '300',
      'election-timeout': '3000',
    }
    const args = Object.entries(options).map(([option, value]) => `--${option}=${value}`)
    let child: ChildProcess | undefined
    return {
      async start() {
        const log = path.join(parent, `${name}.log`)
        child = await launch(programs.etcd, args, { log, as: account })
      },
      async kill() {
        if (child) await end(child)
      },
    }
  })
  return { ports: plans.map(({ port }) => port), members }
}

/** Undefined until all members have agreed on it; Patroni would not start. */
async function readEtcdVersion(ports: readonly number[]): Promise<string | undefined> {
  const read = async (port: number) => {
    const { etcdcluster } = (await (await fetch(`http://127.0.0.1:${port}/version`)).json()) as {
      etcdcluster: string
    }
    return etcdcluster
  }
  const versions = await Promise.all(ports.map(read)).catch(() => [])
  return versions.every((version) => /^\d/.test(version)) ? versions[0] : undefined
}

/** True when all members follow one leader; otherwise undefined. */
async function isEtcdHealthy(ports: readonly number[]): Promise<true | undefined> {
  const answers = ports.map((port) => fetch(`http://127.0.0.1:${port}/health`))
  const isHealthy = await Promise.all(answers).then(
    (all) => all.every(({ ok }) => ok),
    () => false,
  )
  return isHealthy || undefined
}
