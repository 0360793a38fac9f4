// The listener of `/metrics`, for a Prometheus on this machine: it always binds to the loopback
// address and serves this one page.
import http from 'node:http'
import { Refusal } from '../../domain/errors.ts'
import { type Fields, json, render, securityHeaders } from '../error-response.ts'

export const loopback = '127.0.0.1'

/** Against DNS rebinding (CWE-350): a page whose name resolves to loopback sends its own Host. */
const hostShape = /^(localhost|127\.0\.0\.1)(:\d{1,5})?$/i

/** The text format of Prometheus. */
const contentType = 'text/plain; version=0.0.4; charset=utf-8'

/** @param read gives the page */
export function metricsListener(
  read: () => Promise<string>,
  newRequestId: () => string,
): http.Server {
  const timeouts = { headersTimeout: 5000, requestTimeout: 5000, keepAliveTimeout: 65_000 }
  const handle: http.RequestListener = (request, response) => {
    const answer = (status: number, fields: Fields, body: string): void => {
      response.writeHead(status, {
        ...securityHeaders,
        'x-request-id': newRequestId(),
        'content-length': Buffer.byteLength(body),
        ...fields,
      })
      response.end(request.method === 'HEAD' ? undefined : body)
    }
    const refuse = (refusal: Refusal): void => {
      const { status, headers, body } = render(refusal)
      answer(status, { ...headers, 'content-type': json, connection: 'close' }, body)
    }
    const problem = findProblem(request)
    if (problem) return refuse(problem)
    read().then(
      (text) => answer(200, { 'content-type': contentType }, text),
      () => refuse(new Refusal('internal_error')),
    )
  }
  const server = http.createServer({ ...timeouts, maxHeaderSize: 8192 }, handle)
  // No body is read, so no client is told to send it.
  server.on('checkContinue', handle)
  server.maxConnections = 20
  return server
}

function findProblem({ url, method = '', headers }: http.IncomingMessage): Refusal | undefined {
  if (!hostShape.test(headers.host ?? '')) return new Refusal('invalid_request')
  if (url !== '/metrics') return new Refusal('not_found')
  if (method === 'GET' || method === 'HEAD') return undefined
  return new Refusal('method_not_allowed', { headers: { allow: 'GET, HEAD' } })
}
