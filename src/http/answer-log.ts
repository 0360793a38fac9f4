// Every answer is logged and measured, whether Fastify or a listener below it gives it.
import type { FastifyReply, FastifyRequest } from 'fastify'
import { type Code, errorStatus, Refusal } from '../domain/errors.ts'
import { LoggedError } from '../domain/logged-error.ts'
import { parseTraceparent, type SpanId } from '../domain/trace.ts'
import { describeError, type Log } from '../telemetry/log.ts'
import type { Metrics } from '../telemetry/metrics.ts'

type Sinks = { log: Log; metrics: Metrics }

/** Logs and measures an answer of Fastify, once it is sent. */
export function logAnswer(
  { log, metrics }: Sinks,
  request: FastifyRequest,
  reply: FastifyReply,
): void {
  const { requestState, id: requestId, method } = request
  const { address, admission, route, scope, code, window, isPortal } = requestState
  const { statusCode: status, elapsedTime } = reply
  metrics.answered(method, route, code ?? status, elapsedTime / 1000)
  const milliseconds = Math.round(elapsedTime * 10) / 10
  const userId = admission?.caller?.userId
  const trace = findTrace(request)
  if (route !== undefined && trace === undefined) {
    log.answered({ requestId, method, route, status, code, window, milliseconds, userId, address })
  } else if (!log.leavesOut(route, status)) {
    // Any text may be the method of a request that meets no route, and a client may send as the
    // identifiers of its trace what is a card number.
    const event = { requestId, method, route: route ?? 'none', status, ...toReason(code, window) }
    const by = userId !== undefined && { userId }
    log.info({ ...event, milliseconds, address, ...by, ...trace }, 'answered')
  }
  scope?.end({
    name: route === undefined ? 'none' : `${method} ${route}`,
    attributes: {
      'http.request.method': route === undefined ? '_OTHER' : method,
      ...(route !== undefined && { 'http.route': route }),
      'url.scheme': 'https',
      'url.path': toShownPath(isPortal, route),
      'http.response.status_code': status,
      ...(code && { 'error.type': code }),
    },
    isFailed: status >= 500,
  })
}

/**
 * The path as spans hold it: an attribute that the semantic conventions of OpenTelemetry require,
 * in which they let an instrumentation redact what is sensitive. Every part that a client chose is.
 */
function toShownPath(isPortal: boolean, route = '/*'): string {
  const mounted = isPortal && route.startsWith('/api/') ? `/portal${route}` : route
  return mounted.replace(/:\w+|\*/g, 'REDACTED')
}

/** The span that log lines of a request name: its own, or the caller's if it is not traced. */
export function findTrace({ requestState, headers }: FastifyRequest): SpanId | undefined {
  const span = requestState.scope ?? parseTraceparent(headers['traceparent'])
  return span && { traceId: span.traceId, spanId: span.spanId }
}

type AnswerBelow = { requestId: string; address: string; refusal: Refusal | undefined }

/** The same for an answer that meets no hook of Fastify: a refusal, or else a redirection. */
export function answeredBelow(
  { log, metrics }: Sinks,
  { requestId, address, refusal }: AnswerBelow,
): void {
  const status = refusal ? errorStatus(refusal.code) : 301
  metrics.answered('none', undefined, refusal?.code ?? status, 0)
  if (refusal?.code === 'rate_limited') metrics.limited('address')
  if (refusal) logRefusal(log, refusal, { requestId })
  const reason = toReason(refusal?.code, refusal?.options.window)
  if (log.leavesOut(undefined, status)) return
  log.info({ requestId, route: 'none', status, ...reason, address }, 'answered')
}

const toReason = (code: Code | undefined, window: string | undefined) => ({
  ...(code && { code }),
  ...(window !== undefined && { window }),
})

/**
 * Says why the service failed to answer. A defect and an unknown outcome are errors. What
 * is unavailable for a time is a warning: its cause has a line of its own at its beginning and end.
 */
export function logRefusal(
  log: Log,
  { code, options: { because, outage } }: Refusal,
  about: { requestId: string } & Partial<SpanId>,
): void {
  const status = errorStatus(code)
  const event = { ...about, code, status, ...(outage && { cause: outage }) }
  if (isServerError(status)) {
    const reason = {
      because: causeOf(because),
      ...(isError(because) && { error: describeError(because) }),
    }
    log[code === 'unavailable' ? 'warn' : 'error']({ ...event, ...reason }, 'refused')
  } else if (typeof because === 'string') log.debug({ ...event, because }, 'refused')
}

const isError = (because: unknown): boolean =>
  because instanceof Refusal ? isError(because.options.because) : because instanceof Error

/** A few words that hold no value: a text of this program, a SQLSTATE, or the class of an error. */
function causeOf(because: unknown): string {
  if (typeof because === 'string') return because
  if (because instanceof Refusal) return causeOf(because.options.because ?? because.code)
  if (because instanceof LoggedError) return because.message
  if (!(because instanceof Error)) return 'no error was thrown'
  const { code } = because as { code?: unknown }
  return typeof code === 'string' && code !== '' ? code : because.constructor.name
}

/** 501 is left out: it is the client that asks for what there is not. */
export const isServerError = (status: number): boolean => status >= 500 && status !== 501
