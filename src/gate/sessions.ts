// Whether a session is alive, asked of the database on every request: a logout, a revocation, a
// change of roles or a disabled user bites on the very next one, on every instance.
import type { Clock } from '../clock.ts'
import { coalesce } from '../database/coalesce.ts'
import { readSessions, writeActivity, writeExpiry } from '../database/live-sessions.ts'
import type { Db } from '../database/statement.ts'
import { refuse } from '../errors.ts'
import type { Caller, Role } from './roles.ts'

/** The live session of a caller, with what the gate needs to know of its user. */
export type Session = Omit<Caller, 'grant'>

export type Sessions = {
  /**
   * The session, if it is alive at this moment. Refuses with `session_revoked`, `session_expired`
   * (idle or absolute), or `unauthenticated` when there is none or it is not that user's.
   */
  check(sessionId: string, userId: string): Promise<Session>
  /** An accepted request is activity; refused ones are not, and never reach this. */
  touch(sessionId: string): void
  /** Writes the activity not yet written. Also runs by itself, a fraction of the idle time apart. */
  flush(): Promise<void>
  close(): Promise<void>
}

/** @param sessionIdle milliseconds without an accepted request after which a session ends */
export function sessionsOf(db: Db, clock: Clock, sessionIdle: number): Sessions {
  // Activity this instance saw but has not written yet. It is counted from the first moment, so the
  // idle end is exact here; other instances see it within a tenth of the idle time, at most 1 s.
  let unwritten = new Map<string, number>()
  let writing = new Map<string, number>()
  let flushing = Promise.resolve()

  const read = coalesce(async (ids: string[]) => {
    const rows = await db.run(readSessions, [ids])
    return new Map(rows.map((row) => [row.id, row]))
  })

  async function writeUnwritten(): Promise<void> {
    if (unwritten.size === 0) return
    writing = unwritten
    unwritten = new Map()
    try {
      const times = [...writing.values()].map((time) => new Date(time))
      await db.run(writeActivity, [[...writing.keys()], times])
    } catch {
      // Kept for the next try: a database away for a moment costs nobody a session.
      for (const [id, at] of writing) unwritten.set(id, Math.max(at, unwritten.get(id) ?? 0))
    }
  }

  const flush = (): Promise<void> => (flushing = flushing.then(writeUnwritten))
  const timer = setInterval(() => void flush(), Math.min(1000, sessionIdle / 10)).unref()

  return {
    async check(sessionId, userId) {
      // Before the row is read: what is not in it then is in here.
      const seen = Math.max(unwritten.get(sessionId) ?? 0, writing.get(sessionId) ?? 0)
      const row = await read(sessionId)
      if (!row || row.user_id !== userId) refuse('unauthenticated', { because: 'no session' })
      if (row.ended_because === 'expired') refuse('session_expired')
      if (row.ended_because !== null || row.status !== 'active') refuse('session_revoked')
      const now = clock.now()
      const lastUsed = Math.max(row.last_used_at.getTime(), seen)
      if (now >= row.ends_at.getTime() || now >= lastUsed + sessionIdle) {
        await db.run(writeExpiry, [sessionId, new Date(now)])
        refuse('session_expired')
      }
      return { sessionId, userId, username: row.username, roles: row.roles as Role[] }
    },
    touch(sessionId) {
      unwritten.set(sessionId, clock.now())
    },
    flush,
    async close() {
      clearInterval(timer)
      await flush()
    },
  }
}
