// Password hashing, bounded so that a flood of logins cannot stall other requests.
import { hash, hashRaw, verify } from '@node-rs/argon2'
import { availableParallelism } from 'node:os'
import { Type } from '../../domain/type.ts'
import { environment } from '../../config/config.ts'
import { invalid, refuse } from '../../domain/errors.ts'
import { passwordProblem } from '../../domain/password-rules.ts'
import { secretKey } from '../../domain/schema.ts'
import type { Passwords } from '../../http/services.ts'
import type { UnderWay } from '../../telemetry/metrics.ts'

/** Refuses a new password that has a `passwordProblem`: `invalid_request` at `path`. */
export const checkPassword: Passwords['check'] = (password, username, path) => {
  const problem = passwordProblem(password, username)
  if (problem !== undefined) invalid(path, problem)
}

/** Any string a client may send as a password; the rules for new ones are `passwordProblem`. */
export const Password = Type.String({
  minLength: 1,
  maxLength: 512,
  [secretKey]: true,
  examples: ['correct horse battery'],
})

/** OWASP Password Storage: m=19 MiB, t=2, p=1. The 2 is argon2id, an ambient const enum. */
export const argonParameters = {
  algorithm: 2,
  memoryCost: 19_456,
  timeCost: 2,
  parallelism: 1,
} as const

export type Hashing = { [Name in keyof typeof argonParameters]: number }

/** Whether a hash in PHC string form was made with less memory or fewer passes than these. */
export function isOutdated(
  stored: string,
  { memoryCost, timeCost }: Hashing = argonParameters,
): boolean {
  const [, memory = '0', time = '0'] = /^\$argon2id\$v=19\$m=(\d+),t=(\d+),/.exec(stored) ?? []
  return Number.parseInt(memory, 10) < memoryCost || Number.parseInt(time, 10) < timeCost
}

/** Waiting hashes; further ones are refused. */
const queueLengthMax = 128

/** Node's default size of the thread pool. */
const defaultThreads = '4'

/**
 * How many passwords are hashed at once. One core is left to the event loop. Two threads of the
 * pool are left to signature checks and file reads, which would otherwise wait behind logins.
 */
export const hashersFor = (cores: number, threads: number): number =>
  Math.max(1, Math.min(cores - 1, threads - 2))

/** @param options.hashing other parameters, only for tests, which log in thousands of times */
export async function createPasswords({
  hashing = argonParameters,
  underWay,
}: { hashing?: Hashing | undefined; underWay?: UnderWay } = {}): Promise<Passwords> {
  const threads = Number.parseInt(environment()['UV_THREADPOOL_SIZE'] ?? defaultThreads, 10)
  const limited = boundedHashing(
    hashersFor(availableParallelism(), threads),
    queueLengthMax,
    underWay,
  )
  const decoyHash = await hash('a password that nobody has', hashing)
  const hashNow = (password: string) => limited(() => hash(password.normalize('NFKC'), hashing))
  return {
    check: checkPassword,
    hash: hashNow,
    hashRaw: (texts, salt) =>
      limited(async () => {
        const hashes: Buffer[] = []
        for (const text of texts) hashes.push(await hashRaw(text, { ...hashing, salt }))
        return hashes
      }),
    async verify(stored, password) {
      const matches = await limited(() => verify(stored ?? decoyHash, password.normalize('NFKC')))
      return matches && stored !== null
    },
    renewed: async (stored, password) =>
      isOutdated(stored, hashing) && limited.hasPlace() ? hashNow(password) : undefined,
  }
}

type Bounded = {
  <R>(work: () => Promise<R>): Promise<R>
  /** Whether new work would start without waiting. */
  hasPlace(): boolean
}

/** Runs at most `runningMax` at once; `waitingMax` may wait, the rest is refused: `unavailable`. */
export function boundedHashing(
  runningMax: number,
  waitingMax: number,
  underWay?: UnderWay,
): Bounded {
  const waiting: (() => void)[] = []
  let running = 0
  const run = async <R>(work: () => Promise<R>): Promise<R> => {
    const hasToWait = running >= runningMax
    if (hasToWait && waiting.length >= waitingMax) {
      refuse('unavailable', { outage: 'capacity', because: 'hashing queue is full' })
    }
    underWay?.inc()
    if (hasToWait) await new Promise<void>((resolve) => waiting.push(resolve))
    else running++
    try {
      return await work()
    } finally {
      underWay?.dec()
      const next = waiting.shift()
      if (next) next()
      else running--
    }
  }
  return Object.assign(run, { hasPlace: () => running < runningMax })
}
