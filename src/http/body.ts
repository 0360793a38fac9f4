// What a request may carry: a JSON body or none, and a query string in UTF-8.
import { parse, type ParsedUrlQuery } from 'node:querystring'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { refuse } from '../domain/errors.ts'
import { parseJson } from '../domain/json.ts'

const formType = /^application\/x-www-form-urlencoded(?: *; *charset="?utf-8"?)? *$/i
const xmlType = /^application\/xml(?: *; *charset="?utf-8"?)? *$/i
const jsonType = /^application\/json(?: *; *charset="?utf-8"?)? *$/i

/**
 * Refuses a body that is not plain JSON, or a form or XML where the route takes it, in UTF-8
 * without a content coding. What is not there has no type: clients name one all the same, such as
 * curl with `-X POST -d ''`.
 */
export function requireContent(
  request: FastifyRequest,
  { form: isForm, xml }: { form?: true | undefined; xml?: unknown },
): void {
  const { 'content-type': type, 'content-encoding': coding } = request.headers
  const length = request.headers['content-length']
  // Over HTTP/2 neither a length nor a transfer coding announces a body.
  const { stream } = request.raw as { stream?: { endAfterHeaders: boolean } }
  const hasBody =
    (length === undefined ? stream?.endAfterHeaders === false : length !== '0') ||
    'transfer-encoding' in request.headers
  if (!hasBody) {
    // The framework would look for a parser of that type.
    if (type !== undefined) delete request.headers['content-type']
    return
  }
  if (coding !== undefined && coding !== 'identity') refuse('unsupported_media_type')
  const isKnown =
    type !== undefined &&
    (jsonType.test(type) ||
      (isForm === true && formType.test(type)) ||
      (xml !== undefined && xmlType.test(type)))
  if (!isKnown) refuse('unsupported_media_type')
}

export function acceptJsonAndForms(app: FastifyInstance): void {
  app.removeAllContentTypeParsers()
  app.addContentTypeParser<Buffer>(
    'application/json',
    { parseAs: 'buffer' },
    async (_request: FastifyRequest, body: Buffer) =>
      body.length === 0 ? undefined : parseJson(body),
  )
  // Only routes that declare XML are reached with this type, which they read themselves.
  app.addContentTypeParser<Buffer>(
    'application/xml',
    { parseAs: 'buffer' },
    async (_request: FastifyRequest, body: Buffer) => body,
  )
  // Only routes that declare a form are reached with this type.
  app.addContentTypeParser<Buffer>(
    'application/x-www-form-urlencoded',
    { parseAs: 'buffer' },
    async (_request: FastifyRequest, body: Buffer) => ({ ...readQuery(body.toString('latin1')) }),
  )
}

/** Only the known parameters of a form: a standard lets others add parameters. */
export function keepKnown(request: FastifyRequest, known: readonly string[]): void {
  if (!formType.test(request.headers['content-type'] ?? '')) return
  const given = Object.entries(request.body ?? {})
  request.body = Object.fromEntries(given.filter(([name]) => known.includes(name)))
}

/** Whether a body holds anything: a route that takes none accepts `{}`. */
export const hasContent = (body: unknown): boolean =>
  body !== undefined &&
  (typeof body !== 'object' || body === null || Array.isArray(body) || Object.keys(body).length > 0)

/** No route knows this parameter, so every route refuses it, in its turn and in its own form. */
const unreadable: ParsedUrlQuery = Object.freeze({ '%': '' })

/**
 * Reads a query string; one that is not UTF-8 is refused by its route, never repaired. A parameter
 * that is sent twice becomes a list, which no schema accepts.
 */
export function readQuery(text: string): ParsedUrlQuery {
  try {
    if (text.includes('%')) decodeURIComponent(text)
  } catch {
    return unreadable
  }
  return parse(text, '&', '=', { maxKeys: 0 })
}
