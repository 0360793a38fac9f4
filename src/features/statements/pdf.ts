// Statements as PDF: bank, holder, account, period, balances and every entry.
import { rfc3339 } from '../../domain/clock.ts'
import { type Pace, pdfPace, type Steps } from './pace.ts'
import { openPaper, type Paper, type Style, type Tag } from './pdf-paper.ts'
import {
  colors,
  contentEnd,
  contentTop,
  footLine,
  left,
  right,
  styles,
  width,
} from './pdf-style.ts'
import { divideRows, drawTable, layOutRow, type Part, type Row } from './pdf-table.ts'
import {
  groupedAmount,
  groupedIban,
  isDayStart,
  longDate,
  periodBegin,
  periodEnd,
  shrinkToFit,
  wrap,
  type WrappedLine,
} from './pdf-words.ts'
import { endingOf, type Heading, type StatementFile } from './rows.ts'

const footTextWidth = 410

export async function* renderPdf(
  { heading, batches }: StatementFile,
  pace = pdfPace,
): AsyncGenerator<Buffer> {
  const title = `Account statement ${heading.label}, account ending ${endingOf(heading)}`
  const paper = openPaper({ title, bankName: heading.bankName, issuedAt: heading.issuedAt })
  const root = paper.openTag('Document')
  paper.addPage()
  const top = await pace.run(drawHead(paper, heading, root))
  const pages = divideRows(await layOutRows(paper, batches, pace), top)
  const balance = { text: 'Opening balance', units: heading.opening }
  for (const [index, rows] of pages.entries()) {
    if (index > 0) paper.addPage()
    const isLast = index === pages.length - 1
    const part = { root, top: index === 0 ? top : contentTop, rows, balance, isLast }
    await pace.run(drawPage(paper, heading, part, `Page ${index + 1} of ${pages.length}`))
    balance.text = 'Balance brought forward'
    balance.units = rows.at(-1)?.entry.balanceUnits ?? balance.units
    pages[index] = []
    yield* paper.take()
  }
  root.end()
  yield* paper.end()
}

/** All rows are laid out before the first is drawn: each page says how many there are. */
async function layOutRows(
  paper: Paper,
  batches: StatementFile['batches'],
  pace: Pace,
): Promise<Row[]> {
  const rows: Row[] = []
  for await (const batch of batches)
    for (const entry of batch) rows.push(await pace.run(layOutRow(paper, entry)))
  return rows
}

function* drawPage(paper: Paper, heading: Heading, part: Part, pageNumber: string): Steps<void> {
  const y = yield* drawTable(paper, heading, part)
  if (part.isLast) yield* drawNote(paper, heading, part.root, y)
  yield* drawFoot(paper, heading, part.root, pageNumber)
}

const replacedNote =
  'A character that the fonts of this document do not have is printed as U+ and its Unicode number.'

function* drawFoot(paper: Paper, heading: Heading, root: Tag, pageNumber: string): Steps<void> {
  const { bankName, iban, from, end } = heading
  const style = styles.small
  const period = `${periodBegin(from)} – ${periodEnd(end)}`
  const foot = `${groupedIban(iban)}  ·  ${period}  ·  ${bankName}`
  const [text] = yield* wrap(paper, foot, style, footTextWidth)
  paper.artifact(() => {
    paper.rectangle(left, footLine - 13, width, 0.5, colors.line)
    if (text) paper.draw({ ...text, x: left, y: footLine, style })
    const x = right - paper.measureWidth(pageNumber, style)
    paper.draw({ text: pageNumber, x, y: footLine, style })
  }, 'Pagination')
  if (!paper.takeReplaced()) return
  const note = { text: replacedNote, x: left, y: contentEnd + 9, style }
  yield* paper.addTag('P', root, [note])
}

function describePeriod({ from, end }: Heading): string {
  const isDays = isDayStart(from) && isDayStart(end)
  if (isDays) return `${longDate(from)} to ${longDate(end - 1)}, UTC days`
  return `${periodBegin(from)} to ${periodEnd(end)}`
}

/** Of what time a balance is: never of one that was still to come. */
const toBalanceTimes = ({ from, end, issuedAt }: Heading): [opening: string, closing: string] => [
  from > issuedAt
    ? 'when issued'
    : `${isDayStart(from) ? 'at the start of' : 'at'} ${periodBegin(from)}`,
  end > issuedAt ? 'when issued' : `${isDayStart(end) ? 'at the end of' : 'at'} ${periodEnd(end)}`,
]

/** Returns where the page is free. */
function* drawHead(paper: Paper, heading: Heading, root: Tag): Steps<number> {
  function put(type: string, line: string | WrappedLine, x: number, y: number, style: Style) {
    const words = typeof line === 'string' ? { text: line } : line
    return paper.addTag(type, root, [{ ...words, x, y, style }])
  }
  const { bankName, bic, holder, iban, isOfBank, currency, number, issuedAt } = heading
  yield* put('P', bankName, left, 60, styles.bank)
  paper.artifact(() => paper.rectangle(left, 69, width, 1.2, colors.accent))
  yield* put('H1', 'Account statement', left, 102, styles.title)
  yield* put('P', describePeriod(heading), left, 118, styles.plain)

  const issued = `${longDate(issuedAt)}, ${rfc3339(issuedAt).slice(11, 16)} UTC`
  const issuedLabel = number === null ? 'Issued' : `Statement number ${number}, issued`
  const rows: [label: string, value: string][][] = [
    [
      ['Account holder', holder],
      ['Account', `${currency} account`],
    ],
    [
      [isOfBank ? 'Code' : 'IBAN', groupedIban(iban)],
      [issuedLabel, issued],
    ],
    ...(bic === undefined ? [] : [[['BIC', bic]] satisfies [string, string][]]),
  ]
  let y = 146
  for (const row of rows) {
    let below = y
    for (const [index, [label, value]] of row.entries()) {
      const x = left + index * 270
      yield* put('P', label, x, y, styles.label)
      const lines = yield* wrap(paper, value, styles.value, 229)
      for (const [at, line] of lines.entries())
        yield* put('P', line, x, y + 12 + at * 12, styles.value)
      below = Math.max(below, y + 16 + lines.length * 12)
    }
    y = below
  }
  return yield* drawSummary(paper, heading, root, y + 2)
}

/** Draws balances and totals. Returns where the page is free. */
function* drawSummary(paper: Paper, heading: Heading, root: Tag, y: number): Steps<number> {
  const { opening, closing, credits, debits, currency } = heading
  const [begin, end] = toBalanceTimes(heading)
  const counted = (count: number) => (count === 1 ? '1 entry' : `${count} entries`)
  const figures: [label: string, units: bigint, about: string][] = [
    ['Opening balance', opening, begin],
    ['Money in', credits.units, counted(credits.count)],
    ['Money out', debits.units, counted(debits.count)],
    ['Closing balance', closing, end],
  ]
  const column = width / figures.length
  const place = (index: number) => left + index * column + 9
  paper.artifact(() => {
    paper.rectangle(left, y, width, 50, colors.pale)
    paper.rectangle(left, y, 2.5, 50, colors.accent)
  })
  const table = paper.openTag('Table', root)
  yield* paper.addRow(
    table,
    'TH',
    figures.map(([text], index) => [{ text, x: place(index), y: y + 14, style: styles.label }]),
  )
  const cells = figures.values().map(([, units, about], index) => {
    const text = `${groupedAmount(units, currency)} ${currency}`
    const style = shrinkToFit(paper, text, styles.figure, column - 14)
    return [
      { text, x: place(index), y: y + 29, style },
      { text: about, x: place(index), y: y + 41, style: styles.small },
    ]
  })
  yield* paper.addRow(table, 'TD', cells)
  table.end()
  return y + 66
}

function* drawNote(paper: Paper, { credits, debits }: Heading, root: Tag, y: number): Steps<void> {
  const isEmpty = credits.count + debits.count === 0
  const text = isEmpty
    ? 'There are no entries in this period. Days and times are in UTC.'
    : 'Opening balance and entries add up to the closing balance. Days and times are in UTC.'
  const line = { text, x: left, y: y + 16, style: styles.small }
  yield* paper.addTag('P', root, [line])
}
