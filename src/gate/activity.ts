// When sessions and keys were last used, as this instance saw it: counted here at once, and written
// in bulk, each at most once in an interval.
import type { Database } from '../database/connections/connect.ts'
import type { Statement } from '../database/statements/statement.ts'
import { transaction } from '../database/connections/transaction.ts'

/**
 * One statement has at most so many: to sort and send 16,000 at once held the event loop up for 20
 * ms and more.
 */
const rowsMax = 500
/** A row takes PostgreSQL 10 µs: all of an interval at once would hold up what comes with them. */
const turnMs = 100

type Write = Statement<readonly ['uuid[]', 'timestamptz[]']>
/** `at` in milliseconds since the epoch; `since`: the turn in which the first one was noted. */
type Noted = { at: number; readonly since: number }

/** The uses that are not written yet. */
function createUnwritten() {
  /** In the order of `since`. */
  const waiting = new Map<string, Noted>()
  /** What an answer waits for, and what could not be written. */
  let urgent = new Map<string, number>()
  return {
    at: (id: string): number => Math.max(waiting.get(id)?.at ?? 0, urgent.get(id) ?? 0),
    note(id: string, at: number, turn: number): void {
      const noted = waiting.get(id)
      if (noted) noted.at = Math.max(noted.at, at)
      else waiting.set(id, { at, since: turn })
    },
    makeUrgent(id: string, at: number): void {
      urgent.set(id, Math.max(at, urgent.get(id) ?? 0, waiting.get(id)?.at ?? 0))
      waiting.delete(id)
    },
    /** What is urgent, and what was noted up to that turn. */
    take(latest: number): Map<string, number> {
      const taken = urgent
      urgent = new Map()
      for (const [id, { at, since }] of waiting) {
        if (since > latest) break
        waiting.delete(id)
        taken.set(id, Math.max(at, taken.get(id) ?? 0))
      }
      return taken
    },
  }
}

/** @param statement writes times of last use by identifier, and moves none of them back */
export function createActivity(db: Database, statement: Write, flushIntervalMs: number) {
  const turnsPerInterval = Math.ceil(flushIntervalMs / turnMs)
  const unwritten = createUnwritten()
  let writing = new Map<string, number>()
  let underWay: Promise<void> | undefined
  let next: Promise<void> | undefined
  let latestOfNext = -Infinity
  let turn = 0

  /** @param latest the last turn whose sessions are written */
  async function write(latest: number): Promise<void> {
    const taken = unwritten.take(latest)
    if (taken.size === 0) return
    writing = taken
    const all = [...writing]
    let written = 0
    try {
      while (written < all.length) {
        // In the order in which the statement locks them.
        const rows = all.slice(written, written + rowsMax).toSorted(([a], [b]) => (a < b ? -1 : 1))
        const ids = rows.map(([id]) => id)
        const times = rows.map(([, at]) => new Date(at))
        // In a transaction: the shared lanes never wait for a lock.
        await transaction(db, (tx) => tx.run(statement, [ids, times]))
        written += rows.length
      }
    } catch {
      // Kept for the next attempt, so that an outage of the database ends no session.
      for (const [id, at] of all.slice(written)) unwritten.makeUrgent(id, at)
    }
  }

  const start = (latest: number): Promise<void> =>
    (underWay = write(latest).finally(() => (underWay = undefined)))

  /** Starts one write after the one under way, however many calls: an outage leaves no queue. */
  function flush(latest = Infinity): Promise<void> {
    if (!underWay) return start(latest)
    latestOfNext = Math.max(latestOfNext, latest)
    next ??= underWay.then(() => {
      const latestNow = latestOfNext
      next = undefined
      latestOfNext = -Infinity
      return flush(latestNow)
    })
    return next
  }

  const timer = setInterval(() => {
    turn++
    // Behind the write under way: urgent ones, one after the other, keep no other waiting.
    void flush(turn - turnsPerInterval + 1)
  }, flushIntervalMs / turnsPerInterval).unref()

  return {
    /** Milliseconds since the epoch of the last use that may not be written yet; 0 if none. */
    notedAt: (id: string): number => Math.max(unwritten.at(id), writing.get(id) ?? 0),
    note: (id: string, at: number): void => unwritten.note(id, at, turn),
    /** Writes this use at once, and none of the others that wait. */
    write(id: string, at: number): Promise<void> {
      unwritten.makeUrgent(id, at)
      return flush(-Infinity)
    },
    flush: (): Promise<void> => flush(),
    async close(): Promise<void> {
      clearInterval(timer)
      await flush()
    },
  }
}
