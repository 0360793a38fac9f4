// Passwords: hashing that a flood of logins cannot turn into a stall.
import { hash, verify } from '@node-rs/argon2'
import { availableParallelism } from 'node:os'
import { Type } from 'typebox'
import { environment } from '../../config/config.ts'
import { invalid, refuse } from '../../domain/errors.ts'
import { passwordProblem } from '../../domain/password-rules.ts'
import type { Passwords } from '../../http/services.ts'

/** Any string a client may send as a password; the policy is for new ones. */
export const Password = Type.String({ minLength: 1, maxLength: 512 })

/** OWASP Password Storage: m=19 MiB, t=2, p=1. The 2 is argon2id, an ambient const enum. */
export const owasp = { algorithm: 2, memoryCost: 19_456, timeCost: 2, parallelism: 1 } as const

type Parameters = { [Name in keyof typeof owasp]: number }

/** Whether a hash in PHC string form was made with less memory or fewer passes than these. */
export function isOutdated(stored: string, { memoryCost, timeCost }: Parameters = owasp): boolean {
  const [, memory = '0', time = '0'] = /^\$argon2id\$v=19\$m=(\d+),t=(\d+),/.exec(stored) ?? []
  return Number.parseInt(memory, 10) < memoryCost || Number.parseInt(time, 10) < timeCost
}

/** What waits beyond is refused. */
const queueLengthMax = 128

/** As many as there are by default in a Node.js process. */
const defaultThreads = '4'

/**
 * How many passwords are hashed at the same moment. One core is left to the requests that do not
 * hash, and two threads: hashing shares them with the check of signatures and the reading of files,
 * which would otherwise wait for as long as there are logins.
 */
export const hashersFor = (cores: number, threads: number): number =>
  Math.max(1, Math.min(cores - 1, threads - 2))

/** @param parameters others only for tests, which log in thousands of times */
export async function createPasswords(parameters: Parameters = owasp): Promise<Passwords> {
  const threads = Number.parseInt(environment()['UV_THREADPOOL_SIZE'] ?? defaultThreads, 10)
  const limited = bounded(hashersFor(availableParallelism(), threads), queueLengthMax)
  const nobody = await hash('a password that nobody has', parameters)
  const hashNow = (password: string) => limited(() => hash(password.normalize('NFKC'), parameters))
  return {
    check(password, username, path) {
      const problem = passwordProblem(password, username)
      if (problem !== undefined) invalid(path, problem)
    },
    hash: hashNow,
    async verify(stored, password) {
      const matches = await limited(() => verify(stored ?? nobody, password.normalize('NFKC')))
      return matches && stored !== null
    },
    renewed: async (stored, password) =>
      isOutdated(stored, parameters) && limited.hasPlace() ? hashNow(password) : undefined,
  }
}

type Bounded = {
  <R>(work: () => Promise<R>): Promise<R>
  /** Whether work begun now would begin at once. */
  hasPlace(): boolean
}

/** Runs at most `most` at once and lets at most `queue` wait; refuses the rest as `unavailable`. */
export function bounded(most: number, queue: number): Bounded {
  const waiting: (() => void)[] = []
  let running = 0
  const run = async <R>(work: () => Promise<R>): Promise<R> => {
    if (running >= most) {
      if (waiting.length >= queue) refuse('unavailable', { because: 'hashing queue is full' })
      await new Promise<void>((resolve) => waiting.push(resolve))
    } else running++
    try {
      return await work()
    } finally {
      const next = waiting.shift()
      if (next) next()
      else running--
    }
  }
  return Object.assign(run, { hasPlace: () => running < most })
}
