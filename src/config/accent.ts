// The accent colour of the portal: its text has to be readable for everyone.
import { type Parser, Unusable } from './values.ts'

/** A colour as `#rrggbb`, for each kind of ground. */
export type Accent = Readonly<{ light: string; dark: string }>

/** What the portal shows next to the accent: its page, its cards, the text of its buttons. */
export const backgroundColors = {
  light: { page: '#f5f7f6', card: '#ffffff', onAccent: '#ffffff' },
  dark: { page: '#0f1513', card: '#171f1c', onAccent: '#04190f' },
} as const

/** The contrast of text of the normal size (WCAG 2.2, 1.4.3). */
const contrastMin = 4.5

/** Relative luminance (WCAG 2.2) of `#rrggbb`. */
function luminance(color: string): number {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((at) => {
    const part = Number.parseInt(color.slice(at, at + 2), 16) / 255
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4
  })
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue
}

/** From 1 to 21 (WCAG 2.2). */
export function contrast(one: string, other: string): number {
  const [darker = 0, lighter = 0] = [one, other].map(luminance).toSorted((a, b) => a - b)
  return (lighter + 0.05) / (darker + 0.05)
}

/** `#14532d,#86d3a2`: no one colour can be read on light grounds and on dark ones. */
export const accent: Parser<Accent> = (text) => {
  const [light = '', dark = '', ...more] = text.split(',').map((part) => part.trim().toLowerCase())
  if (more.length > 0 || ![light, dark].every((color) => /^#[0-9a-f]{6}$/.test(color))) {
    throw new Unusable('has to be two colours such as #14532d,#86d3a2')
  }
  const given = { light, dark }
  for (const kind of ['light', 'dark'] as const) {
    const worst = Math.min(
      ...Object.values(backgroundColors[kind]).map((of) => contrast(given[kind], of)),
    )
    if (worst < contrastMin) {
      const found = (Math.floor(worst * 10) / 10).toFixed(1)
      throw new Unusable(
        `has a contrast of ${found}:1 on ${kind} grounds; ${contrastMin}:1 is the least`,
      )
    }
  }
  return Object.freeze(given)
}
