// `/docs`: the API reference for people. Everything it needs is served from here, under a policy of
// its own that lets nothing in from elsewhere; it calls the same endpoints as anybody, by the token
// of whoever logs in on it.
import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import type { FastifyInstance } from 'fastify'

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
const own = new URL('./docs-page/', import.meta.url)

const sources = {
  reference: { file: new URL('static/swagger-ui-bundle.js', reference), type: 'text/javascript' },
  referenceStyle: { file: new URL('static/swagger-ui.css', reference), type: 'text/css' },
  icon: { file: new URL('static/favicon-32x32.png', reference), type: 'image/png' },
  script: { file: new URL('page.js', own), type: 'text/javascript' },
  style: { file: new URL('page.css', own), type: 'text/css' },
} as const

type Asset = { path: string; type: string; content: Buffer }
type Assets = Record<keyof typeof sources, Asset>

/** Mounts the page and its files, each under its exact path: whatever else is asked for is 404. */
export async function docsPage(app: FastifyInstance): Promise<void> {
  const assets = await readAssets()
  const page = pageOf(assets)
  app.get('/docs', { schema: { querystring: noQuery } }, async (_request, reply) =>
    reply
      .headers({ 'content-security-policy': policy, 'content-type': 'text/html; charset=utf-8' })
      .send(page),
  )
  for (const { path, type, content } of Object.values(assets)) {
    const headers = {
      'content-security-policy': policy,
      'content-type': type,
      // The name changes with the content, and there is nobody's data in it.
      'cache-control': 'public, max-age=31536000, immutable',
    }
    app.get(path, { schema: { querystring: noQuery } }, async (_request, reply) =>
      reply.headers(headers).send(content),
    )
  }
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

const pageOf = ({ reference: bundle, referenceStyle, icon, script, style }: Assets): string => `\
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
