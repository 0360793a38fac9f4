// A PDF document, written page by page: text and its tags (PDF/UA-1, ISO 14289-1). Memory holds one
// page and the offsets of the objects. Text and tags are written here, because pdfkit would lay out
// each word and keep each tag. The fonts have no ligatures and no kerning, so text is one look-up
// for each character.
import { readFileSync } from 'node:fs'
// oxlint-disable-next-line import/no-named-as-default -- its types have the default alone
import PDFDocument from 'pdfkit'
import { createObjectWriter, type ObjectWriter, Pointer, type Reference } from './pdf-objects.ts'

const fontFiles = { regular: 'NotoSans-Regular.ttf', bold: 'NotoSans-SemiBold.ttf' } as const
type FontName = keyof typeof fontFiles

export type Style = {
  font: FontName
  /** Points. */
  size: number
  /** Red, green and blue from 0 to 1, as in a content stream. */
  color: string
}

type Glyph = { code: string; width: number }
/** The parts of pdfkit that are missing in its types. */
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

const points = (length: number): number => Math.round(length * 100) / 100

/** Replaces a character that the fonts do not have. */
const missing = '\ufffd'

export type Line = { text: string; x: number; y: number; style: Style }

/** Metadata that declares PDF/UA-1. */
const conformance = `
  <rdf:Description xmlns:pdfuaid="http://www.aiim.org/pdfua/ns/id/" rdf:about="">
    <pdfuaid:part>1</pdfuaid:part>
  </rdf:Description>`

/** Attributes of the header cell of a column. */
const columnHead = ' /A <</O /Table /Scope /Column>>'

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
  // The `subset` option of pdfkit would omit the components of accented letters from the list of
  // characters of a font, which PDF/UA-1 forbids.
  internals.appendXML(conformance)
  function embedFont(name: FontName) {
    document.font(readFileSync(new URL(`./fonts/${fontFiles[name]}`, import.meta.url)))
    return { embedded: internals._font, glyphs: new Map<string, Glyph>() }
  }
  const fonts = { regular: embedFont('regular'), bold: embedFont('bold') }
  /** Drawn on each page in place of the number of pages, and written when that is known. */
  const pageTotal = internals.ref({ Type: 'XObject', Subtype: 'Form', BBox: [0, -5, 100, 20] })
  let pageCount = 0
  /** Operators of the page, and the tags of its pieces in the order of their numbers. */
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

  /** The text in characters that the fonts have. */
  function replaceMissing(text: string): string {
    if (/^[ -~]*$/.test(text)) return text
    const normal = text.toWellFormed().normalize('NFC')
    return Array.from(normal, (character) => (hasGlyph(character) ? character : missing)).join('')
  }

  const found = new Map<string, boolean>()
  function hasGlyph(character: string): boolean {
    const known = found.get(character)
    if (known !== undefined) return known
    const { font } = fonts.regular.embedded
    const isThere =
      !/[\p{C}\p{Zl}\p{Zp}]/u.test(character) &&
      font.hasGlyphForCodePoint(character.codePointAt(0) as number)
    found.set(character, isThere)
    return isThere
  }

  function measureWidth(text: string, { font, size }: Style): number {
    let width = 0
    for (const character of text) width += findGlyph(character, font).width
    return (width * size) / 1000
  }

  /** The operators that draw a line; `y` is its base line, measured from the top of the page. */
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
    const text = replaceMissing(line.text)
    if (!text.includes(missing)) return void content.push(operators({ ...line, text }))
    const actual = Buffer.from(`\ufeff${line.text.toWellFormed()}`, 'utf16le').swap16()
    content.push(`/Span <</ActualText <${actual.toString('hex')}>>> BDC`)
    content.push(operators({ ...line, text }), 'EMC')
  }

  /** `attributes` are entries of the tag's dictionary. */
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

  /** Adds a tag with the content that `drawing` draws on this page. */
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

  /** Adds a row of a table, with a cell for each list of lines. */
  function addRow(table: Tag, type: 'TH' | 'TD', cells: Iterable<readonly Line[]>): void {
    const row = openTag('TR', table)
    const attributes = type === 'TH' ? columnHead : ''
    for (const lines of cells) addTag(type, row, () => lines.forEach(draw), attributes)
    closeTag(row)
  }

  /** A reader finds the tag of a piece by the number of the piece in this list. */
  function endPage(): void {
    internals.page.write(Buffer.from(`${content.join('\n')}\n`, 'latin1'))
    content = []
    const id = newObject()
    writeObject(id, `[${tagsOfPage.join(' ')}]`)
    tagsOfPage = []
    internals.getStructParentTree().add(internals.page.structParentTreeKey, new Pointer(id))
    // The list of pages needs only the number of a page's object.
    internals._root.data.Pages.data.Kids[pageCount - 1] = new Pointer(internals.page.dictionary.id)
  }

  return {
    measureWidth: (text: string, style: Style) => measureWidth(replaceMissing(text), style),
    draw,
    openTag,
    closeTag,
    addTag,
    addRow,
    /** Draws content that is not part of the text: lines, repeated headers, page numbers. */
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
    /** Draws `Page 3 of 7`, where `end` fills in the 7. Call it inside an artifact. */
    pageNumber(right: number, y: number, style: Style): void {
      const text = `Page ${pageCount} of `
      const x = right - measureWidth(`${text}0000`, style)
      content.push(operators({ text, x, y, style }))
      internals.page.xobjects['Total'] = pageTotal
      const at = `${points(x + measureWidth(text, style))} ${points(y)}`
      content.push(`q 1 0 0 -1 ${at} cm /Total Do Q`)
    },
    take,
    /** Writes the end of the file; bytes can be taken between the parts. */
    *end(style: Style): Generator<void> {
      endPage()
      const { embedded } = fonts[style.font]
      pageTotal.data['Resources'] = { Font: { [embedded.id]: embedded.ref() } }
      const digits = Array.from(`${pageCount}`, (digit) => findGlyph(digit, style.font).code)
      const codes = digits.join('')
      const text = `${style.color} rg /${embedded.id} ${style.size} Tf <${codes}> Tj`
      pageTotal.write(`BT ${text} ET`)
      pageTotal.end()
      document.end()
      yield* writeTable()
    },
  }
}
