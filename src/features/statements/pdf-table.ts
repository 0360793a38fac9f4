// The table of entries in a PDF statement. Each page has its own, with the balance carried forward.
import type { Steps } from './paper/pace.ts'
import type { Line, Paper, Style, Tag } from './paper/paper.ts'
import {
  colors,
  contentEnd,
  contentTop,
  contentLeft,
  textStyles,
  contentWidth,
} from './pdf-style.ts'
import { groupedIban, shrinkToFit, type Words, wrap, type WrappedLine } from './pdf-words.ts'
import type { Entry, Heading } from './rows.ts'

/** The left edge of the text columns and the right edge of the others, in points. */
const columns = {
  date: contentLeft + 5,
  details: 118,
  out: 392,
  in: 467,
  balance: contentLeft + contentWidth - 5,
}
const detailsWidth = 205
const figureWidth = 72
const rowHeightMin = 29
const headHeight = 18.75
const balanceHeight = 19
/** The closing balance and the note below it. */
const endHeight = 60

const lineHeight = ({ size }: Style): number => size + 2.8

type DetailLine = WrappedLine & { style: Style }
/** An entry with the lines of its details, in points. */
export type Row = { entry: Entry; details: DetailLine[]; height: number }

/** What the parts of a document are drawn from. */
export type Drawing = { paper: Paper; heading: Heading; words: Words }

export function* layOutRow(
  { paper, words }: Pick<Drawing, 'paper' | 'words'>,
  entry: Entry,
): Steps<Row> {
  const { counterparty, kind, reference, id } = entry
  const name = counterparty?.name ?? ''
  const kindName = words.kinds[kind]
  const texts: [text: string, style: Style][] = [
    [name === '' ? kindName : name, textStyles.strong],
    [groupedIban(counterparty?.iban ?? ''), textStyles.small],
    [name === '' || kind === 'transfer' ? '' : kindName, textStyles.small],
    [reference, textStyles.plain],
    [id, textStyles.faint],
  ]
  const details: DetailLine[] = []
  for (const [text, style] of texts) {
    const lines = yield* wrap(paper, text, style, detailsWidth)
    details.push(...lines.map((line) => ({ ...line, style })))
  }
  const height = details.reduce((sum, { style }) => sum + lineHeight(style), 7)
  return { entry, details, height: Math.max(height, rowHeightMin) }
}

/** The rows of each page. The table begins at `top` on the first; the last has room for its end. */
export function divideRows(rows: readonly Row[], top: number): Row[][] {
  const pages: Row[][] = [[]]
  let y = top + headHeight + balanceHeight
  const requireRoom = (height: number): void => {
    if (y + height > contentEnd) {
      pages.push([])
      y = contentTop + headHeight + balanceHeight
    }
    y += height
  }
  for (const row of rows) {
    requireRoom(row.height)
    pages.at(-1)?.push(row)
  }
  requireRoom(endHeight)
  return pages
}

export type Part = {
  root: Tag
  top: number
  rows: readonly Row[]
  balance: { text: string; units: bigint }
  isLast: boolean
}

/** Draws the table of one page row by row. Returns where the page is free again. */
export function* drawTable({ paper, heading, words }: Drawing, part: Part): Steps<number> {
  let y = part.top
  paper.artifact(() => {
    paper.rectangle(contentLeft, y, contentWidth, 18, colors.pale)
    paper.rectangle(contentLeft, y + 18, contentWidth, 0.75, colors.accent)
  })
  const table = paper.openTag('Table', part.root)

  /** A figure that ends at `end`, in smaller type where it is too long for its column. */
  function figure(text: string, end: number, at: number, style: Style): Line {
    const fitted = shrinkToFit(paper, text, style, figureWidth)
    return { text, x: end - paper.measureWidth(text, fitted), y: at, style: fitted }
  }

  const money = (units: bigint, end: number, at: number, style: Style): Line =>
    figure(words.amount(units, heading.currency), end, at, style)

  function* addHead(): Steps<void> {
    const style = textStyles.head
    const at = y + 12
    yield* paper.addRow(table, 'TH', [
      [{ text: words.date, x: columns.date, y: at, style }],
      [{ text: words.details, x: columns.details, y: at, style }],
      [figure(words.out, columns.out, at, style)],
      [figure(words.in, columns.in, at, style)],
      [figure(`${words.balance} ${heading.currency}`, columns.balance, at, style)],
    ])
    y += headHeight
  }

  function* addBalance(text: string, units: bigint): Steps<void> {
    const at = y + 13
    const style = textStyles.strong
    const details = { text, x: columns.details, y: at, style }
    yield* paper.addRow(table, 'TD', [
      [],
      [details],
      [],
      [],
      [money(units, columns.balance, at, style)],
    ])
    endRow(balanceHeight)
  }

  function endRow(height: number): void {
    y += height
    paper.artifact(() => paper.rectangle(contentLeft, y, contentWidth, 0.4, colors.line))
  }

  function* addEntry({ entry, details, height }: Row): Steps<void> {
    const at = y + 12
    const x = columns.date
    const style = textStyles.plain
    let below = at
    const placed = details.map((line) => {
      const lineAt = below
      below += lineHeight(line.style)
      return { ...line, x: columns.details, y: lineAt }
    })
    const { units, bookedAt } = entry
    yield* paper.addRow(table, 'TD', [
      [
        { text: words.shortDate(bookedAt), x, y: at, style },
        { text: words.clock(bookedAt).slice(0, 8), x, y: at + 10, style: textStyles.small },
      ],
      placed,
      units < 0n ? [money(-units, columns.out, at, style)] : [],
      units < 0n ? [] : [money(units, columns.in, at, style)],
      [money(entry.balanceUnits, columns.balance, at, style)],
    ])
    endRow(height)
  }

  yield* addHead()
  yield* addBalance(part.balance.text, part.balance.units)
  for (const row of part.rows) yield* addEntry(row)
  if (part.isLast) yield* addBalance(words.closing, heading.closing)
  table.end()
  return y
}
