// Whether a session is alive, read from the database on every request: a logout, a revocation, a
// change of roles, a disabled user or a revoked signing key applies to the next request, on every
// instance. When a session was last used is counted here at once, and written in bulk.
import { hash } from 'node:crypto'
import type { Config } from '../config/config.ts'
import type { Clock } from '../domain/clock.ts'
import { createActivity } from './activity.ts'
import type { CallersToLock } from './lock-callers.ts'
import {
  type Acting,
  endedAs,
  endedAt,
  readLockedSession,
  readSessions,
  readSessionsByHandle,
  type SessionState,
  writeActivity,
  writeExpiry,
} from './live-sessions.ts'
import type { Database } from '../database/connections/connect.ts'
import type { Db } from '../database/statements/statement.ts'
import { transaction } from '../database/connections/transaction.ts'
import { refuse } from '../domain/errors.ts'
import { type Caller, findFactorPolicy, lacksFactor, type Role } from './roles.ts'

/** The live session of a caller, with what the gate needs to know of its user. */
export type Session = Omit<Caller, 'grant' | 'operation'>

export type Sessions = {
  /**
   * The session, if it is alive now. Refuses with `session_revoked`, `session_expired` (idle or
   * absolute), or `unauthenticated` if it does not exist, is another user's, or the key that signed
   * the token was revoked.
   *
   * @param kid names the key of the access token; null where none was sent
   */
  check(sessionId: string, userId: string, kid: string | null): Promise<Session>
  /** The same by the handle of a browser's cookie; undefined if no session has it. */
  checkHandle(handle: string): Promise<Session | undefined>
  /**
   * The same in a transaction, under these locks, one of which is that of its person. Its idle time
   * is not judged.
   */
  checkLocked(
    tx: Db,
    session: Acting & { sessionId: string },
    toLock: CallersToLock,
  ): Promise<Session>
  /**
   * Notes an accepted request; a refused one is no activity. Near the idle end the note is written
   * before the answer, so that no other instance ends the session.
   */
  touch(session: Session): Promise<void> | void
  /** Writes the activity not yet written. Also runs periodically. */
  flush(): Promise<void>
  close(): Promise<void>
}

type SessionConfig = Pick<
  Config,
  'oidcIssuer' | 'sessionIdle' | 'secondFactor' | 'secondFactorGrace'
>

/** `sessionIdle`: milliseconds without an accepted request after which a session ends. */
export function createSessions(db: Database, clock: Clock, config: SessionConfig): Sessions {
  const { sessionIdle } = config
  // Other instances see activity within a thirtieth of the idle time, at most ten seconds. Written
  // each second, nearly every read of 20,000 callers cost PostgreSQL a write of 10 µs.
  const flushIntervalMs = Math.min(10_000, sessionIdle / 30)
  const activity = createActivity(db, writeActivity, flushIntervalMs)

  /** Written, so that no later clock undoes it. False if another instance saw activity since. */
  const expire = async (sessionId: string, now: number): Promise<boolean> => {
    const idleSince = new Date(now - sessionIdle)
    const ended = await transaction(db, (tx) =>
      tx.run(writeExpiry, [sessionId, new Date(now), idleSince]),
    )
    return ended.length > 0
  }

  async function check(sessionId: string, userId: string, kid: string | null): Promise<Session> {
    // Before the row is read: activity that is written meanwhile is in one of the two.
    const notedAt = activity.notedAt(sessionId)
    const [row] = await db.lookup(readSessions, sessionId)
    if (!row || row.user_id !== userId) refuse('unauthenticated', { because: 'no session' })
    if (row.revoked_kids?.includes(kid)) refuse('unauthenticated', { because: 'revoked key' })
    return requireAlive({ sessionId, kid }, row, notedAt)
  }

  /** A promise only where the database decides: this runs for every request. */
  function requireAlive(
    { sessionId, kid }: Pick<Session, 'sessionId' | 'kid'>,
    row: SessionState,
    notedAt: number,
  ): Session | Promise<Session> {
    const ended = endedAs(row)
    if (ended) refuse(ended)
    const now = clock.now()
    const lastUsedAt = Math.max(row.last_used_at.getTime(), notedAt)
    if (now >= row.ends_at.getTime() || now >= lastUsedAt + sessionIdle) {
      return expire(sessionId, now).then((isExpired) =>
        isExpired ? refuse('session_expired') : check(sessionId, row.user_id, kid),
      )
    }
    return toSession(config, { sessionId, kid }, row, now)
  }

  return {
    check,
    async checkHandle(handle) {
      const [row] = await db.lookup(readSessionsByHandle, hash('sha256', handle))
      if (!row) return undefined
      const { session_id: sessionId } = row
      // Activity that was written since the row was read is seen by `expire`.
      return requireAlive({ sessionId, kid: null }, row, activity.notedAt(sessionId))
    },
    async checkLocked(tx, { sessionId, userId, kid }, toLock) {
      const row = await readLockedSession(tx, sessionId, toLock)
      const now = clock.now()
      const refusal = endedAt(row, { userId, kid }, now)
      if (!row || refusal) {
        refuse(refusal ?? 'unauthenticated', { because: 'inside the transaction' })
      }
      return toSession(config, { sessionId, kid }, row, now)
    },
    touch({ sessionId, idleEndsAt }) {
      const now = clock.now()
      if (idleEndsAt - now < 2 * flushIntervalMs) return activity.write(sessionId, now)
      return activity.note(sessionId, now)
    },
    flush: activity.flush,
    close: activity.close,
  }
}

function toSession(
  config: SessionConfig,
  { sessionId, kid }: Pick<Session, 'sessionId' | 'kid'>,
  row: SessionState,
  now: number,
): Session {
  const { user_id: userId, username, user_created_at: createdAt } = row
  // Nothing of an issuer that the settings do not name any more is believed.
  if (row.issuer !== null && row.issuer !== config.oidcIssuer) {
    refuse('session_revoked', { because: 'another issuer' })
  }
  const roles = row.roles as Role[]
  const hasFactor = row.has_factor && findFactorPolicy(config.secondFactor, roles) !== 'off'
  // Judged now, not at the login: since then a role may have come, or the grace have ended.
  const isRestricted =
    row.is_restricted || lacksFactor(config, { roles, hasFactor, createdAt }, now)
  return {
    sessionId,
    userId,
    ownerId: userId,
    kid,
    username,
    roles,
    idleEndsAt: row.last_used_at.getTime() + config.sessionIdle,
    hasFactor,
    hasIssuerFactor: row.issuer_factor && hasFactor,
    isRestricted,
  }
}
