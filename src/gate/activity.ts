// When sessions and keys were last used, as this instance saw it: counted here at once, and written
// in bulk, each at most once in an interval.
import type { Database } from '../database/connect.ts'
import type { Statement } from '../database/statement.ts'
import { transaction } from '../database/transaction.ts'

/** Of one statement: to sort and send 16,000 at once held the event loop up for 20 ms and more. */
const rowsMax = 500
/** A row takes PostgreSQL 10 µs: all of an interval at once would hold up what comes with them. */
const turnsPerInterval = 10

type Write = Statement<readonly ['uuid[]', 'timestamptz[]']>
/** `at` in milliseconds since the epoch; `since`: the turn in which the first one was noted. */
type Noted = { at: number; readonly since: number }

/** @param statement writes times of last use by identifier, and moves none of them back */
export function createActivity(db: Database, statement: Write, flushIntervalMs: number) {
  /** In the order of `since`. */
  const unwritten = new Map<string, Noted>()
  let writing = new Map<string, number>()
  let underWay: Promise<void> | undefined
  let next: Promise<void> | undefined
  let turn = 0

  function note(id: string, at: number): void {
    const noted = unwritten.get(id)
    if (noted) noted.at = Math.max(noted.at, at)
    else unwritten.set(id, { at, since: turn })
  }

  function take(latest: number): typeof writing {
    const taken: typeof writing = new Map()
    for (const [id, { at, since }] of unwritten) {
      if (since > latest) break
      unwritten.delete(id)
      taken.set(id, at)
    }
    return taken
  }

  /** @param latest the last turn whose sessions are written */
  async function write(latest: number): Promise<void> {
    const taken = take(latest)
    if (taken.size === 0) return
    writing = taken
    const all = [...writing]
    let written = 0
    try {
      while (written < all.length) {
        // Sorted, so that two instances cannot deadlock.
        const rows = all.slice(written, written + rowsMax).toSorted(([a], [b]) => (a < b ? -1 : 1))
        const ids = rows.map(([id]) => id)
        const times = rows.map(([, at]) => new Date(at))
        // In a transaction: the shared lanes never wait for a lock.
        await transaction(db, (tx) => tx.run(statement, [ids, times]))
        written += rows.length
      }
    } catch {
      // Kept for the next attempt, so that an outage of the database ends no session.
      for (const [id, at] of all.slice(written)) note(id, at)
    }
  }

  const start = (latest: number): Promise<void> =>
    (underWay = write(latest).finally(() => (underWay = undefined)))

  /** Starts one write after the one under way, however many calls: an outage leaves no queue. */
  function flush(): Promise<void> {
    if (!underWay) return start(Infinity)
    next ??= underWay.then(() => {
      next = undefined
      return flush()
    })
    return next
  }

  const timer = setInterval(() => {
    turn++
    if (!underWay) void start(turn - turnsPerInterval + 1)
  }, flushIntervalMs / turnsPerInterval).unref()

  return {
    /** Milliseconds since the epoch of the last use that may not be written yet; 0 if none. */
    notedAt: (id: string): number => Math.max(unwritten.get(id)?.at ?? 0, writing.get(id) ?? 0),
    note,
    flush,
    async close(): Promise<void> {
      clearInterval(timer)
      await flush()
    },
  }
}
