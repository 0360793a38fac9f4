// Which bodies a request may bring: plain JSON, or none.
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { refuse } from '../domain/errors.ts'
import { parseJson } from '../domain/json.ts'

/** A body is plain JSON or there is none; parameters and codings are not played with. */
export function requireJson(request: FastifyRequest): void {
  const { 'content-type': type, 'content-encoding': coding } = request.headers
  const length = request.headers['content-length']
  // Over HTTP/2 neither a length nor a coding announces a body.
  const { stream } = request.raw as { stream?: { endAfterHeaders: boolean } }
  const hasBody =
    (length === undefined ? stream?.endAfterHeaders === false : length !== '0') ||
    'transfer-encoding' in request.headers
  if (coding !== undefined && coding !== 'identity') refuse('unsupported_media_type')
  if (type === undefined ? hasBody : !jsonType.test(type)) refuse('unsupported_media_type')
}
const jsonType = /^application\/json(?: *; *charset="?utf-8"?)? *$/i

export function onlyJsonBodies(app: FastifyInstance): void {
  app.removeAllContentTypeParsers()
  app.addContentTypeParser(
    'application/json',
    { parseAs: 'buffer' },
    (
      _request: FastifyRequest,
      body: Buffer,
      done: (error: Error | null, value?: unknown) => void,
    ) => {
      try {
        done(null, body.length === 0 ? undefined : parseJson(body))
      } catch (thrown) {
        done(thrown as Error)
      }
    },
  )
}

/** A route that takes no body takes `{}` at the most. */
export const isBody = (body: unknown): boolean =>
  body !== undefined &&
  (typeof body !== 'object' || body === null || Array.isArray(body) || Object.keys(body).length > 0)
