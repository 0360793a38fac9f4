// What Node's parsers let through and two readers could read differently: judged before any route
// is looked at, on every listener and in every version of the protocol.
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Http2ServerRequest, Http2ServerResponse } from 'node:http2'
import type { Code } from '../domain/errors.ts'

export type Incoming = IncomingMessage | Http2ServerRequest
export type Outgoing = ServerResponse | Http2ServerResponse

export const headerFieldsMax = 100
export const headerBytesMax = 8192

/**
 * By the stream it came on. What a client writes into its request line is no proof: the parser of
 * HTTP/1.1 takes `HTTP/2.0` there, and `HTTP/0.9`.
 */
export const isHttp2 = (request: Incoming): request is Http2ServerRequest =>
  (request as Partial<Http2ServerRequest>).stream !== undefined

/** What is wrong with a request before any route is looked at (security.md Appendix A). */
export function findProblem(request: Incoming): Code | undefined {
  const { rawHeaders, headers } = request
  if (rawHeaders.length > headerFieldsMax * 2) return 'headers_too_large'
  if (isHttp2(request)) {
    // The parser of HTTP/1.1 bounds the bytes itself.
    if (countBytes(rawHeaders) > headerBytesMax) return 'headers_too_large'
  } else if (request.httpVersionMajor !== 1) return 'invalid_request'
  if ((request.url ?? '').length > headerBytesMax) return 'uri_too_long'
  let hosts = 0
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = (rawHeaders[index] as string).toLowerCase()
    if (name === 'host' || name === ':authority') hosts++
    else if (onceOnly.has(name) && isRepeated(rawHeaders, name, index)) return 'invalid_request'
  }
  const host = headers.host ?? (headers as Record<string, string | undefined>)[':authority']
  if (hosts !== 1 || host === undefined || !hostShape.test(host)) return 'invalid_request'
  const coding = headers['transfer-encoding']?.toLowerCase()
  if (coding === undefined || coding === 'chunked') return undefined
  // Without chunked as the last one nobody knows where the body ends (RFC 9112 section 6.3).
  return /, *chunked$/.test(coding) ? 'not_implemented' : 'invalid_request'
}

const countBytes = (texts: readonly string[]): number =>
  texts.reduce((sum, text) => sum + text.length, 0)

/** Fields that two readers could read differently when sent twice. */
const onceOnly = new Set([
  'accept',
  'authorization',
  'content-encoding',
  'content-length',
  'content-type',
  'idempotency-key',
  'transfer-encoding',
])
const hostShape = /^(\[[0-9a-f:.]+\]|[a-z0-9._-]+)(:\d{1,5})?$/i

function isRepeated(rawHeaders: readonly string[], name: string, before: number): boolean {
  for (let index = 0; index < before; index += 2) {
    if ((rawHeaders[index] as string).toLowerCase() === name) return true
  }
  return false
}

/** What the parser refused, and a request that did not arrive in time. */
export const clientErrors: Record<string, Code> = {
  HPE_HEADER_OVERFLOW: 'headers_too_large',
  ERR_HTTP_REQUEST_TIMEOUT: 'request_timeout',
}

/** Path and query of a request target, whatever its form (RFC 9112 section 3.2). */
export function readPath(target: string): string {
  const path = target.replace(/^[a-z][a-z0-9+.-]*:\/\/[^/?#]*/i, '')
  return path.startsWith('/') && !path.startsWith('//') ? encodeURI(decodeSafely(path)) : '/'
}

function decodeSafely(path: string): string {
  try {
    return decodeURI(path)
  } catch {
    return '/'
  }
}
