// Access tokens: Ed25519 and nothing else. Only the check of a token's signature is cached; its
// key, its expiry and its session are checked on every request.
import { hash, randomUUID, webcrypto } from 'node:crypto'
import { type JWK, SignJWT } from 'jose'
import { clockDifferenceMaxMs } from '../database/background/clocks.ts'
import { BoundedCache } from '../domain/bounded-cache.ts'
import type { Clock } from '../domain/clock.ts'
import { signingAlgorithm, type SigningKeys } from './signing-keys.ts'
import { refuse } from '../domain/errors.ts'
import { isIdentifier } from '../domain/ids.ts'
import { parseJson } from '../domain/json.ts'

/** The claims of a verified token. Only identity: roles are read from the database. */
export type Claims = { userId: string; sessionId: string; expiresAt: number; kid: string }

export type Tokens = {
  /** A signed access token (RFC 9068) of the session, valid for `ttl` milliseconds. */
  sign(userId: string, sessionId: string): Promise<string>
  /**
   * Refuses with `unauthenticated`, or `token_expired` for an authentic token past its time. A
   * promise only where the signature has to be checked, or keys to be read: this runs for every
   * request.
   *
   * @param seen what {@link known} gave of this token, which is then not hashed again
   */
  verify(token: string, seen?: Claims): Claims | Promise<Claims>
  /** The claims of a token that was verified before and still holds; costs no check. */
  known(token: string): Claims | undefined
  /** The public keys that may verify a token now, as a JWK set (RFC 7517). */
  jwks(): Promise<{ keys: JWK[] }>
  /** The signatures checked so far, and the memory of the cache that saves such checks. */
  counts(): { checked: number; bytes: number }
}

/** `issuer` is the audience too. `ttl` in milliseconds. */
export type TokenOptions = { issuer: string; ttl: number; cacheBytes: number }

const tokenType = 'at+jwt'
const tokenLengthMax = 2048
/**
 * The signature's 64 bytes have one encoding: the last character carries two bits, padded with 0.
 */
const tokenShape = /^[\w-]+\.[\w-]+\.[\w-]{85}[AQgw]$/
/**
 * The size of one token in the cache, as measured: its fingerprint 64, its claims 200, the map the
 * rest.
 */
export const tokenBytes = 340
/** The clocks of two instances may each differ from the database's, in opposite directions. */
const clockToleranceSeconds = (2 * clockDifferenceMaxMs) / 1000

export function createTokens(
  keys: SigningKeys,
  clock: Clock,
  { issuer, ttl, cacheBytes }: TokenOptions,
): Tokens {
  // By SHA-256, so that no token stays in memory. Only authentic tokens are kept.
  const verified = new BoundedCache<string, Claims>(cacheBytes, () => tokenBytes)
  let checked = 0

  /** On a thread, 5 µs of the main one: in place it takes 65. With jose it took 17. */
  async function verifySignature(token: string): Promise<Claims> {
    const [head = '', body = '', signature = ''] = token.split('.')
    const kid = requireHeader(head)
    const key = await keys.verifying(kid)
    if (!key) refuse('unauthenticated', { because: 'unknown key' })
    checked++
    const isAuthentic = await webcrypto.subtle.verify(
      'Ed25519',
      key.publicKey,
      Buffer.from(signature, 'base64url'),
      Buffer.from(`${head}.${body}`, 'latin1'),
    )
    if (!isAuthentic) refuse('unauthenticated')
    // The text of the key, not of each token: one copy in memory.
    return requireClaims(parsePart(body), key.kid, { issuer, ttl, now: clock.now() })
  }

  /** @param known the claims of the token, if its signature was checked before */
  async function verifyWithKey(
    token: string,
    fingerprint: string,
    known: Claims | undefined,
  ): Promise<Claims> {
    let claims = known
    if (!claims || !(await keys.verifying(claims.kid))) {
      if (!tokenShape.test(token)) refuse('unauthenticated')
      claims = await verifySignature(token)
      verified.set(fingerprint, claims)
    }
    return requireUnexpired(claims)
  }

  const isCurrent = ({ kid, expiresAt }: Claims): boolean =>
    keys.isAtHand(kid) && clock.now() < expiresAt

  const requireUnexpired = (claims: Claims): Claims =>
    clock.now() >= claims.expiresAt ? refuse('token_expired') : claims

  return {
    async sign(userId, sessionId) {
      const { kid, privateKey } = await keys.signing()
      const now = Math.floor(clock.now() / 1000)
      return new SignJWT({ sid: sessionId })
        .setProtectedHeader({ alg: signingAlgorithm, typ: tokenType, kid })
        .setIssuer(issuer)
        .setAudience(issuer)
        .setSubject(userId)
        .setJti(randomUUID())
        .setIssuedAt(now)
        .setExpirationTime(now + Math.ceil(ttl / 1000))
        .sign(privateKey)
    },
    known(token) {
      if (token.length > tokenLengthMax) return undefined
      const claims = verified.get(hash('sha256', token, 'base64'))
      return claims && isCurrent(claims) ? claims : undefined
    },
    verify(token, seen) {
      if (seen && isCurrent(seen)) return seen
      if (token.length > tokenLengthMax) refuse('unauthenticated')
      const fingerprint = hash('sha256', token, 'base64')
      const known = verified.get(fingerprint)
      return known && keys.isAtHand(known.kid)
        ? requireUnexpired(known)
        : verifyWithKey(token, fingerprint, known)
    },
    jwks: async () => ({ keys: (await keys.published()).map(({ publicJwk }) => publicJwk) }),
    counts: () => ({ checked, bytes: verified.bytes }),
  }
}

/** Parsed as strictly as a body, without duplicate names; empty if it is no JSON object. */
function parsePart(part: string): Record<string, unknown> {
  try {
    const value = parseJson(Buffer.from(part, 'base64url'))
    return typeof value === 'object' && value !== null ? { ...value } : {}
  } catch {
    return {}
  }
}

/**
 * The identifier of the key. No parameter but ours is known, so none is ignored that is critical
 * (RFC 7515 section 4.1.11), names another algorithm or brings a key (RFC 8725 section 3.1).
 */
function requireHeader(head: string): string {
  const { alg, typ, kid, ...more } = parsePart(head)
  const isOurs = alg === signingAlgorithm && typ === tokenType && Object.keys(more).length === 0
  return isOurs && typeof kid === 'string' ? kid : refuse('unauthenticated')
}

const isWhole = (value: unknown): value is number => Number.isSafeInteger(value)

/**
 * Only what this service signs, even if the signature is valid: a token lives for `ttl` at most,
 * and none is from the future, which RFC 7519 leaves to the verifier.
 */
function requireClaims(
  claims: Record<string, unknown>,
  kid: string,
  { issuer, ttl, now }: Omit<TokenOptions, 'cacheBytes'> & { now: number },
): Claims {
  const { iss, aud, sub, sid, jti, iat, exp, nbf } = claims
  const isOurs = iss === issuer && aud === issuer && [sub, sid, jti].every(isIdentifier)
  if (!isOurs || nbf !== undefined) refuse('unauthenticated')
  if (!isWhole(iat) || iat > now / 1000 + clockToleranceSeconds) refuse('unauthenticated')
  if (typeof exp !== 'number') refuse('unauthenticated')
  if (now >= exp * 1000) refuse('token_expired')
  if (!isWhole(exp)) refuse('unauthenticated')
  const expiresAt = Math.min(exp, iat + Math.ceil(ttl / 1000)) * 1000
  if (now >= expiresAt) refuse('token_expired')
  return { userId: sub as string, sessionId: sid as string, expiresAt, kid }
}
