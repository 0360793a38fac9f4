// The API reference: `/docs` for people, `/openapi.json` for programs. Everything the page needs is
// served from here, under a policy of its own that lets nothing in from elsewhere; it calls the
// same endpoints as any client, by the token of a login on it.
import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import type { FastifyInstance } from 'fastify'
import { json, withoutMarkup } from '../http/error-response.ts'
import { openApiDocument } from './document.ts'
import type { Route } from '../http/route.ts'

/** The page and all that belongs to it; nothing of it may be framed, and no form leads away. */
const policy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  // The style sheet of the reference draws its arrows from `data:` addresses.
  "img-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ')

const reference = new URL('.', import.meta.resolve('@fastify/swagger-ui'))
const own = new URL('./page/', import.meta.url)

const sources = {
  reference: { file: new URL('static/swagger-ui-bundle.js', reference), type: 'text/javascript' },
  referenceStyle: { file: new URL('static/swagger-ui.css', reference), type: 'text/css' },
  icon: { file: new URL('static/favicon-32x32.png', reference), type: 'image/png' },
  script: { file: new URL('page.js', own), type: 'text/javascript' },
  style: { file: new URL('page.css', own), type: 'text/css' },
} as const

type Asset = { path: string; type: string; content: Buffer }
type Assets = Record<keyof typeof sources, Asset>

/**
 * Mounts the page, its files and the description of the routes, each under its exact path: any
 * other path is 404.
 */
export const docsPage = (routes: readonly Route[]) => async (app: FastifyInstance) => {
  const assets = await readAssets()
  const page = { 'content-security-policy': policy }
  const html = { ...page, 'content-type': 'text/html; charset=utf-8' }
  mount(app, '/docs', html, Buffer.from(renderPage(assets)))
  for (const { path, type, content } of Object.values(assets)) {
    // The name changes with the content, and there is nobody's data in it.
    const cached = { 'cache-control': 'public, max-age=31536000, immutable' }
    mount(app, path, { ...page, ...cached, 'content-type': type }, content)
  }
  const description = withoutMarkup(JSON.stringify(openApiDocument(routes)))
  mount(app, '/openapi.json', { 'content-type': json }, Buffer.from(description))
}

/** Bytes that are the same for every client; compressed once, when first asked for. */
function mount(
  app: FastifyInstance,
  path: string,
  fields: Record<string, string>,
  content: Buffer,
): void {
  const isCompressible = fields['content-type'] !== 'image/png'
  let compressed: Promise<Buffer> | undefined
  const options = { schema: { querystring: noQuery }, config: { limit: 'docs' as const } }
  app.get(path, options, async (request, reply) => {
    reply.headers(fields).header('vary', [reply.getHeader('vary'), 'Accept-Encoding'].join(', '))
    if (!isCompressible || !takesGzip(request.headers['accept-encoding'])) {
      return reply.send(content)
    }
    compressed ??= promisify(gzip)(content, { level: 9 })
    return reply.header('content-encoding', 'gzip').send(await compressed)
  })
}

/** Whether a client takes gzip (RFC 9110 section 12.5.3); without the field it gets plain bytes. */
function takesGzip(acceptEncoding = ''): boolean {
  const codings = acceptEncoding
    .toLowerCase()
    .split(',')
    .map((coding) => coding.split(';').map((part) => part.trim()))
  const named = (name: string) => codings.find(([coding]) => coding === name)
  const [, quality = 'q=1'] = named('gzip') ?? named('*') ?? ['', 'q=0']
  return /^q=(?=.*[1-9])(0(\.\d{0,3})?|1(\.0{0,3})?)$/.test(quality)
}

const noQuery = { type: 'object', additionalProperties: false }

async function readAssets(): Promise<Assets> {
  const entries = Object.entries(sources).map(async ([name, { file, type }]) => {
    const content = await readFile(fileURLToPath(file))
    const digest = createHash('sha256').update(content).digest('hex').slice(0, 16)
    const [, stem, extension] = /([\w-]+)\.(\w+)$/.exec(file.pathname) ?? []
    const charset = type.startsWith('text/') ? '; charset=utf-8' : ''
    const path = `/docs/${stem}.${digest}.${extension}`
    return [name, { path, type: type + charset, content }] as const
  })
  return Object.fromEntries(await Promise.all(entries)) as Assets
}

const renderPage = ({
  reference: bundle,
  referenceStyle,
  icon,
  script,
  style,
}: Assets): string => `\
<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<title>Strongroom: API reference</title>
<meta name="viewport" content="width=device-width, initial-scale=1">
<link rel="icon" type="image/png" href="${icon.path}">
<link rel="stylesheet" href="${referenceStyle.path}">
<link rel="stylesheet" href="${style.path}">
<script defer src="${bundle.path}"></script>
<script defer src="${script.path}"></script>
</head>
<body>
<header>
<form id="login" method="post" autocomplete="on">
<label>User name or e-mail <input name="username" autocomplete="username" required></label>
<label>Password
<input name="password" type="password" autocomplete="current-password" required></label>
<button>Log in</button>
</form>
<form id="logout" method="post" hidden><button>Log out</button></form>
<p id="standing" role="status">Log in, and the calls you make below carry your token.</p>
</header>
<noscript><p>This page needs JavaScript. Programs read /openapi.json instead.</p></noscript>
<main id="reference"></main>
</body>
</html>
`
