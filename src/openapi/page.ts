// The API reference: `/docs` for people, `/openapi.json` for programs. The page loads nothing from
// another origin. It calls the API with the token of a login on it, like any client.
import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import type { FastifyInstance } from 'fastify'
import { escapeMarkup } from '../http/brand.ts'
import { json, withoutMarkup } from '../http/error-response.ts'
import { contentType, immutable, serveBytes } from '../http/static-response.ts'
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

/** Mounts the page, its files and the OpenAPI document. Every other path below is 404. */
export const docsPage =
  (routes: readonly Route[], bankName: string) => async (app: FastifyInstance) => {
    const source = await readFile(new URL('page.html', page), 'utf8')
    let html = source.replace('Strongroom', () => escapeMarkup(bankName))
    for (const file of files) {
      const content = await readFile(file)
      const digest = createHash('sha256').update(content).digest('hex').slice(0, 16)
      const [name, stem, extension = ''] = /([\w-]+)\.(\w+)$/.exec(file.pathname) ?? []
      const path = `/docs/${stem}.${digest}.${extension}`
      html = html.replaceAll(`"${name}"`, `"${path}"`)
      serveBytes(app, path, content, {
        'content-security-policy': policy,
        'cache-control': immutable,
        'content-type': contentType(path),
      })
    }
    serveBytes(app, '/docs', Buffer.from(html), {
      'content-security-policy': policy,
      'content-type': 'text/html; charset=utf-8',
    })
    const document = () =>
      Buffer.from(withoutMarkup(JSON.stringify(openApiDocument(routes, bankName))))
    serveBytes(app, '/openapi.json', document, { 'content-type': json })
  }
