// XML of customers: read only when it is plain. A document type, an entity, another encoding or
// deep nesting is refused before the parser sees it, in a time that grows with the length alone.
import { createRequire } from 'node:module'
import type * as Library from 'fast-xml-parser'
import { invalid } from '../../domain/errors.ts'

const load = createRequire(import.meta.url)
let library: typeof Library | undefined

/** The parser, loaded with the first document: it would make each start longer. */
const xml = (): typeof Library => (library ??= load('fast-xml-parser') as typeof Library)

/** An element with children: attributes begin with `@`, its own text is `#text`. */
export type XmlElement = { [name: string]: XmlValue }
export type XmlValue = string | XmlElement | XmlValue[]

const depthMax = 30
/** Opening and closing tags. Programs write at most 60 for each of a thousand payments. */
const tagsMax = 150_000

/**
 * Other elements than those are dropped while they are read, with all that is in them: a file of
 * 2 MB, of which most is not read, needs 20 MB in place of 70, and half the processor time.
 */
const openParser = (names: ReadonlySet<string>): Library.XMLParser => {
  const { XMLParser } = xml()
  return new XMLParser({
    ignoreAttributes: false,
    attributeNamePrefix: '@',
    removeNSPrefix: true,
    parseTagValue: false,
    parseAttributeValue: false,
    processEntities: false,
    maxNestedTags: depthMax,
    // The path of each element is not written as a text.
    jPath: false,
    updateTag: (name) => names.has(name),
  })
}

// oxlint-disable-next-line no-control-regex
const notOfXml = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/
const declaration = /^<\?xml\s[^<>]*?\?>/
const encoding = /\sencoding\s*=\s*["']([^"']*)["']/
const reference = /&(?:(amp|lt|gt|quot|apos)|#([0-9]{1,7})|#x([0-9A-Fa-f]{1,6}));/g
/** UTF-8 by the names that programs give it; what is ASCII is UTF-8 too. */
const encodings = ['utf-8', 'utf8', 'us-ascii']
const signs = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" } as const
type SignName = keyof typeof signs

const lineOf = (text: string, at: number): number => text.slice(0, at).split('\n').length
const refuseAt = (text: string, at: number, problem: string): never =>
  invalid('/body', `line ${lineOf(text, at)}: ${problem}`)

function decode(bytes: Buffer): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    return invalid('/body', 'is not UTF-8')
  }
}

/** The place behind the end of a comment, a CDATA section or a tag that begins there. */
function endOf(text: string, from: number): number {
  const [begin, end] = text.startsWith('<!--', from)
    ? ['<!--', '-->']
    : text.startsWith('<![CDATA[', from)
      ? ['<![CDATA[', ']]>']
      : ['<', '>']
  if (begin === '<' && /[!?]/.test(text.charAt(from + 1))) {
    return refuseAt(text, from, 'has a document type or a processing instruction')
  }
  const at = begin === '<' ? endOfTag(text, from) : text.indexOf(end, from + begin.length)
  return at < 0 ? refuseAt(text, from, 'does not end') : at + end.length
}

/** The place of the `>` that ends a tag, outside of its quotes. */
function endOfTag(text: string, from: number): number {
  let quote = ''
  for (let at = from + 1; at < text.length; at++) {
    const sign = text.charAt(at)
    if (quote !== '') {
      if (sign === quote) quote = ''
    } else if (sign === '"' || sign === "'") quote = sign
    else if (sign === '<') return -1
    else if (sign === '>') return at
  }
  return -1
}

const whiteReference = /&#(?:9|10|13|32|x9|xa|xd|x20);/iy

/** The place of the first sign between the two that is no white space; -1: there is none. */
function findSign(text: string, from: number, to: number): number {
  for (let at = from; at < to; at++) {
    if (text.charCodeAt(at) <= 0x20) continue
    whiteReference.lastIndex = at
    const [found] = whiteReference.exec(text) ?? []
    if (found === undefined) return at
    at += found.length - 1
  }
  return -1
}

/**
 * Refuses what is not plain. Text beside elements is not: the elements that are not read would be
 * dropped from it, and `1<b/>0.00` be read as `10.00`.
 */
function requirePlain(text: string, from: number): void {
  let [depth, count, behind] = [0, 0, from]
  let [wasOpening, sign] = [false, -1]
  for (let at = text.indexOf('<', from); at >= 0; at = text.indexOf('<', at)) {
    const end = endOf(text, at)
    const isTag = text.charAt(at + 1) !== '!'
    const isClosing = isTag && text.charAt(at + 1) === '/'
    const isOpening = isTag && !isClosing && text.charAt(end - 2) !== '/'
    if (sign < 0) sign = findSign(text, behind, at)
    if (isTag) {
      if (sign >= 0 && !(wasOpening && isClosing)) refuseAt(text, sign, 'has text beside elements')
      ;[wasOpening, sign] = [isOpening, -1]
      if (++count > tagsMax) refuseAt(text, at, 'has too many elements')
    } else if (text.charAt(at + 2) === '[') sign = at
    if (isClosing) depth--
    if (isOpening && ++depth > depthMax) refuseAt(text, at, 'is nested too deeply')
    behind = at = end
  }
  const isRight = new RegExp(reference.source, 'y')
  for (let at = text.indexOf('&', from); at >= 0; at = text.indexOf('&', at + 1)) {
    isRight.lastIndex = at
    if (!isRight.test(text)) refuseAt(text, at, 'has an entity')
  }
}

const rootTag = /<(?:([\w.-]+):)?[\w.-]+(?:\s[^<>]*)?>/y
const namespaces = /\s(xmlns(?::[\w.-]+)?)\s*=\s*["']([^"'<>]*)["']/g

/** The namespace of the root element, which the parser drops with its prefix. */
function namespaceOf(text: string, from: number): string | undefined {
  let at = text.indexOf('<', from)
  while (text.startsWith('<!--', at)) at = text.indexOf('<', text.indexOf('-->', at + 4))
  rootTag.lastIndex = at
  const [tag = '', prefix] = rootTag.exec(text) ?? []
  const name = prefix === undefined ? 'xmlns' : `xmlns:${prefix}`
  return [...tag.matchAll(namespaces)].find(([, bound]) => bound === name)?.[2]
}

/** The root element by its name, and its namespace. */
type XmlDocument = { root: XmlElement; namespace: string | undefined }

/** Reads plain documents: the elements of these names. */
export function openXmlReader(names: ReadonlySet<string>): (bytes: Buffer) => XmlDocument {
  let parser: Library.XMLParser | undefined
  return (bytes) => readXml(bytes, (parser ??= openParser(names)))
}

function readXml(bytes: Buffer, parser: Library.XMLParser): XmlDocument {
  const text = decode(bytes)
  const wrong = notOfXml.exec(text)
  if (wrong) refuseAt(text, wrong.index, 'has a character that XML does not allow')
  const [first = ''] = declaration.exec(text) ?? []
  const [, named = 'utf-8'] = encoding.exec(first) ?? []
  if (!encodings.includes(named.toLowerCase())) {
    refuseAt(text, 0, 'has another encoding than UTF-8')
  }
  requirePlain(text, first.length)
  const validity = xml().XMLValidator.validate(text)
  if (validity !== true) invalid('/body', `line ${validity.err.line}: is not well-formed XML`)
  try {
    return {
      root: parser.parse(text) as XmlElement,
      namespace: namespaceOf(text, first.length),
    }
  } catch {
    return invalid('/body', 'is not well-formed XML')
  }
}

/** The text with what its references stand for. Each was looked at before. */
export const withoutReferences = (text: string): string =>
  text.replace(reference, (_, name?: SignName, decimal?: string, hex?: string) => {
    if (name !== undefined) return signs[name]
    const code = Number.parseInt(decimal ?? hex ?? '', decimal === undefined ? 16 : 10)
    return code <= 0x10ffff ? String.fromCodePoint(code) : '\ufffd'
  })
