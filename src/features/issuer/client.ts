// This bank as a client of its OpenID Connect issuer: what it asks, and what it believes.
import { createRemoteJWKSet, customFetch, errors, jwtVerify } from 'jose'
import * as oidc from 'openid-client'
import type { Config } from '../../config/config.ts'
import { type Clock, systemClock } from '../../domain/clock.ts'
import { refuse } from '../../domain/errors.ts'
import type { Identity, Issuer, IssuerLogout, IssuerVisit } from '../../http/services.ts'
import type { Log } from '../../telemetry/log.ts'
import { type BoundedFetch, createBoundedFetch, IssuerAway } from './bounded-fetch.ts'
import { refusedClient, watchReach } from './reach.ts'

/** By how much the clocks of the issuer and of this machine may differ. */
const clockToleranceSeconds = 60
/** How long what the issuer says of itself is used without being read again. */
const documentMs = 5 * 60_000
/** Between two readings of its keys, however many tokens name an unknown one. */
const keysPauseMs = 30_000
/** A logout token is sent at once. */
const logoutAgeSeconds = 120

/** What a signature may be made by. HMAC is none of them: its key is known to two. */
const algorithms = 'RS256 RS384 RS512 PS256 PS384 PS512 ES256 ES384 ES512 EdDSA Ed25519'.split(' ')

const retrySeconds = 10

const logoutEvent = 'http://schemas.openid.net/event/backchannel-logout'

/** Where the issuer sends the browser back to: a page, which sends on what its address says. */
export const returnPath = '/portal/signed-in'

type Settings = Pick<Config, 'oidcClientId' | 'oidcClientSecret' | 'oidcFactor' | 'oidcIssuer'>
type ClientParts = {
  config: Settings
  /** Certificate authorities in place of the usual ones, in PEM. */
  ca: string | undefined
  publicUrl: string
  clock: Clock
  log: Pick<Log, 'warn' | 'over'>
}
type Client = ClientParts & {
  issuer: string
  clientId: string
  secret: string
  fetch: BoundedFetch
}
type Document = { metadata: oidc.ServerMetadata; keys: ReturnType<typeof createRemoteJWKSet> }

/** Undefined where no issuer is set. It is asked for its document at once, and not waited for. */
export function openIssuer(parts: ClientParts): Issuer | undefined {
  const { oidcIssuer: issuer, oidcClientId: clientId, oidcClientSecret: secret } = parts.config
  if (issuer === undefined || clientId === undefined || secret === undefined) return undefined
  const client = { ...parts, issuer, clientId, secret, fetch: createBoundedFetch(parts.ca) }
  // Beside those of browsers, however many are under way.
  const own = { ...client, fetch: createBoundedFetch(parts.ca) }
  const document = keepDocument(own)
  const reach = watchReach({
    ...parts,
    findFault: {
      ofDocument: () =>
        document.readAnew().then(noFault, (thrown) => findFault(thrown) ?? 'it gives no document'),
      ofSignIns: () =>
        document
          .read()
          .then((known) => askForTokens(own, known))
          .then(noFault, findFault),
    },
  })
  const keysCache: KeysCache = {}
  const counts = { refused: 0, byPassword: 0 }

  /** Refuses with `issuer_unavailable` where the issuer is at fault, else with `issuer_refused`. */
  async function asking<R>(work: (known: Document) => Promise<R>): Promise<R> {
    let isKnown = false
    try {
      const known = await document.read()
      isKnown = true
      return await work(known)
    } catch (thrown) {
      const fault = findFault(thrown)
      if (fault === undefined) return refuse('issuer_refused', { because: thrown })
      if (isKnown) reach.suspect()
      else reach.noteFault(fault)
      return refuse('issuer_unavailable', { because: fault, retryAfter: retrySeconds })
    }
  }

  return {
    name: issuer,
    isReachable: reach.isReachable,
    refusedCount: () => counts.refused,
    byPasswordCount: () => counts.byPassword,
    noteRefused: () => void counts.refused++,
    noteByPassword: () => void counts.byPassword++,
    async addressOf(visit, { isFresh }) {
      return asking(async ({ metadata }) => {
        const values = parts.config.oidcFactor.filter(({ claim }) => claim === 'acr')
        const url = oidc.buildAuthorizationUrl(toClient(client, metadata), {
          redirect_uri: parts.publicUrl + returnPath,
          scope: 'openid',
          state: visit.state,
          nonce: visit.nonce,
          code_challenge: await oidc.calculatePKCECodeChallenge(visit.verifier),
          code_challenge_method: 'S256',
          ...(values.length > 0 && { acr_values: values.map(({ value }) => value).join(' ') }),
          ...(isFresh && { prompt: 'login', max_age: '0' }),
        })
        return url.href
      })
    },
    async redeem(visit, answer) {
      return asking(async ({ metadata }) => {
        const identity = await redeem(client, { metadata, keysCache }, visit, answer)
        reach.noteSignIn()
        return identity
      })
    },
    async readLogout(token) {
      return asking(({ keys }) => readLogout(client, keys, token))
    },
    close: reach.close,
  }
}

/** What the issuer says of itself. */
function keepDocument({ issuer, clock, fetch }: Client) {
  let known: { document: Document; readAt: number } | undefined
  let reading: Promise<Document> | undefined

  async function load(): Promise<Document> {
    const url = `${issuer.replace(/\/$/, '')}/.well-known/openid-configuration`
    const answer = await fetch(url, { method: 'GET', headers: { accept: 'application/json' } })
    if (answer.status !== 200) throw new IssuerAway(`its document has the status ${answer.status}`)
    const metadata = requireDocument(issuer, await answer.json())
    const isSame = known?.document.metadata.jwks_uri === metadata.jwks_uri
    const keys = isSame && known ? known.document.keys : keysOf(metadata, fetch)
    const document = { metadata, keys }
    known = { document, readAt: clock.monotonic() }
    return document
  }
  const readAnew = (): Promise<Document> =>
    (reading ??= load().finally(() => (reading = undefined)))
  return {
    readAnew,
    async read(): Promise<Document> {
      const isRecent = known && clock.monotonic() - known.readAt < documentMs
      return isRecent && known ? known.document : readAnew()
    },
  }
}

const keysOf = ({ jwks_uri: uri = '' }: oidc.ServerMetadata, fetch: BoundedFetch) =>
  createRemoteJWKSet(new URL(uri), {
    async [customFetch](url, { headers, method }) {
      const answer = await fetch(url, { method, headers: Object.fromEntries(headers) })
      if (answer.status !== 200) throw new IssuerAway(`its keys have the status ${answer.status}`)
      return answer
    },
    cacheMaxAge: documentMs,
    cooldownDuration: keysPauseMs,
  })

/**
 * The document of exactly that issuer, reduced to what is used. An issuer that names another one,
 * or itself in another spelling, is not the one that the links are of.
 */
function requireDocument(issuer: string, given: unknown): oidc.ServerMetadata {
  const said = given as Record<string, unknown>
  if (said['issuer'] !== issuer) throw new IssuerAway('its document names another issuer')
  const requireUrl = (name: string): string => {
    const url = said[name]
    const isUsable = typeof url === 'string' && URL.parse(url)?.protocol === 'https:'
    return isUsable ? url : notGiven(name)
  }
  const listOf = (name: string): string[] | undefined => {
    const list = said[name]
    if (!Array.isArray(list)) return undefined
    return list.filter((each): each is string => typeof each === 'string')
  }
  const signedBy = listOf('id_token_signing_alg_values_supported') ?? ['RS256']
  const methods = listOf('token_endpoint_auth_methods_supported')
  return {
    issuer,
    authorization_endpoint: requireUrl('authorization_endpoint'),
    token_endpoint: requireUrl('token_endpoint'),
    jwks_uri: requireUrl('jwks_uri'),
    id_token_signing_alg_values_supported: signedBy.filter((each) => algorithms.includes(each)),
    authorization_response_iss_parameter_supported:
      said['authorization_response_iss_parameter_supported'] === true,
    ...(methods && { token_endpoint_auth_methods_supported: methods }),
  }
}

const notGiven = (name: string): never => {
  throw new IssuerAway(`its document has no ${name}`)
}

/** A client of the library that judges times by the clock of the service. */
function toClient(
  { clientId, secret, clock, fetch }: Client,
  metadata: oidc.ServerMetadata,
): oidc.Configuration {
  const isBasic =
    metadata.token_endpoint_auth_methods_supported?.includes('client_secret_basic') ?? true
  const times = {
    [oidc.clockSkew]: Math.round((clock.now() - systemClock().now()) / 1000),
    [oidc.clockTolerance]: clockToleranceSeconds,
  }
  const proof = isBasic ? oidc.ClientSecretBasic(secret) : oidc.ClientSecretPost(secret)
  const made = new oidc.Configuration(metadata, clientId, times, proof)
  made[oidc.customFetch] = (url, options) => fetch(url, options)
  // Else the library trusts the connection alone and checks no signature of an ID token.
  oidc.enableNonRepudiationChecks(made)
  return made
}

async function redeem(
  client: Client,
  { metadata, keysCache }: { metadata: oidc.ServerMetadata; keysCache: KeysCache },
  visit: IssuerVisit,
  answer: { code: string; state: string; iss?: string | undefined },
): Promise<Identity> {
  const made = toClient(client, metadata)
  if (keysCache.latest) oidc.setJwksCache(made, keysCache.latest)
  const url = new URL(client.publicUrl + returnPath)
  for (const [name, value] of Object.entries(answer)) {
    if (value !== undefined) url.searchParams.set(name, value)
  }
  const tokens = await oidc.authorizationCodeGrant(made, url, {
    pkceCodeVerifier: visit.verifier,
    expectedNonce: visit.nonce,
    expectedState: visit.state,
    idTokenExpected: true,
  })
  const latest = oidc.getJwksCache(made)
  if (latest) keysCache.latest = latest
  const claims = tokens.claims()
  if (!claims) throw new errors.JWTInvalid('there is no ID token')
  return toIdentity(client, claims)
}

/**
 * Reads the keys, and asks with a code that no person has brought: the answer is `invalid_grant`
 * where nothing is wrong, or `invalid_request` where codes have a form.
 */
async function askForTokens(client: Client, { metadata, keys }: Document): Promise<void> {
  await keys.reload()
  const { issuer } = client
  const [state, nonce, code] = [oidc.randomState(), oidc.randomNonce(), oidc.randomState()]
  const visit = { state, nonce, verifier: oidc.randomPKCECodeVerifier() }
  await redeem(client, { metadata, keysCache: {} }, visit, { code, state, iss: issuer }).catch(
    (thrown: unknown) => {
      const isOfForm = thrown instanceof oidc.ResponseBodyError && thrown.error === malformed
      if (!isOfForm) throw thrown
    },
  )
}
const malformed = 'invalid_request'

type KeysCache = { latest?: oidc.ExportedJWKSCache }

/** OpenID Connect Core 1.0, 2: at most 255 characters of ASCII. Compared letter by letter. */
const subjectShape = /^[!-~]([ -~]{0,253}[!-~])?$/
export const isSubject = (text: unknown): text is string =>
  typeof text === 'string' && subjectShape.test(text)

function toIdentity({ issuer, clientId, clock, config }: Client, claims: oidc.IDToken): Identity {
  const { iss, sub, azp, iat, auth_time: authTime, sid, amr, acr } = claims
  const notOurs = (why: string): never => {
    throw new errors.JWTClaimValidationFailed(why, {}, why)
  }
  if (iss !== issuer) notOurs('iss')
  if (!isSubject(sub)) notOurs('sub')
  if (azp !== undefined && azp !== clientId) notOurs('azp')
  // The library knows `exp` alone: a token of tomorrow is as wrong as one of yesterday.
  if (Math.abs(clock.now() / 1000 - iat) > clockToleranceSeconds) notOurs('iat')
  const isShown = ({ claim, value }: Settings['oidcFactor'][number]): boolean =>
    claim === 'acr' ? acr === value : Array.isArray(amr) && amr.includes(value)
  return {
    issuer,
    subject: sub,
    sid: typeof sid === 'string' ? sid : undefined,
    hasFactor: config.oidcFactor.some(isShown),
    issuedAt: iat * 1000,
    authenticatedAt: typeof authTime === 'number' ? authTime * 1000 : undefined,
  }
}

/** How long before the beginning of a visit a sign-in may be that was asked for by it. */
export const freshnessMs = clockToleranceSeconds * 1000

/** OpenID Connect Back-Channel Logout 1.0, 2.6, but for the replay, which the database knows. */
async function readLogout(
  { issuer, clientId, clock }: Client,
  keys: Document['keys'],
  token: string,
): Promise<IssuerLogout> {
  const { payload } = await jwtVerify(token, keys, {
    issuer,
    audience: clientId,
    algorithms,
    currentDate: new Date(clock.now()),
    clockTolerance: clockToleranceSeconds,
    maxTokenAge: logoutAgeSeconds,
    requiredClaims: ['iat', 'exp', 'jti', 'events'],
  })
  const { sub, jti, iat = 0, sid, nonce, events } = payload
  const isLogout = isMembers(events) && isMembers(events[logoutEvent])
  const isNamed =
    (sid === undefined || typeof sid === 'string') && (sub === undefined || isSubject(sub))
  const isAbout = isNamed && (sid ?? sub) !== undefined
  // An ID token has a nonce and no events: neither stands for the other.
  if (!isLogout || nonce !== undefined || !isAbout || typeof jti !== 'string') {
    throw new errors.JWTClaimValidationFailed('no logout token', payload, 'events')
  }
  return { issuer, jti, sid, subject: sub, issuedAt: iat * 1000 }
}

const isMembers = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** Faults of the issuer, or of the way there, by the codes of the library. */
const faults = new Set([
  'OAUTH_RESPONSE_IS_NOT_CONFORM',
  'OAUTH_RESPONSE_IS_NOT_JSON',
  'OAUTH_HTTP_REQUEST_FORBIDDEN',
  'OAUTH_MISSING_SERVER_METADATA',
  'OAUTH_TIMEOUT',
])

/** Refusals of this client itself: no browser causes them, and they last (RFC 6749, 5.2). */
const clientFaults = new Set(['invalid_client', 'unauthorized_client'])

/** What is wrong with the issuer, in words of this program; undefined: with what was answered. */
function findFault(thrown: unknown): string | undefined {
  for (let error = thrown, depth = 0; error instanceof Error && depth < 5; depth++) {
    if (error instanceof IssuerAway) return error.message
    const { code } = error as { code?: unknown }
    // A code of another visit, or none: the browser's fault. All else is between this bank and it.
    if (error instanceof oidc.ResponseBodyError) {
      if (clientFaults.has(error.error)) return refusedClient
      return error.error === 'invalid_grant' ? undefined : 'it refuses the question for tokens'
    }
    if (typeof code === 'string' && faults.has(code)) return `its answer is wrong: ${code}`
    if (error instanceof errors.JWKSInvalid) return 'its key set is wrong'
    if (error instanceof errors.JWKSTimeout) return 'its keys did not come in time'
    error = error.cause
  }
  return undefined
}

const noFault = (): undefined => undefined
