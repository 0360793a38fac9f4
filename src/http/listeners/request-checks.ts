// Checks that Node's parsers leave out: what two readers could read differently is refused on every
// listener and in every version of HTTP, before any route is looked up (CWE-444).
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Http2ServerRequest, Http2ServerResponse } from 'node:http2'
import type { PlainCode } from '../../domain/errors.ts'

export type Incoming = IncomingMessage | Http2ServerRequest
export type Outgoing = ServerResponse | Http2ServerResponse

export const headerFieldsMax = 100
export const headerBytesMax = 8192

/** Not by the version in the request line: the parser of HTTP/1.1 accepts `HTTP/2.0` there. */
export const isHttp2 = (request: Incoming): request is Http2ServerRequest =>
  (request as Partial<Http2ServerRequest>).stream !== undefined

/** The code to refuse a request with, if it fails a check. */
export function findProblem(request: Incoming): PlainCode | undefined {
  const { rawHeaders, headers } = request
  if (rawHeaders.length > headerFieldsMax * 2) return 'headers_too_large'
  if (isHttp2(request)) {
    // The parser of HTTP/1.1 limits the bytes itself.
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
  // Without chunked as the last coding the end of the body is unknown (RFC 9112 section 6.3).
  return /, *chunked$/.test(coding) ? 'not_implemented' : 'invalid_request'
}

const countBytes = (texts: readonly string[]): number =>
  texts.reduce((sum, text) => sum + text.length, 0)

/** Fields whose repetition two readers could read differently. */
const onceOnly = new Set([
  'accept',
  'authorization',
  'confirmation',
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

/** The codes for what Node's parser refuses; `invalid_request` for any other. */
export const clientErrors: Record<string, PlainCode> = {
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
