// Passwords: what one must be, and hashing that a flood of logins cannot turn into a stall.
import { hash, verify } from '@node-rs/argon2'
import { dictionary } from '@zxcvbn-ts/language-common'
import { availableParallelism } from 'node:os'
import { Type } from 'typebox'
import { environment } from '../config.ts'
import { invalid, refuse } from '../errors.ts'

export type Passwords = {
  /**
   * Refuses a new password that breaks the policy with `invalid_request` at `path`: 12 to 128
   * characters after NFKC, not a common one, not containing the user name (OWASP ASVS 6.2).
   */
  check(password: string, username: string, path: string): void
  /** argon2id in PHC string form. */
  hash(password: string): Promise<string>
  /** Takes the same time for a user without a password, or no user at all (`stored` null). */
  verify(stored: string | null, password: string): Promise<boolean>
}

/** Any string a client may send as a password; the policy is for new ones. */
export const Password = Type.String({ minLength: 1, maxLength: 512 })

/** OWASP Password Storage: m=19 MiB, t=2, p=1. The 2 is argon2id, an ambient const enum. */
const parameters = { algorithm: 2, memoryCost: 19_456, timeCost: 2, parallelism: 1 } as const

const shortest = 12
const longest = 128
const common = new Set(
  (dictionary['passwords-common'] ?? []).filter((password) => password.length >= shortest),
)

/** What waits beyond is refused. */
const longestQueue = 128

/** As many as there are by default in a Node.js process. */
const fewThreads = '4'

/**
 * How many passwords are hashed at the same moment. One core is left to the requests that do not
 * hash, and two threads: hashing shares them with the check of signatures and the reading of files,
 * which would otherwise wait for as long as there are logins.
 */
export const hashersFor = (cores: number, threads: number): number =>
  Math.max(1, Math.min(cores - 1, threads - 2))

export async function createPasswords(): Promise<Passwords> {
  const threads = Number.parseInt(environment()['UV_THREADPOOL_SIZE'] ?? fewThreads, 10)
  const limited = bounded(hashersFor(availableParallelism(), threads), longestQueue)
  const nobody = await hash('a password that nobody has', parameters)
  return {
    check(password, username, path) {
      const normalised = password.normalize('NFKC')
      const { length } = [...normalised]
      if (length < shortest) invalid(path, `has fewer than ${shortest} characters`)
      if (length > longest) invalid(path, `has more than ${longest} characters`)
      const lower = normalised.toLowerCase()
      if (common.has(lower) || isRepetition(lower)) invalid(path, 'is a common password')
      if (lower.includes(username)) invalid(path, 'contains the user name')
    },
    hash: (password) => limited(() => hash(password.normalize('NFKC'), parameters)),
    async verify(stored, password) {
      const matches = await limited(() => verify(stored ?? nobody, password.normalize('NFKC')))
      return matches && stored !== null
    },
  }
}

/** `aaaaaaaaaaaa`, `abcabcabcabc`: a short piece over and over. */
const isRepetition = (text: string): boolean => /^(.{1,4})\1+$/su.test(text)

/** Runs at most `most` at once and lets at most `queue` wait; refuses the rest as `unavailable`. */
export function bounded(most: number, queue: number): <R>(work: () => Promise<R>) => Promise<R> {
  const waiting: (() => void)[] = []
  let running = 0
  return async (work) => {
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
}
