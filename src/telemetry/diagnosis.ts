// What is behind a refusal. A statement that is cut off, a pool without a free connection and a
// queue that is full may all be the work of one session that holds a lock, or of a database that is
// away: the operator is told that.
import type { LockHolder } from '../database/connections/lock-holder.ts'
import type { Clock } from '../domain/clock.ts'
import { Refusal } from '../domain/errors.ts'
import { isTold, type ToldCause } from './outages.ts'

export type FindHolder = () => Promise<LockHolder | undefined>

/** Causes behind which there may be a lock, or a database that is away. */
const unclear: ReadonlySet<ToldCause> = new Set([
  'audit',
  'capacity',
  'database',
  'lock',
  'pool',
  'queue',
  'reads',
  'timeout',
])

/** The database is asked once in that time at most: refusals between take the last answer. */
const askIntervalMs = 3000

/** Finds out what is behind a refusal, without holding it up. */
export function openDiagnosis(
  clock: Pick<Clock, 'monotonic'>,
  findHolder: FindHolder,
  tell: (cause: ToldCause, holder: LockHolder | undefined) => void,
) {
  let askedAt = -Infinity
  let holder: LockHolder | undefined
  /** Why the database could not be asked. */
  let failedBy: ToldCause | undefined
  let isAsking = false
  let waiting: ToldCause[] = []

  async function ask(): Promise<void> {
    askedAt = clock.monotonic()
    try {
      holder = await findHolder()
      failedBy = undefined
    } catch (thrown) {
      holder = undefined
      const outage = thrown instanceof Refusal ? thrown.options.outage : undefined
      failedBy = isTold(outage) ? outage : 'database'
    }
  }

  async function answerAll(): Promise<void> {
    isAsking = true
    await ask()
    isAsking = false
    const all = waiting
    waiting = []
    for (const each of all) tellOne(each)
  }

  function tellOne(cause: ToldCause): void {
    const isBehind = holder?.isCertain === true || cause === 'lock'
    tell(failedBy ?? cause, isBehind ? holder : undefined)
  }

  return {
    judge(cause: ToldCause): void {
      if (!unclear.has(cause)) return tell(cause, undefined)
      if (!isAsking && clock.monotonic() - askedAt < askIntervalMs) return tellOne(cause)
      waiting.push(cause)
      if (isAsking) return
      void answerAll()
    },
  }
}
