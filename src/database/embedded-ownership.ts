// Who else is on this data folder. PostgreSQL itself sees to it that one server runs on a cluster;
// which service the server belongs to, and whether that service still lives, is told by an advisory
// lock that the service holds for its life. The kernel lets go of it when the service dies in any
// way, so neither a killed process nor a reused process id can be mistaken for a live service.
import { execFile } from 'node:child_process'
import { readFile, readlink, realpath } from 'node:fs/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Cluster, knownSocketFolder, port } from './embedded-cluster.ts'
import { connect, isHeld, type Session, takeLock } from './embedded-lock.ts'
import { StartupError } from '../domain/startup-error.ts'

/** A live server on the cluster whose service is alive too, and a session on it. */
export type Rival = { socketFolder: string; pid: number; session: Session }

/**
 * Nobody is there. `overlook` is the process id a dead server has left in its lock file and another
 * process was given since: PostgreSQL takes it for its predecessor and must be told not to. (It
 * still makes sure by the shared memory that no process of the predecessor is left.)
 */
export type Nobody = { overlook: number | undefined }

/** Patience with a server that is starting or stopping, or that has to be stopped. */
const rivalTimeoutMs = 25_000
const fastStopMs = 10_000
/** A service takes the lock as soon as its server answers; one that has not by now is dead. */
const graceMs = 1200
/** The lock of a killed service is free as soon as its server has noticed. */
const noticeMs = 500
const pauseMs = 25

/** Waits until it is clear whose the cluster is. A server without a service is stopped. */
export async function findRival(cluster: Cluster): Promise<Rival | Nobody> {
  const start = performance.now()
  let since = { state: '', at: start }
  let stopped: { pid: number; at: number } | undefined
  for (;;) {
    const now = performance.now()
    const seen = await look(cluster)
    if (typeof seen === 'object' && 'overlook' in seen) return seen
    if (typeof seen === 'object' && seen.pid !== stopped?.pid) {
      const state = (await isHeld(seen.session)) ? 'held' : 'free'
      if (state !== since.state) since = { state, at: now }
      if (state === 'held' && now - since.at >= noticeMs) return seen
      if (state === 'free' && now - since.at >= graceMs && (await takeLock(seen.session))) {
        stopped = { pid: seen.pid, at: now }
        await signal(seen.pid, 'SIGINT', cluster)
        // The session, and with it the lock, stays until the server ends it.
        continue
      }
    } else {
      since = { state: '', at: now }
    }
    if (typeof seen === 'object') seen.session.close()
    if (stopped && now - stopped.at > fastStopMs) await signal(stopped.pid, 'SIGQUIT', cluster)
    if (now - start > rivalTimeoutMs) {
      throw new StartupError(
        `The PostgreSQL on ${cluster.path} neither answers nor ends: see ${cluster.log}, end it.`,
      )
    }
    await sleep(pauseMs)
  }
}

async function look(cluster: Cluster): Promise<Rival | Nobody | 'unclear'> {
  const file = await readPidFile(cluster)
  const known = knownSocketFolder(cluster)
  const socketFolder =
    known ?? (file && (await isSame(file.folder, cluster)) ? file.socketFolder : undefined)
  if (socketFolder) {
    const answer = await connect(cluster, socketFolder)
    if (answer === 'unclear') return answer
    if (answer !== 'nobody') {
      if (file) return { socketFolder, pid: file.pid, session: answer }
      answer.close()
      return 'unclear'
    }
  }
  const pid = file?.pid ?? (await readSocketLock(known))
  if (pid === undefined || !isAlive(pid)) return { overlook: undefined }
  return (await isServer(pid, cluster)) ? 'unclear' : { overlook: pid }
}

/** Resolves when the process has ceased to be a server on the cluster. Keeps no process alive. */
export async function gone(cluster: Cluster, pid: number): Promise<void> {
  while ((await readPidFile(cluster))?.pid === pid && (await isServer(pid, cluster))) {
    await sleep(pauseMs, undefined, { ref: false })
  }
}

async function signal(pid: number, name: 'SIGINT' | 'SIGQUIT', cluster: Cluster): Promise<void> {
  try {
    if (await isServer(pid, cluster)) process.kill(pid, name)
  } catch {
    // It has just gone, or is not ours to stop: the next look tells.
  }
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch (thrown) {
    return (thrown as NodeJS.ErrnoException).code === 'EPERM'
  }
}

type PidFile = { pid: number; folder: string; socketFolder: string }

async function readPidFile({ path }: Cluster): Promise<PidFile | undefined> {
  const text = await readFile(`${path}/postmaster.pid`, 'utf8').catch(() => '')
  const [pid = '', folder = '', , , socketFolder = ''] = text.split('\n')
  return /^[1-9]\d*$/.test(pid) ? { pid: parseInt(pid, 10), folder, socketFolder } : undefined
}

async function readSocketLock(socketFolder = ''): Promise<number | undefined> {
  const lock = `${socketFolder}/.s.PGSQL.${port}.lock`
  const pid = parseInt(await readFile(lock, 'utf8').catch(() => ''), 10)
  return Number.isNaN(pid) ? undefined : pid
}

/** A copied data folder still names the original, whose server is none of our business. */
async function isSame(folder: string, { path }: Cluster): Promise<boolean> {
  const [one, other] = await Promise.all(
    [folder, path].map((name) => realpath(name).catch(() => name)),
  )
  return one === other
}

/** Whether the process is a server on this cluster, not one that was given its id later. */
async function isServer(pid: number, cluster: Cluster): Promise<boolean> {
  if (process.platform === 'linux') {
    // PostgreSQL works from within its folder. What we may not see is another user's.
    const inside = await readlink(`/proc/${pid}/cwd`).catch(() => undefined)
    return inside !== undefined && (await isSame(inside, cluster))
  }
  const { promise, resolve } = Promise.withResolvers<boolean>()
  execFile('/bin/ps', ['-o', 'comm=', '-p', String(pid)], (_, output) =>
    resolve(output.includes('postgres')),
  )
  return promise
}
