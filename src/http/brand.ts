// How the pages look like the bank's own: its name, its logo and its colours, which they are given
// when they are served. Everything is a file of this origin: the policy of the pages needs no gap.
import { createHash } from 'node:crypto'
import type { Config } from '../config/config.ts'
import { type Logo, readLogo } from './logo.ts'

type BrandFile = { path: string; content: Buffer }

/** Settings of the bank's identity that the pages show. */
export type BrandSetting = 'bankName' | 'bic' | 'bankPhone' | 'bankAddress' | 'logo' | 'accent'

export type Brand = {
  files: BrandFile[]
  /** The first page, with the name, the logo and the colours in their places. */
  fillIn(index: string): string
}

export const escapeMarkup = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;')

function toFile(stem: string, extension: string, content: Buffer): BrandFile {
  const digest = createHash('sha256').update(content).digest('hex').slice(0, 8)
  return { path: `/portal/assets/${stem}-${digest}.${extension}`, content }
}

type Icon = { src: string; sizes: string; type: string; purpose?: string }

/** The icons of the build stand in a folder, which the first page names. */
function builtIcons(index: string): Icon[] {
  const [, folder] = /href="([^"]*)icon\.svg"/.exec(index) ?? []
  if (folder === undefined) return []
  const type = 'image/png'
  return [192, 512].map((side) => {
    const sizes = `${side}x${side}`
    return { src: `${folder}icon-${side}.png`, sizes, type, purpose: 'any maskable' }
  })
}

/** The size of a PNG stands in its first chunk (ISO/IEC 15948). */
const toIcon = (src: string, { extension, content }: Logo): Icon =>
  extension === 'svg'
    ? { src, sizes: 'any', type: 'image/svg+xml' }
    : {
        src,
        sizes: `${content.readUInt32BE(16)}x${content.readUInt32BE(20)}`,
        type: 'image/png',
      }

/** With it a browser offers to put the pages on the home screen (W3C, Web Application Manifest). */
const toManifest = (name: string, icons: readonly Icon[]): BrandFile => {
  const home = '/portal/'
  const shown = { display: 'standalone', background_color: '#f5f7f6', theme_color: '#f5f7f6' }
  const manifest = {
    id: home,
    name,
    short_name: name,
    start_url: home,
    scope: home,
    ...shown,
    icons,
  }
  return toFile('manifest', 'webmanifest', Buffer.from(JSON.stringify(manifest)))
}

/**
 * Reads the logo: throws a `StartupError` for a file that is no plain image.
 *
 * @param index the first page, as the build left it
 */
export async function makeBrand(
  index: string,
  {
    bankName,
    bic = '',
    bankPhone = '',
    bankAddress = '',
    logo: logoPath,
    accent,
  }: Pick<Config, BrandSetting>,
): Promise<Brand> {
  const read = logoPath === undefined ? undefined : await readLogo(logoPath)
  const logo = read && toFile('logo', read.extension, read.content)
  const icons = read && logo ? [toIcon(logo.path, read)] : builtIcons(index)
  const manifest = toManifest(bankName, icons)
  const pair = accent && `light-dark(${accent.light},${accent.dark})`
  // More specific than the styles of the themes; the theme of high contrast keeps its colours.
  const rule = `:root:not([data-theme='contrast']){--accent:${pair};--link:${pair}}\n`
  const colors = pair === undefined ? undefined : toFile('accent', 'css', Buffer.from(rule))
  const name = escapeMarkup(bankName)
  return {
    files: [logo, colors, manifest].filter((file) => file !== undefined),
    fillIn: (page) =>
      page
        .replace(/<title>[^<]*/, () => `<title>${name}`)
        .replace(/data-bank-name="[^"]*"/, () => `data-bank-name="${name}"`)
        .replace('data-bic=""', `data-bic="${bic}"`)
        .replace('data-bank-phone=""', `data-bank-phone="${bankPhone}"`)
        .replace('data-bank-address=""', () => `data-bank-address="${escapeMarkup(bankAddress)}"`)
        .replace('data-logo=""', `data-logo="${logo?.path ?? ''}"`)
        .replace(/<link rel="(icon|apple-touch-icon)"[^>]*>/g, (icon, kind: string) =>
          logo === undefined ? icon : `<link rel="${kind}" href="${logo.path}" />`,
        )
        .replace('</head>', (end) =>
          [
            `<link rel="manifest" href="${manifest.path}" />`,
            ...(colors === undefined ? [] : [`<link rel="stylesheet" href="${colors.path}" />`]),
            end,
          ].join('\n  '),
        ),
  }
}
