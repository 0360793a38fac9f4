// The pages of the portal, as the build left them. All of them are one file, whose script shows
// what the address names and calls the API with the cookie of its session.
import { readdir, readFile } from 'node:fs/promises'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Config } from '../config/config.ts'
import type { Language } from '../domain/languages.ts'
import { StartupError } from '../domain/startup-error.ts'
import { type BrandSetting, escapeMarkup, makeBrand } from './brand.ts'
import { contentType, immutable, serveBytes } from './static-response.ts'

/** Where the build puts them. */
export const portalFolder = new URL('../../portal/dist/', import.meta.url)

const policy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self'",
  "connect-src 'self'",
  "font-src 'self'",
  "manifest-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
  "trusted-types 'none'",
].join('; ')

/** What the pages never use; identifiers may be copied. */
const unusedFeatures = [
  'accelerometer',
  'autoplay',
  'camera',
  'clipboard-read',
  'display-capture',
  'encrypted-media',
  'fullscreen',
  'geolocation',
  'gyroscope',
  'magnetometer',
  'microphone',
  'midi',
  'payment',
  'picture-in-picture',
  'screen-wake-lock',
  'usb',
  'xr-spatial-tracking',
]

const fields = {
  'content-security-policy': policy,
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'permissions-policy': unusedFeatures.map((feature) => `${feature}=()`).join(', '),
}

/** What the pages are told of the settings. */
type PageSettings = Pick<
  Config,
  | 'sessionIdle'
  | 'sessionMax'
  | 'secondFactor'
  | 'secondFactorGrace'
  | 'fourEyes'
  | 'members'
  | 'oidcIssuer'
  | BrandSetting
  | 'timeZone'
>

const redirects = [
  ['/', '/portal/'],
  ['/portal', '/portal/'],
  // For password managers (W3C, A Well-Known URL for Changing Passwords).
  ['/.well-known/change-password', '/portal/security'],
] as const

/** Mounts the pages and their files, and leads to them from `/`. */
export const portalPages =
  (folder: URL, settings: PageSettings) => async (app: FastifyInstance) => {
    const { index, pages, assets } = await readBuilt(folder)
    const brand = await makeBrand(index, settings)
    for (const { path, content } of [...assets, ...brand.files]) {
      const file = {
        ...fields,
        'cache-control': immutable,
        'content-type': contentType(path),
      }
      serveBytes(app, path, content, file, { config: { limit: 'files' } })
    }
    const html = Buffer.from(brand.fillIn(fillIn(index, settings)))
    const page = { ...fields, 'content-type': 'text/html; charset=utf-8' }
    const config = {
      limit: 'docs',
      whenLimited: (request: FastifyRequest, waitSeconds: string) =>
        isCall(request)
          ? undefined
          : { fields: page, body: limitedPage(settings.bankName, waitSeconds) },
    } as const
    // The query of a page is its own affair.
    const options = { schema: {}, config }
    for (const path of pages) serveBytes(app, path, html, page, options)
    serveBytes(app, '/portal/*', html, page, { ...options, status: 404, onRequest: leaveCalls })
    for (const [path, to] of redirects) {
      app.get(path, { config }, async (_request, reply) => reply.redirect(to, 303))
    }
  }

/** What scripts ask is no page: it gets the one form of an error. */
const isCall = ({ params }: FastifyRequest): boolean =>
  /^(api|session)(\/|$)/.test((params as { '*'?: string })['*'] ?? '')

const leaveCalls = async (request: FastifyRequest, reply: FastifyReply): Promise<unknown> =>
  isCall(request) ? reply.callNotFound() : undefined

/** What the limit says in each language, English first. */
const limitedTexts = {
  en: ['Too many requests', 'Please load this page again after %.'],
  de: ['Zu viele Anfragen', 'Bitte laden Sie diese Seite nach % erneut.'],
  fr: ['Trop de requêtes', 'Veuillez recharger cette page dans %.'],
  es: ['Demasiadas solicitudes', 'Vuelva a cargar esta página dentro de %.'],
} as const satisfies Record<Language, readonly [title: string, text: string]>

/** For a person who has opened pages too often. It loads nothing: that would be refused as well. */
const limitedPage = (bankName: string, waitSeconds: string): string => `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8" />
    <meta name="viewport" content="width=device-width, initial-scale=1" />
    <meta name="color-scheme" content="light dark" />
    <title>${escapeMarkup(bankName)}</title>
  </head>
  <body>
    <main>
${Object.entries(limitedTexts)
  .map(([language, [title, text]]) => {
    const level = language === 'en' ? 'h1' : 'h2'
    const words = `<${level}>${title}</${level}><p>${text.replace('%', `${waitSeconds} s`)}</p>`
    return `      <div lang="${language}">${words}</div>\n`
  })
  .join('')}    </main>
  </body>
</html>
`

async function readBuilt(folder: URL) {
  try {
    const [index, pages, [build = '']] = await Promise.all([
      readFile(new URL('index.html', folder), 'utf8'),
      readFile(new URL('pages.json', folder), 'utf8'),
      readdir(new URL('assets/', folder)),
    ])
    // One folder, which is named by what is in it.
    const names = await readdir(new URL(`assets/${build}/`, folder))
    // One after the other: all at once are more open files than a small host may have.
    const assets: { path: string; content: Buffer }[] = []
    for (const name of names) {
      const content = await readFile(new URL(`assets/${build}/${name}`, folder))
      assets.push({ path: `/portal/assets/${build}/${name}`, content })
    }
    return { index, pages: JSON.parse(pages) as string[], assets }
  } catch (thrown) {
    if ((thrown as NodeJS.ErrnoException).code !== 'ENOENT') throw thrown
    throw new StartupError('The pages of the portal are missing: run `npm run portal`.')
  }
}

/** Tells the page when its session would end, and the roles of people with second factors. */
const fillIn = (
  index: string,
  {
    sessionIdle,
    sessionMax,
    secondFactor,
    secondFactorGrace,
    fourEyes,
    members,
    oidcIssuer,
    timeZone,
  }: PageSettings,
): string =>
  index
    .replace('data-session-idle-seconds="0"', `data-session-idle-seconds="${seconds(sessionIdle)}"`)
    .replace('data-session-max-seconds="0"', `data-session-max-seconds="${seconds(sessionMax)}"`)
    .replace(
      'data-second-factor=""',
      `data-second-factor="${Object.entries(secondFactor)
        .flatMap(([role, policy]) => (policy === 'off' ? [] : [role]))
        .join(' ')}"`,
    )
    .replace(
      'data-second-factor-grace-seconds="0"',
      `data-second-factor-grace-seconds="${seconds(secondFactorGrace)}"`,
    )
    .replace('data-time-zone="UTC"', `data-time-zone="${timeZone}"`)
    .replace('data-issuer="off"', `data-issuer="${oidcIssuer === undefined ? 'off' : 'on'}"`)
    .replace('data-members="off"', `data-members="${members ? 'on' : 'off'}"`)
    .replace('data-four-eyes="off"', `data-four-eyes="${fourEyes.length > 0 ? 'on' : 'off'}"`)

const seconds = (milliseconds: number): number => Math.floor(milliseconds / 1000)
