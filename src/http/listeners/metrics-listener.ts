// The listener of `/metrics`, for a Prometheus: it serves this one page.
import type http from 'node:http'
import { isIP } from 'node:net'
import { Refusal } from '../../domain/errors.ts'
import { type Fields, json, render, securityHeaders } from '../error-response.ts'
import { createHttpServer } from '../node-http.ts'

/** The text format of Prometheus. */
const contentType = 'text/plain; version=0.0.4; charset=utf-8'

/**
 * @param host what it binds to
 * @param read gives the page
 */
export function metricsListener(
  host: string,
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
    const problem = findProblem(request, host)
    if (problem) return refuse(problem)
    read().then(
      (text) => answer(200, { 'content-type': contentType }, text),
      (because: unknown) => refuse(new Refusal('internal_error', { because })),
    )
  }
  const server = createHttpServer({ ...timeouts, maxHeaderSize: 8192 }, handle)
  // No body is read, so no client is told to send it.
  server.on('checkContinue', handle)
  server.maxConnections = 20
  return server
}

/**
 * Against DNS rebinding (CWE-350): a page whose name resolves to this address sends its own name as
 * Host. A literal address needs no name server, so no page can have one that leads here.
 */
function isOwnHost(field: string, host: string): boolean {
  const name = field.replace(/:\d{1,5}$/, '').replace(/^\[(.*)\]$/, '$1')
  return isIP(name) !== 0 || ['localhost', host.toLowerCase()].includes(name.toLowerCase())
}

function findProblem(
  { url, method = '', headers }: http.IncomingMessage,
  host: string,
): Refusal | undefined {
  if (!isOwnHost(headers.host ?? '', host)) return new Refusal('invalid_request')
  if (url !== '/metrics') return new Refusal('not_found')
  if (method === 'GET' || method === 'HEAD') return undefined
  return new Refusal('method_not_allowed', { headers: { allow: 'GET, HEAD' } })
}
