// Files that are the same for every client: of the API reference and of the portal.
import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import type { FastifyInstance, RouteShorthandOptions } from 'fastify'

/** `Cache-Control` of a public file whose path changes with its content. */
export const immutable = 'public, max-age=31536000, immutable'

const types: Readonly<Record<string, string>> = {
  css: 'text/css; charset=utf-8',
  js: 'text/javascript; charset=utf-8',
  png: 'image/png',
  svg: 'image/svg+xml; charset=utf-8',
  webmanifest: 'application/manifest+json',
  woff2: 'font/woff2',
}
const compressedAlready = new Set([types['png'], types['woff2']])

/** By the extension of the path. Throws for one that is not known. */
export function contentType(path: string): string {
  const type = types[path.slice(path.lastIndexOf('.') + 1)]
  if (type === undefined) throw new Error(`The type of ${path} is not known`)
  return type
}

/**
 * Answers GET and HEAD of that path with the bytes, which are compressed once, on first use.
 *
 * @param content the bytes, or what makes them on first use
 * @param fields `content-type` and others
 * @param status 200 by default; a page that says that there is none has 404
 */
export function serveBytes(
  app: FastifyInstance,
  path: string,
  content: Buffer | (() => Buffer),
  fields: Readonly<Record<string, string>>,
  { status = 200, ...options }: { status?: number } & RouteShorthandOptions = {},
): void {
  const isCompressible = !compressedAlready.has(fields['content-type'])
  let made: Buffer | undefined
  const bytes = () => (made ??= typeof content === 'function' ? content() : content)
  let compressed: Promise<Buffer> | undefined
  const all = { schema: { querystring: noQuery }, config: { limit: 'docs' as const }, ...options }
  app.get(path, all, async (request, reply) => {
    reply
      .code(status)
      .headers(fields)
      .header('vary', [reply.getHeader('vary'), 'Accept-Encoding'].join(', '))
    if (!isCompressible || !acceptsGzip(request.headers['accept-encoding'])) {
      return reply.send(bytes())
    }
    compressed ??= promisify(gzip)(bytes(), { level: 9 })
    return reply.header('content-encoding', 'gzip').send(await compressed)
  })
}

/** Whether a client accepts gzip (RFC 9110 section 12.5.3). Without the field it does not. */
function acceptsGzip(acceptEncoding = ''): boolean {
  const codings = acceptEncoding
    .toLowerCase()
    .split(',')
    .map((coding) => coding.split(';').map((part) => part.trim()))
  const named = (name: string) => codings.find(([coding]) => coding === name)
  const [, quality = 'q=1'] = named('gzip') ?? named('*') ?? ['', 'q=0']
  return /^q=(?=.*[1-9])(0(\.\d{0,3})?|1(\.0{0,3})?)$/.test(quality)
}

const noQuery = { type: 'object', additionalProperties: false }
