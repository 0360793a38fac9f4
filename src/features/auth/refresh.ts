// Refresh tokens follow each other: each works once, and the next is derived from the one before
// with a key of the service, so a client that lost an answer can be given the same token again
// though only hashes are stored.
import { createHash, createHmac, randomBytes } from 'node:crypto'
import type { Database } from '../../database/connect.ts'
import { endedAs, lockedSession } from '../../gate/live-sessions.ts'
import type { Db } from '../../database/statement.ts'
import { transaction } from '../../database/transaction.ts'
import { refuse } from '../../domain/errors.ts'
import {
  addRefreshToken,
  endSession,
  markUsed,
  refreshToken,
  sessionOfRefreshToken,
} from './sql.ts'

/** How long a client that lost the answer may ask again, in milliseconds. */
const repeatWindowMs = 10_000

export const sha256 = (text: string): Buffer => createHash('sha256').update(text).digest()

/** 256 random bits. */
export const newSecret = (): string => randomBytes(32).toString('base64url')

const deriveSuccessor = (token: string, key: Buffer): string =>
  createHmac('sha256', key).update('refresh token\0').update(token).digest('base64url')

/** Starts the succession of a session. */
export async function firstRefreshToken(tx: Db, sessionId: string): Promise<string> {
  const token = newSecret()
  await addRefreshToken(tx, sha256(token), sessionId)
  return token
}

/** The session a refresh token belongs to; undefined when the token is unknown. */
export const sessionBehind = (db: Db, token: string) => sessionOfRefreshToken(db, sha256(token))

/**
 * Uses a refresh token and gives its successor. Used again within ten seconds, before the successor
 * was, it gives the same one; used again later it is in two hands, so its session ends (RFC 9700
 * section 4.14) and the answer is `session_revoked`.
 *
 * @param recordReuse writes the event of a reuse, in the transaction that ends the session
 */
export async function rotate(
  db: Database,
  { token, sessionId, key, now }: { token: string; sessionId: string; key: Buffer; now: number },
  recordReuse: (tx: Db) => Promise<unknown>,
): Promise<string> {
  const next = deriveSuccessor(token, key)
  const isReused = await transaction(db, async (tx) => {
    const session = await lockedSession(tx, sessionId)
    if (!session || endedAs(session)) refuse('session_revoked')
    const used = (await refreshToken(tx, sha256(token)))?.used_at
    if (!used) {
      await markUsed(tx, sha256(token), now)
      await addRefreshToken(tx, sha256(next), sessionId)
      return false
    }
    const successor = await refreshToken(tx, sha256(next))
    const isRepeat = now - used.getTime() <= repeatWindowMs && successor?.used_at === null
    if (isRepeat) return false
    await endSession(tx, sessionId, 'reuse', now)
    await recordReuse(tx)
    return true
  })
  if (isReused) refuse('session_revoked', { because: 'refresh token reused' })
  return next
}
