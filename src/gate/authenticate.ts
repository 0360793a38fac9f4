// Authentication, on every request: a bearer token's signature and its session, the key of a
// service account, or, from the page of the portal, the session of its cookie.
import { addressKey } from '../domain/address.ts'
import { readCookie, sessionCookie } from './cookies.ts'
import { Refusal, refuse } from '../domain/errors.ts'
import { serviceKeyPrefix } from '../domain/secret-forms.ts'
import type { Limits } from './limits.ts'
import { hashKey, type ServiceKeys, type ServiceSession } from './service-keys.ts'
import type { Session, Sessions } from './sessions.ts'
import type { Claims, Tokens } from './token.ts'

/**
 * What a request authenticates with: the `Authorization` field of the API, or the `Cookie` field of
 * the portal. A request is asked for one of the two; the other one is not looked at.
 */
export type Credential = { authorization: string | undefined } | { cookie: string | undefined }

type AuthenticationParts = {
  tokens: Tokens
  sessions: Sessions
  serviceKeys: ServiceKeys
  limits: Limits
}

/** What a request is judged as: the session of a person, or a service account by its key. */
export type Authenticated = Session | ServiceSession

type Hints = { seen: Claims | undefined; onAuthentic(claims: Claims): void }

/**
 * The live session or the service account of a request. Only forged tokens and handles count
 * against the address, so an attacker cannot block customers behind the same address. Every refused
 * key counts too, whatever is wrong with it: nothing tells a revoked one from an invented one.
 *
 * @param hints.seen the claims of the token, if it was looked at on arrival
 * @param hints.onAuthentic called when a token is authentic, right before its session is looked up
 */
export const authenticate = (
  credential: Credential,
  address: string,
  parts: AuthenticationParts,
  hints: Hints,
): Promise<Authenticated> =>
  'cookie' in credential
    ? byCookie(credential.cookie, address, parts)
    : byToken(credential.authorization, address, parts, hints)

const scheme = /^bearer +([^\s]+)$/i

/** The token or key of an `Authorization` field; empty if it holds none. */
export const readToken = (authorization: string): string => scheme.exec(authorization)?.[1] ?? ''

/** Whether a request sent a token, good or bad, in the place where it is looked for. */
export const sendsToken = (authorization: string | undefined): boolean =>
  /^bearer( |$)/i.test(authorization ?? '')

/**
 * By a token in the `Authorization` field (RFC 6750 section 2.1). Not an async function, as it runs
 * for every request: what it refuses itself is thrown.
 */
function byToken(
  authorization: string | undefined,
  address: string,
  parts: AuthenticationParts,
  { seen, onAuthentic }: Hints,
): Promise<Authenticated> {
  if (authorization === undefined) refuse('unauthenticated', { because: 'no token' })
  const token = readToken(authorization)
  if (token.startsWith(serviceKeyPrefix)) return byKey(token, address, parts)
  const check = (claimed: Claims) => {
    onAuthentic(claimed)
    return parts.sessions.check(claimed.sessionId, claimed.userId, claimed.kid)
  }
  const claims = verify(token, seen, address, parts)
  return claims instanceof Promise ? claims.then(check) : check(claims)
}

function verify(
  token: string,
  seen: Claims | undefined,
  address: string,
  { tokens, limits }: AuthenticationParts,
): Claims | Promise<Claims> {
  const countForged = async (thrown: unknown): Promise<never> => {
    const isForged = thrown instanceof Refusal && thrown.code === 'unauthenticated'
    if (isForged) await limits.take('badTokens', addressKey(address))
    throw thrown
  }
  try {
    const claims = tokens.verify(token, seen)
    return claims instanceof Promise ? claims.catch(countForged) : claims
  } catch (thrown) {
    return countForged(thrown)
  }
}

/** By the key of a service account. One with a wrong checksum costs no question. */
async function byKey(
  key: string,
  address: string,
  { serviceKeys, limits }: AuthenticationParts,
): Promise<ServiceSession> {
  const keyHash = hashKey(key)
  const found = keyHash === undefined ? undefined : await serviceKeys.check(keyHash, address)
  if (found) return found
  await limits.take('badTokens', addressKey(address))
  refuse('unauthenticated', { because: 'no such key' })
}

/** By the handle in the session cookie. */
async function byCookie(
  field: string | undefined,
  address: string,
  { sessions, limits }: AuthenticationParts,
): Promise<Session> {
  const handle = readCookie(field, sessionCookie)
  if (handle === undefined) refuse('unauthenticated', { because: 'no cookie' })
  const session = handle === null ? undefined : await sessions.checkHandle(handle)
  if (session) return session
  await limits.take('badTokens', addressKey(address))
  refuse('unauthenticated', { because: 'a forged cookie' })
}
