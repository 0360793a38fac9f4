// The listeners below Fastify: HTTPS with HTTP/1.1 and HTTP/2, and plain HTTP that only redirects.
// They bound what a client may cost, and answer what a parser or a check of the request refuses.
import type http from 'node:http'
import http2, { type Http2ServerRequest } from 'node:http2'
import type { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { clientAddress } from '../../domain/address.ts'
import { asRefusal, Refusal } from '../../domain/errors.ts'
import type { Gate } from '../../gate/gate.ts'
import type { Log } from '../../telemetry/log.ts'
import type { Metrics } from '../../telemetry/metrics.ts'
import { AcceptQueue } from './accept-queue.ts'
import { answeredBelow } from '../answer-log.ts'
import { type Connection, Connections, type Places } from './connections.ts'
import {
  type Fields,
  json,
  securityHeaders,
  writeHead,
  writeRaw,
  writeRefusal,
} from '../error-response.ts'
import {
  clientErrors,
  type Incoming,
  isHttp2,
  headerBytesMax,
  headerFieldsMax,
  type Outgoing,
  readPath,
  findProblem,
} from './request-checks.ts'
import { tlsOptions } from './tls.ts'
import { createHttpServer } from '../node-http.ts'

export type Handler = (request: Incoming, response: Outgoing) => void

export type Listener<S = http.Server | http2.Http2SecureServer> = {
  server: S
  /** Takes no new connection, answers what is under way, and resolves when all is closed. */
  drain(): Promise<void>
}

export type ListenerParts = {
  connectionsMax: number
  /** Whether the `X-Forwarded-…` fields of that address are believed. */
  isTrustedProxy(address: string): boolean
  gate: Pick<Gate, 'admitAddress'>
  log: Log
  metrics: Metrics
  newRequestId(): string
}

/** How long answers under way may take in a drain before their connections are cut. */
const lingerMs = 10_000

/** A connection on which nothing moves for that long is closed: a read waits 25 s at most. */
const idleTimeoutMs = 30_000

/** In milliseconds. A short interval cuts late clients one by one, not a crowd in one moment. */
const timeouts = {
  headersTimeout: 10_000,
  requestTimeout: 15_000,
  keepAliveTimeout: 10_000,
  connectionsCheckingInterval: 50,
}

const http1Options = {
  ...timeouts,
  maxHeaderSize: headerBytesMax,
  // `findProblem` answers instead, with a body; Node's answer has none.
  requireHostHeader: false,
  insecureHTTPParser: false,
}

/** A silent end would leave a person at a loss. */
const plainHttp = new Refusal('invalid_request', {
  details: [{ path: '', message: 'This port takes HTTPS only.' }],
})

/** The HTTPS listener. Requests that pass `findProblem` go on to `handle`. */
export function secureListener(
  certificate: { key: string; cert: string },
  handle: Handler,
  parts: ListenerParts,
): Listener<http2.Http2SecureServer> {
  const server = http2.createSecureServer({
    ...tlsOptions,
    ...certificate,
    ...http1Options,
    allowHTTP1: true,
    settings: { maxConcurrentStreams: 100, maxHeaderListSize: headerBytesMax },
    maxSessionMemory: 4,
    handshakeTimeout: timeouts.headersTimeout,
  } as http2.SecureServerOptions)
  const connections = new Connections(toPlaces(parts))
  const refuseSocket = guard(server, connections, handle, parts)
  const handshakes = new AcceptQueue(connections, (socket) => refuseSocket(socket, plainHttp))
  // Runs before Node's own listener, which begins an HTTP/2 session at once.
  server.prependListener('secureConnection', (socket: Socket) => {
    const connection = connections.establish(socket)
    if (connection) handshakes.finish(connection.accepted)
  })
  acceptBy(server, connections, (connection, start) => handshakes.add(connection, start))
  return { server, drain: () => drain(server, connections) }
}

/** The plain listener: answers 301 to the public URL and reads no body. */
export function plainListener(publicUrl: string, parts: ListenerParts): Listener<http.Server> {
  const server = createHttpServer(http1Options)
  const redirect: Handler = (request, response) => {
    // Never from the Host field, which the client chooses (CWE-601).
    const location = publicUrl + readPath(request.url ?? '/')
    void account(request, undefined, parts).then(({ requestId, refusal, fields }) => {
      if (refusal) return writeRefusal(request, response, { requestId, refusal, fields })
      writeHead(response, 301, {
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
  const connections = new Connections({ ...toPlaces(parts), isAnsweredEarly: true })
  guard(server, connections, redirect, parts)
  acceptBy(server, connections, (connection, start) => {
    connections.establish(connection.accepted)
    start()
  })
  return { server, drain: () => drain(server, connections) }
}

const toPlaces = ({ connectionsMax, metrics }: ListenerParts): Places => ({
  connectionsMax,
  onRefused: metrics.connectionRefused,
})

/** Hands each new connection to `accept`, which starts what the server does with it when due. */
function acceptBy(
  server: http.Server | http2.Http2SecureServer,
  connections: Connections,
  accept: (connection: Connection, start: () => void) => void,
): void {
  const listeners = server.listeners('connection')
  server.removeAllListeners('connection')
  server.on('connection', (socket: Socket) => {
    const connection = connections.admit(socket)
    const start = () => listeners.forEach((listener) => listener.call(server, socket))
    if (connection) accept(connection, start)
    else socket.destroy()
  })
}

/**
 * Bounds a listener's connections and requests, and answers what it has to refuse by itself. Gives
 * what answers bytes that are no request.
 */
function guard(
  server: http.Server | http2.Http2SecureServer,
  connections: Connections,
  handle: Handler,
  parts: ListenerParts,
): (socket: Duplex, reason: Refusal) => void {
  ;(server as http.Server).maxHeadersCount = headerFieldsMax + 1
  /** Sockets that got their last answer, whatever the parser says of the bytes behind. */
  const refused = new WeakSet<Duplex>()

  function refuse(request: Incoming, response: Outgoing, reason: Refusal): void {
    if (!isHttp2(request)) refused.add(request.socket)
    void account(request, reason, parts).then((made) => writeRefusal(request, response, made))
  }
  function refuseSocket(socket: Duplex, reason: Refusal): void {
    // Answers that are owed go out, and nothing behind them: a client must never read an error for
    // a transfer that took effect.
    if (connections.endAfterAnswers(socket) || refused.has(socket)) return
    refused.add(socket)
    const source = { socket: socket as Socket, headers: {} }
    void account(source, reason, parts).then(
      // An answer may have begun in the meantime, such as 401 to a request whose body is broken.
      (made) => connections.endAfterAnswers(socket) || writeRaw(socket, made),
    )
  }
  const begin = (request: Incoming, response: Outgoing, work: () => void): void => {
    connections.begin(request, response, () => {
      try {
        if (isHttp2(request)) cutWhenLate(request)
        const problem = findProblem(request)
        if (problem) refuse(request, response, new Refusal(problem))
        else work()
      } catch (thrown) {
        // A defect costs the request that met it, and no other.
        refuse(request, response, asRefusal(thrown))
      }
    })
  }
  server.on('request', (request: Incoming, response: Outgoing) => {
    begin(request, response, () => handle(request, response))
  })
  server.on('checkContinue', (request: Incoming, response: Outgoing) => {
    begin(request, response, () => {
      continueOnRead(request, response)
      handle(request, response)
    })
  })
  server.on('checkExpectation', (request: Incoming, response: Outgoing) => {
    begin(request, response, () => refuse(request, response, new Refusal('expectation_failed')))
  })
  server.on('connect', (request: Incoming, second: unknown) => {
    // No path is a tunnel (RFC 9110 section 9.3.6), so none allows a method there.
    const refusal = new Refusal('method_not_allowed', { headers: { allow: '' } })
    // HTTP/1.1 gives (request, socket), HTTP/2 (request, response).
    const target = second as Duplex & Partial<Outgoing>
    if (typeof target.writeHead === 'function') refuse(request, target as Outgoing, refusal)
    else refuseSocket(target, refusal)
  })
  server.on('clientError', (error: NodeJS.ErrnoException, socket: Duplex) => {
    // No bytes received: close without a 408.
    const isSilent = (socket as Socket).bytesRead === 0
    if (error.code === 'ECONNRESET' || isSilent) return void socket.destroy()
    refuseSocket(socket, new Refusal(clientErrors[error.code ?? ''] ?? 'invalid_request'))
  })
  server.on('tlsClientError', (_error: Error, socket: Duplex) => socket.destroy())
  server.on('sessionError', () => {})
  server.on('session', (session: http2.ServerHttp2Session) => connections.beginSession(session))
  server.setTimeout(idleTimeoutMs)
  return refuseSocket
}

/**
 * Answers 100 when the body is first read. An answer that is known before is sent at once (RFC 9110
 * section 10.1.1): so no client sends its password to be redirected. Behind such an answer Node
 * closes the connection of HTTP/1.1, as the client may send the body or leave it out.
 */
function continueOnRead(request: Incoming, response: Outgoing): void {
  request.once('resume', () => {
    // Node also reads, and drops, what is left of a body behind its answer.
    if (!response.headersSent) response.writeContinue()
  })
}

/**
 * Charges a request that the listener answers by itself to its client's address, and reports the
 * answer: invalid requests are limited like all others. Over the limit, the answer is that refusal.
 */
async function account<R extends Refusal | undefined>(
  { socket, headers }: Pick<Incoming, 'socket' | 'headers'>,
  reason: R,
  { isTrustedProxy, gate, log, metrics, newRequestId }: ListenerParts,
): Promise<{ requestId: string; refusal: R | Refusal; fields: Fields }> {
  const requestId = newRequestId()
  const forwardedFor = headers['x-forwarded-for'] as string | undefined
  const address = clientAddress(socket.remoteAddress ?? '', forwardedFor, isTrustedProxy)
  let refusal: R | Refusal = reason
  let fields: Fields = {}
  try {
    fields = (await gate.admitAddress(address)).headers()
  } catch (thrown) {
    refusal = asRefusal(thrown)
  }
  answeredBelow({ log, metrics }, { requestId, address, refusal })
  return { requestId, refusal, fields }
}

/**
 * HTTP/2 has no time-outs of its own: a body that drips is cut like that of HTTP/1.1, and so is a
 * stream whose client does not read its answer.
 */
function cutWhenLate({ stream }: Http2ServerRequest): void {
  const cut = () => stream.close(http2.constants.NGHTTP2_CANCEL)
  const unread = setTimeout(cut, idleTimeoutMs).unref()
  const body = stream.endAfterHeaders ? undefined : setTimeout(cut, timeouts.requestTimeout).unref()
  stream.once('end', () => clearTimeout(body))
  stream.once('close', () => {
    clearTimeout(body)
    clearTimeout(unread)
  })
}

async function drain(
  server: http.Server | http2.Http2SecureServer,
  connections: Connections,
): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>()
  server.close(() => resolve())
  connections.drain()
  const cut = setTimeout(() => connections.cut(), lingerMs)
  await promise
  clearTimeout(cut)
}
