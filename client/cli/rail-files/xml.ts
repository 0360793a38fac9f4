// XML of other banks, read strictly and with the line of each element: what is not plain UTF-8
// without a document type, an entity of its own or a processing instruction is refused. The package
// has no dependency that says the line of an element, and needs nothing else of XML.

/** Why a file is refused, and the line of the file where it is so. */
export class FileFault extends Error {
  readonly line: number
  constructor(line: number, problem: string) {
    super(problem)
    this.line = line
  }
}

export type XmlElement = {
  /** Without its prefix. That of another namespace than the root's begins with it in braces. */
  name: string
  /** From 1. */
  line: number
  /** Those without a prefix. */
  attributes: ReadonlyMap<string, string>
  children: readonly XmlElement[]
  /** Without that of its children, and without white space around it. */
  text: string
}
export type XmlDocument = { root: XmlElement; namespace: string }

export const fileBytesMax = 16 * 1024 * 1024
const depthMax = 40
const elementsMax = 500_000

const name = '[A-Za-z_][\\w.-]*(?::[A-Za-z_][\\w.-]*)?'
const declaration = new RegExp(
  String.raw`^<\?xml\s+version\s*=\s*["']1\.0["']` +
    String.raw`(?:\s+encoding\s*=\s*["']([\w.-]+)["'])?` +
    String.raw`(?:\s+standalone\s*=\s*["'](?:yes|no)["'])?\s*\?>`,
)
const opening = new RegExp(`<(${name})`, 'y')
const attribute = new RegExp(`\\s+(${name})\\s*=\\s*(?:"([^"<]*)"|'([^'<]*)')`, 'y')
const openingEnd = /\s*(\/?)>/y
const closing = new RegExp(`</(${name})\\s*>`, 'y')
const reference = /&(?:(amp|lt|gt|quot|apos)|#([0-9]{1,7})|#x([0-9A-Fa-f]{1,6}));|&/g
const signs = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" } as const
// oxlint-disable-next-line no-control-regex
const notOfXml = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/
const encodings = ['utf-8', 'utf8', 'us-ascii']
const xmlNamespace = 'http://www.w3.org/XML/1998/namespace'

type Namespaces = ReadonlyMap<string, string>
type Open = {
  /** As it is written, to be closed by. */
  tag: string
  element: XmlElement & { children: XmlElement[] }
  namespaces: Namespaces
}

class Reader {
  private readonly text: string
  private at: number
  private line = 1
  /** Up to there the lines are counted. */
  private counted = 0
  private readonly open: Open[] = []
  private elements = 0
  private namespace = ''
  private root: XmlElement | undefined

  constructor(text: string, from: number) {
    this.text = text
    this.at = from
  }

  read(): XmlDocument {
    while (this.at < this.text.length) {
      const next = this.text.indexOf('<', this.at)
      if (next !== this.at) this.takeText(next < 0 ? this.text.length : next)
      else if (this.text.startsWith('<!--', this.at)) this.takeComment()
      else if (this.text.startsWith('<![CDATA[', this.at)) this.takeCdata()
      else if (this.text.startsWith('</', this.at)) this.takeClosing()
      else this.takeOpening()
    }
    const [unclosed] = this.open
    if (unclosed) this.fault(`ends within ${unclosed.tag}`)
    if (!this.root) return this.fault('has no element')
    return { root: this.root, namespace: this.namespace }
  }

  private fault(problem: string): never {
    this.countLines()
    throw new FileFault(this.line, problem)
  }

  private countLines(): void {
    for (
      let end = this.text.indexOf('\n', this.counted);
      end >= 0 && end < this.at;
      end = this.text.indexOf('\n', this.counted)
    ) {
      this.line++
      this.counted = end + 1
    }
  }

  private match(pattern: RegExp): RegExpExecArray | null {
    pattern.lastIndex = this.at
    const found = pattern.exec(this.text)
    if (found) this.at = pattern.lastIndex
    return found
  }

  private addText(text: string): void {
    const inner = this.open.at(-1)
    if (inner) inner.element.text += text
    else if (text.trim() !== '') this.fault('has text outside of its element')
  }

  private takeText(end: number): void {
    const text = this.text.slice(this.at, end)
    if (text.includes(']]>')) this.fault('has the end of a CDATA section in a text')
    this.addText(this.resolve(text))
    this.at = end
  }

  private resolve(text: string): string {
    return text.replace(
      reference,
      (_, sign?: keyof typeof signs, decimal?: string, hex?: string) => {
        if (sign !== undefined) return signs[sign]
        const code = Number.parseInt(decimal ?? hex ?? '', decimal === undefined ? 16 : 10)
        const isCharacter = code <= 0x10ffff && !(code >= 0xd800 && code <= 0xdfff)
        const character = isCharacter ? String.fromCodePoint(code) : '\u0000'
        return notOfXml.test(character) ? this.fault('has an entity that is not known') : character
      },
    )
  }

  /** The text between those marks. */
  private takeUntil(begin: string, end: string): string {
    const from = this.at + begin.length
    const to = this.text.indexOf(end, from)
    if (to < 0) this.fault(`has a ${begin} that does not end`)
    this.at = to + end.length
    return this.text.slice(from, to)
  }

  private takeComment(): void {
    if (this.takeUntil('<!--', '-->').includes('--')) this.fault('has -- within a comment')
  }

  private takeCdata(): void {
    if (this.open.length === 0) this.fault('has text outside of its element')
    this.addText(this.takeUntil('<![CDATA[', ']]>'))
  }

  private takeClosing(): void {
    const [, tag] = this.match(closing) ?? []
    const closed = this.open.pop()
    if (tag === undefined || closed?.tag !== tag) this.fault('is not well-formed XML')
    closed.element.text = closed.element.text.trim()
  }

  private takeOpening(): void {
    if (/[!?]/.test(this.text.charAt(this.at + 1))) {
      this.fault('has a document type or a processing instruction')
    }
    this.countLines()
    const { line } = this
    const [, tag] = this.match(opening) ?? []
    if (tag === undefined || (this.open.length === 0 && this.root)) {
      this.fault('is not well-formed XML')
    }
    const attributes = this.takeAttributes()
    const namespaces = bindNamespaces(this.open.at(-1)?.namespaces ?? new Map(), attributes)
    const [, end] = this.match(openingEnd) ?? []
    if (end === undefined) this.fault('is not well-formed XML')
    const [local, prefix = ''] = tag.split(':').toReversed() as [string, string?]
    const namespace = this.resolvePrefix(prefix, namespaces)
    if (!this.root) this.namespace = namespace
    const plain = [...attributes].filter(([key]) => {
      const [scope = '', own] = key.split(':')
      if (own !== undefined && scope !== 'xmlns') this.resolvePrefix(scope, namespaces)
      return own === undefined && key !== 'xmlns'
    })
    const element = {
      name: namespace === this.namespace ? local : `{${namespace}}${local}`,
      line,
      attributes: new Map(plain),
      children: [],
      text: '',
    }
    const outer = this.open.at(-1)
    if (outer) outer.element.children.push(element)
    else this.root = element
    if (++this.elements > elementsMax) this.fault(`has more than ${elementsMax} elements`)
    if (end === '') this.open.push({ tag, element, namespaces })
    if (this.open.length > depthMax) this.fault('is nested too deeply')
  }

  private resolvePrefix(prefix: string, namespaces: Namespaces): string {
    if (prefix === 'xml') return xmlNamespace
    const found = namespaces.get(prefix)
    return found ?? (prefix === '' ? '' : this.fault(`has no namespace for ${prefix}`))
  }

  private takeAttributes(): Map<string, string> {
    const all = new Map<string, string>()
    for (let found = this.match(attribute); found; found = this.match(attribute)) {
      const [, key = '', double, single] = found
      if (all.has(key)) this.fault(`has the attribute ${key} twice`)
      all.set(key, this.resolve(double ?? single ?? ''))
    }
    return all
  }
}

function bindNamespaces(outer: Namespaces, attributes: ReadonlyMap<string, string>): Namespaces {
  const own = [...attributes].flatMap(([key, value]): [string, string][] =>
    key === 'xmlns' ? [['', value]] : key.startsWith('xmlns:') ? [[key.slice(6), value]] : [],
  )
  return own.length === 0 ? outer : new Map([...outer, ...own])
}

/** Throws {@link FileFault}. */
export function readXml(bytes: Uint8Array): XmlDocument {
  if (bytes.length > fileBytesMax) throw new FileFault(1, `is larger than ${fileBytesMax} bytes`)
  let text: string
  try {
    text = new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    throw new FileFault(1, 'is not UTF-8')
  }
  const wrong = notOfXml.exec(text)
  if (wrong) {
    const line = text.slice(0, wrong.index).split('\n').length
    throw new FileFault(line, 'has a character that XML does not allow')
  }
  const [first = '', encoding = 'utf-8'] = declaration.exec(text) ?? []
  if (!encodings.includes(encoding.toLowerCase())) {
    throw new FileFault(1, 'has another encoding than UTF-8')
  }
  return new Reader(text, first.length).read()
}

/** The children of that name. */
export const childrenOf = ({ children }: XmlElement, wanted: string): XmlElement[] =>
  children.filter((child) => child.name === wanted)

/** The element at that path, each of it at most once. */
export const at = (element: XmlElement, path: string): XmlElement | undefined =>
  path.split('/').reduce<XmlElement | undefined>((inner, step) => {
    if (!inner) return undefined
    const [found, second] = childrenOf(inner, step)
    if (second) throw new FileFault(second.line, `${step} is there more than once`)
    return found
  }, element)

/** The text at that path; undefined: there is none. */
export const textAt = (element: XmlElement, path: string): string | undefined =>
  at(element, path)?.text || undefined

export function required(element: XmlElement, path: string): XmlElement {
  const found = at(element, path)
  if (!found) throw new FileFault(element.line, `${element.name} has no ${path}`)
  return found
}

export function requiredText(element: XmlElement, path: string): string {
  const { text, line } = required(element, path)
  if (text === '') throw new FileFault(line, `${path} is empty`)
  return text
}

/** An element that is written; an empty one is left out. */
export const element = (tag: string, ...contents: readonly string[]): string => {
  const inner = contents.join('')
  const [own = ''] = tag.split(' ')
  return inner === '' ? '' : `<${tag}>${inner}</${own}>`
}
export const textElement = (tag: string, text: string): string =>
  element(tag, text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;'))
