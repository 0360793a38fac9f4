// An OpenID Connect issuer of another author over HTTPS on loopback, the browser that visits it,
// and what a hostile one would answer in its place.
import { generateKeyPairSync, type KeyObject, randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import type { IncomingMessage, ServerResponse } from 'node:http'
import https from 'node:https'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { SignJWT } from 'jose'
import AnotherProvider, { type Login, type Oidc } from 'oidc-provider'
import { localCertificate } from '../../src/http/listeners/local-certificate.ts'
import { fromPage, readCookies, toCookieField } from './browser-session.ts'
import { client, type Client, type Reply } from './client.ts'
import { fakeClock, type FakeClock } from './clock.ts'
import { publicUrl, type Span } from './database.ts'
import { confirming } from './confirmations.ts'
import { type ApiClient, people, type PersonName, world, type World } from './world.ts'

export const clientId = 'strongroom'
export const clientSecret = 'a secret of the bank at the issuer'.replaceAll(' ', '-')
export const returnUrl = `${publicUrl}/portal/signed-in`

/** Answers a request in place of the issuer. */
export type Instead = (request: IncomingMessage, response: ServerResponse) => void

export type TestIssuer = {
  url: string
  caPath: string
  /** The settings by which a bank is its client. */
  settings: Record<string, string>
  /** By path; the issuer answers the others. */
  instead: Map<string, Instead>
  /** The paths that were asked for. */
  asked: string[]
  /** Signs as the issuer does, or with another key, header and algorithm. */
  sign(claims: Claims, header?: { alg?: string; kid?: string; key?: KeyObject }): Promise<string>
  /** A token with these claims, beside issuer, client and times, which they may replace. */
  tokenOf: (claims: Claims | string, header?: Parameters<TestIssuer['sign']>[1]) => Promise<string>
  /** In place of an ID token of it: one of these claims, or this text. */
  answerToken(claims: Claims | string, header?: Parameters<TestIssuer['sign']>[1]): void
  /** Its public key. */
  publicKey: KeyObject
  /** Signs a person in at an address of it, and gives what the browser brings back. */
  visit(location: string, login: Login, jar?: Jar): Promise<Record<string, string>>
  /** A logout token that it makes; without a `sid` for all sessions of the subject. */
  logoutToken(subject: string, sid?: string): Promise<string>
  stop(): Promise<void>
}

/** Of a token; undefined: it has none of that name. */
export type Claims = Record<string, unknown>

/** The cookies of a browser at the issuer. */
export type Jar = Record<string, string>

const keyId = 'one'

/** What makes a logout token, beside its issuer, its client and its times. */
export const logoutClaims = () => ({
  jti: randomUUID(),
  events: { 'http://schemas.openid.net/event/backchannel-logout': {} },
})

const answerJson = (response: ServerResponse, value: unknown, status = 200): void => {
  response.writeHead(status, { 'content-type': 'application/json' })
  response.end(JSON.stringify(value))
}
export const insteadJson =
  (value: unknown, status = 200): Instead =>
  (_, response) =>
    answerJson(response, value, status)

type IssuerOptions = {
  /** Where the browser comes back to. */
  returnTo?: string
  port?: number
}

/** The issuer. Its sign-in page is a form of one field, the subject. */
export async function testIssuer(
  t: Span,
  { returnTo = returnUrl, port = 0 }: IssuerOptions = {},
): Promise<TestIssuer> {
  const folder = await mkdtemp(path.join(tmpdir(), 'strongroom-issuer-'))
  const certificate = await localCertificate(folder, ['localhost'], Date.now())
  const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
  const instead = new Map<string, Instead>()
  const asked: string[] = []
  const server = https.createServer({ key: certificate.key, cert: certificate.cert })
  server.listen(port, '127.0.0.1')
  await once(server, 'listening')
  const url = `https://localhost:${(server.address() as AddressInfo).port}`
  const jwk = { ...privateKey.export({ format: 'jwk' }), kid: keyId, use: 'sig', alg: 'RS256' }
  const tokens: string[] = []
  const made = new AnotherProvider(url, {
    clients: [clientId, 'another-client'].map((id) => ({
      client_id: id,
      client_secret: clientSecret,
      redirect_uris: [returnTo],
      response_types: ['code'],
      grant_types: ['authorization_code'],
      backchannel_logout_uri: 'https://bank.example/api/v1/auth/issuer-logout',
      backchannel_logout_session_required: true,
    })),
    jwks: { keys: [jwk] },
    cookies: { keys: ['a key of the cookies of tests'] },
    claims: { openid: ['sub', 'acr', 'amr', 'auth_time', 'sid'], acr: null, amr: null },
    acrValues: ['gold'],
    features: { devInteractions: { enabled: false }, backchannelLogout: { enabled: true } },
    findAccount: (_: unknown, accountId: string) => ({
      accountId,
      // An address and a name of somebody else: nothing may be matched by them.
      claims: async () => ({
        sub: accountId,
        email: 'root@example.com',
        preferred_username: 'root',
      }),
    }),
    interactions: { url: (_: unknown, { uid }: { uid: string }) => `/interaction/${uid}` },
    async loadExistingGrant({ oidc }: { oidc: Oidc }) {
      const { accountId } = oidc.session
      const grant = new made.Grant({ accountId, clientId: oidc.client.clientId })
      grant.addOIDCScope('openid')
      await grant.save()
      return grant
    },
    async fetch(_: string, { body }: { body: URLSearchParams }) {
      tokens.push(body.get('logout_token') ?? '')
      return new Response(null, { status: 204 })
    },
  })
  const answer = made.callback()
  server.on('request', (request, response) => {
    const at = (request.url ?? '').split('?', 1)[0] as string
    asked.push(at)
    const own = instead.get(at)
    if (own) return own(request, response)
    if (at.startsWith('/interaction/')) return void interact(made, request, response)
    void answer(request, response)
  })
  const ca = await readFile(certificate.caPath as string)
  const browser = client((server.address() as AddressInfo).port, ca)
  let isOpen = true
  async function stop(): Promise<void> {
    if (!isOpen) return
    isOpen = false
    browser.close()
    server.closeAllConnections()
    await new Promise((resolve) => void server.close(resolve))
  }
  t.after(async () => {
    await stop()
    await rm(folder, { recursive: true, force: true })
  })
  const sign: TestIssuer['sign'] = (
    claims,
    { alg = 'RS256', kid = keyId, key = privateKey } = {},
  ) => new SignJWT(claims).setProtectedHeader({ alg, kid }).sign(key)
  async function tokenOf(
    claims: Claims | string,
    header: Parameters<TestIssuer['sign']>[1],
  ): Promise<string> {
    if (typeof claims === 'string') return claims
    const now = Math.floor(Date.now() / 1000)
    return sign({ iss: url, aud: clientId, iat: now, exp: now + 300, ...claims }, header)
  }
  return {
    url,
    caPath: certificate.caPath as string,
    settings: {
      OIDC_ISSUER: url,
      OIDC_CLIENT_ID: clientId,
      OIDC_CLIENT_SECRET: clientSecret,
      OIDC_CA: certificate.caPath as string,
    },
    instead,
    asked,
    publicKey,
    sign,
    tokenOf,
    answerToken(claims, header) {
      instead.set('/token', (_, response) => {
        void tokenOf(claims, header).then((token) =>
          answerJson(response, { access_token: 'a', token_type: 'Bearer', id_token: token }),
        )
      })
    },
    visit: (location, login, jar = {}) => visit(browser, { url, returnTo }, location, login, jar),
    async logoutToken(subject, sid) {
      if (sid === undefined) return tokenOf({ ...logoutClaims(), sub: subject }, {})
      const found = await made.Client.find(clientId)
      await found?.backchannelLogout(subject, sid)
      return tokens.pop() as string
    },
    stop,
  }
}

const form = `<!doctype html><title>Issuer</title><form method="post">
<label>Subject <input name="subject" autofocus></label>
<label>Methods <input name="amr"></label>
<button>Go on</button></form>`

async function interact(
  provider: AnotherProvider,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  if (request.method === 'GET') {
    response.writeHead(200, { 'content-type': 'text/html' })
    return void response.end(form)
  }
  const chunks: Buffer[] = []
  for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk)
  const typed = new URLSearchParams(Buffer.concat(chunks).toString())
  const [accountId = '', amr = '', acr = ''] = ['subject', 'amr', 'acr'].map(
    (name) => typed.get(name) ?? '',
  )
  const login = { accountId, ...(amr && { amr: amr.split(' ') }), ...(acr && { acr }) }
  const result = accountId === '' ? { error: 'access_denied' } : { login }
  await provider.interactionFinished(request, response, result)
}

async function visit(
  browser: Client,
  { url, returnTo }: { url: string; returnTo: string },
  location: string,
  { accountId, amr = [], acr = '' }: Login,
  jar: Jar,
): Promise<Record<string, string>> {
  let at = location
  let body: string | undefined
  for (let step = 0; step < 10; step++) {
    if (at.startsWith(returnTo)) return Object.fromEntries(new URL(at).searchParams)
    const cookie = toCookieField(jar)
    const reply: Reply = await browser.send(
      body === undefined ? 'GET' : 'POST',
      at.replace(url, ''),
      {
        ...(body !== undefined && { body }),
        headers: {
          host: new URL(url).host,
          ...(cookie && { cookie }),
          ...(body !== undefined && { 'content-type': 'application/x-www-form-urlencoded' }),
        },
      },
    )
    Object.assign(jar, readCookies(reply))
    body = undefined
    if (reply.status === 200) {
      body = new URLSearchParams({ subject: accountId, amr: amr.join(' '), acr }).toString()
      continue
    }
    const { location: next } = reply.headers
    if (next === undefined) throw new Error(`the issuer answered ${reply.status}: ${reply.text}`)
    at = new URL(next, url).href
  }
  throw new Error('the issuer leads nowhere')
}

export type Signing = {
  /** The cookie of the browser between the two halves. */
  cookie: string
  location: string
}

/** The first half of a sign-in. */
export async function beginSignIn({ send }: Pick<World, 'send'>): Promise<Signing> {
  const reply = await send('POST', '/portal/session/issuer', { headers: fromPage })
  if (reply.status !== 200) throw new Error(`no visit: ${reply.text}`)
  return { cookie: toCookieField(readCookies(reply)), location: reply.body.location as string }
}

/** The second half. */
export const endSignIn = (
  { send }: Pick<World, 'send'>,
  body: object,
  cookie?: string,
): Promise<Reply> =>
  send('POST', '/portal/session/issuer/answer', {
    body,
    headers: { ...fromPage, ...(cookie && { cookie }) },
  })

/** What of the issuer's answer the page hands on. */
export const handedOn = ({ state, code, iss, error }: Record<string, string>) => ({
  state,
  ...(code && { code }),
  ...(iss && { iss }),
  ...(error && { error }),
})

export type Scene = World & {
  issuer: TestIssuer
  clock: FakeClock
  /** An administrator without a link. */
  root: ApiClient
  link(name: PersonName, subject: string): Promise<Reply>
  unlink(name: PersonName): Promise<Reply>
  /** Both halves of a sign-in, with the page of the issuer between them. */
  signIn(subject: string, login?: Omit<Login, 'accountId'>): Promise<Reply>
}

/** A bank whose staff sign in at an issuer. Its clock moves only when told to. */
export async function issuerScene(
  t: Span,
  settings: Record<string, string> = {},
  options: { issuer?: TestIssuer } = {},
): Promise<Scene> {
  const issuer = options.issuer ?? (await testIssuer(t))
  const clock = fakeClock(Date.now())
  const bank = await world(t, { clock, settings: { ...issuer.settings, ...settings } })
  // The grace of their second factors holds by this clock.
  await bank.sql('update users set created_at = $1', [new Date(clock.now())])
  const root = confirming(bank, await bank.login('root'))
  return {
    ...bank,
    clock,
    issuer,
    root,
    link: (name, subject) => root.put(linkPath(name), { subject }),
    unlink: (name) => root.delete(linkPath(name)),
    async signIn(accountId, login = {}) {
      const { cookie, location } = await beginSignIn(bank)
      const brought = await issuer.visit(location, { accountId, ...login })
      return endSignIn(bank, handedOn(brought), cookie)
    },
  }
}

export const linkPath = (name: PersonName): string =>
  `/api/v1/admin/users/${people[name].id}/issuer-link`

/** Requests of the session that a sign-in began. */
export function browserOf({ send }: Pick<World, 'send'>, reply: Reply) {
  const cookie = toCookieField(readCookies(reply))
  return (method: string, at: string, body?: unknown, headers: Record<string, string> = {}) =>
    send(method, `/portal${at}`, {
      ...(body !== undefined && { body }),
      headers: { ...fromPage, cookie, ...headers },
    })
}
