// Access tokens: Ed25519 and nothing else. Only the check of a token's signature is cached; its
// key, its expiry and its session are checked on every request.
import { hash, randomUUID } from 'node:crypto'
import { errors, type JWK, type JWTPayload, jwtVerify, SignJWT } from 'jose'
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
   */
  verify(token: string): Claims | Promise<Claims>
  /** The public keys that may verify a token now, as a JWK set (RFC 7517). */
  jwks(): Promise<{ keys: JWK[] }>
}

/** `issuer` is the audience too. `ttl` in milliseconds. */
export type TokenOptions = { issuer: string; ttl: number }

const tokenType = 'at+jwt'
const tokenLengthMax = 2048
/**
 * The signature's 64 bytes have one encoding: the last character carries two bits, padded with 0.
 */
const tokenShape = /^[\w-]+\.[\w-]+\.[\w-]{85}[AQgw]$/
const verifiedMax = 20_000

export function createTokens(
  keys: SigningKeys,
  clock: Clock,
  { issuer, ttl }: TokenOptions,
): Tokens {
  // By SHA-256, so that no token stays in memory. Cleared when full: it only saves computation.
  const verified = new Map<string, Claims>()

  async function verifySignature(token: string): Promise<Claims> {
    const kid = readKeyId(token)
    const key = await keys.verifying(kid)
    if (!key) refuse('unauthenticated', { because: 'unknown key' })
    try {
      const { payload } = await jwtVerify(token, key.publicKey, {
        algorithms: [signingAlgorithm],
        typ: tokenType,
        issuer,
        audience: issuer,
        // Also refuses a token from the future, which RFC 7519 leaves to the verifier; the clocks
        // of two instances may differ a little. Expiry has no tolerance: it is checked in `verify`.
        maxTokenAge: ttl / 1000,
        clockTolerance: 5,
        currentDate: new Date(clock.now()),
      })
      return requireClaims(payload, kid, { issuer, ttl })
    } catch (thrown) {
      if (thrown instanceof errors.JWTExpired) refuse('token_expired')
      if (thrown instanceof errors.JOSEError) refuse('unauthenticated', { because: thrown })
      throw thrown
    }
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
      if (verified.size >= verifiedMax) verified.clear()
      verified.set(fingerprint, claims)
    }
    return requireUnexpired(claims)
  }

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
    verify(token) {
      if (token.length > tokenLengthMax) refuse('unauthenticated')
      const fingerprint = hash('sha256', token, 'base64')
      const known = verified.get(fingerprint)
      return known && keys.isAtHand(known.kid)
        ? requireUnexpired(known)
        : verifyWithKey(token, fingerprint, known)
    },
    jwks: async () => ({ keys: (await keys.published()).map(({ publicJwk }) => publicJwk) }),
  }
}

/** Parsed as strictly as a body, without duplicate names. The empty string names no key. */
function readKeyId(token: string): string {
  try {
    const parts = token.split('.', 2).map((part) => parseJson(Buffer.from(part, 'base64url')))
    const { kid } = parts[0] as { kid?: unknown }
    return typeof kid === 'string' ? kid : ''
  } catch {
    return ''
  }
}

/**
 * Only what this service signs, even if the signature is valid: a token lives for `ttl` at most.
 */
function requireClaims(claims: JWTPayload, kid: string, { issuer, ttl }: TokenOptions): Claims {
  const { sub, sid, jti, aud, iat = Number.NaN, exp = Number.NaN } = claims
  const isOurs = [sub, sid, jti].every(isIdentifier) && aud === issuer
  if (!isOurs || ![iat, exp].every(Number.isSafeInteger)) refuse('unauthenticated')
  const expiresAt = Math.min(exp, iat + Math.ceil(ttl / 1000)) * 1000
  return { userId: sub as string, sessionId: sid as string, expiresAt, kid }
}
