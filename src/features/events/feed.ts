// The feed of events: gives numbers to what has been committed, and wakes the requests that wait
// for a new event. One statement asks for all that wait, ten times a second. While none waits, what
// is committed is numbered when `number` is called.
//
// Numbers are given after COMMIT, under one lock, so a transaction that is still under way gets a
// later number and is never skipped. Events of one numbering are ordered as they were written: a
// transaction that has seen the COMMIT of another, or waited for its locks, has written later.
import type { Clock } from '../../domain/clock.ts'
import type { Database } from '../../database/connections/connect.ts'
import { transaction } from '../../database/connections/transaction.ts'
import { refuse } from '../../domain/errors.ts'
import type { Feed } from '../../http/services.ts'
import { type FeedState, feedState, numberEvents } from './sql.ts'

const tickIntervalMs = 100
const waitersMax = 256
const waitersOfCallerMax = 4

type Waiter = {
  callerId: string
  types: readonly string[]
  after: bigint
  until: number
  wake(): void
}

export type OpenFeed = Feed & {
  /** Numbers what is committed. Never rejects: while the database is away, it waits. */
  number(): Promise<void>
  /** How many requests wait. */
  waiting(): number
  /** The service ends: answers all that wait, and from now on none does. */
  endWaits(): void
  close(): Promise<void>
}

export function openFeed(db: Database, clock: Clock): OpenFeed {
  const waiters = new Set<Waiter>()
  let underWay: Promise<FeedState> | undefined
  let next: Promise<FeedState> | undefined
  let isEnding = false
  let isClosed = false

  async function pass(): Promise<FeedState> {
    let state = await feedState(db)
    if (state.isBehind) {
      while (await transaction(db, numberEvents));
      state = await feedState(db)
    }
    for (const waiter of waiters) if (isNewFor(state, waiter)) waiter.wake()
    return state
  }

  /** Numbers everything committed before the call. Calls of one moment share one pass. */
  function advance(): Promise<FeedState> {
    if (!underWay) return (underWay = pass().finally(() => (underWay = undefined)))
    next ??= underWay
      .catch(() => {})
      .then(() => {
        next = undefined
        return advance()
      })
    return next
  }

  const isNewFor = ({ newest }: FeedState, { types, after }: Waiter): boolean =>
    types.some((type) => (newest.get(type) ?? 0n) > after)

  async function number(): Promise<void> {
    // While the database is away, the waiters wait.
    if (!isClosed) await advance().catch(() => {})
  }

  function tick(): void {
    for (const waiter of waiters) if (clock.monotonic() >= waiter.until) waiter.wake()
    if (!underWay && waiters.size > 0) void number()
  }
  const timer = setInterval(tick, tickIntervalMs).unref()

  return {
    number,
    async last() {
      const { newest } = await advance()
      return [...newest.values()].reduce((greatest, number) =>
        number > greatest ? number : greatest,
      )
    },
    async waitForNewer(callerId, { types, after, waitMs, signal }) {
      if (isEnding || signal.aborted) return
      const own = [...waiters].filter((waiter) => waiter.callerId === callerId)
      if (waiters.size >= waitersMax || own.length >= waitersOfCallerMax) {
        refuse('unavailable', { outage: 'capacity', because: 'too many requests wait for events' })
      }
      const { promise, resolve } = Promise.withResolvers<void>()
      const until = clock.monotonic() + waitMs
      const waiter: Waiter = { callerId, types, after, until, wake: resolve }
      waiters.add(waiter)
      signal.addEventListener('abort', waiter.wake)
      await promise
      signal.removeEventListener('abort', waiter.wake)
      waiters.delete(waiter)
    },
    waiting: () => waiters.size,
    endWaits() {
      isEnding = true
      for (const { wake } of waiters) wake()
    },
    isEnding: () => isEnding,
    async close() {
      isClosed = true
      clearInterval(timer)
      await Promise.allSettled([underWay, next])
    },
  }
}
