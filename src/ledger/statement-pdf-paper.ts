// A PDF document as it is written: pages, text and its tags (PDF/UA-1, ISO 14289-1). It holds one
// page at a time. Text is set here, by one look-up for each character: the fonts have no ligatures
// and no kerning, and pdfkit would lay out and keep each word.
import { readFileSync } from 'node:fs'
// oxlint-disable-next-line import/no-named-as-default -- its types have the default alone
import PDFDocument from 'pdfkit'

const fontNames = ['regular', 'bold'] as const
type FontName = (typeof fontNames)[number]

export type Style = {
  font: FontName
  /** Points. */
  size: number
  /** Red, green and blue from 0 to 1, as a content stream writes them. */
  color: string
}

type Glyph = { code: string; width: number }
/** The parts of pdfkit's fonts and tags that its types leave out. */
type EmbeddedFont = {
  id: string
  font: { hasGlyphForCodePoint(codePoint: number): boolean }
  encode(text: string): [codes: string[], positions: { advanceWidth: number }[]]
  ref(): object
}
type Reference = { data: Record<string, unknown>; write(text: string): void; end(): void }
type Page = Omit<PDFKit.PDFPage, 'dictionary'> & {
  fonts: Record<string, object>
  xobjects: Record<string, object>
  dictionary: { data: object }
  structParentTreeKey: number
}
type Internals = {
  _font: EmbeddedFont
  page: Page
  appendXML(metadata: string): void
  ref(data: unknown): Reference
  getStructTreeRoot(): Reference
  getStructParentTree(): { get(key: number): unknown; add(key: number, value: unknown): void }
}

const files: Record<FontName, string> = { regular: 'Regular', bold: 'SemiBold' }
const fontData = (name: FontName): Buffer =>
  readFileSync(new URL(`./statement-fonts/NotoSans-${files[name]}.ttf`, import.meta.url))

const points = (length: number): number => Math.round(length * 100) / 100

/** Stands for a character that the fonts do not have. */
const missing = '\ufffd'

export type Line = { text: string; x: number; y: number; style: Style }

/** Says in the metadata that the document keeps to PDF/UA-1. */
const conformance = `
  <rdf:Description xmlns:pdfuaid="http://www.aiim.org/pdfua/ns/id/" rdf:about="">
    <pdfuaid:part>1</pdfuaid:part>
  </rdf:Description>`

const pieceSize = 65_536

/**
 * Collects what pdfkit writes, mostly pieces of some twenty bytes, in a few large ones; its own
 * stream keeps an object for each.
 */
class Output {
  private full: Buffer[] = []
  private last = Buffer.alloc(0)
  private used = 0

  add(piece: Uint8Array): void {
    if (this.used + piece.length > this.last.length) {
      this.full.push(this.last.subarray(0, this.used))
      this.last = Buffer.allocUnsafe(Math.max(pieceSize, piece.length))
      this.used = 0
    }
    this.last.set(piece, this.used)
    this.used += piece.length
  }

  /** All that was written since the last call. */
  takeAll(): Buffer[] {
    const taken = [...this.full, this.last.subarray(0, this.used)]
    this.full = []
    this.last = this.last.subarray(this.used)
    this.used = 0
    return taken.filter(({ length }) => length > 0)
  }
}

export type Paper = ReturnType<typeof openPaper>
/** A part of the document's structure: a paragraph, a table, a cell. */
export type Tag = { reference: Reference; contents: (Reference | number)[] }

export function openPaper({ title, issuedAt }: { title: string; issuedAt: number }) {
  const info = { Title: title, Creator: 'Strongroom', CreationDate: new Date(issuedAt) }
  const document = new PDFDocument({
    size: 'A4',
    margin: 0,
    pdfVersion: '1.7',
    tagged: true,
    displayTitle: true,
    lang: 'en-GB',
    autoFirstPage: false,
    info,
  })
  const output = new Output()
  output.add(document.read() as Buffer)
  document.push = (piece: Uint8Array | null) => {
    if (piece) output.add(piece)
    return true
  }
  const internals = document as unknown as Internals
  // By pdfkit's own `subset` option the fonts would list their characters without the parts that
  // letters with accents are put together from, which PDF/UA-1 forbids.
  internals.appendXML(conformance)
  const fonts = Object.fromEntries(
    fontNames.map((name) => {
      document.registerFont(name, fontData(name)).font(name)
      return [name, { embedded: internals._font, glyphs: new Map<string, Glyph>() }]
    }),
  ) as Record<FontName, { embedded: EmbeddedFont; glyphs: Map<string, Glyph> }>
  /** Drawn on each page where the count of all pages stands, and written when it is known. */
  const pageTotal = internals.ref({ Type: 'XObject', Subtype: 'Form', BBox: [0, -5, 100, 20] })
  let pageCount = 0

  function glyphOf(character: string, name: FontName): Glyph {
    const { embedded, glyphs } = fonts[name]
    const known = glyphs.get(character)
    if (known) return known
    const [codes, positions] = embedded.encode(character)
    const width = positions.reduce((sum, { advanceWidth }) => sum + advanceWidth, 0)
    const glyph = { code: codes.join(''), width }
    glyphs.set(character, glyph)
    return glyph
  }

  /** The text as the fonts can show it. */
  function shown(text: string): string {
    if (/^[ -~]*$/.test(text)) return text
    const { font } = fonts.regular.embedded
    const normal = text.toWellFormed().normalize('NFC')
    const can = (character: string) =>
      !/[\p{C}\p{Zl}\p{Zp}]/u.test(character) &&
      font.hasGlyphForCodePoint(character.codePointAt(0) as number)
    return Array.from(normal, (each) => (can(each) ? each : missing)).join('')
  }

  function widthOf(text: string, { font, size }: Style): number {
    let width = 0
    for (const character of text) width += glyphOf(character, font).width
    return (width * size) / 1000
  }

  /** The operators that draw a line; `y` is its base line, from the top of the page. */
  function operators({ text, x, y, style }: Line): string {
    const { embedded } = fonts[style.font]
    internals.page.fonts[embedded.id] ??= embedded.ref()
    let codes = ''
    for (const character of text) codes += glyphOf(character, style.font).code
    const at = `1 0 0 -1 ${points(x)} ${points(y)}`
    return `BT ${style.color} rg /${embedded.id} ${style.size} Tf ${at} Tm <${codes}> Tj ET`
  }

  function draw(line: Line): void {
    if (line.text === '') return
    const text = shown(line.text)
    if (!text.includes(missing)) return void document.addContent(operators({ ...line, text }))
    document.markContent('Span', { actual: line.text.toWellFormed() })
    document.addContent(operators({ ...line, text }))
    document.endMarkedContent()
  }

  function openTag(type: string, parent?: Tag, attributes?: object): Tag {
    const root = internals.getStructTreeRoot()
    const reference = internals.ref({ S: type, P: parent?.reference ?? root, A: attributes })
    if (parent) parent.contents.push(reference)
    else root.data['K'] = [reference]
    return { reference, contents: [] }
  }

  /** Writes the tag and forgets it: of what is written only the number is needed. */
  function closeTag({ reference, contents }: Tag): void {
    reference.data['K'] = contents
    reference.end()
    reference.data = {}
  }

  /** A tag that holds what `drawing` draws on this page. */
  function addTag(type: string, parent: Tag, drawing: () => void, attributes?: object): void {
    const tag = openTag(type, parent, attributes)
    const { dictionary, structParentTreeKey } = internals.page
    // By its place in this list a reader finds the tag of a piece of the page.
    const tags = internals.getStructParentTree().get(structParentTreeKey) as Reference[]
    document.addContent(`/${type} <</MCID ${tags.length}>> BDC`)
    drawing()
    document.addContent('EMC')
    tag.reference.data['Pg'] = dictionary
    tag.contents.push(tags.length)
    tags.push(tag.reference)
    closeTag(tag)
  }

  function writeTagsOfPage(): void {
    const tree = internals.getStructParentTree()
    const key = internals.page.structParentTreeKey
    const kept = internals.ref(tree.get(key))
    kept.end()
    kept.data = {}
    tree.add(key, kept)
  }

  return {
    widthOf: (text: string, style: Style) => widthOf(shown(text), style),
    draw,
    openTag,
    closeTag,
    addTag,
    /** What is no part of the text: lines, repeated headers, page numbers. */
    artifact(drawing: () => void, type: 'Layout' | 'Pagination' = 'Layout'): void {
      document.addContent(`/Artifact <</Type /${type}>> BDC`)
      drawing()
      document.addContent('EMC')
    },
    rectangle(x: number, y: number, width: number, height: number, color: string): void {
      document.addContent(`${color} rg ${x} ${points(y)} ${width} ${height} re f`)
    },
    addPage(): void {
      const full = pageCount === 0 ? undefined : internals.page
      if (full) writeTagsOfPage()
      document.addPage()
      // The list of pages needs no more of a page that is written than its number.
      if (full) full.dictionary.data = {}
      pageCount++
    },
    /** `Page 3 of 7`, where 7 is filled in at the end; inside an artifact. */
    pageNumber(right: number, y: number, style: Style): void {
      const text = `Page ${pageCount} of `
      const x = right - widthOf(`${text}0000`, style)
      document.addContent(operators({ text, x, y, style }))
      internals.page.xobjects['Total'] = pageTotal
      const at = `${points(x + widthOf(text, style))} ${points(y)}`
      document.addContent(`q 1 0 0 -1 ${at} cm /Total Do Q`)
    },
    /** The bytes that are ready to be sent. */
    take: (): Buffer[] => output.takeAll(),
    end(style: Style): void {
      writeTagsOfPage()
      const { embedded } = fonts[style.font]
      pageTotal.data['Resources'] = { Font: { [embedded.id]: embedded.ref() } }
      const codes = Array.from(`${pageCount}`, (digit) => glyphOf(digit, style.font).code).join('')
      const text = `${style.color} rg /${embedded.id} ${style.size} Tf <${codes}> Tj`
      pageTotal.write(`BT ${text} ET`)
      pageTotal.end()
      document.end()
    },
  }
}
