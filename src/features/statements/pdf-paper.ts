// A PDF document as it is written: pages, text and its tags (PDF/UA-1, ISO 14289-1). It holds one
// page at a time, and the places of what is written. Text and tags are written here: the fonts have
// no ligatures and no kerning, so text is one look-up for each character, and pdfkit would lay out
// and keep each word and each tag.
import { readFileSync } from 'node:fs'
// oxlint-disable-next-line import/no-named-as-default -- its types have the default alone
import PDFDocument from 'pdfkit'
import { createObjectWriter, type ObjectWriter, Pointer, type Reference } from './pdf-objects.ts'

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
type Page = Omit<PDFKit.PDFPage, 'dictionary'> & {
  fonts: Record<string, object>
  xobjects: Record<string, object>
  dictionary: Reference
  structParentTreeKey: number
}
type Internals = ObjectWriter & {
  _font: EmbeddedFont
  _root: { data: { Pages: { data: { Kids: unknown[] } } } }
  page: Page
  appendXML(metadata: string): void
  ref(data: unknown): Reference
  getStructTreeRoot(): Reference
  getStructParentTree(): { add(key: number, value: unknown): void }
}

const files: Record<FontName, string> = { regular: 'Regular', bold: 'SemiBold' }
const fontData = (name: FontName): Buffer =>
  readFileSync(new URL(`./fonts/NotoSans-${files[name]}.ttf`, import.meta.url))

const points = (length: number): number => Math.round(length * 100) / 100

/** Stands for a character that the fonts do not have. */
const missing = '\ufffd'

export type Line = { text: string; x: number; y: number; style: Style }

/** Says in the metadata that the document keeps to PDF/UA-1. */
const conformance = `
  <rdf:Description xmlns:pdfuaid="http://www.aiim.org/pdfua/ns/id/" rdf:about="">
    <pdfuaid:part>1</pdfuaid:part>
  </rdf:Description>`

/** The attributes of a cell that heads a column. */
export const columnHead = ' /A <</O /Table /Scope /Column>>'

export type Paper = ReturnType<typeof openPaper>
/** A part of the document's structure: a paragraph, a table, a cell. */
export type Tag = { id: number; entries: string; contents: string[] }

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
  const internals = document as unknown as Internals
  const { newObject, writeObject, take, writeTable } = createObjectWriter(internals)
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
  /** What draws the page, and the tags of its pieces by their numbers. */
  let content: string[] = []
  let tagsOfPage: string[] = []

  function findGlyph(character: string, name: FontName): Glyph {
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
    const normal = text.toWellFormed().normalize('NFC')
    const { regular, bold } = fonts
    const can = (character: string) =>
      regular.glyphs.has(character) ||
      bold.glyphs.has(character) ||
      (!/[\p{C}\p{Zl}\p{Zp}]/u.test(character) &&
        regular.embedded.font.hasGlyphForCodePoint(character.codePointAt(0) as number))
    return Array.from(normal, (each) => (can(each) ? each : missing)).join('')
  }

  function measureWidth(text: string, { font, size }: Style): number {
    let width = 0
    for (const character of text) width += findGlyph(character, font).width
    return (width * size) / 1000
  }

  /** The operators that draw a line; `y` is its base line, from the top of the page. */
  function operators({ text, x, y, style }: Line): string {
    const { embedded } = fonts[style.font]
    internals.page.fonts[embedded.id] ??= embedded.ref()
    let codes = ''
    for (const character of text) codes += findGlyph(character, style.font).code
    const at = `1 0 0 -1 ${points(x)} ${points(y)}`
    return `BT ${style.color} rg /${embedded.id} ${style.size} Tf ${at} Tm <${codes}> Tj ET`
  }

  function draw(line: Line): void {
    if (line.text === '') return
    const text = shown(line.text)
    if (!text.includes(missing)) return void content.push(operators({ ...line, text }))
    const actual = Buffer.from(`\ufeff${line.text.toWellFormed()}`, 'utf16le').swap16()
    content.push(`/Span <</ActualText <${actual.toString('hex')}>>> BDC`)
    content.push(operators({ ...line, text }), 'EMC')
  }

  /** `attributes` are entries of its dictionary. */
  function openTag(type: string, parent?: Tag, attributes = ''): Tag {
    const id = newObject()
    const root = internals.getStructTreeRoot()
    if (parent) parent.contents.push(`${id} 0 R`)
    else root.data['K'] = [new Pointer(id)]
    const entries = `/S /${type} /P ${(parent ?? root).id} 0 R${attributes}`
    return { id, entries, contents: [] }
  }

  function closeTag({ id, entries, contents }: Tag): void {
    writeObject(id, `<<${entries} /K [${contents.join(' ')}]>>`)
  }

  /** A tag that holds what `drawing` draws on this page. */
  function addTag(type: string, parent: Tag, drawing: () => void, attributes = ''): void {
    const page = ` /Pg ${internals.page.dictionary.id} 0 R`
    const tag = openTag(type, parent, `${attributes}${page}`)
    const number = tagsOfPage.length
    content.push(`/${type} <</MCID ${number}>> BDC`)
    drawing()
    content.push('EMC')
    tag.contents.push(`${number}`)
    tagsOfPage.push(`${tag.id} 0 R`)
    closeTag(tag)
  }

  /** By its place in the list of tags a reader finds the tag of a piece of the page. */
  function endPage(): void {
    internals.page.write(Buffer.from(`${content.join('\n')}\n`, 'latin1'))
    content = []
    const id = newObject()
    writeObject(id, `[${tagsOfPage.join(' ')}]`)
    tagsOfPage = []
    internals.getStructParentTree().add(internals.page.structParentTreeKey, new Pointer(id))
    // The list of pages needs no more of a page than its number.
    internals._root.data.Pages.data.Kids[pageCount - 1] = new Pointer(internals.page.dictionary.id)
  }

  return {
    measureWidth: (text: string, style: Style) => measureWidth(shown(text), style),
    draw,
    openTag,
    closeTag,
    addTag,
    /** What is no part of the text: lines, repeated headers, page numbers. */
    artifact(drawing: () => void, type: 'Layout' | 'Pagination' = 'Layout'): void {
      content.push(`/Artifact <</Type /${type}>> BDC`)
      drawing()
      content.push('EMC')
    },
    rectangle(x: number, y: number, width: number, height: number, color: string): void {
      content.push(`${color} rg ${x} ${points(y)} ${width} ${height} re f`)
    },
    addPage(): void {
      if (pageCount > 0) endPage()
      document.addPage()
      pageCount++
    },
    /** `Page 3 of 7`, where 7 is filled in at the end; inside an artifact. */
    pageNumber(right: number, y: number, style: Style): void {
      const text = `Page ${pageCount} of `
      const x = right - measureWidth(`${text}0000`, style)
      content.push(operators({ text, x, y, style }))
      internals.page.xobjects['Total'] = pageTotal
      const at = `${points(x + measureWidth(text, style))} ${points(y)}`
      content.push(`q 1 0 0 -1 ${at} cm /Total Do Q`)
    },
    /** The bytes that are ready to be sent. */
    take,
    /** Writes the end by parts, between which bytes can be taken. */
    *end(style: Style): Generator<void> {
      endPage()
      const { embedded } = fonts[style.font]
      pageTotal.data['Resources'] = { Font: { [embedded.id]: embedded.ref() } }
      const codes = Array.from(`${pageCount}`, (digit) => findGlyph(digit, style.font).code).join(
        '',
      )
      const text = `${style.color} rg /${embedded.id} ${style.size} Tf <${codes}> Tj`
      pageTotal.write(`BT ${text} ET`)
      pageTotal.end()
      document.end()
      yield* writeTable()
    },
  }
}
