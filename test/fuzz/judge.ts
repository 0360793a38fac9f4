// What has to be true of every answer, whatever was asked.
import {
  type Challenge,
  type Code,
  codes,
  type Detail,
  errorMessage,
  Refusal,
  errorStatus,
} from '../../src/domain/errors.ts'
import { json, render, securityHeaders } from '../../src/http/error-response.ts'
import { uuidPattern } from '../../src/domain/ids.ts'
import type { Route } from '../../src/http/route.ts'
import { routes } from '../../src/features/routes.ts'
import { documented } from './document.ts'
import { type Draft, portalMount, type Sent } from './request.ts'
import { mayAsk, type Pool } from './pool.ts'
import { findLeaks } from './privacy.ts'
import type { Answer } from './wire.ts'

/** A request with its answer. */
export type Heard = {
  draft: Draft
  sent: Sent
  answer: Answer
  text: string
  body: unknown
  /** The route that answers: that of the address, as the reference writes it or nearly so. */
  route: Route | undefined
}

const decoder = new TextDecoder('utf-8', { fatal: true })

/** Reads an answer. Throws when its text is not UTF-8 or, where it says so, not JSON. */
export function hear(draft: Draft, sent: Sent, answer: Answer): Heard {
  const isBinary = answer.headers['content-type'] === 'application/pdf'
  const text = isBinary ? answer.bytes.toString('latin1') : decoder.decode(answer.bytes)
  const isJson = answer.headers['content-type']?.startsWith('application/json') === true
  const body: unknown = isJson && text !== '' ? JSON.parse(text) : undefined
  // A yes to an address that is spelt oddly comes from the route that was meant.
  const isMeant = answer.status < 300 && mayReach.test(sent.target)
  const route = findRoute(sent) ?? (isMeant ? draft.route : undefined)
  return { draft, sent, answer, text, body, route }
}

/** Spelt oddly, it may still lead to the route that was meant, and to its checks. */
const mayReach = /[%#]|:\/\//

const unprefixed = /^(?=\/(accounts|transfers|beneficiaries|cards)(\/|$))/
const shapes = routes.map((route) => {
  const shape = route.path.replaceAll('.', '\\.').replace(/:\w+/g, '[^/]+')
  return { route, shape: new RegExp(`^${shape}$`) }
})

const findShapes = ({ target }: Sent) => {
  const [path = ''] = target.split('?', 1)
  const isOnPortal = portalMount.test(path)
  const prefixed = isOnPortal ? path.replace(portalMount, '') : path.replace(unprefixed, '/api/v1')
  return shapes
    .filter(({ route, shape }) => shape.test(prefixed) && !(isOnPortal && route.portal))
    .map(({ route }) => route)
}
const findRoute = (sent: Sent): Route | undefined => {
  const method = sent.method === 'HEAD' ? 'GET' : sent.method
  return findShapes(sent).find((route) => route.method === method)
}

/** Answered before any route is looked at. */
const ofTransport: ReadonlySet<Code> = new Set([
  'request_timeout',
  'uri_too_long',
  'expectation_failed',
  'headers_too_large',
  'not_implemented',
])
const statusesOfTransport = new Set([...ofTransport].map(errorStatus))

/** Whether it was answered before any route was looked at; of a HEAD only the status tells. */
const isOfTransport = ({ answer: { status }, body, sent }: Heard): boolean =>
  sent.method === 'HEAD'
    ? statusesOfTransport.has(status)
    : ofTransport.has((body as ErrorBody | undefined)?.code as Code)

/** What an address that is none, or a method it does not offer, may be answered. */
const ofNoRoute: ReadonlySet<Code> = new Set([
  ...ofTransport,
  'not_found',
  'method_not_allowed',
  'invalid_request',
  'unsupported_media_type',
  'rate_limited',
])

type ErrorBody = { error: string; code: Code; message: string; details?: unknown[] }

/** Everything that is wrong with an answer; nothing, mostly. */
export async function wrongWith(pool: Pool, heard: Heard): Promise<string[]> {
  const { answer, sent } = heard
  if (isPage(heard)) return answer.status === 404 ? [] : [`${answer.status} for no page`]
  if (answer.status === 0) return sent.method === 'CONNECT' ? [] : ['no answer']
  return [
    ...wrongHeaders(heard),
    ...wrongError(heard),
    ...(await wrongByReference(heard)),
    ...wrongAccess(heard),
    ...findLeaks(pool, heard),
  ]
}

/** A page of the portal, which says that there is none; its own tests read it. */
const isPage = ({ answer, sent }: Heard): boolean =>
  sent.target.startsWith('/portal/') &&
  answer.headers['content-type']?.startsWith('text/html') === true

const uuid = new RegExp(uuidPattern)

/** A file is no JSON; its own tests read it. */
const isFile = (headers: Record<string, string | undefined>): boolean =>
  headers['content-disposition']?.startsWith('attachment;') ?? false

function wrongHeaders({ answer: { status, headers }, text, sent, route, draft }: Heard): string[] {
  const wrong: string[] = []
  for (const [name, value] of Object.entries(securityHeaders)) {
    if (headers[name] !== value) wrong.push(`${name} is ${headers[name]}`)
  }
  if (!uuid.test(headers['x-request-id'] ?? '')) wrong.push('the request id is none of ours')
  for (const name of ['server', 'x-powered-by', 'set-cookie', 'access-control-allow-origin']) {
    // The login gives cookies; a logout, and the refusal of one that is dead, delete them.
    const isLogin = route?.portal === 'only' && status === 204
    const isDeleted = draft.isOnPortal && (status === 401 || route?.path.endsWith('/logout'))
    const isMeant = name === 'set-cookie' && (isLogin || isDeleted)
    if (headers[name] !== undefined && !isMeant) wrong.push(`there is a header ${name}`)
  }
  if (!isFile(headers)) {
    if (text !== '' && headers['content-type'] !== json) wrong.push('the content type is another')
    if (/[<>&\u2028\u2029]/.test(text)) wrong.push('raw markup')
  }
  // The parser refuses before it tells the method.
  const isUnread = (status === 400 || status === 431) && headers['connection'] === 'close'
  if (sent.method === 'HEAD' && text !== '' && !isUnread) wrong.push('HEAD has a body')
  const isAsked = /^Bearer( error="invalid_token")?$/.test(headers['www-authenticate'] ?? '')
  if (isAsked !== (status === 401)) {
    wrong.push(`WWW-Authenticate is ${headers['www-authenticate']}`)
  }
  if (status === 405 && headers['allow'] === undefined) wrong.push('no Allow')
  if (status === 429 && !/^[1-9]\d*$/.test(headers['retry-after'] ?? ''))
    wrong.push('no Retry-After')
  return wrong
}

/** The refusals with a challenge. */
const challenging = new Set<Code>(['second_factor_required', 'confirmation_required'])

/** The status is one a client can cause, and an error is what the table says of its code. */
function wrongError({ answer: { status }, body, text, sent, draft }: Heard): string[] {
  const wrong: string[] = []
  const asksForCoding = draft.headers.some(([name]) => name === 'transfer-encoding')
  if (status >= 500 && !(status === 501 && asksForCoding)) wrong.push('a failure of the service')
  if (status < 400 || sent.method === 'HEAD') return wrong
  const error = (body ?? {}) as ErrorBody
  if (!codes.includes(error.code)) return [...wrong, `there is no code ${error.code}`]
  if (errorStatus(error.code) !== status) wrong.push(`${error.code} with another status`)
  if (errorMessage(error.code) !== error.message) wrong.push('another message')
  const { details = [], challenge } = (body ?? {}) as { details?: Detail[]; challenge?: Challenge }
  if ((challenge !== undefined) !== challenging.has(error.code)) wrong.push('another challenge')
  const refusal = new Refusal(error.code, {
    outage: 'database',
    details,
    ...(challenge && { challenge }),
  })
  if (text !== render(refusal).body) wrong.push('another error body')
  return wrong
}

async function wrongByReference(heard: Heard): Promise<string[]> {
  const { answer, body, route, sent, draft } = heard
  const { status, headers } = answer
  const { code } = (body ?? {}) as ErrorBody
  if (route === undefined) {
    const isBare = status >= 400 && (sent.method === 'HEAD' || ofNoRoute.has(code))
    const isMeant = mayReach.test(sent.target) && documented.has(draft.route, status)
    const isOptions = sent.method === 'OPTIONS' && status < 400
    return (isBare || isMeant) && !isOptions ? [] : [`${status} where there is no route`]
  }
  if (isOfTransport(heard)) return []
  if (!documented.has(route, status)) return [`${status} is not documented`]
  const missing = documented
    .headersOf(route, status)
    .filter((name) => !optional.has(name) && headers[name.toLowerCase()] === undefined)
  // What the wire refuses does not reach the limits.
  const isEarly = code === 'invalid_request' && headers['ratelimit'] === undefined
  const wrong = isEarly ? [] : missing.map((name) => `no ${name}`)
  const [type = ''] = (headers['content-type'] ?? '').split(';')
  if (isFile(headers) && type !== 'application/json') {
    const isDocumented = status === 200 && documented.mediaTypes(route, status).includes(type)
    return isDocumented ? wrong : [...wrong, `a file of the type ${type}`]
  }
  if (sent.method !== 'HEAD' && !(await documented.fits(route, status, body))) {
    wrong.push('the body is not what the reference says')
  }
  return wrong
}

/** Documented for answers that may do without. */
const optional = new Set(['Content-Disposition', 'Idempotency-Replayed', 'Location'])

/** Who has no grant is refused by what he is, before anything of his request is looked at. */
function wrongAccess(heard: Heard): string[] {
  const { answer, body, route, draft, sent } = heard
  const { status } = answer
  const { caller, headers } = draft
  if (route === undefined || route.access === 'public') return []
  const { code, details = [] } = (body ?? {}) as ErrorBody
  if (isOfTransport(heard) || (code === 'invalid_request' && details.length === 0)) return []
  if (sent.method === 'HEAD' && status === 400) return []
  const ownHeader = headers.some(([name]) => name === 'authorization')
  if (!caller.isAlive || ownHeader) return status === 401 ? [] : [`${status} without a good token`]
  const isSpare = caller.name === 'spare'
  if (status === 401) return isSpare ? [] : ['a live session was refused']
  return mayAsk(caller, route) || status === 403 ? [] : [`${status} for a role that is not listed`]
}
