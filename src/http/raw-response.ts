// Answers written below the framework, by the listeners themselves: in the one form an error has,
// with the fields every response carries.
import http, { type ServerResponse } from 'node:http'
import type { Duplex } from 'node:stream'
import type { Refusal } from '../domain/errors.ts'
import { render } from './render.ts'
import { json, securityHeaders } from './headers.ts'
import { type Incoming, isHttp2, type Outgoing } from './request-checks.ts'

export type Fields = Record<string, string>

function toHeaderFields(
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
/** The two kinds of response have the same method under signatures that cannot be called as one. */
export function write(response: Outgoing, status: number, fields: Fields): void {
  ;(response as ServerResponse).writeHead(status, fields)
}

export function answer(
  request: Incoming,
  response: Outgoing,
  refusal: Refusal,
  requestId: string,
  limit: Fields = {},
): void {
  const { status, fields, body } = toHeaderFields(refusal, requestId, limit)
  // The rest of the connection is in doubt after a request like that.
  write(response, status, isHttp2(request) ? fields : { ...fields, connection: 'close' })
  ;(response as ServerResponse).end(request.method === 'HEAD' ? undefined : body)
}

export function writeRaw(socket: Duplex, refusal: Refusal, requestId: string, limit: Fields): void {
  if (!socket.writable) return void socket.destroy()
  const { status, fields, body } = toHeaderFields(refusal, requestId, limit)
  const lines = Object.entries({ ...fields, connection: 'close' }).map(([name, value]) => {
    return `${name}: ${value}\r\n`
  })
  socket.end(`HTTP/1.1 ${status} ${http.STATUS_CODES[status]}\r\n${lines.join('')}\r\n${body}`)
}
