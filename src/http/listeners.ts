// The listeners below the framework: HTTPS with HTTP/1.1 and HTTP/2, and the plain one that only
// redirects. What a client may cost is bounded here, and what the parser refuses is answered here.
import http, { type IncomingMessage } from 'node:http'
import http2, { type Http2ServerRequest } from 'node:http2'
import type { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { answer, type Fields, write, writeRaw } from './raw-response.ts'
import { type Connection, Connections } from './connections.ts'
import { asRefusal, Refusal } from '../domain/errors.ts'
import { json, securityHeaders } from './headers.ts'
import { AcceptQueue } from './accept-queue.ts'
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

export type Listener = http.Server | http2.Http2SecureServer

const connectionsByListener = new WeakMap<Listener, Connections>()

/** Who counts and records what a listener answers by itself. */
export type Attendant = {
  /** The client's address. */
  addressOf(peer: string, forwardedFor: string | undefined): string
  /** Counts it under that address; gives the RateLimit fields of its answer, or refuses. */
  count(address: string): Promise<Fields>
  /** Told of each refusal, or redirection, before it is sent. */
  answered(requestId: string, address: string, refusal?: Refusal): void
}

const attendants = new WeakMap<Listener, Attendant>()

/** From now on what a listener answers by itself is a request like any other. */
export const attend = (server: Listener, attendant: Attendant): void =>
  void attendants.set(server, attendant)

/** How long answers under way may take before their connections are cut, in milliseconds. */
const lingerMs = 10_000

/**
 * A drip of header or body bytes is cut. Looked for so often, those of a crowd are cut as they
 * came, a few at a time, and not all in one moment.
 */
const timeouts = {
  headersTimeout: 10_000,
  requestTimeout: 15_000,
  keepAliveTimeout: 10_000,
  connectionsCheckingInterval: 50,
}

/** A connection on which nothing moves for that long is dropped, in milliseconds. */
const idleTimeoutMs = 20_000

const http1Options = {
  ...timeouts,
  maxHeaderSize: headerBytesMax,
  // Our own check answers instead of Node's empty one; see `findProblem`.
  requireHostHeader: false,
  insecureHTTPParser: false,
}

/** The HTTPS listener. Requests that pass the checks of the wire go on to `handle`. */
export function secureListener(
  certificate: { key: string; cert: string },
  handle: (request: Incoming, response: Outgoing) => void,
  newRequestId: () => string,
  connectionsMax: number,
): http2.Http2SecureServer {
  const server = http2.createSecureServer({
    ...tlsOptions,
    ...certificate,
    ...http1Options,
    allowHTTP1: true,
    settings: { maxConcurrentStreams: 100, maxHeaderListSize: headerBytesMax },
    maxSessionMemory: 4,
    handshakeTimeout: timeouts.headersTimeout,
  } as http2.SecureServerOptions)
  guard(server, handle, newRequestId, new Connections({ connectionsMax }))
  return server
}

/** The plain listener: all requests are answered 301 to the public URL, and no body is read. */
export function plainListener(
  publicUrl: string,
  newRequestId: () => string,
  connectionsMax: number,
): http.Server {
  const server = http.createServer(http1Options)
  const redirect = (request: Incoming, response: Outgoing) => {
    const requestId = newRequestId()
    // Never from the Host field: a link made of it could lead anywhere.
    const location = publicUrl + readPath(request.url ?? '/')
    void counted(server, request.socket, request.headers, undefined).then((made) => {
      const { refusal, fields, address } = made
      attendants.get(server)?.answered(requestId, address, refusal)
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
  guard(server, redirect, newRequestId, new Connections({ connectionsMax, isAnsweredEarly: true }))
  return server
}

function guard(
  server: Listener,
  handle: (request: Incoming, response: Outgoing) => void,
  newRequestId: () => string,
  connections: Connections,
): void {
  ;(server as http.Server).maxHeadersCount = headerFieldsMax + 1
  connectionsByListener.set(server, connections)

  const { refuse, refuseSocket } = createRefusals(server, connections, newRequestId)
  const receive = (request: Incoming, response: Outgoing, isWaiting: boolean): void => {
    const problem = findProblem(request)
    if (problem) return refuse(request, response, new Refusal(problem))
    if (isWaiting) response.writeContinue()
    handle(request, response)
  }
  /** A defect of ours costs the request that met it, and nobody else's. */
  const attempt = (request: Incoming, response: Outgoing, isWaiting: boolean): void => {
    try {
      if (isHttp2(request)) cutWhenLate(request)
      receive(request, response, isWaiting)
    } catch (thrown) {
      refuse(request, response, asRefusal(thrown))
    }
  }
  const begin = (request: Incoming, response: Outgoing, isWaiting = false): void => {
    connections.begin(request, response, () => attempt(request, response, isWaiting))
  }
  server.on('request', (request: Incoming, response: Outgoing) => begin(request, response))
  server.on('checkContinue', (request: Incoming, response: Outgoing) => {
    begin(request, response, true)
  })
  server.on('checkExpectation', (request: Incoming, response: Outgoing) => {
    connections.begin(request, response, () => {
      refuse(request, response, new Refusal(findProblem(request) ?? 'expectation_failed'))
    })
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
    // No bytes received: close without a 408.
    const isSilent = (socket as Socket).bytesRead === 0
    if (error.code === 'ECONNRESET' || isSilent) return void socket.destroy()
    refuseSocket(socket, new Refusal(clientErrors[error.code ?? ''] ?? 'invalid_request'))
  })
  server.on('tlsClientError', (_error: Error, socket: Duplex) => socket.destroy())
  server.on('sessionError', () => {})
  server.on('session', (session: http2.ServerHttp2Session) => connections.beginSession(session))
  server.setTimeout(idleTimeoutMs)
  const open = takeAcceptor(server, connections)
  server.on('connection', (socket: Socket) => {
    const connection = connections.admit(socket)
    if (connection) open(connection)
    else socket.destroy()
  })
}

/** Takes from a listener what it does with a new connection, to do it when it is the time to. */
function takeAcceptor(server: Listener, connections: Connections): (made: Connection) => void {
  const own = server.listeners('connection')
  server.removeAllListeners('connection')
  const start = ({ accepted }: Connection) => own.forEach((each) => each.call(server, accepted))
  if (server instanceof http.Server) {
    return (connection) => {
      connections.establish(connection.accepted)
      start(connection)
    }
  }
  const handshakes = new AcceptQueue()
  // Before the listener's own, which begins a session at once.
  server.prependListener('secureConnection', (socket: Socket) => {
    const connection = connections.establish(socket)
    if (connection) handshakes.end(connection.accepted)
  })
  return (connection) =>
    handshakes.await(connection, {
      greeted: () => connections.greeted(connection),
      isCrowd: () => connections.isCrowd(connection),
      start: () => start(connection),
    })
}

/** How a listener refuses by itself: a request, or a socket whose bytes are none. */
function createRefusals(server: Listener, connections: Connections, newRequestId: () => string) {
  /** Connections that got their last answer, whatever the parser says of the rest. */
  const refused = new WeakSet<Duplex>()
  async function settle(
    { socket, headers }: Pick<Incoming, 'socket' | 'headers'>,
    refusal: Refusal,
    put: (made: Refusal, requestId: string, fields: Fields) => void,
  ): Promise<void> {
    const requestId = newRequestId()
    const made = await counted(server, socket, headers, refusal)
    attendants.get(server)?.answered(requestId, made.address, made.refusal)
    put(made.refusal, requestId, made.fields)
  }
  return {
    refuse(request: Incoming, response: Outgoing, refusal: Refusal): void {
      if (!isHttp2(request)) refused.add(request.socket)
      void settle(request, refusal, (...made) => answer(request, response, ...made))
    },
    refuseSocket(socket: Duplex, refusal: Refusal): void {
      // An answer that is owed goes out first and nothing else: a client never reads an error for
      // a transfer that took effect (security.md T45).
      if (connections.endAfterAnswers(socket) || refused.has(socket)) return
      refused.add(socket)
      const credentials = { socket: socket as Socket, headers: {} }
      void settle(credentials, refusal, (...made) => writeRaw(socket, ...made))
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
): Promise<{ refusal: R | Refusal; fields: Fields; address: string }> {
  const attendant = attendants.get(server)
  const forwardedFor = headers['x-forwarded-for'] as string | undefined
  const address = attendant?.addressOf(remoteAddress, forwardedFor) ?? remoteAddress
  try {
    return { refusal, fields: (await attendant?.count(address)) ?? {}, address }
  } catch (thrown) {
    return { refusal: asRefusal(thrown), fields: {}, address }
  }
}

/**
 * HTTP/2 has no time-outs of its own: a body that drips is cut like that of HTTP/1.1, and so is a
 * stream whose client does not take its answer.
 */
function cutWhenLate({ stream }: Http2ServerRequest): void {
  const cut = () => stream.close(http2.constants.NGHTTP2_CANCEL)
  const unread = setTimeout(cut, timeouts.requestTimeout + lingerMs).unref()
  const body = stream.endAfterHeaders ? undefined : setTimeout(cut, timeouts.requestTimeout).unref()
  stream.once('end', () => clearTimeout(body))
  stream.once('close', () => {
    clearTimeout(body)
    clearTimeout(unread)
  })
}

/** Takes no new connection, answers what is under way, and resolves when all is closed. */
export async function drain(server: Listener): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>()
  const connections = connectionsByListener.get(server)
  server.close(() => resolve())
  connections?.drain()
  const cut = setTimeout(() => connections?.cut(), lingerMs)
  await promise
  clearTimeout(cut)
}

/** Answers everything with 503: for the moment between listening and being ready. */
export const unavailable =
  (newRequestId: () => string) =>
  (request: Incoming, response: Outgoing): void =>
    answer(request, response, new Refusal('unavailable'), newRequestId())
