// The connection to Redis or Valkey. It is kept open and asked with a short time-out. After the
// first silence it counts as out of reach until it answers again.
import { Redis } from 'ioredis'
import { corkable } from '../database/cork.ts'
import { Refusal, refuse } from '../domain/errors.ts'
import type { Log } from '../telemetry/log.ts'

export type Link = {
  isReachable(): boolean
  /** Runs the script. Refuses with `unavailable` when there is no answer, or an error for one. */
  run(keys: readonly string[], rest: readonly (string | number)[]): Promise<number[]>
  /** The store's clock by what was last told of it, in microseconds; never ahead of it. */
  time(): number
  learn(time: number): void
  close(): Promise<void>
}

/** How long an answer is waited for, in milliseconds. */
export const connectTimeoutMs = 2000
const pauseMsMax = 1000
const microsecondsPerMillisecond = 1000

/** Resolves once the store has answered, or has not: then it is looked for again and again. */
export async function openLink(
  url: string,
  script: { source: string; sha: string },
  log: Log,
): Promise<Link> {
  const redis = new Redis(toOptions(url))
  let offset = 0
  let isReachable = false
  let isClosing = false
  let wasTold = false
  let reason: unknown

  const learn = (time: number) => {
    offset = time - performance.now() * microsecondsPerMillisecond
  }

  /** An error of the store itself, or of the way to it; nothing a client sent is in either. */
  function lost(): void {
    isReachable = false
    if (wasTold || isClosing) return
    wasTold = true
    log.error({ because: describeReason(reason) }, 'the limit store is out of reach')
  }

  async function greet(): Promise<void> {
    try {
      // Before the first burst needs it; the right to may be missing.
      await redis.script('LOAD', script.source).catch(() => {})
      const [seconds = 0, microseconds = 0] = await redis.time()
      learn(seconds * 1e6 + microseconds)
    } catch (thrown) {
      reason = thrown
      redis.disconnect(true)
      return
    }
    isReachable = true
    if (wasTold) log.info({}, 'the limit store is back')
    wasTold = false
    reason = undefined
    await warnOfEviction(redis, log)
  }

  const settled = new Promise<void>((resolve) => {
    redis.on('ready', () => void greet().finally(resolve))
    redis.on('close', () => (lost(), resolve()))
  })
  redis.on('error', (thrown: unknown) => (reason = thrown))
  await settled

  let isGathering = false
  /** What is asked in one turn of the event loop leaves in one write. */
  function gather(): void {
    if (isGathering) return
    const stream = corkable('ioredis', redis.stream)
    stream.cork()
    isGathering = true
    setImmediate(() => {
      isGathering = false
      stream.uncork()
    })
  }

  async function run(keys: readonly string[], rest: readonly (string | number)[]) {
    if (!isReachable) refuse('unavailable', { because: 'the limit store is out of reach' })
    const given = [...keys, ...rest]
    gather()
    try {
      const answer = redis.evalsha(script.sha, keys.length, ...given).catch((thrown: unknown) => {
        if (!isUnknownScript(thrown)) throw thrown
        return redis.eval(script.source, keys.length, ...given)
      })
      return (await answer) as number[]
    } catch (thrown) {
      reason = thrown
      if (isFromReplica(thrown)) lost()
      throw new Refusal('unavailable', { because: thrown })
    }
  }

  return {
    isReachable: () => isReachable,
    run,
    time: () => offset + performance.now() * microsecondsPerMillisecond,
    learn,
    async close() {
      isClosing = true
      isReachable = false
      const ended = new Promise<void>((resolve) => redis.once('end', resolve))
      const isOpen = redis.status === 'ready'
      redis.disconnect()
      if (isOpen) await ended
    },
  }
}

/**
 * Nothing is sent later than it was asked for, and nothing twice: a charge whose answer was lost
 * may stand, but is never made again. A store that says nothing for a while is looked for anew.
 */
function toOptions(url: string) {
  const { protocol, hostname, port, username, password, pathname } = new URL(url)
  return {
    host: hostname.replace(/^\[(.*)\]$/, '$1'),
    port: Number.parseInt(port || '6379', 10),
    ...(username !== '' && { username: decodeURIComponent(username) }),
    ...(password !== '' && { password: decodeURIComponent(password) }),
    db: Number.parseInt(pathname.slice(1) || '0', 10),
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
    // After a failover the name leads to another server.
    reconnectOnError: isFromReplica,
  }
}

const isFromReplica = (thrown: unknown): boolean =>
  thrown instanceof Error && thrown.message.startsWith('READONLY')

const isUnknownScript = (thrown: unknown): boolean =>
  thrown instanceof Error && thrown.message.startsWith('NOSCRIPT')

/** The error's code, or the word the store's own errors begin with: `ECONNREFUSED`, `WRONGPASS`. */
function describeReason(thrown: unknown): string {
  const { code, message = '' } = (thrown ?? {}) as { code?: unknown; message?: string }
  if (typeof code === 'string') return code
  return /^[A-Z]{3,}\b/.exec(message)?.[0] ?? 'no answer'
}

/** A store that drops what it holds to make room would forget who is limited. */
async function warnOfEviction(redis: Redis, log: Log): Promise<void> {
  // The right to ask may be missing.
  const memory = await redis.info('memory').catch(() => '')
  const policy = /^maxmemory_policy:([\w-]+)/m.exec(memory)?.[1]
  if (policy === undefined || policy === 'noeviction' || /^maxmemory:0\b/m.test(memory)) return
  log.warn(
    { because: `maxmemory-policy ${policy}` },
    'the limit store may forget live limits: set maxmemory-policy noeviction',
  )
}
