// When sessions and keys were last used, as this instance saw it: counted here at once, and written
// in bulk.
import type { Database } from '../database/connect.ts'
import type { Statement } from '../database/statement.ts'
import { transaction } from '../database/transaction.ts'

type Write = Statement<readonly ['uuid[]', 'timestamptz[]']>

/** @param statement writes times of last use by identifier, and moves none of them back */
export function createActivity(db: Database, statement: Write, flushIntervalMs: number) {
  let unwritten = new Map<string, number>()
  let writing = new Map<string, number>()
  let underWay: Promise<void> | undefined
  let next: Promise<void> | undefined

  async function write(): Promise<void> {
    if (unwritten.size === 0) return
    writing = unwritten
    unwritten = new Map()
    try {
      // Sorted, so that two instances cannot deadlock.
      const ids = [...writing.keys()].toSorted()
      const times = ids.map((id) => new Date(writing.get(id) ?? 0))
      // In a transaction: the shared lanes never wait for a lock.
      await transaction(db, (tx) => tx.run(statement, [ids, times]))
    } catch {
      // Kept for the next attempt, so that an outage of the database ends no session.
      for (const [id, at] of writing) unwritten.set(id, Math.max(at, unwritten.get(id) ?? 0))
    }
  }

  /** Starts one write after the one under way, however many calls: an outage leaves no queue. */
  function flush(): Promise<void> {
    if (!underWay) return (underWay = write().finally(() => (underWay = undefined)))
    next ??= underWay.then(() => {
      next = undefined
      return flush()
    })
    return next
  }
  const timer = setInterval(() => void flush(), flushIntervalMs).unref()

  return {
    /** Milliseconds since the epoch of the last use that may not be written yet; 0 if none. */
    notedAt: (id: string): number => Math.max(unwritten.get(id) ?? 0, writing.get(id) ?? 0),
    note: (id: string, now: number): void => void unwritten.set(id, now),
    flush,
    async close(): Promise<void> {
      clearInterval(timer)
      await flush()
    },
  }
}
