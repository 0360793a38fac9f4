// Real PostgreSQL without an installation: the binaries come from npm, the data lies in the data
// folder, and the server lives and dies with the service. One service at a time owns the folder.
import { randomBytes } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import type { LocalAddress } from './connect.ts'
import {
  type Cluster,
  makeSocketFolder,
  ownerRole,
  port,
  prepareCluster,
  removeSocketFolder,
  removeUnfinished,
  type Settings,
} from './embedded-cluster.ts'
import { connect, keepLock, type Session, takeLock } from './embedded-lock.ts'
import { findRival, gone, type Rival } from './embedded-ownership.ts'
import { type Watched, watch } from './embedded-watchdog.ts'
import { StartupError } from '../domain/startup-error.ts'

export type Embedded = {
  /** As the owner of the schema, through a socket that only the service's user can reach. */
  readonly address: LocalAddress
  /** Of PostgreSQL's main process. */
  readonly pid: number
  /** Resolves when PostgreSQL is gone, whether it was asked to or not. */
  readonly ended: Promise<void>
  /** Stops PostgreSQL and resolves when it is gone. One that another process started is let be. */
  stop(): Promise<void>
}

/**
 * For the service: starts PostgreSQL on `<folder>/postgres`, made when it is missing. What a dead
 * service has left running is stopped first; a live one throws {@link StartupError}, as does all
 * that makes the folder or the installation unusable.
 *
 * @param settings of PostgreSQL, which take precedence: for tests
 */
export const startEmbedded = (folder: string, settings?: Settings): Promise<Embedded> =>
  open(folder, false, settings)

/** For commands beside a service: the database of the one that runs on the folder, or their own. */
export const openEmbedded = (folder: string): Promise<Embedded> => open(folder, true)

/** For a predecessor that is not quite gone, and for others that start at the same moment. */
const startTimeoutMs = 15_000

async function open(folder: string, mayShare: boolean, settings?: Settings): Promise<Embedded> {
  const deadline = performance.now() + startTimeoutMs
  try {
    const cluster = { ...(await prepareCluster(folder)), ...(settings && { settings }) }
    for (;;) {
      const found = await findRival(cluster)
      if ('session' in found) {
        if (mayShare) return share(cluster, found)
        found.session.close()
        throw new StartupError(`Another Strongroom is running on ${cluster.folder}.`)
      }
      const started = await start(cluster, found.overlook)
      if ('address' in started) return started
      if (!started.mayPass || performance.now() > deadline) {
        throw new StartupError(`PostgreSQL did not start on ${cluster.path}: ${started.reason}`)
      }
      await sleep(50)
    }
  } catch (thrown) {
    throw explained(thrown, folder)
  }
}

/** What the file system refuses is the operator's to mend, so it is said in one line. */
function explained(thrown: unknown, folder: string): unknown {
  const { code, syscall, path = folder } = thrown as NodeJS.ErrnoException
  if (code === undefined || syscall === undefined) return thrown
  const why = reasons[code] ?? code
  return new StartupError(`${folder} cannot be used as the data folder: ${why} (${path}).`, {
    cause: thrown,
  })
}

const reasons: Record<string, string> = {
  EACCES: 'permission denied',
  EPERM: 'not permitted',
  EROFS: 'the file system is read-only',
  ENOSPC: 'the disk is full',
  EDQUOT: 'the disk quota is used up',
  EEXIST: 'there is a file in its place',
  ENOTDIR: 'part of the path is a file',
  EBUSY: 'its folder postgres is a mount point; mount the data folder itself',
}

function share(cluster: Cluster, { socketFolder, pid, session }: Rival): Embedded {
  session.unref()
  return {
    address: toAddress(cluster, socketFolder),
    pid,
    ended: session.ended,
    stop: async () => session.close(),
  }
}

const databaseName = 'strongroom'

const toAddress = ({ password }: Cluster, socketFolder: string): LocalAddress => ({
  host: socketFolder,
  port,
  user: ownerRole,
  password,
  database: databaseName,
})

/** Why there is no server of ours; `mayPass` when another was in the way, and may not be now. */
type Setback = { reason: string; mayPass: boolean }

async function start(cluster: Cluster, overlook: number | undefined): Promise<Embedded | Setback> {
  const instance = randomBytes(8).toString('hex')
  const socketFolder = await makeSocketFolder(cluster)
  const watched = await watch(cluster, socketFolder, instance, overlook)
  try {
    const session = await reach(cluster, socketFolder, instance, watched)
    if (session && (await takeLock(session))) {
      const pid = await prepareDatabase(session)
      await removeUnfinished(cluster)
      return own(cluster, { socketFolder, pid, session }, watched)
    }
    await watched.stop()
    await removeSocketFolder(socketFolder)
    return setback(await watched.readLog())
  } catch (thrown) {
    await watched.stop()
    await removeSocketFolder(socketFolder)
    const { code, severity, message } = thrown as Error & { code?: string; severity?: string }
    // It was stopped, by a rival that took it for an orphan.
    const mayPass = code?.startsWith('57') === true || message.startsWith('Connection terminated')
    if (severity === undefined && !mayPass) throw thrown
    return { reason: message, mayPass }
  }
}

/**
 * Connects as soon as PostgreSQL answers, for as long as it lives: recovery after a power cut takes
 * its time. What answers may also be a rival's server, to which ours is about to give way.
 */
async function reach(
  cluster: Cluster,
  socketFolder: string,
  instance: string,
  watched: Watched,
): Promise<Session | undefined> {
  while (!watched.hasEnded()) {
    const answer = await connect(cluster, socketFolder)
    if (typeof answer === 'object') {
      const text = `select current_setting('strongroom.instance', true) = $1 as "isOurs"`
      const rows = answer.query<{ isOurs: boolean | null }>(text, [instance])
      const [row] = await rows.catch(() => [])
      if (row?.isOurs === true) return answer
      answer.close()
    }
    await Promise.race([sleep(answer === 'nobody' ? 10 : 100), watched.ended])
  }
  return undefined
}

/**
 * Makes the database on the first start.
 *
 * @returns the server's process id
 */
async function prepareDatabase(session: Session): Promise<number> {
  const text = 'select from pg_database where datname = $1'
  const found = await session.query(text, [databaseName])
  if (found.length === 0) await session.query('create database strongroom')
  const [row] = await session.query<{ pid: string }>(
    `select split_part(pg_read_file('postmaster.pid'), E'\\n', 1) as pid`,
  )
  return parseInt(row?.pid ?? '', 10)
}

/** The log is in English on every machine: the cluster was made so. */
function setback(log: string): Setback {
  // What sessions are told (it is starting, they are terminated) is not why the server ended.
  const telling = /(FATAL|PANIC|error): +(?!the database system is|terminating)/
  const fatal = log.split('\n').findLast((line) => telling.test(line))
  if (fatal === undefined) return { reason: 'it was stopped', mayPass: true }
  return {
    reason: fatal.replace(/^.*?(FATAL|PANIC): +/, ''),
    mayPass: /lock file|shared memory block/.test(fatal),
  }
}

function own(cluster: Cluster, { socketFolder, pid, session }: Rival, watched: Watched): Embedded {
  let isOver = false
  const ended = watched.ended.then(() => gone(cluster, pid))
  void ended.then(() => (isOver = true))
  void keepLock(cluster, socketFolder, session, () => isOver || watched.isStopping())
  return {
    address: toAddress(cluster, socketFolder),
    pid,
    ended,
    async stop() {
      // Nothing else of the database keeps the process alive until it is done.
      const hold = setInterval(() => {}, 1000)
      void watched.stop()
      await ended
      clearInterval(hold)
      await removeSocketFolder(socketFolder)
    },
  }
}
