// Statements as PDF: bank, holder, account, period, balances and every entry.
import { type Pace, pdfPace, type Steps } from './paper/pace.ts'
import { openPaper, type Style, type Tag } from './paper/paper.ts'
import {
  colors,
  contentEnd,
  contentTop,
  footLine,
  contentLeft,
  contentRight,
  textStyles,
  contentWidth,
} from './pdf-style.ts'
import { divideRows, type Drawing, drawTable, layOutRow, type Part, type Row } from './pdf-table.ts'
import {
  groupedIban,
  shrinkToFit,
  type Words,
  wordsIn,
  wrap,
  type WrappedLine,
} from './pdf-words.ts'
import { endingOf, type Heading, type StatementFile } from './rows.ts'

const footTextWidth = 410

export async function* renderPdf(
  { heading, batches }: StatementFile,
  pace = pdfPace,
): AsyncGenerator<Buffer> {
  const { bankName, issuedAt, label } = heading
  const words = wordsIn(heading.language, heading.days)
  const title = words.about(label, endingOf(heading))
  const paper = openPaper({ title, bankName, issuedAt, lang: words.tag })
  const root = paper.openTag('Document')
  paper.addPage()
  const top = await pace.run(drawHead({ paper, heading, words }, root))
  const pages = divideRows(await layOutRows({ paper, words }, batches, pace), top)
  const balance = { text: words.opening, units: heading.opening }
  for (const [index, rows] of pages.entries()) {
    if (index > 0) paper.addPage()
    const isLast = index === pages.length - 1
    const part = { root, top: index === 0 ? top : contentTop, rows, balance, isLast }
    await pace.run(drawPage({ paper, heading, words }, part, words.page(index + 1, pages.length)))
    balance.text = words.broughtForward
    balance.units = rows.at(-1)?.entry.balanceUnits ?? balance.units
    pages[index] = []
    yield* paper.take()
  }
  root.end()
  yield* paper.end()
}

/** All rows are laid out before the first is drawn: each page says how many there are. */
async function layOutRows(
  drawing: Pick<Drawing, 'paper' | 'words'>,
  batches: StatementFile['batches'],
  pace: Pace,
): Promise<Row[]> {
  const rows: Row[] = []
  for await (const batch of batches)
    for (const entry of batch) rows.push(await pace.run(layOutRow(drawing, entry)))
  return rows
}

function* drawPage(drawing: Drawing, part: Part, pageNumber: string): Steps<void> {
  const y = yield* drawTable(drawing, part)
  if (part.isLast) yield* drawNote(drawing, part.root, y)
  yield* drawFoot(drawing, part.root, pageNumber)
}

function* drawFoot({ paper, heading, words }: Drawing, root: Tag, pageNumber: string): Steps<void> {
  const { bankName, iban, from, end } = heading
  const style = textStyles.small
  const period = `${words.periodBegin(from)} – ${words.periodEnd(end)}`
  const foot = `${groupedIban(iban)}  ·  ${period}  ·  ${bankName}`
  const [text] = yield* wrap(paper, foot, style, footTextWidth)
  paper.artifact(() => {
    paper.rectangle(contentLeft, footLine - 13, contentWidth, 0.5, colors.line)
    if (text) paper.draw({ ...text, x: contentLeft, y: footLine, style })
    const x = contentRight - paper.measureWidth(pageNumber, style)
    paper.draw({ text: pageNumber, x, y: footLine, style })
  }, 'Pagination')
  if (!paper.takeReplaced()) return
  const note = { text: words.replaced, x: contentLeft, y: contentEnd + 9, style }
  yield* paper.addTag('P', root, [note])
}

function describePeriod({ from, end }: Heading, words: Words): string {
  const isDays = words.isDayStart(from) && words.isDayStart(end)
  if (!isDays) return words.period(words.periodBegin(from), words.periodEnd(end))
  const period = words.period(words.longDate(from), words.longDate(end - 1))
  return words.daysOf(period, words.zones(from, end))
}

/** The time that a balance is of: never one that was still to come. */
function toBalanceTimes(
  { from, end, issuedAt }: Heading,
  words: Words,
): [opening: string, closing: string] {
  const begin = words.isDayStart(from) ? words.atStartOf : words.at
  const last = words.isDayStart(end) ? words.atEndOf : words.at
  return [
    from > issuedAt ? words.whenIssued : begin(words.periodBegin(from)),
    end > issuedAt ? words.whenIssued : last(words.periodEnd(end)),
  ]
}

/** Returns where the page is free. */
function* drawHead(drawing: Drawing, root: Tag): Steps<number> {
  const { paper, heading, words } = drawing
  function put(type: string, line: string | WrappedLine, x: number, y: number, style: Style) {
    const text = typeof line === 'string' ? { text: line } : line
    return paper.addTag(type, root, [{ ...text, x, y, style }])
  }
  const { bankName, bic, holder, iban, isOfBank, currency, number, issuedAt } = heading
  yield* put('P', bankName, contentLeft, 60, textStyles.bank)
  paper.artifact(() => paper.rectangle(contentLeft, 69, contentWidth, 1.2, colors.accent))
  yield* put('H1', words.title, contentLeft, 102, textStyles.title)
  yield* put('P', describePeriod(heading, words), contentLeft, 118, textStyles.plain)

  const clock = words.clock(issuedAt).slice(0, 5)
  const issued = `${words.longDate(issuedAt)}, ${clock} ${words.zone(issuedAt)}`
  const issuedLabel = number === null ? words.issued : words.numbered(number)
  const rows: [label: string, value: string][][] = [
    [
      [words.holder, holder],
      [words.account, words.accountIn(currency)],
    ],
    [
      [isOfBank ? words.code : 'IBAN', groupedIban(iban)],
      [issuedLabel, issued],
    ],
    ...(bic === undefined ? [] : [[['BIC', bic]] satisfies [string, string][]]),
  ]
  let y = 146
  for (const row of rows) {
    let below = y
    for (const [index, [label, value]] of row.entries()) {
      const x = contentLeft + index * 270
      yield* put('P', label, x, y, textStyles.label)
      const lines = yield* wrap(paper, value, textStyles.value, 229)
      for (const [at, line] of lines.entries())
        yield* put('P', line, x, y + 12 + at * 12, textStyles.value)
      below = Math.max(below, y + 16 + lines.length * 12)
    }
    y = below
  }
  if (heading.isOlderElsewhere) {
    for (const line of yield* wrap(paper, words.formerEntries, textStyles.small, contentWidth)) {
      yield* put('P', line, contentLeft, y, textStyles.small)
      y += 11
    }
  }
  return yield* drawSummary(drawing, root, y + 2)
}

/** Draws balances and totals. Returns where the page is free. */
function* drawSummary({ paper, heading, words }: Drawing, root: Tag, y: number): Steps<number> {
  const { opening, closing, credits, debits, currency } = heading
  const [begin, end] = toBalanceTimes(heading, words)
  const figures: [label: string, units: bigint, about: string][] = [
    [words.opening, opening, begin],
    [words.in, credits.units, words.entries(credits.count)],
    [words.out, debits.units, words.entries(debits.count)],
    [words.closing, closing, end],
  ]
  const column = contentWidth / figures.length
  const place = (index: number) => contentLeft + index * column + 9
  paper.artifact(() => {
    paper.rectangle(contentLeft, y, contentWidth, 50, colors.pale)
    paper.rectangle(contentLeft, y, 2.5, 50, colors.accent)
  })
  const table = paper.openTag('Table', root)
  yield* paper.addRow(
    table,
    'TH',
    figures.map(([text], index) => [{ text, x: place(index), y: y + 14, style: textStyles.label }]),
  )
  const cells = figures.values().map(([, units, about], index) => {
    const text = `${words.amount(units, currency)} ${currency}`
    const style = shrinkToFit(paper, text, textStyles.figure, column - 14)
    return [
      { text, x: place(index), y: y + 29, style },
      { text: about, x: place(index), y: y + 41, style: textStyles.small },
    ]
  })
  yield* paper.addRow(table, 'TD', cells)
  table.end()
  return y + 66
}

function* drawNote({ paper, heading, words }: Drawing, root: Tag, y: number): Steps<void> {
  const { credits, debits, from, end } = heading
  const isEmpty = credits.count + debits.count === 0
  const sum = isEmpty ? words.empty : words.addsUp
  const text = `${sum} ${words.times(words.zones(from, end))}`
  const line = { text, x: contentLeft, y: y + 16, style: textStyles.small }
  yield* paper.addTag('P', root, [line])
}
