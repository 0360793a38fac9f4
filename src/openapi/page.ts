// The API reference: `/docs` for people, `/openapi.json` for programs. The page loads nothing from
// another origin. It calls the API with the token of a login on it, like any client.
import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import type { FastifyInstance } from 'fastify'
import { json, withoutMarkup } from '../http/error-response.ts'
import { openApiDocument } from './document.ts'
import type { Route } from '../http/route.ts'

/** The Content-Security-Policy of the page and its files. */
const policy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  // The style sheet of Swagger UI has its arrows in `data:` URLs.
  "img-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ')

const swaggerUi = new URL('static/', import.meta.resolve('@fastify/swagger-ui'))
const page = new URL('./page/', import.meta.url)

/** The files of the page, which names each by its last part. */
const files = [
  new URL('swagger-ui-bundle.js', swaggerUi),
  new URL('swagger-ui.css', swaggerUi),
  new URL('favicon-32x32.png', swaggerUi),
  new URL('page.js', page),
  new URL('page.css', page),
]

const types: Readonly<Record<string, string>> = {
  css: 'text/css; charset=utf-8',
  js: 'text/javascript; charset=utf-8',
  png: 'image/png',
}

/** Mounts the page, its files and the OpenAPI document. Every other path below is 404. */
export const docsPage = (routes: readonly Route[]) => async (app: FastifyInstance) => {
  let html = await readFile(new URL('page.html', page), 'utf8')
  for (const file of files) {
    const content = await readFile(file)
    const digest = createHash('sha256').update(content).digest('hex').slice(0, 16)
    const [name, stem, extension = ''] = /([\w-]+)\.(\w+)$/.exec(file.pathname) ?? []
    const path = `/docs/${stem}.${digest}.${extension}`
    html = html.replaceAll(`"${name}"`, `"${path}"`)
    mount(app, path, content, {
      'content-security-policy': policy,
      // The path changes with the content, which is public.
      'cache-control': 'public, max-age=31536000, immutable',
      'content-type': types[extension] as string,
    })
  }
  mount(app, '/docs', Buffer.from(html), {
    'content-security-policy': policy,
    'content-type': 'text/html; charset=utf-8',
  })
  const document = withoutMarkup(JSON.stringify(openApiDocument(routes)))
  mount(app, '/openapi.json', Buffer.from(document), { 'content-type': json })
}

/** Serves bytes that are the same for every client. They are compressed once, on first use. */
function mount(
  app: FastifyInstance,
  path: string,
  content: Buffer,
  fields: Record<string, string>,
): void {
  const isCompressible = fields['content-type'] !== 'image/png'
  let compressed: Promise<Buffer> | undefined
  const options = { schema: { querystring: noQuery }, config: { limit: 'docs' as const } }
  app.get(path, options, async (request, reply) => {
    reply.headers(fields).header('vary', [reply.getHeader('vary'), 'Accept-Encoding'].join(', '))
    if (!isCompressible || !acceptsGzip(request.headers['accept-encoding'])) {
      return reply.send(content)
    }
    compressed ??= promisify(gzip)(content, { level: 9 })
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
