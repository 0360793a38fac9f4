// Tells the database of a live service from one whose service has died. Each service listens on an
// instance socket beside PostgreSQL's, with a name of its own that PostgreSQL carries as a setting.
// The kernel closes the socket however the process ends, so neither a killed process nor a reused
// process id passes for a live service. PostgreSQL itself lets only one server run on a cluster.
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { readdir, readFile, realpath, rm } from 'node:fs/promises'
import { connect, createServer } from 'node:net'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { StartupError } from '../../domain/startup-error.ts'
import {
  type Cluster,
  findSocketFolder,
  fitsSocket,
  ownerRole,
  port,
  readSocketFolder,
} from './cluster.ts'
import { stopServer } from './watchdog.ts'

export type Instance = { name: string; close(): void }

/** No longer than the name of PostgreSQL's socket, so its path fits as well. */
const instanceName = /^[0-9a-f]{12}$/

export async function openInstance(socketFolder: string): Promise<Instance> {
  const name = randomBytes(6).toString('hex')
  const server = createServer((socket) => socket.destroy()).unref()
  server.listen(join(socketFolder, name))
  await once(server, 'listening')
  return { name, close: () => void server.close() }
}

async function answers(path: string): Promise<boolean> {
  const socket = connect(path)
  try {
    await once(socket, 'connect')
    return true
  } catch (thrown) {
    return !['ENOENT', 'ECONNREFUSED'].includes((thrown as NodeJS.ErrnoException).code ?? '')
  } finally {
    socket.destroy()
  }
}

/** Removes the sockets of dead instances. */
export async function removeDeadInstances(socketFolder: string): Promise<void> {
  const names = (await readdir(socketFolder)).filter((name) => instanceName.test(name))
  for (const path of names.map((name) => join(socketFolder, name))) {
    if (!(await answers(path))) await rm(path, { force: true })
  }
}

/** A killed process keeps its sockets for a moment, until the kernel has cleared it away. */
const dyingMs = 500

async function isAlive(path: string): Promise<boolean> {
  if (!(await answers(path))) return false
  await sleep(dyingMs)
  return answers(path)
}

/** A server that accepts sessions. */
export type Server = { pid: number; instance: string | null; hasDatabase: boolean }

/** Nothing listens; a server says that it starts, recovers or stops; or it gives no reason. */
export type NoServer = 'absent' | 'passing' | 'unclear'

const serverText = `
  select split_part(pg_read_file('postmaster.pid'), E'\\n', 1)::int as pid,
    current_setting('data_directory') as path,
    current_setting('strongroom.instance', true) as instance,
    exists (select from pg_database where datname = 'strongroom') as "hasDatabase"`

/** Does some work in a session, if there is a server on the cluster that accepts one. */
export async function withServer<R>(
  cluster: Cluster,
  socketFolder: string,
  work: (server: Server, session: pg.Client) => Promise<R>,
): Promise<R | NoServer> {
  const session = new pg.Client({
    host: socketFolder,
    port,
    user: ownerRole,
    password: cluster.password,
    database: 'postgres',
    application_name: `strongroom ${process.pid}`,
    connectionTimeoutMillis: 2000,
    query_timeout: 30_000,
  })
  session.on('error', () => {})
  try {
    const server = await readServer(cluster, session)
    return typeof server === 'object' ? await work(server, session) : server
  } finally {
    void session.end().catch(() => {})
  }
}

async function readServer(cluster: Cluster, session: pg.Client): Promise<Server | NoServer> {
  try {
    await session.connect()
    const { rows } = await session.query<Server & { path: string }>(serverText)
    const [server] = rows as [Server & { path: string }]
    // A copied data folder still names the temporary socket folder of the original.
    return fitsSocket(cluster.folder) || (await isSame(server.path, cluster.path))
      ? server
      : 'absent'
  } catch (thrown) {
    const { code } = thrown as { code?: string }
    if (code === 'ENOENT' || code === 'ECONNREFUSED') return 'absent'
    if (code === '57P03') return 'passing'
    if (code !== '28P01') return 'unclear'
    throw new StartupError(
      `${cluster.folder}/postgres.json does not hold the password of the database: ` +
        'restore the one that belongs to it.',
      { cause: thrown },
    )
  }
}

const isSame = async (one: string, other: string): Promise<boolean> =>
  (await realpath(one)) === (await realpath(other))

/**
 * The server of a live service, if there is one. A server without a service is stopped by the first
 * start that finds it: an advisory lock on that server keeps a second start from stopping the next
 * server in its place.
 */
export async function findRival(
  cluster: Cluster,
): Promise<(Server & { socketFolder: string }) | NoServer> {
  const socketFolder = await findSocketFolder(cluster)
  if (socketFolder === undefined) return 'absent'
  return withServer(cluster, socketFolder, async (server, session) => {
    const { instance } = server
    if (instance && (await isAlive(join(socketFolder, instance)))) {
      return { ...server, socketFolder }
    }
    const isFirst = await session
      .query<{ taken: boolean }>('select pg_try_advisory_lock(7867, 1) as taken')
      .then(
        ({ rows }) => rows[0]?.taken,
        () => false,
      )
    if (isFirst) await stopServer(cluster)
    return 'unclear'
  })
}

/**
 * The process id in the lock file of a server, once the file is complete. PostgreSQL does not start
 * while a process has that id, whichever program it is.
 */
export async function readLockedPid(cluster: Cluster): Promise<number | undefined> {
  const read = (path: string) => readFile(path, 'utf8').catch(() => '')
  const text = await read(join(cluster.path, 'postmaster.pid'))
  if (text !== '') return text.split('\n').length > 8 ? parseInt(text, 10) : undefined
  const { folder } = cluster
  const socketFolder = (await findSocketFolder(cluster)) ?? (await readSocketFolder(folder))
  return parseInt(await read(`${socketFolder}/.s.PGSQL.${port}.lock`), 10) || undefined
}
