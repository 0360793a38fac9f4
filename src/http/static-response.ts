// Files that are the same for every client: of the API reference and of the portal.
import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'
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
 * Answers GET and HEAD of that path with the bytes, which are compressed once by each coding, when
 * it is first asked for.
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
  const compressed = new Map<Coding, Promise<Buffer>>()
  const all = { schema: { querystring: noQuery }, config: { limit: 'docs' as const }, ...options }
  app.get(path, all, async (request, reply) => {
    reply
      .code(status)
      .headers(fields)
      .header('vary', [reply.getHeader('vary'), 'Accept-Encoding'].join(', '))
    const coding = isCompressible && findCoding(request.headers['accept-encoding'])
    if (!coding) return reply.send(bytes())
    const body = compressed.get(coding) ?? compressBy[coding](bytes())
    compressed.set(coding, body)
    return reply.header('content-encoding', coding).send(await body)
  })
}

/** What is larger takes most of a second at the highest quality, for a tenth less. */
const smallMax = 256 * 1024

/** A page with its files is a tenth smaller by brotli. */
const compressBy = {
  br: (bytes: Buffer) => {
    const quality = bytes.length > smallMax ? 9 : constants.BROTLI_MAX_QUALITY
    const params = {
      [constants.BROTLI_PARAM_MODE]: constants.BROTLI_MODE_TEXT,
      [constants.BROTLI_PARAM_QUALITY]: quality,
      [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length,
    }
    return promisify(brotliCompress)(bytes, { params })
  },
  gzip: (bytes: Buffer) => promisify(gzip)(bytes, { level: 9 }),
}
type Coding = keyof typeof compressBy

/**
 * The best coding that a client accepts (RFC 9110 section 12.5.3): brotli where it is named, else
 * gzip. Without the field there is none.
 */
function findCoding(acceptEncoding = ''): Coding | undefined {
  const codings = acceptEncoding
    .toLowerCase()
    .split(',')
    .map((coding) => coding.split(';').map((part) => part.trim()))
  const named = (name: string) => codings.find(([coding]) => coding === name)
  const accepts = ([, quality = 'q=1']: readonly string[] = ['', 'q=0']): boolean =>
    /^q=(?=.*[1-9])(0(\.\d{0,3})?|1(\.0{0,3})?)$/.test(quality)
  if (accepts(named('br'))) return 'br'
  return accepts(named('gzip') ?? named('*')) ? 'gzip' : undefined
}

const noQuery = { type: 'object', additionalProperties: false }
