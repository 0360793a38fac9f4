// What goes back when a request is refused: whatever was thrown, in the one form an error has.
import { constants, type Http2ServerResponse } from 'node:http2'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { type Code, asRefusal, Refusal, refuse, errorStatus } from '../domain/errors.ts'
import { render } from './render.ts'
import { json, securityHeaders } from './headers.ts'
import { describe, type Log } from '../telemetry/log.ts'
import { isHttp2 } from './request-checks.ts'
import type { Metrics } from '../telemetry/metrics.ts'
import type { FileReply, Route } from './route.ts'
import type { Attendant } from './listeners.ts'

/** What the framework threw, as one of our refusals. */
export function asThrown(thrown: unknown): Refusal {
  // First of all: the framework puts a status of its own on a refusal that a schema made.
  if (thrown instanceof Refusal) return thrown
  const code = (thrown as { code?: unknown }).code
  if (code === 'FST_ERR_CTP_BODY_TOO_LARGE') return new Refusal('payload_too_large')
  if (code === 'FST_ERR_CTP_INVALID_MEDIA_TYPE') return new Refusal('unsupported_media_type')
  if (code === 'FST_ERR_CTP_INVALID_CONTENT_LENGTH') return new Refusal('invalid_request')
  const { statusCode } = thrown as { statusCode?: unknown }
  if (statusCode === 400) return new Refusal('invalid_request', { because: thrown })
  return asRefusal(thrown)
}

/** A process that cannot count serves nobody, but it lives: restarting it would help nobody. */
export const saysAlive = (request: FastifyRequest, thrown: unknown): boolean =>
  thrown instanceof Refusal &&
  thrown.code === 'unavailable' &&
  (request.routeOptions as { url?: string } | undefined)?.url === '/healthz'

/** A method and the paths it is answered on. */
export type Offered = { method: string; pattern: RegExp }

/** Made when a route is mounted: a request compiles nothing. */
export const offer = (method: string, path: string): Offered => ({
  method,
  pattern: new RegExp(`^${path.replaceAll('.', '\\.').replace(/:\w+/g, '[^/]+')}$`),
})

export function notFound(request: FastifyRequest, offered: readonly Offered[]): Refusal {
  const path = request.url.split('?', 1)[0] as string
  const methods = offered.filter(({ pattern }) => pattern.test(path)).map(({ method }) => method)
  if (methods.length === 0) return new Refusal('not_found')
  return new Refusal('method_not_allowed', { headers: { allow: methods.toSorted().join(', ') } })
}

export type Listeners = {
  log: Log
  /** Told of each refusal before it is sent; gives the code to send, nearly always its own. */
  refused(request: FastifyRequest, refusal: Refusal): Code
}

/** Every answer of the framework is measured and logged, once it is out. */
export const answered =
  (log: Log, metrics: Metrics) =>
  (request: FastifyRequest, reply: FastifyReply, done: () => void): void => {
    const { requestState, id: requestId, method } = request
    const { url } = request.routeOptions
    metrics.answered(method, url, reply.statusCode, reply.elapsedTime / 1000)
    const caller = (requestState as typeof requestState | null)?.admission?.caller
    log.info(
      {
        requestId,
        method,
        route: url ?? 'none',
        status: reply.statusCode,
        milliseconds: Math.round(reply.elapsedTime * 10) / 10,
        ...((requestState as typeof requestState | null) && { address: requestState.address }),
        ...(caller && { userId: caller.userId }),
      },
      'answered',
    )
    done()
  }

/** A client that asks for what there is not (501) fills no log of errors. */
const isOurFault = (status: number): boolean => status >= 500 && status !== 501

/** What listeners answer by themselves is measured and logged like every other answer. */
export const answeredBelow =
  (log: Log, metrics: Metrics): Attendant['answered'] =>
  (requestId, address, refusal) => {
    const status = refusal ? errorStatus(refusal.code) : 301
    metrics.answered('none', undefined, status, 0)
    if (refusal?.code === 'rate_limited') metrics.limited('address')
    if (refusal && isOurFault(status)) {
      const error = describe(refusal.options.because)
      log.error({ requestId, code: refusal.code, error }, 'refused')
    }
    const code = refusal && { code: refusal.code }
    log.info({ requestId, route: 'none', status, ...code, address }, 'answered')
  }

/**
 * Sends a file as it is made. Once its first bytes are out a failure can only cut the connection,
 * so that no part of a file passes for the whole.
 */
export function sendFile(
  reply: FastifyReply,
  { mediaType, name, body }: FileReply,
  { files = [] }: Pick<Route, 'files'>,
  log: Log,
): FastifyReply {
  const { id: requestId, method } = reply.request
  body.once('error', (thrown) => {
    log.warn({ requestId, error: describe(thrown) }, 'file was cut')
    // The framework destroys the answer without an error, which over HTTP/2 reads like its end.
    const { raw } = reply
    if (raw.headersSent && 'stream' in raw)
      (raw as unknown as Http2ServerResponse).stream.close(constants.NGHTTP2_INTERNAL_ERROR)
  })
  // HTTP/1.0 ends a file by closing the connection: one that was cut would pass for the whole.
  if (reply.request.raw.httpVersion === '1.0') {
    body.destroy()
    refuse('not_acceptable', { because: 'a file over HTTP/1.0' })
  }
  // A file is made for a GET alone.
  if (method === 'HEAD') body.destroy()
  if (!files.includes(mediaType)) {
    body.destroy()
    throw new Error(`${mediaType} is not among the files of this route`)
  }
  const disposition = `attachment; filename="${name}"`
  return reply.headers({ 'content-type': mediaType, 'content-disposition': disposition }).send(body)
}

export function send(reply: FastifyReply, thrown: Refusal, { log, refused }: Listeners): void {
  const allowed = refused(reply.request, thrown)
  const refusal = allowed === thrown.code ? thrown : new Refusal(allowed, { because: thrown })
  const { status, headers, body } = render(refusal)
  const { options, code } = refusal
  const requestId = reply.request.id
  if (isOurFault(status)) {
    log.error({ requestId, code, status, error: describe(options.because) }, 'refused')
  } else if (typeof options.because === 'string') {
    log.debug({ requestId, code, status, because: options.because }, 'refused')
  }
  // A request the router could not read never met the first hook.
  if (!reply.hasHeader('x-request-id'))
    reply.headers(securityHeaders).header('x-request-id', requestId)
  // The framework sets it when it refuses a body; HTTP/2 has no such field (RFC 9113 8.2.2).
  if (isHttp2(reply.request.raw)) reply.removeHeader('connection')
  reply.removeHeader('content-disposition')
  reply.code(status).headers(headers).header('content-type', json)
  reply.serializer((text: unknown) => text as string).send(body)
}
