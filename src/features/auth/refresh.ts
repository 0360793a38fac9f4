// Refresh tokens. Each works once, and its successor is derived from it with a key of the service:
// a client that lost an answer gets the same successor again, although only hashes are stored.
import { createHmac } from 'node:crypto'
import type { Database } from '../../database/connections/connect.ts'
import { endedAs, readLockedSession } from '../../gate/live-sessions.ts'
import type { Db } from '../../database/statements/statement.ts'
import { transaction } from '../../database/connections/transaction.ts'
import { refuse } from '../../domain/errors.ts'
import { newSecret, sha256 } from '../../gate/opaque-secret.ts'
import type { Service } from '../../http/services.ts'
import { addRefreshToken, endSession, markUsed, refreshTokenByHash } from './sql.ts'

/** How long after its first use a token may be repeated by a client that lost the answer. */
const repeatWindowMs = 10_000

const deriveSuccessor = (token: string, key: Buffer): string =>
  createHmac('sha256', key).update('refresh token\0').update(token).digest('base64url')

/** Adds the first refresh token of a session. */
export async function firstRefreshToken(tx: Db, sessionId: string): Promise<string> {
  const token = newSecret()
  await addRefreshToken(tx, { tokenHash: sha256(token), sessionId })
  return token
}

/** The tokens of a session in the form of the replies to login and refresh. */
export const toTokens = async (
  { tokens, config }: Service,
  session: { userId: string; sessionId: string; refreshToken: string },
) => ({
  token: await tokens.sign(session.userId, session.sessionId),
  tokenType: 'Bearer' as const,
  expiresIn: Math.floor(config.tokenTtl / 1000),
  refreshToken: session.refreshToken,
  sessionId: session.sessionId,
})

type Used = { token: string; userId: string; sessionId: string; key: Buffer; now: number }

/**
 * Uses a refresh token and returns its successor. A repetition within ten seconds, before the
 * successor was used, returns the same successor. A later one means that two parties have the
 * token: the session ends (RFC 9700 section 4.14) and the refusal is `session_revoked`.
 *
 * @param recordReuse writes the audit event of a reuse, in the transaction that ends the session
 */
export async function rotateRefreshToken(
  db: Database,
  { token, userId, sessionId, key, now }: Used,
  recordReuse: (tx: Db) => Promise<unknown>,
): Promise<string> {
  const next = deriveSuccessor(token, key)
  const isReused = await transaction(db, async (tx) => {
    const session = await readLockedSession(tx, sessionId, { people: [userId] })
    if (!session || endedAs(session)) refuse('session_revoked')
    const usedAt = (await refreshTokenByHash(tx, sha256(token)))?.usedAt
    if (!usedAt) {
      await markUsed(tx, sha256(token), now)
      await addRefreshToken(tx, { tokenHash: sha256(next), sessionId })
      return false
    }
    const successor = await refreshTokenByHash(tx, sha256(next))
    const isRepeat = now - usedAt.getTime() <= repeatWindowMs && successor?.usedAt === null
    if (isRepeat) return false
    await endSession(tx, sessionId, 'reuse', now)
    await recordReuse(tx)
    return true
  })
  if (isReused) refuse('session_revoked', { because: 'refresh token reused' })
  return next
}
