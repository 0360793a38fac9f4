// The listeners below the framework: HTTPS with HTTP/1.1 and HTTP/2, and the plain one that only
// redirects. What a client may cost is bounded here, and what the parser refuses is answered here.
import http, { type IncomingMessage, type ServerResponse } from 'node:http'
import http2, { type Http2ServerRequest, type Http2ServerResponse } from 'node:http2'
import type { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { addressKey } from './address.ts'
import { Connections } from './connections.ts'
import { asRefusal, type Code, Refusal, render } from './errors.ts'
import { json, securityHeaders } from './headers.ts'
import { mostHeaderBytes, mostHeaderFields, problemOf } from './malformed.ts'
import { tlsOptions } from './tls.ts'

export type Incoming = IncomingMessage | Http2ServerRequest
export type Outgoing = ServerResponse | Http2ServerResponse
export type Listener = http.Server | http2.Http2SecureServer

const connectionsOf = new WeakMap<Listener, Connections>()

/**
 * Counts a request under its client's address and gives the RateLimit fields of its answer, or
 * refuses.
 */
export type Count = (
  peer: string,
  forwardedFor: string | undefined,
) => Promise<Record<string, string>>

const countOf = new WeakMap<Listener, Count>()

/** From now on what a listener answers by itself counts like any other request. */
export const countBy = (server: Listener, count: Count): void => void countOf.set(server, count)

/** How long answers under way may take before their connections are cut, in milliseconds. */
const patience = 10_000

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
    const requestId = newRequestId()
    // Never from the Host field: a link made of it could lead anywhere.
    const location = publicUrl + pathOf(request.url ?? '/')
    void counted(server, request.socket, request.headers, undefined).then((made) => {
      const { refusal, fields } = made
      if (refusal) return answer(request, response, refusal, requestId)
      write(response, 301, {
        ...securityHeaders,
        ...fields,
        'content-type': json,
        'content-length': '0',
        'x-request-id': requestId,
        location,
        connection: 'close',
      })
      return void response.end()
    })
  }
  guard(server, redirect, newRequestId, new Connections(true))
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
  connections = new Connections(),
): void {
  ;(server as http.Server).maxHeadersCount = mostHeaderFields + 1
  server.maxConnections = mostConnections
  connectionsOf.set(server, connections)

  const { refuse, refuseSocket } = refusalsOf(server, connections, newRequestId)
  const receive = (request: Incoming, response: Outgoing, isWaiting = false): void => {
    // The parser reports a request line without a version as HTTP/0.9, on a socket all the same.
    if (request.httpVersionMajor === 2) cutWhenLate(request as Http2ServerRequest)
    else connections.begin(request, response)
    const problem = problemOf(request)
    if (problem) return refuse(request, response, new Refusal(problem))
    if (isWaiting) response.writeContinue()
    handle(request, response)
  }
  server.on('request', (request: Incoming, response: Outgoing) => receive(request, response))
  server.on('checkContinue', (request: Incoming, response: Outgoing) => {
    receive(request, response, true)
  })
  server.on('checkExpectation', (request: Incoming, response: Outgoing) => {
    connections.begin(request, response)
    refuse(request, response, new Refusal(problemOf(request) ?? 'expectation_failed'))
  })
  server.on('connect', (request: Incoming, second: unknown) => {
    // No path of ours is a tunnel: none of our methods is allowed there.
    const refusal = new Refusal('method_not_allowed', { headers: { allow: '' } })
    // HTTP/1.1 gives (request, socket), HTTP/2 (request, response).
    const target = second as Duplex & Partial<Outgoing>
    if (typeof target.writeHead === 'function') refuse(request, target as Outgoing, refusal)
    else refuseSocket(target, refusal)
  })
  server.on('clientError', (error: NodeJS.ErrnoException, socket: Duplex) => {
    if (error.code === 'ECONNRESET') return void socket.destroy()
    refuseSocket(socket, new Refusal(clientErrors[error.code ?? ''] ?? 'invalid_request'))
  })
  server.on('tlsClientError', (_error: Error, socket: Duplex) => socket.destroy())
  server.on('sessionError', () => {})
  server.on('session', (session: http2.ServerHttp2Session) => connections.beginSession(session))
  server.setTimeout(silence)
  server.on('secureConnection', (socket: Socket) => connections.closeAfterEnd(socket))
  server.on('connection', (socket: Socket) => {
    if (!connections.admit(addressKey(socket.remoteAddress ?? ''), socket)) socket.destroy()
    else connections.closeAfterEnd(socket)
  })
}

/** How a listener refuses by itself: a request, or a socket whose bytes are none. */
function refusalsOf(server: Listener, connections: Connections, newRequestId: () => string) {
  /** Connections that got their last answer, whatever the parser says of the rest. */
  const refused = new WeakSet<Duplex>()
  return {
    refuse(request: Incoming, response: Outgoing, refusal: Refusal): void {
      if (request.httpVersionMajor !== 2) refused.add(request.socket)
      const requestId = newRequestId()
      void counted(server, request.socket, request.headers, refusal).then((made) =>
        answer(request, response, made.refusal, requestId, made.fields),
      )
    },
    refuseSocket(socket: Duplex, refusal: Refusal): void {
      // An answer that is owed goes out first and nothing else: a client never reads an error for
      // a transfer that took effect (security.md T45).
      if (connections.endAfterAnswers(socket) || refused.has(socket)) return
      refused.add(socket)
      const requestId = newRequestId()
      void counted(server, socket as Socket, {}, refusal).then((made) =>
        writeRaw(socket, made.refusal, requestId, made.fields),
      )
    },
  }
}

/**
 * A refused or redirected request counts under its client's address like any other: a flood of
 * garbage is a flood. One over the limit is told so instead.
 */
async function counted<R extends Refusal | undefined>(
  server: Listener,
  { remoteAddress = '' }: { remoteAddress?: string | undefined },
  headers: IncomingMessage['headers'],
  refusal: R,
): Promise<{ refusal: R | Refusal; fields: Fields }> {
  try {
    const forwardedFor = headers['x-forwarded-for'] as string | undefined
    return { refusal, fields: (await countOf.get(server)?.(remoteAddress, forwardedFor)) ?? {} }
  } catch (thrown) {
    return { refusal: asRefusal(thrown), fields: {} }
  }
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

function fieldsOf(
  refusal: Refusal,
  requestId: string,
  limit: Fields,
): { status: number; fields: Fields; body: string } {
  const { status, headers, body } = render(refusal)
  const fields = {
    ...securityHeaders,
    ...limit,
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

function answer(
  request: Incoming,
  response: Outgoing,
  refusal: Refusal,
  requestId: string,
  limit: Fields = {},
): void {
  const { status, fields, body } = fieldsOf(refusal, requestId, limit)
  // The rest of the connection is in doubt after a request like that.
  const isHttp2 = request.httpVersionMajor === 2
  write(response, status, isHttp2 ? fields : { ...fields, connection: 'close' })
  ;(response as ServerResponse).end(request.method === 'HEAD' ? undefined : body)
}

function writeRaw(socket: Duplex, refusal: Refusal, requestId: string, limit: Fields): void {
  if (!socket.writable) return void socket.destroy()
  const { status, fields, body } = fieldsOf(refusal, requestId, limit)
  const lines = Object.entries({ ...fields, connection: 'close' }).map(([name, value]) => {
    return `${name}: ${value}\r\n`
  })
  socket.end(`HTTP/1.1 ${status} ${http.STATUS_CODES[status]}\r\n${lines.join('')}\r\n${body}`)
}

/** What the parser refused, and a request that did not arrive in time. */
const clientErrors: Record<string, Code> = {
  HPE_HEADER_OVERFLOW: 'headers_too_large',
  ERR_HTTP_REQUEST_TIMEOUT: 'request_timeout',
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
    answer(request, response, new Refusal('unavailable'), newRequestId())
