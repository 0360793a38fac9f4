// The first connections of a start: a database that does not answer yet is asked again.
import { setTimeout as sleep } from 'node:timers/promises'
import type { Reach } from './start.ts'
import { isAnswer, translate } from '../database/connections/failure.ts'
import type { Clock } from '../domain/clock.ts'
import { Refusal } from '../domain/errors.ts'
import { StartupError } from '../domain/startup-error.ts'
import type { Log } from '../telemetry/log.ts'

/** How long a start asks again in all, from the first failure on. */
export const reachMsMax = 30_000
const pauseMs = 1000

/** What the system says where no server listens yet, or one ends. */
const passingCodes = ['ECONNREFUSED', 'ECONNRESET', 'EPIPE', 'ETIMEDOUT']

/** What the driver says of a time-out or of a lost connection, without a code and a class. */
const isWithoutAnswer = (because: unknown): boolean =>
  because instanceof Error &&
  /^(timeout|Query read timeout|Connection terminated)\b/.test(because.message)

/**
 * The code of a failure that a database has which is started or slow: a time-out, a refused or a
 * lost connection. Undefined for any other, such as a wrong password.
 */
export function whyOutOfReach(thrown: unknown): string | undefined {
  if (thrown instanceof StartupError) return whyOutOfReach(thrown.cause)
  const found = translate(thrown)
  if (!(found instanceof Refusal)) return undefined
  const { outage, because } = found.options
  if (outage !== 'database' && outage !== 'timeout') return undefined
  const { code, syscall } = (because ?? {}) as { code?: string; syscall?: string }
  if (code === undefined) return isWithoutAnswer(because) ? 'no answer' : undefined
  // A server that begins has no socket yet.
  const isWithoutSocket = code === 'ENOENT' && syscall === 'connect'
  const mayPass = isAnswer(because) || passingCodes.includes(code) || isWithoutSocket
  return mayPass ? code : undefined
}

type ReachParts = {
  log: Pick<Log, 'warn'>
  signal: AbortSignal
  clock: Pick<Clock, 'monotonic'>
  wait?: (ms: number) => Promise<unknown>
}

/** One for a whole start: its works share the time. Only what may be repeated is such a work. */
export function createReach({
  log,
  signal,
  clock,
  wait = (ms) => sleep(ms, undefined, { signal }),
}: ReachParts): Reach {
  let end: number | undefined
  return async (work) => {
    // Ends with the work, or at the end of the time.
    for (;;) {
      try {
        return await work()
      } catch (thrown) {
        const because = whyOutOfReach(thrown)
        if (because === undefined || signal.aborted) throw thrown
        if (end === undefined) log.warn({ because }, 'the database does not answer yet')
        end ??= clock.monotonic() + reachMsMax
        if (clock.monotonic() + pauseMs > end) throw thrown
        await wait(pauseMs)
      }
    }
  }
}
