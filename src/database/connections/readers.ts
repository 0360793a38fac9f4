// The connections of slow reads. Each carries one statement at a time. Callers take turns, and each
// may use a bounded number of connections: slow statements of one caller do not delay the others.
import { Refusal, refuse } from '../../domain/errors.ts'
import type { Db } from '../statements/statement.ts'

/** Statements of one caller that run at the same time. */
const perCallerMax = 2
/** Further reads are refused at once. */
const waitingMax = 2048

type Caller = { running: number; waiting: ((lane: Db) => void)[] }

export type Readers = {
  /** Runs a statement when it is that caller's turn; `unavailable` when that takes too long. */
  as(name: string): Db
}

/** @param queueTimeoutMs how long a read waits for a connection */
export function openReaders(lanes: readonly Db[], queueTimeoutMs: number): Readers {
  const idle = [...lanes]
  /** Callers with reads that run or wait, in the order in which they were last served. */
  const callers = new Map<string, Caller>()
  let waitingCount = 0

  function take(name: string, caller: Caller): Db {
    caller.running++
    callers.delete(name)
    callers.set(name, caller)
    return idle.pop() as Db
  }

  function forgetIdle(name: string, { running, waiting }: Caller): void {
    if (running === 0 && waiting.length === 0) callers.delete(name)
  }

  function refund(name: string, caller: Caller, lane: Db): void {
    idle.push(lane)
    caller.running--
    forgetIdle(name, caller)
    // The loop skips only callers that use a connection, so it is no longer than their number.
    for (const [next, other] of callers) {
      if (other.waiting.length === 0 || other.running >= perCallerMax) continue
      waitingCount--
      other.waiting.shift()?.(take(next, other))
      return
    }
  }

  function queue(name: string, caller: Caller): Promise<Db> {
    if (waitingCount >= waitingMax)
      refuse('unavailable', { outage: 'reads', because: 'too many reads wait' })
    const { promise, resolve, reject } = Promise.withResolvers<Db>()
    const start = (lane: Db): void => {
      clearTimeout(timer)
      resolve(lane)
    }
    const timer = setTimeout(() => {
      caller.waiting = caller.waiting.filter((other) => other !== start)
      waitingCount--
      forgetIdle(name, caller)
      reject(new Refusal('unavailable', { outage: 'reads', because: 'a read waited too long' }))
    }, queueTimeoutMs)
    caller.waiting.push(start)
    callers.set(name, caller)
    waitingCount++
    return promise
  }

  return {
    as: (name) => ({
      async run(statement, values) {
        const caller = callers.get(name) ?? { running: 0, waiting: [] }
        const isFree = idle.length > 0 && caller.running < perCallerMax
        const lane = isFree ? take(name, caller) : await queue(name, caller)
        try {
          return await lane.run(statement, values)
        } finally {
          refund(name, caller, lane)
        }
      },
    }),
  }
}
