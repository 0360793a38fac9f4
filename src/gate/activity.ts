// When sessions were last used, as this instance saw it: counted from the first moment, written in
// bulk, only forward and never into a session that has ended.
import type { Database } from '../database/connect.ts'
import { writeActivity } from './live-sessions.ts'
import { transaction } from '../database/transaction.ts'

export type Activity = {
  /** Milliseconds since the epoch of the last use not known to be written; 0 when there is none. */
  seen(sessionId: string): number
  note(sessionId: string, now: number): void
  /** Writes what was not written yet. Also runs by itself. */
  flush(): Promise<void>
  close(): Promise<void>
}

/** @param every milliseconds between writes */
export function createActivity(db: Database, every: number): Activity {
  let unwritten = new Map<string, number>()
  let writing = new Map<string, number>()
  let underWay: Promise<void> | undefined
  let next: Promise<void> | undefined

  async function write(): Promise<void> {
    if (unwritten.size === 0) return
    writing = unwritten
    unwritten = new Map()
    try {
      // In one order, so that two instances cannot wait for each other.
      const ids = [...writing.keys()].toSorted()
      const times = ids.map((id) => new Date(writing.get(id) ?? 0))
      // In a transaction of its own: the shared lanes never wait for a lock.
      await transaction(db, (tx) => tx.run(writeActivity, [ids, times]))
    } catch {
      // Kept for the next try: a database away for a moment costs nobody a session.
      for (const [id, at] of writing) unwritten.set(id, Math.max(at, unwritten.get(id) ?? 0))
    }
  }

  const begin = (): Promise<void> => (underWay = write().finally(() => (underWay = undefined)))

  /** One more after the one under way, however many ask: an outage leaves no queue behind. */
  const flush = (): Promise<void> => {
    if (!underWay) return begin()
    next ??= underWay.then(() => {
      next = undefined
      return flush()
    })
    return next
  }
  const timer = setInterval(() => void flush(), every).unref()

  return {
    seen: (sessionId) => Math.max(unwritten.get(sessionId) ?? 0, writing.get(sessionId) ?? 0),
    note: (sessionId, now) => void unwritten.set(sessionId, now),
    flush,
    async close() {
      clearInterval(timer)
      await flush()
    },
  }
}
