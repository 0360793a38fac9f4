// A PDF document, written page by page: text and its tags (PDF/UA-1, ISO 14289-1). pdfkit keeps
// about 200 bytes of each of the seven objects of an entry until the end.
// oxlint-disable-next-line import/no-named-as-default -- its types have the default alone
import PDFDocument from 'pdfkit'
import type { Direction } from './composed-glyphs.ts'
import { openFaces, type Weight } from './faces.ts'
import type { Steps } from './pace.ts'
import { readsFromRight, type Run, toRuns } from './runs.ts'
import { featuresOf } from './shaping.ts'

export type Style = {
  font: Weight
  /** Points. */
  size: number
  /** `#rrggbb` */
  color: string
}

/**
 * `y` is the base line, measured from the top of the page; `direction` that of the paragraph, by
 * default that of the line's first letter.
 */
export type Line = { text: string; x: number; y: number; style: Style; direction?: Direction }

/** Metadata that declares PDF/UA-1. */
const conformance = `
  <rdf:Description xmlns:pdfuaid="http://www.aiim.org/pdfua/ns/id/" rdf:about="">
    <pdfuaid:part>1</pdfuaid:part>
  </rdf:Description>`

export type Paper = ReturnType<typeof openPaper>
/** A part of the document's structure: a paragraph, a table, a cell. */
export type Tag = PDFKit.PDFStructureElement

/** `y` is the base line. With features, pdfkit asks for a whole run, not each word. */
const drawnText = {
  lineBreak: false,
  baseline: 'alphabetic',
  // pdfkit would measure the text to underline it.
  textWidth: 0,
  wordCount: 0,
} as PDFKit.Mixins.TextOptions
/** Its types do not have that a feature can be switched off. */
const withoutKerning = { kern: false } as unknown as []
const simpleText: PDFKit.Mixins.TextOptions = { ...drawnText, features: withoutKerning }

/** Rendering modes of text: it is neither filled nor stroked; it is filled. */
const hidden = '3 Tr'
const shown = '0 Tr'

type LaidOut = { line: Line; runs: Run[]; isReplaced: boolean }

/** Whether programs find the text as it was written in what is drawn. */
const isAsWritten = ({ line: { text }, runs }: LaidOut): boolean =>
  runs.length === 1 && runs[0]?.text === text && runs[0].face.isFirst

/** `lang` is the language of the words (BCP 47). */
type Paperwork = { title: string; bankName: string; issuedAt: number; lang: string }

const toInfo = ({ title, bankName, issuedAt }: Paperwork) => ({
  Title: title,
  Author: bankName,
  Creator: 'Strongroom',
  CreationDate: new Date(issuedAt),
})

type Document = InstanceType<typeof PDFDocument>

/** Measures and draws text in the faces of the document. */
function openPen(document: Document) {
  const faces = openFaces()
  let hasReplaced = false

  const registered = new Set<string>()
  function useFace({ name, font }: Run['face']): void {
    if (!registered.has(name)) document.registerFont(name, font as never)
    registered.add(name)
    document.font(name)
  }

  const layOut = (text: string, weight: Weight, direction?: Direction) =>
    toRuns(text, weight, faces, direction)

  /** @param left of the run, in points */
  function drawRun(run: Run, left: number, y: number, size: number): void {
    useFace(run.face)
    const cells = run.face.toCells?.(run)
    if (cells === undefined) {
      document.text(run.text, left, y, simpleText)
      return
    }
    const points = size / run.face.font.unitsPerEm
    const isEach = readsFromRight.test(run.written)
    // A text object each: some programs reverse several such letters of one.
    for (const part of isEach ? cells.map((cell) => [cell]) : [cells]) {
      const features = featuresOf(part)
      const isHidden = part[0]?.isHidden === true
      const at = left + (part[0]?.left ?? 0) * points
      if (isHidden) document.addContent(hidden)
      document.text(run.text, at, y, { ...drawnText, features } as PDFKit.Mixins.TextOptions)
      if (isHidden) document.addContent(shown)
    }
  }

  /** By letter, for words that are broken within. */
  const known = { regular: new Map<string, number>(), bold: new Map<string, number>() }
  function measureText(text: string, weight: Weight): number {
    const isLetter = text.length <= 2
    const width =
      (isLetter ? known[weight].get(text) : undefined) ??
      layOut(text, weight).runs.reduce((sum, run) => sum + run.width, 0)
    if (isLetter) known[weight].set(text, width)
    return width
  }

  return {
    measureWidth: (text: string, { font, size }: Style): number =>
      (measureText(text, font) * size) / 1000,
    /** Opens the fonts for a text that is measured or drawn next. */
    prepare: (text: string, { font }: Style): Steps<void> => faces.prepare(text, font),
    layOut: (line: Line): LaidOut => ({
      line,
      ...layOut(line.text, line.style.font, line.direction),
    }),
    draw({ line: { text, x, y, style }, runs, isReplaced }: LaidOut): void {
      if (text === '') return
      document.fontSize(style.size).fillColor(style.color)
      let left = x
      const placed = runs.map((run) => {
        const at = { run, left }
        left += (run.width * style.size) / 1000
        return at
      })
      // In the order of reading, in which programs take the text of a PDF.
      for (const each of placed.toSorted((one, other) => one.run.place - other.run.place))
        drawRun(each.run, each.left, y, style.size)
      hasReplaced ||= isReplaced
    },
    /** Whether a character was drawn as `U+XXXX` since the last call. */
    takeReplaced(): boolean {
      const had = hasReplaced
      hasReplaced = false
      return had
    },
  }
}

/** The structure of the document: its tags, and the text in them. */
function openStructure(document: Document, pen: ReturnType<typeof openPen>) {
  function openTag(
    type: string,
    parent?: Tag,
    options: PDFKit.Mixins.StructureElementOptions = {},
  ): Tag {
    const tag = document.struct(type, options)
    if (parent) parent.add(tag)
    else document.addStructure(tag)
    return tag
  }

  /**
   * Adds a tag with lines on this page, a step for each. A line in other letters, another order or
   * with numbers in place of characters has a tag of its own that holds the text as it was written.
   */
  function* addTag(type: string, parent: Tag, lines: readonly Line[], options = {}): Steps<void> {
    const tag = openTag(type, parent, options)
    const laidOut: LaidOut[] = []
    for (const line of lines) {
      yield* pen.prepare(line.text.normalize('NFC'), line.style)
      laidOut.push(pen.layOut(line))
      yield
    }
    if (laidOut.every(isAsWritten)) tag.add(() => laidOut.forEach(pen.draw))
    else {
      for (const each of laidOut) {
        const actual = each.line.text.toWellFormed()
        const inner = isAsWritten(each) ? undefined : openTag('Span', tag, { actual })
        const drawing = () => pen.draw(each)
        ;(inner ?? tag).add(drawing)
        inner?.end()
        yield
      }
    }
    tag.end()
  }

  /** Adds a row of a table, with a cell for each list of lines. */
  function* addRow(table: Tag, type: 'TH' | 'TD', cells: Iterable<readonly Line[]>): Steps<void> {
    const row = openTag('TR', table)
    const options = type === 'TH' ? { scope: 'Column' } : {}
    for (const lines of cells) yield* addTag(type, row, lines, options)
    row.end()
  }

  return { openTag, addTag, addRow }
}

export function openPaper(paperwork: Paperwork) {
  const document = new PDFDocument({
    size: 'A4',
    margin: 0,
    pdfVersion: '1.7',
    tagged: true,
    displayTitle: true,
    lang: paperwork.lang,
    autoFirstPage: false,
    // It would keep the glyphs of every word.
    fontLayoutCache: false,
    info: toInfo(paperwork),
  })
  // The `subset` option of pdfkit would omit the components of accented letters from the list of
  // characters of a font, which PDF/UA-1 forbids.
  document.appendXML(conformance)
  const pen = openPen(document)

  function* take(): Generator<Buffer> {
    const bytes = document.read() as Buffer | null
    if (bytes) yield bytes
  }

  return {
    measureWidth: pen.measureWidth,
    prepare: pen.prepare,
    takeReplaced: pen.takeReplaced,
    ...openStructure(document, pen),
    /** Draws a line inside of `artifact`. */
    draw: (line: Line) => pen.draw(pen.layOut(line)),
    /** Draws content that is not part of the text: lines, repeated headers, page numbers. */
    artifact(drawing: () => void, type: 'Layout' | 'Pagination' = 'Layout'): void {
      document.markContent('Artifact', { type })
      drawing()
      document.endMarkedContent()
    },
    rectangle(x: number, y: number, width: number, height: number, color: string): void {
      document.rect(x, y, width, height).fill(color)
    },
    addPage: () => void document.addPage(),
    /** The bytes written since the last call, in one buffer or none. */
    take,
    /** Writes the end of the file. */
    *end(): Generator<Buffer> {
      document.end()
      yield* take()
    },
  }
}
