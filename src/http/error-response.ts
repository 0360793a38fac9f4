// A refusal on the wire: one body and one set of header fields on every listener.
import type { ServerResponse } from 'node:http'
import type { Duplex } from 'node:stream'
import type { FastifyReply, FastifyRequest } from 'fastify'
import {
  asRefusal,
  type Code,
  errorMessage,
  errorStatus,
  keyedOutcomeMessage,
  Refusal,
} from '../domain/errors.ts'
import { sendsToken } from '../gate/authenticate.ts'
import { deletedSessionCookie } from '../gate/cookies.ts'
import type { Log } from '../telemetry/log.ts'
import { findTrace, logRefusal } from './answer-log.ts'
import { reasonPhrases } from './node-http.ts'
import { type Incoming, isHttp2, type Outgoing } from './listeners/request-checks.ts'

export type Fields = Record<string, string>

/** `Content-Type` of every response with a body. */
export const json = 'application/json; charset=utf-8'

/** On every response (OWASP cheat sheets REST Security and HTTP Security Response Headers). */
export const securityHeaders: Readonly<Fields> = Object.freeze({
  'x-content-type-options': 'nosniff',
  'strict-transport-security': 'max-age=31536000; includeSubDomains',
  'x-frame-options': 'DENY',
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
  'referrer-policy': 'no-referrer',
  // A shared cache must not answer in place of the access check (RFC 9111 section 3.5).
  'cache-control': 'no-store',
  vary: 'Authorization',
})

const markup = /[<>&\u2028\u2029]/g
const hasMarkup = /[<>&\u2028\u2029]/

/** JSON text with markup characters escaped: no response holds raw markup, whatever was stored. */
export const withoutMarkup = (text: string): string =>
  hasMarkup.test(text)
    ? text.replace(
        markup,
        (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
      )
    : text

/** The reason phrases of RFC 9110 section 15; Node still has the older ones of two. */
const phrases: Record<number, string | undefined> = {
  ...reasonPhrases,
  413: 'Content Too Large',
  422: 'Unprocessable Content',
}

/** Where a token was sent (RFC 6750 section 3.1), whatever is wrong with it. */
const invalidToken = 'Bearer error="invalid_token"'

const unavailableRetryAfterSeconds = 1

type RefusedRequest = {
  /** The request has an Idempotency-Key that its route reads. */
  hasKey?: boolean
  /** The caller may read what is of any customer: names of the bank's files are for staff. */
  isOfStaff?: boolean
}

/** Status, header fields and body of a refusal. */
export function render(
  refusal: Refusal,
  { hasKey = false, isOfStaff = false }: RefusedRequest = {},
): { status: number; headers: Fields; body: string } {
  const { code, options } = refusal
  const status = errorStatus(code)
  const headers: Fields = { ...options.headers }
  if (status === 401) headers['www-authenticate'] = 'Bearer'
  const retryAfter =
    options.retryAfter ?? (status === 503 ? unavailableRetryAfterSeconds : undefined)
  if (retryAfter !== undefined) headers['retry-after'] = String(retryAfter)
  const body = {
    error: phrases[status],
    code,
    message: hasKey && code === 'outcome_unknown' ? keyedOutcomeMessage : errorMessage(code),
    ...(code === 'invalid_request' && { details: options.details ?? [] }),
    ...(options.challenge && { challenge: options.challenge }),
    ...(options.limit && { limit: options.limit }),
    ...(options.archive && {
      archive: isOfStaff ? options.archive : { until: options.archive.until },
    }),
  }
  return { status, headers, body: withoutMarkup(JSON.stringify(body)) }
}

/** An error of the framework, as a refusal. */
export function toRefusal(thrown: unknown): Refusal {
  // First, since the framework sets a status on a refusal that a schema made.
  if (thrown instanceof Refusal) return thrown
  const { code, statusCode } = thrown as { code?: unknown; statusCode?: unknown }
  if (code === 'FST_ERR_CTP_BODY_TOO_LARGE') return new Refusal('payload_too_large')
  if (code === 'FST_ERR_CTP_INVALID_MEDIA_TYPE') return new Refusal('unsupported_media_type')
  if (code === 'FST_ERR_CTP_INVALID_CONTENT_LENGTH') return new Refusal('invalid_request')
  if (statusCode === 400) return new Refusal('invalid_request', { because: thrown })
  return asRefusal(thrown)
}

export type Reporting = {
  log: Log
  /** Called before a refusal is sent; gives the one to send, nearly always itself. */
  onRefused(request: FastifyRequest, refusal: Refusal): Refusal
}

/** Refusals of what is shown to begin or confirm something; a session that there is goes on. */
const ofLogin: ReadonlySet<Code> = new Set([
  'invalid_credentials',
  'issuer_refused',
  'second_factor_required',
])

/** Sends a refusal through the framework. */
export function sendRefusal(
  reply: FastifyReply,
  reason: Refusal,
  { log, onRefused }: Reporting,
): void {
  const refusal = onRefused(reply.request, reason)
  const { whenLimited, guardedLimit, takesKey } = reply.routeOptions.config
  const hasKey = takesKey === true && reply.request.headers['idempotency-key'] !== undefined
  const { requestState } = reply.request
  const isOfStaff = requestState.admission?.caller?.grant === 'any'
  const { status, headers, body } = render(refusal, { hasKey, isOfStaff })
  const requestId = reply.request.id
  const trace = findTrace(reply.request)
  const { authorization } = reply.request.headers
  requestState.code = refusal.code
  requestState.window = refusal.options.window
  if (requestState.arrival) reply.headers(requestState.arrival.headers())
  logRefusal(log, refusal, { requestId, ...trace })
  // The framework sets it when it refuses a body; HTTP/2 has no such field (RFC 9113 8.2.2).
  if (isHttp2(reply.request.raw)) reply.removeHeader('connection')
  reply.removeHeader('content-disposition')
  if (status === 401 && !ofLogin.has(refusal.code) && requestState.isPortal) {
    reply.header('set-cookie', deletedSessionCookie)
  }
  const isTokenRefused =
    guardedLimit !== undefined && !requestState.isPortal && sendsToken(authorization)
  if (status === 401 && isTokenRefused) headers['www-authenticate'] = invalidToken
  reply.code(status).headers(headers).header('content-type', json)
  const page =
    status === 429 ? whenLimited?.(reply.request, headers['retry-after'] ?? '') : undefined
  if (page) reply.headers(page.fields)
  reply.serializer((text: unknown) => text as string).send(page?.body ?? body)
}

/** The two kinds of response have the same method under signatures that cannot be called as one. */
export function writeHead(response: Outgoing, status: number, fields: Fields): void {
  ;(response as ServerResponse).writeHead(status, fields)
}

/** A refusal to be written below the framework, with its RateLimit fields. */
type Refused = { requestId: string; refusal: Refusal; fields: Fields }

export function writeRefusal(request: Incoming, response: Outgoing, refused: Refused): void {
  const { status, fields, body } = toMessage(refused)
  // HTTP/1.1: where the next request begins may be in doubt after this one.
  writeHead(response, status, isHttp2(request) ? fields : { ...fields, connection: 'close' })
  ;(response as ServerResponse).end(request.method === 'HEAD' ? undefined : body)
}

/** The same on a socket whose bytes the parser refused. */
export function writeRaw(socket: Duplex, refused: Refused): void {
  if (!socket.writable) return void socket.destroy()
  const { status, fields, body } = toMessage(refused)
  const lines = Object.entries({ ...fields, connection: 'close' }).map(([name, value]) => {
    return `${name}: ${value}\r\n`
  })
  socket.end(`HTTP/1.1 ${status} ${reasonPhrases[status]}\r\n${lines.join('')}\r\n${body}`)
}

function toMessage({ requestId, refusal, fields: limit }: Refused) {
  const { status, headers, body } = render(refusal)
  const fields: Fields = {
    ...securityHeaders,
    ...limit,
    ...headers,
    'x-request-id': requestId,
    'content-type': json,
    'content-length': String(Buffer.byteLength(body)),
  }
  return { status, fields, body }
}
