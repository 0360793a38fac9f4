// The bank's logo, which an operator gives as a file. An SVG is a document that could hold scripts,
// so every element and attribute of it has to be on a list; nothing is repaired.
import { readFile } from 'node:fs/promises'
import { crc32 } from 'node:zlib'
import { StartupError } from '../domain/startup-error.ts'

export type Logo = { content: Buffer; extension: 'svg' | 'png' }

const bytesMax = 64 * 1024
const pixelsMax = 2048

/** Throws {@link StartupError} for a file that cannot be read or is no plain image. */
export async function readLogo(path: string): Promise<Logo> {
  const refuse = (reason: string) => new StartupError(`The file of STRONGROOM_LOGO ${reason}.`)
  const content = await readFile(path).catch(({ code }: NodeJS.ErrnoException) => {
    throw refuse(`cannot be read (${code})`)
  })
  if (content.length > bytesMax) throw refuse('is larger than 64 KB')
  const extension = path.endsWith('.png') ? 'png' : 'svg'
  const problem = extension === 'png' ? pngProblem(content) : svgProblem(content)
  if (problem !== undefined) throw refuse(problem)
  return { content, extension }
}

const signature = Buffer.from('\x89PNG\r\n\x1a\n', 'latin1')

/** PNG (ISO/IEC 15948): whole chunks with right checksums, from IHDR to IEND, and nothing after. */
function pngProblem(content: Buffer): string | undefined {
  const broken = 'is not a whole PNG image'
  if (!content.subarray(0, 8).equals(signature)) return broken
  let name = ''
  for (let at = 8; at < content.length;) {
    if (name === 'IEND' || at + 12 > content.length) return broken
    const end = at + 8 + content.readUInt32BE(at)
    if (end + 4 > content.length) return broken
    if (crc32(content.subarray(at + 4, end)) !== content.readUInt32BE(end)) return broken
    const isFirst = name === ''
    name = content.toString('latin1', at + 4, at + 8)
    if (isFirst !== (name === 'IHDR')) return broken
    if (isFirst && end - at !== 21) return broken
    const sides = isFirst ? [content.readUInt32BE(at + 8), content.readUInt32BE(at + 12)] : [1]
    if (!sides.every((side) => side > 0 && side <= pixelsMax)) {
      return `has to have sides of 1 to ${pixelsMax} pixels`
    }
    at = end + 4
  }
  return name === 'IEND' ? undefined : broken
}

/** Shapes, their groups and gradients. Nothing here loads, links, moves or runs anything. */
const elements = new Set(
  (
    'svg g path rect circle ellipse line polyline polygon title desc defs clipPath ' +
    'linearGradient radialGradient stop'
  ).split(' '),
)
const attributes = new Set(
  (
    'viewBox width height x y x1 y1 x2 y2 cx cy r rx ry fx fy d points id transform version ' +
    'preserveAspectRatio fill fill-opacity fill-rule clip-rule clip-path opacity stroke ' +
    'stroke-width stroke-linecap stroke-linejoin stroke-miterlimit stroke-opacity ' +
    'stroke-dasharray stroke-dashoffset offset stop-color stop-opacity gradientUnits ' +
    'gradientTransform spreadMethod clipPathUnits role aria-label aria-hidden'
  ).split(' '),
)
const namespace = 'http://www.w3.org/2000/svg'

/** Numbers, names, colours and paths; `url(#…)` names a gradient of the same file. */
const isPlainValue = (value: string): boolean =>
  /^[^<>&\\:;@]*$/.test(value) && !/\(/.test(value.replaceAll(plainFunctions, ''))
const plainFunctions =
  /\b(url\(\s*#[\w-]+|(matrix|translate|scale|rotate|skew[XY]|rgba?|hsla?)\([\d\s.,+%e-]*)\s*\)/g

// White space is that of XML: JavaScript's \s has more, which XML takes for names or text.
const declaration = new RegExp(
  String.raw`^\ufeff?(?:<\?xml[ \t\r\n]+version=(["'])1\.0\1` +
    String.raw`(?:[ \t\r\n]+encoding=(["'])utf-8\2)?` +
    String.raw`(?:[ \t\r\n]+standalone=(["'])(?:yes|no)\3)?[ \t\r\n]*\?>)?`,
  'i',
)
const comment = /<!--(?:(?!--)[^])*-->/g
/** What may stand between two tags: text and comments. A comment within a tag is none. */
const betweenTags = /(?:[^<]|<!--(?:(?!--)[^])*-->)*/y
const tag =
  /<(\/?)([a-z]+)((?:[ \t\r\n]+[\w:-]+[ \t\r\n]*=[ \t\r\n]*(?:"[^"]*"|'[^']*'))*)[ \t\r\n]*(\/?)>/iy
const attribute = /([\w:-]+)[ \t\r\n]*=[ \t\r\n]*(?:"([^"]*)"|'([^']*)')/g
const control = /(?![\t\r\n])\p{Cc}/u

function attributeProblem(name: string, given: string): string | undefined {
  const seen = new Set<string>()
  for (const [, key = '', double, single] of given.matchAll(attribute)) {
    const value = double ?? single ?? ''
    const isRight = key === 'xmlns' ? value === namespace : attributes.has(key)
    if (!isRight) return `has the attribute ${key} of ${name}; a logo has shapes alone`
    if (key !== 'xmlns' && !isPlainValue(value)) {
      return `has a value of ${key} that is more than numbers and names`
    }
    if (seen.has(key)) return `repeats the attribute ${key} of ${name}`
    seen.add(key)
  }
  return undefined
}

function textProblem(between: string, parent: string | undefined): string | undefined {
  const text = between.replaceAll(comment, '')
  const isText = parent === 'title' || parent === 'desc'
  const isWrong = isText ? text.includes('&') : /[^ \t\r\n]/.test(text)
  return isWrong ? 'has text beside its shapes' : undefined
}

/**
 * Reads tag by tag: what is neither a known tag nor white space or a comment between two is a
 * problem. It judges the very text that is served, as UTF-8.
 */
function svgProblem(content: Buffer): string | undefined {
  const text = content.toString('utf8')
  if (!content.equals(Buffer.from(text)) || control.test(text)) return 'is not plain UTF-8 text'
  const open: string[] = []
  let at = declaration.exec(text)?.[0].length ?? 0
  // Ends at the end of the text: each turn reads a tag, and none is an empty text.
  for (let isFirst = true; ; isFirst = false) {
    betweenTags.lastIndex = at
    const between = betweenTags.exec(text)?.[0] ?? ''
    const problem = textProblem(between, open.at(-1))
    if (problem !== undefined) return problem
    at += between.length
    if (!isFirst && open.length === 0) break
    tag.lastIndex = at
    const [whole, slash, name = '', given = '', isEmpty] = tag.exec(text) ?? []
    if (whole === undefined) return 'is not an SVG of plain shapes: it has markup that is not known'
    if (!elements.has(name)) return `has the element ${name}; a logo has shapes alone`
    if (isFirst !== (open.length === 0 && name === 'svg')) return 'is not one SVG element'
    if (isFirst && !whole.includes(namespace)) return `has to name its namespace, ${namespace}`
    const wrong = attributeProblem(name, given)
    if (wrong !== undefined) return wrong
    at += whole.length
    if (slash) {
      if (given !== '' || isEmpty || open.pop() !== name) return 'has tags that do not match'
    } else if (!isEmpty) open.push(name)
  }
  return at === text.length ? undefined : 'is not one whole SVG element'
}
