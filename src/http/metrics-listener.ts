// The listener of `/metrics`: for a Prometheus on this machine and nobody else. It binds to the
// loopback address whatever the service itself listens on, and serves nothing but the one page.
import http from 'node:http'
import type { Registry } from 'prom-client'
import { type Code, Refusal } from '../domain/errors.ts'
import { json, render, securityHeaders } from './error-response.ts'

/** The only address it is ever bound to. */
export const loopback = '127.0.0.1'

/** A page of another origin that had its name point here (DNS rebinding) names itself in Host. */
const hostShape = /^(localhost|127\.0\.0\.1)(:\d{1,5})?$/i

export function metricsListener(registry: Registry, newRequestId: () => string): http.Server {
  const timeouts = { headersTimeout: 5000, requestTimeout: 5000, keepAliveTimeout: 65_000 }
  const server = http.createServer({ ...timeouts, maxHeaderSize: 8192 }, (request, response) => {
    const answer = (status: number, fields: Record<string, string>, body: string): void => {
      response.writeHead(status, {
        ...securityHeaders,
        'x-request-id': newRequestId(),
        'content-length': Buffer.byteLength(body),
        ...fields,
      })
      response.end(request.method === 'HEAD' ? undefined : body)
    }
    const refusal = (thrown: Refusal): void => {
      const { status, headers, body } = render(thrown)
      answer(status, { ...headers, 'content-type': json, connection: 'close' }, body)
    }
    const problem = findProblem(request)
    if (problem) return refusal(problem)
    registry.metrics().then(
      (text) => answer(200, { 'content-type': registry.contentType }, text),
      () => refusal(new Refusal('internal_error')),
    )
  })
  server.maxConnections = 20
  return server
}

function findProblem({ url, method = '', headers }: http.IncomingMessage): Refusal | undefined {
  const refused = (code: Code) => new Refusal(code)
  if (!hostShape.test(headers.host ?? '')) return refused('invalid_request')
  if (url !== '/metrics') return refused('not_found')
  if (method === 'GET' || method === 'HEAD') return undefined
  return new Refusal('method_not_allowed', { headers: { allow: 'GET, HEAD' } })
}
