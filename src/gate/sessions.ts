// Whether a session is alive, asked of the database on every request: a logout, a revocation, a
// change of roles, a disabled user or a revoked signing key bites on the very next one, on every
// instance.
import type { Clock } from '../domain/clock.ts'
import { createActivity } from './activity.ts'
import { endedAs, readSessions, writeExpiry } from './live-sessions.ts'
import type { Database } from '../database/connect.ts'
import { transaction } from '../database/transaction.ts'
import { refuse } from '../domain/errors.ts'
import type { Caller, Role } from './roles.ts'

/** The live session of a caller, with what the gate needs to know of its user. */
export type Session = Omit<Caller, 'grant'>

export type Sessions = {
  /**
   * The session, if it is alive at this moment. Refuses with `session_revoked`, `session_expired`
   * (idle or absolute), or `unauthenticated` when there is none, it is not that user's, or the key
   * that signed the token was revoked.
   *
   * @param kid names the key of the access token; null where none was sent
   */
  check(sessionId: string, userId: string, kid: string | null): Promise<Session>
  /**
   * An accepted request is activity; refused ones are not, and never reach this. Near the idle end
   * it is written before the answer, so that no other instance ends the session for lack of it.
   */
  touch(session: Session): Promise<void> | void
  /** Writes the activity not yet written. Also runs by itself. */
  flush(): Promise<void>
  close(): Promise<void>
}

/** @param sessionIdle milliseconds without an accepted request after which a session ends */
export function createSessions(db: Database, clock: Clock, sessionIdle: number): Sessions {
  // Other instances see activity within a tenth of the idle time, a second at the most.
  const flushEvery = Math.min(1000, sessionIdle / 10)
  const activity = createActivity(db, flushEvery)

  /** Written down, so no later clock takes it back; unless another instance saw activity since. */
  const expire = async (sessionId: string, now: number): Promise<boolean> => {
    const idleSince = new Date(now - sessionIdle)
    const values = [sessionId, new Date(now), idleSince] as const
    return (await transaction(db, (tx) => tx.run(writeExpiry, [...values]))).length > 0
  }

  async function check(sessionId: string, userId: string, kid: string | null): Promise<Session> {
    // Before the row is read: what is not in it then is in here.
    const seen = activity.seen(sessionId)
    const [row] = await db.lookup(readSessions, sessionId)
    if (!row || row.user_id !== userId) refuse('unauthenticated', { because: 'no session' })
    if (row.revoked_kids?.includes(kid)) refuse('unauthenticated', { because: 'revoked key' })
    const ended = endedAs(row)
    if (ended) refuse(ended)
    const now = clock.now()
    const lastUsed = Math.max(row.last_used_at.getTime(), seen)
    if (now >= row.ends_at.getTime() || now >= lastUsed + sessionIdle) {
      if (await expire(sessionId, now)) refuse('session_expired')
      return check(sessionId, userId, kid)
    }
    const idleEndsAt = row.last_used_at.getTime() + sessionIdle
    const { username, roles } = row
    return { sessionId, userId, kid, username, roles: roles as Role[], idleEndsAt }
  }

  return {
    check,
    touch({ sessionId, idleEndsAt }) {
      const now = clock.now()
      activity.note(sessionId, now)
      return idleEndsAt - now < 2 * flushEvery ? activity.flush() : undefined
    },
    flush: () => activity.flush(),
    close: () => activity.close(),
  }
}
