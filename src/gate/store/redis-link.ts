// The connection to Redis or Valkey: kept open, with a short time-out. After the first command
// without an answer, or where it takes no writes or is a replica, the store counts as out of reach
// until it counts again.
import { Redis } from 'ioredis'
import { Refusal, refuse } from '../../domain/errors.ts'
import { StartupError } from '../../domain/startup-error.ts'
import type { Log } from '../../telemetry/log.ts'

export type Link = {
  isReachable(): boolean
  /** Whether the store may evict live limits, as it last said. */
  mayForget(): boolean
  /** Runs the script. Refuses with `unavailable` if there is no answer, or an error as answer. */
  run(keys: readonly string[], rest: readonly (string | number)[]): Promise<number[]>
  /** The store's clock in microseconds, extrapolated from its last reading; never ahead of it. */
  time(): number
  /** Takes a reading of the store's clock. */
  learn(time: number): void
  /** Uses the user and password of the URL from now on. Rejects when the store refuses them. */
  replaceLogin(url: string): Promise<void>
  close(): Promise<void>
}

/** A write that changes nothing: the key is not made by it. */
const neverThere = 'strongroom:never'
/** How often the store is asked whether it may forget. */
const evictionCheckMs = 60_000
/** How often it is asked whether it counts: one that becomes a replica may keep connections. */
const reachCheckMs = 5000
/** Also the time-out of every command. */
export const connectTimeoutMs = 2000
const pauseMsMax = 1000
const microsecondsPerMillisecond = 1000

/** Resolves after the first attempt to connect; a failed one is repeated in the background. */
export async function openLink(url: string, script: string, log: Log): Promise<Link> {
  const redis = new Redis({ ...toOptions(url), scripts: { windows: { lua: script } } })
  // By way of `unknown`: to compare the type with that of all commands takes the compiler seconds.
  const scripts = redis as unknown as {
    windows(keyCount: number, ...values: (string | number)[]): Promise<number[]>
  }
  let offset = 0
  const learn = (time: number) => {
    offset = time - performance.now() * microsecondsPerMillisecond
  }
  const eviction = watchEviction(redis, log)
  const reach = watchReach(redis, learn, log)
  await reach.settled

  async function run(keys: readonly string[], rest: readonly (string | number)[]) {
    if (!reach.isReachable())
      refuse('unavailable', { outage: 'limit-store', because: 'the limit store is out of reach' })
    try {
      return await scripts.windows(keys.length, ...keys, ...rest)
    } catch (thrown) {
      // One key may be at fault, or the whole store.
      if (isAnswer(thrown) && !isFromReplica(thrown)) void reach.ask()
      else {
        // What is sent from now on could be charged late: the store reads it when it goes on.
        reach.lose(thrown)
        if (redis.status === 'ready') redis.disconnect(true)
      }
      throw new Refusal('unavailable', { outage: 'limit-store', because: thrown })
    }
  }

  return {
    isReachable: reach.isReachable,
    mayForget: eviction.mayForget,
    run,
    time: () => offset + performance.now() * microsecondsPerMillisecond,
    learn,
    replaceLogin: (url) => replaceLogin(redis, url),
    async close() {
      reach.close()
      const ended = new Promise<void>((resolve) => redis.once('end', resolve))
      const isOpen = redis.status === 'ready'
      redis.disconnect()
      if (isOpen) await ended
    },
  }
}

/** The answer to TIME: two texts, though the client's types say numbers. */
function toMicroseconds(time: readonly unknown[]): number {
  const [seconds = NaN, microseconds = NaN] = time.map((each) => Number.parseInt(String(each), 10))
  return seconds * 1e6 + microseconds
}

/** Knows whether the store counts, and tells when it begins and ceases to. */
function watchReach(redis: Redis, learn: Link['learn'], log: Log) {
  let isReachable = false
  let [isClosing, isLossLogged] = [false, false]
  let reason: unknown
  let asking: Promise<void> | undefined
  let next: NodeJS.Timeout | undefined

  /** The reason is an error of the store or of the network, without data of a client. */
  function lose(because = reason): void {
    reason = because
    isReachable = false
    if (isLossLogged || isClosing) return
    isLossLogged = true
    log.error({ because: describeReason(reason) }, 'the limit store is out of reach')
  }

  /**
   * Also a replica, and a store that is full, tells the time: the store has to take a write. A
   * replica that takes one loses it at the next copy of its primary.
   */
  async function judge(): Promise<void> {
    try {
      const asked = [redis.time(), redis.set(neverThere, '', 'XX'), readRole(redis)] as const
      const [time, , role = primary] = await Promise.all(asked)
      if (role !== primary) throw new Error('REPLICA')
      learn(toMicroseconds(time))
    } catch (thrown) {
      lose(thrown)
      // What it answers now, it may answer for long.
      if (!isAnswer(thrown)) redis.disconnect(true)
      else if (!isClosing) next = setTimeout(() => void ask(), pauseMsMax).unref()
      return
    }
    if (isClosing) return
    isReachable = true
    if (isLossLogged) log.over('error', {}, 'the limit store is back')
    isLossLogged = false
    reason = undefined
  }

  /** Finds out whether the store counts: by one question at a time. */
  function ask(): Promise<void> {
    clearTimeout(next)
    return (asking ??= judge().finally(() => (asking = undefined)))
  }

  const settled = new Promise<void>((resolve) => {
    redis.on('ready', () => void ask().finally(resolve))
    redis.on('close', () => (clearTimeout(next), lose(), resolve()))
  })
  redis.on('error', (thrown: unknown) => (reason = thrown))
  const timer = setInterval(() => isReachable && void ask(), reachCheckMs).unref()

  return {
    settled,
    isReachable: () => isReachable,
    lose,
    ask,
    close() {
      isClosing = true
      isReachable = false
      clearTimeout(next)
      clearInterval(timer)
    },
  }
}

/**
 * Commands are neither queued nor repeated: a charge whose answer was lost may stand, but is never
 * made again. A connection without an answer is replaced by a new one.
 */
export function toOptions(url: string) {
  const { protocol, hostname, port, username, password, pathname } = new URL(url)
  const server =
    protocol === 'unix:'
      ? { path: decodeURIComponent(pathname) }
      : {
          host: hostname.replace(/^\[(.*)\]$/, '$1'),
          port: Number.parseInt(port || '6379', 10),
          db: Number.parseInt(pathname.slice(1) || '0', 10),
        }
  return {
    ...server,
    ...(username !== '' && { username: decodeURIComponent(username) }),
    ...(password !== '' && { password: decodeURIComponent(password) }),
    ...(protocol === 'rediss:' && { tls: {} }),
    protocol: 2 as const,
    connectionName: 'strongroom',
    disableClientInfo: true,
    connectTimeout: connectTimeoutMs,
    commandTimeout: connectTimeoutMs,
    socketTimeout: connectTimeoutMs,
    disconnectTimeout: connectTimeoutMs,
    enableOfflineQueue: false,
    autoResendUnfulfilledCommands: false,
    maxRetriesPerRequest: 0,
    retryStrategy: (times: number) => Math.min(50 * 2 ** times, pauseMsMax),
    // After a failover the host name may lead to another server.
    reconnectOnError: isFromReplica,
  }
}

const isAnswer = (thrown: unknown): boolean =>
  thrown instanceof Error && thrown.name === 'ReplyError'

const isFromReplica = (thrown: unknown): boolean =>
  thrown instanceof Error && thrown.message.startsWith('READONLY')

const primary = 'master'

/** Undefined when it does not say so: the user may lack the right to INFO. */
async function readRole(redis: Redis): Promise<string | undefined> {
  const replication = await redis.info('replication').catch((thrown: unknown) => {
    if (!isAnswer(thrown)) throw thrown
    return ''
  })
  return /^role:(\w+)/m.exec(replication)?.[1]
}

/** A store out of reach is asked when it is back: the login may have been replaced there. */
async function replaceLogin(redis: Redis, url: string): Promise<void> {
  const { username, password } = { username: undefined, password: undefined, ...toOptions(url) }
  if (redis.status === 'ready' && password !== undefined) {
    await (username === undefined ? redis.auth(password) : redis.auth(username, password)).catch(
      (thrown: unknown) => {
        throw new StartupError(describeReason(thrown))
      },
    )
  }
  Object.assign(redis.options, { username: username ?? null, password: password ?? null })
}

/** The error's code, or the first word of the store's own errors: `ECONNREFUSED`, `WRONGPASS`. */
export function describeReason(thrown: unknown): string {
  const { code, message = '' } = (thrown ?? {}) as { code?: unknown; message?: string }
  if (typeof code === 'string') return code
  return /^[A-Z]{3,}\b/.exec(message)?.[0] ?? 'no answer'
}

/** Tells when the store begins to be one that may forget, and when it is none any more. */
function watchEviction(redis: Redis, log: Log) {
  let mayForget = false
  async function check(): Promise<void> {
    const policy = redis.status === 'ready' ? await readPolicy(redis) : undefined
    if (policy === undefined || mayForget === (policy !== keepsAll)) return
    mayForget = policy !== keepsAll
    if (mayForget) {
      log.warn(
        { because: `maxmemory-policy ${policy}` },
        'the limit store may forget live limits: set maxmemory-policy noeviction',
      )
    } else log.over('warn', {}, 'the limit store keeps all limits again')
  }
  const timer = setInterval(() => void check(), evictionCheckMs).unref()
  redis.on('ready', () => void check())
  redis.on('end', () => clearInterval(timer))
  return { mayForget: () => mayForget }
}

const keepsAll = 'noeviction'

/**
 * What the store does when its memory is full: a store that evicts keys would forget live limits.
 * Undefined when it does not say so: the user may lack the right to INFO.
 */
async function readPolicy(redis: Redis): Promise<string | undefined> {
  const memory = await redis.info('memory').catch(() => '')
  const policy = /^maxmemory_policy:([\w-]+)/m.exec(memory)?.[1]
  return policy !== undefined && /^maxmemory:0\b/m.test(memory) ? keepsAll : policy
}
