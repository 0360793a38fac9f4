// How the pages look like the bank's own: its name, its logo and its colours, which they are given
// when they are served. Everything is a file of this origin: the policy of the pages needs no gap.
import { createHash } from 'node:crypto'
import type { Config } from '../config/config.ts'
import { readLogo } from './logo.ts'

type BrandFile = { path: string; content: Buffer }

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

/** Reads the logo: throws a `StartupError` for a file that is no plain image. */
export async function makeBrand({
  bankName,
  bic = '',
  logo: logoPath,
  accent,
}: Pick<Config, 'bankName' | 'bic' | 'logo' | 'accent'>): Promise<Brand> {
  const read = logoPath === undefined ? undefined : await readLogo(logoPath)
  const logo = read && toFile('logo', read.extension, read.content)
  const pair = accent && `light-dark(${accent.light},${accent.dark})`
  // More specific than the styles of the themes; the theme of high contrast keeps its colours.
  const rule = `:root:not([data-theme='contrast']){--accent:${pair};--link:${pair}}\n`
  const colors = pair === undefined ? undefined : toFile('accent', 'css', Buffer.from(rule))
  const name = escapeMarkup(bankName)
  return {
    files: [logo, colors].filter((file) => file !== undefined),
    fillIn: (index) =>
      index
        .replace(/<title>[^<]*/, () => `<title>${name}`)
        .replace(/data-bank-name="[^"]*"/, () => `data-bank-name="${name}"`)
        .replace('data-bic=""', `data-bic="${bic}"`)
        .replace('data-logo=""', `data-logo="${logo?.path ?? ''}"`)
        .replace(/<link rel="icon"[^>]*>/, (icon) =>
          logo === undefined ? icon : `<link rel="icon" href="${logo.path}" />`,
        )
        .replace('</head>', (end) =>
          colors === undefined ? end : `<link rel="stylesheet" href="${colors.path}" />\n  ${end}`,
        ),
  }
}
