// PostgreSQL without an installation: the binaries come from npm, the data lies in the data folder,
// and the server starts and ends with the service. One service at a time uses the folder.
import { resolve } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { fileSystemError, PassingStartupError, StartupError } from '../../domain/startup-error.ts'
import type { LocalAddress } from '../connections/connect.ts'
import {
  type Cluster,
  makeSocketFolder,
  ownerRole,
  port,
  prepareCluster,
  removeSocketFolder,
  removeUnfinished,
  type Settings,
} from './cluster.ts'
import {
  findRival,
  openInstance,
  readLockedPid,
  removeDeadInstances,
  withServer,
} from './instance.ts'
import { isDiskFull, type Setback, toSetback } from './setback.ts'
import { stopServer, startWatchdog } from './watchdog.ts'

/** A database that runs. */
export type Opened = {
  /** As the owner of the schema, through a socket that only the service's user can reach. */
  readonly address: LocalAddress
  /** The identifier of PostgreSQL's main process. */
  readonly pid: number
  /** Stops PostgreSQL and resolves when it is gone. The database of another process runs on. */
  stop(): Promise<void>
}

export type Embedded = Opened & {
  /** Resolves when PostgreSQL is gone, stopped or not. */
  readonly ended: Promise<void>
}

/** Said as soon as PostgreSQL is at work by itself: its first set-up, or its start. */
export type OnWorking = () => void

/**
 * For the service: starts PostgreSQL on `<folder>/postgres`, made when it is missing. A server that
 * a dead service has left running is stopped first. Throws {@link PassingStartupError} while the
 * folder belongs to another service or to a command, and {@link StartupError} when the folder or
 * the installation is not usable.
 *
 * @param settings of PostgreSQL, which take precedence: for tests
 * @param silenceMsMax see {@link untilReady}
 */
export async function startEmbedded(
  folder: string,
  settings?: Settings,
  silenceMsMax?: number,
  onWorking?: OnWorking,
): Promise<Embedded> {
  const opened = await open(folder, { settings, silenceMsMax, onWorking })
  if ('ended' in opened) return opened
  throw new PassingStartupError(
    `Another Strongroom is running on ${resolve(folder)}: a service or a command.`,
  )
}

/**
 * For a command: the database of the service that runs on the folder, or one of its own.
 *
 * @param signal stops one of its own, also while it starts
 */
export const openEmbedded = (folder: string, signal?: AbortSignal): Promise<Opened> =>
  open(folder, { signal })

/** For a predecessor that is still ending, and for other starts at the same moment. */
const startTimeoutMs = 25_000
/** A server that has not listened for so long, though its lock file says that it runs, is dead. */
const staleAfterMs = 1000

/** A server that is started listens before it recovers, and says so from then on. */
const usualSilenceMsMax = 60_000

type Start = {
  settings?: Settings | undefined
  signal?: AbortSignal | undefined
  silenceMsMax?: number | undefined
  onWorking?: OnWorking | undefined
}

async function open(
  folder: string,
  { settings, signal, silenceMsMax = usualSilenceMsMax, onWorking }: Start,
): Promise<Embedded | Opened> {
  try {
    const cluster = { ...(await prepareCluster(folder, onWorking)), ...(settings && { settings }) }
    const deadline = performance.now() + startTimeoutMs
    let absentSince = performance.now()
    // Ends with a server, or by an error: after the deadline at the latest.
    for (;;) {
      signal?.throwIfAborted()
      const rival = await findRival(cluster)
      if (typeof rival === 'object') {
        const address = toAddress(cluster, rival.socketFolder)
        return { address, pid: rival.pid, stop: async () => {} }
      }
      if (rival !== 'absent') absentSince = performance.now()
      const isStale = performance.now() - absentSince > staleAfterMs
      const stalePid = isStale ? await readLockedPid(cluster) : undefined
      const started =
        rival === 'absent'
          ? await start(cluster, stalePid, { signal, silenceMsMax, onWorking })
          : { reason: 'the server that runs there neither answers nor ends', mayPass: true }
      if ('address' in started) return started
      if (!started.mayPass || performance.now() > deadline) {
        const mayPass = started.mayPass || isDiskFull(started.reason)
        const Failure = mayPass ? PassingStartupError : StartupError
        throw new Failure(
          `PostgreSQL did not start on ${cluster.path}: ${started.reason} (see ${cluster.log}).`,
        )
      }
      await sleep(50)
    }
  } catch (thrown) {
    throw explained(thrown, folder)
  }
}

/** Failures of the file system are the operator's to repair, so they are told in one line. */
function explained(thrown: unknown, folder: string): unknown {
  const { code = '', syscall, message } = thrown as NodeJS.ErrnoException
  if (syscall === undefined) return thrown
  const why = hints[code] === undefined ? message : `${hints[code]} (${message})`
  return fileSystemError(`${folder} cannot be used as the data folder: ${why}.`, thrown)
}

const hints: Record<string, string> = {
  EEXIST: 'there is a file in its place',
  ENOTDIR: 'part of the path is a file',
  EBUSY: 'its folder postgres is a mount point; mount the data folder itself',
}

const toAddress = ({ password }: Cluster, socketFolder: string): LocalAddress => ({
  host: socketFolder,
  port,
  user: ownerRole,
  password,
  database: 'strongroom',
})

async function start(
  cluster: Cluster,
  stalePid: number | undefined,
  { signal, silenceMsMax, onWorking }: Omit<Start, 'settings'> & { silenceMsMax: number },
): Promise<Embedded | Setback> {
  const socketFolder = await makeSocketFolder(cluster)
  const instance = await openInstance(socketFolder)
  const watched = await startWatchdog(cluster, socketFolder, instance.name, stalePid).catch(
    (thrown: unknown) => {
      instance.close()
      throw thrown
    },
  )
  onWorking?.()
  let pid: number | undefined
  const cleanUp = async (how: 'ended' | 'killed'): Promise<void> => {
    // If this fails, the next start stops the server as an orphan.
    if (how === 'killed' && pid !== undefined) await stopServer(cluster).catch(() => {})
    instance.close()
    await removeSocketFolder(socketFolder)
  }
  const ended = watched.ended.then(cleanUp)
  const stop = (): Promise<void> => {
    watched.stop()
    return ended
  }
  signal?.addEventListener('abort', () => void stop())
  if (signal?.aborted) void stop()
  try {
    const found = await untilReady(cluster, socketFolder, {
      instance: instance.name,
      ended: watched.ended,
      silenceMsMax,
    })
    if (found === 'silent') {
      throw new PassingStartupError(
        `PostgreSQL did not start on ${cluster.path}: it accepted no session and named no reason ` +
          `for ${silenceMsMax / 1000} s (see ${cluster.log}).`,
      )
    }
    pid = found
    if (pid !== undefined) {
      await Promise.all([removeUnfinished(cluster), removeDeadInstances(socketFolder)])
      return { address: toAddress(cluster, socketFolder), pid, ended, stop }
    }
    await ended
    return toSetback(await watched.readLog())
  } catch (thrown) {
    await stop()
    if (!(thrown instanceof pg.DatabaseError)) throw thrown
    return { reason: thrown.message, mayPass: false }
  }
}

type Wanted = { instance: string; ended: Promise<unknown>; silenceMsMax: number }

/**
 * Connects as soon as PostgreSQL answers, for as long as it lives: recovery after a power cut takes
 * its time, during which PostgreSQL refuses each session with this reason. One that gives no such
 * reason for too long is 'silent': it listens elsewhere, or its own data refuse every session. A
 * server of another start may answer, too; PostgreSQL then ends ours.
 *
 * @returns the server's process id, or undefined when it has ended
 */
async function untilReady(
  cluster: Cluster,
  socketFolder: string,
  { instance, ended, silenceMsMax }: Wanted,
): Promise<number | 'silent' | undefined> {
  let silentSince = performance.now()
  // Ends with an answer of the server, with its end, or when it was silent for too long.
  for (;;) {
    const found = await withServer(cluster, socketFolder, async (server, session) => {
      if (server.instance !== instance) return undefined
      if (!server.hasDatabase) await session.query('create database strongroom')
      return server.pid
    })
    if (typeof found === 'number') return found
    if (found === 'passing') silentSince = performance.now()
    if (performance.now() - silentSince > silenceMsMax) return 'silent'
    const pause = sleep(found === 'absent' ? 10 : 50, 'pause')
    if ((await Promise.race([pause, ended])) !== 'pause') return undefined
  }
}
