// Authentication: the bearer token's signature, then its session, both on every request.
import { Refusal, refuse } from '../domain/errors.ts'
import type { Limits } from './limits.ts'
import type { Session, Sessions } from './sessions.ts'
import type { Tokens } from './token.ts'

const scheme = /^bearer +([^\s]+)$/i

/**
 * The live session of an `Authorization` header (RFC 6750 section 2.1; tokens are accepted nowhere
 * else). Only forged tokens count against the address, so an attacker cannot block customers behind
 * the same address.
 */
export async function authenticate(
  authorization: string | undefined,
  address: string,
  { tokens, sessions, limits }: { tokens: Tokens; sessions: Sessions; limits: Limits },
): Promise<Session> {
  if (authorization === undefined) refuse('unauthenticated', { because: 'no token' })
  const token = scheme.exec(authorization)?.[1] ?? ''
  const claims = await tokens.verify(token).catch(async (thrown: unknown) => {
    const isForged = thrown instanceof Refusal && thrown.code === 'unauthenticated'
    if (isForged) await limits.take('badTokens', address)
    throw thrown
  })
  return sessions.check(claims.sessionId, claims.userId, claims.kid)
}
