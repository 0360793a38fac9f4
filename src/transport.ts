// The listeners below the framework: HTTPS with HTTP/1.1 and HTTP/2, and the plain one that only
// redirects. What a client may cost is bounded here, and what the parser refuses is answered here.
import http, { type IncomingMessage, type ServerResponse } from 'node:http'
import http2, { type Http2ServerRequest, type Http2ServerResponse } from 'node:http2'
import type { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { addressKey } from './address.ts'
import { Connections } from './connections.ts'
import { type Code, Refusal, render } from './errors.ts'
import { json, securityHeaders } from './headers.ts'
import { tlsOptions } from './tls.ts'

export type Incoming = IncomingMessage | Http2ServerRequest
export type Outgoing = ServerResponse | Http2ServerResponse
export type Listener = http.Server | http2.Http2SecureServer

const connectionsOf = new WeakMap<Listener, Connections>()

/** How long answers under way may take before their connections are cut, in milliseconds. */
const patience = 10_000

const mostHeaderFields = 100
const mostHeaderBytes = 8192
const mostConnections = 8000

/** A drip of header or body bytes is cut; the check runs every second. */
const timeouts = {
  headersTimeout: 10_000,
  requestTimeout: 15_000,
  keepAliveTimeout: 10_000,
  connectionsCheckingInterval: 1000,
}

/** A connection on which nothing moves for that long is dropped, in milliseconds. */
const silence = 20_000

const http1Options = {
  ...timeouts,
  maxHeaderSize: mostHeaderBytes,
  // Our own check answers instead of Node's empty one; see `problemOf`.
  requireHostHeader: false,
  insecureHTTPParser: false,
}

/** The HTTPS listener. Requests that pass the checks of the wire go on to `handle`. */
export function secureListener(
  certificate: { key: string; cert: string },
  handle: (request: Incoming, response: Outgoing) => void,
  newRequestId: () => string,
): http2.Http2SecureServer {
  const server = http2.createSecureServer({
    ...tlsOptions,
    ...certificate,
    ...http1Options,
    allowHTTP1: true,
    settings: { maxConcurrentStreams: 100, maxHeaderListSize: mostHeaderBytes },
    maxSessionMemory: 4,
    handshakeTimeout: timeouts.headersTimeout,
  } as http2.SecureServerOptions)
  guard(server, handle, newRequestId)
  return server
}

/** The plain listener: all requests are answered 301 to the public URL, and no body is read. */
export function plainListener(publicUrl: string, newRequestId: () => string): http.Server {
  const server = http.createServer(http1Options)
  const redirect = (request: Incoming, response: Outgoing) => {
    write(response, 301, {
      ...securityHeaders,
      'content-type': json,
      'content-length': '0',
      'x-request-id': newRequestId(),
      // Never from the Host field: a link made of it could lead anywhere.
      location: publicUrl + pathOf(request.url ?? '/'),
      connection: 'close',
    })
    response.end()
  }
  guard(server, redirect, newRequestId)
  return server
}

/** Path and query of a request target, whatever its form (RFC 9112 section 3.2). */
export function pathOf(target: string): string {
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

function guard(
  server: Listener,
  handle: (request: Incoming, response: Outgoing) => void,
  newRequestId: () => string,
): void {
  ;(server as http.Server).maxHeadersCount = mostHeaderFields + 1
  server.maxConnections = mostConnections
  const connections = new Connections()
  connectionsOf.set(server, connections)

  const receive = (request: Incoming, response: Outgoing): void => {
    if (request.httpVersionMajor === 1) connections.begin(request, response)
    else cutWhenLate(request as Http2ServerRequest)
    const problem = problemOf(request)
    if (problem) answer(request, response, problem, newRequestId())
    else handle(request, response)
  }
  server.on('request', receive)
  server.on('checkContinue', (request: Incoming, response: Outgoing) => {
    response.writeContinue()
    receive(request, response)
  })
  server.on('checkExpectation', (request: Incoming, response: Outgoing) => {
    answer(request, response, 'expectation_failed', newRequestId())
  })
  server.on('connect', (first: unknown, second: unknown) => {
    // HTTP/1.1 gives (request, socket), HTTP/2 (request, response).
    const target = second as Duplex & Partial<Outgoing>
    if (typeof target.writeHead === 'function') {
      answer(first as Incoming, target as Outgoing, 'method_not_allowed', newRequestId())
    } else writeRaw(target, 'method_not_allowed', newRequestId())
  })
  server.on('clientError', (error: NodeJS.ErrnoException, socket: Duplex) => {
    // An answer that is owed goes out first and nothing else: a client never reads an error for a
    // transfer that took effect (security.md T45).
    if (connections.endAfterAnswers(socket)) return
    answerClientError(error, socket, newRequestId())
  })
  server.on('tlsClientError', (_error: Error, socket: Duplex) => socket.destroy())
  server.on('sessionError', () => {})
  server.on('session', (session: http2.ServerHttp2Session) => connections.beginSession(session))
  server.setTimeout(silence)
  server.on('connection', (socket: Socket) => {
    if (!connections.admit(addressKey(socket.remoteAddress ?? ''), socket)) socket.destroy()
  })
}

/**
 * HTTP/2 has no time-outs of its own: a body that drips is cut like that of HTTP/1.1, and so is a
 * stream whose client does not take its answer.
 */
function cutWhenLate({ stream }: Http2ServerRequest): void {
  const cut = () => stream.close(http2.constants.NGHTTP2_CANCEL)
  const unread = setTimeout(cut, timeouts.requestTimeout + patience).unref()
  const body = stream.endAfterHeaders ? undefined : setTimeout(cut, timeouts.requestTimeout).unref()
  stream.once('end', () => clearTimeout(body))
  stream.once('close', () => {
    clearTimeout(body)
    clearTimeout(unread)
  })
}

/** What is wrong with a request before any route is looked at (security.md Appendix A). */
function problemOf(request: Incoming): Code | undefined {
  const { rawHeaders, headers } = request
  if (rawHeaders.length > mostHeaderFields * 2) return 'headers_too_large'
  // The parser of HTTP/1.1 bounds the bytes itself.
  if (request.httpVersionMajor === 2 && bytesOf(rawHeaders) > mostHeaderBytes) {
    return 'headers_too_large'
  }
  if ((request.url ?? '').length > mostHeaderBytes) return 'uri_too_long'
  let hosts = 0
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = (rawHeaders[index] as string).toLowerCase()
    if (name === 'host' || name === ':authority') hosts++
    else if (onceOnly.has(name) && isRepeated(rawHeaders, name, index)) return 'invalid_request'
  }
  const host = headers.host ?? (headers as Record<string, string | undefined>)[':authority']
  if (hosts !== 1 || host === undefined || !hostShape.test(host)) return 'invalid_request'
  const coding = headers['transfer-encoding']
  if (coding !== undefined && coding.toLowerCase() !== 'chunked') return 'not_implemented'
  return undefined
}

const bytesOf = (texts: readonly string[]): number =>
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

function fieldsOf(code: Code, requestId: string): { status: number; fields: Fields; body: string } {
  const { status, headers, body } = render(new Refusal(code))
  const fields = {
    ...securityHeaders,
    ...headers,
    'x-request-id': requestId,
    'content-type': json,
    'content-length': String(Buffer.byteLength(body)),
  }
  return { status, fields, body }
}
type Fields = Record<string, string>

/** The two kinds of response have the same method under signatures that cannot be called as one. */
function write(response: Outgoing, status: number, fields: Fields): void {
  ;(response as ServerResponse).writeHead(status, fields)
}

function answer(request: Incoming, response: Outgoing, code: Code, requestId: string): void {
  const { status, fields, body } = fieldsOf(code, requestId)
  // The rest of the connection is in doubt after a request like that.
  const isHttp1 = request.httpVersionMajor === 1
  write(response, status, isHttp1 ? { ...fields, connection: 'close' } : fields)
  ;(response as ServerResponse).end(request.method === 'HEAD' ? undefined : body)
}

function writeRaw(socket: Duplex, code: Code, requestId: string): void {
  const { status, fields, body } = fieldsOf(code, requestId)
  const lines = Object.entries({ ...fields, connection: 'close' }).map(([name, value]) => {
    return `${name}: ${value}\r\n`
  })
  if (!socket.writable) return void socket.destroy()
  socket.end(`HTTP/1.1 ${status} ${http.STATUS_CODES[status]}\r\n${lines.join('')}\r\n${body}`)
}

/** Answers bytes the parser refused, or a request that did not arrive in time. */
function answerClientError(error: NodeJS.ErrnoException, socket: Duplex, requestId: string): void {
  if (error.code === 'ECONNRESET' || !socket.writable) return void socket.destroy()
  if (error.code === 'HPE_HEADER_OVERFLOW') return writeRaw(socket, 'headers_too_large', requestId)
  if (error.code === 'ERR_HTTP_REQUEST_TIMEOUT')
    return writeRaw(socket, 'request_timeout', requestId)
  writeRaw(socket, 'invalid_request', requestId)
}

/** Takes no new connection, answers what is under way, and resolves when all is closed. */
export async function drain(server: Listener): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>()
  const connections = connectionsOf.get(server)
  server.close(() => resolve())
  connections?.drain()
  const cut = setTimeout(() => connections?.cut(), patience)
  await promise
  clearTimeout(cut)
}

/** Answers everything with 503: for the moment between listening and being ready. */
export const unavailable =
  (newRequestId: () => string) =>
  (request: Incoming, response: Outgoing): void =>
    answer(request, response, 'unavailable', newRequestId())
