// The entries of a PDF statement: a table on each page, with the balance carried to the next.
import { formatAmount } from '../../domain/money.ts'
import { columnHead, type Line, type Paper, type Style, type Tag } from './pdf-paper.ts'
import { colors, contentEnd, contentTop, left, styles, width } from './pdf-style.ts'
import { grouped, groupedIban, kindNames, shortDate, wrapped } from './pdf-words.ts'
import type { Entry, Heading } from './rows.ts'

/** Where text of a column begins, or where its figures end; in points. */
const columns = { date: left + 5, details: 118, out: 392, in: 467, balance: left + width - 5 }
const detailsWidth = 205
/** A longer figure is set smaller. */
const figureWidth = 72
const rowHeightMin = 29

const leading = ({ size }: Style): number => size + 2.8

type Place = { root: Tag; top: number; turnPage: () => void }

/** Begins the table at `top`; `end()` gives where the page is free again. */
export function entriesOn(paper: Paper, heading: Heading, { root, top, turnPage }: Place) {
  let y = top
  let balance = heading.opening
  let table = begin()

  const money = (units: bigint): string => grouped(formatAmount(units, heading.currency))

  /** A figure that ends at `end`. */
  function figure(text: string, end: number, at: number, style: Style): Line {
    const scale = Math.min(1, figureWidth / Math.max(1, paper.measureWidth(text, style)))
    const fitted = { ...style, size: Math.floor(style.size * scale * 100) / 100 }
    return { text, x: end - paper.measureWidth(text, fitted), y: at, style: fitted }
  }

  /** A row of five cells, each of any number of lines. */
  function addRow(type: 'TH' | 'TD', cells: readonly (readonly Line[])[]): void {
    const row = paper.openTag('TR', table)
    const attributes = type === 'TH' ? columnHead : undefined
    for (const lines of cells) {
      paper.addTag(type, row, () => lines.forEach((line) => paper.draw(line)), attributes)
    }
    paper.closeTag(row)
  }

  function begin(): Tag {
    paper.artifact(() => {
      paper.rectangle(left, y, width, 18, colors.pale)
      paper.rectangle(left, y + 18, width, 0.75, colors.accent)
    })
    return paper.openTag('Table', root)
  }

  function addHead(): void {
    const style = styles.head
    const at = y + 12
    addRow('TH', [
      [{ text: 'Date (UTC)', x: columns.date, y: at, style }],
      [{ text: 'Details', x: columns.details, y: at, style }],
      [figure('Money out', columns.out, at, style)],
      [figure('Money in', columns.in, at, style)],
      [figure(`Balance ${heading.currency}`, columns.balance, at, style)],
    ])
    y += 18.75
  }

  /** A row that is no entry: a balance by itself. */
  function addBalance(text: string, units: bigint): void {
    const at = y + 13
    const style = styles.strong
    const details = { text, x: columns.details, y: at, style }
    addRow('TD', [[], [details], [], [], [figure(money(units), columns.balance, at, style)]])
    endRow(19)
  }

  function endRow(height: number): void {
    y += height
    paper.artifact(() => paper.rectangle(left, y, width, 0.4, colors.line))
  }

  function requireRoom(height: number): void {
    if (y + height <= contentEnd) return
    paper.closeTag(table)
    turnPage()
    y = contentTop
    table = begin()
    addHead()
    addBalance('Balance brought forward', balance)
  }

  function toLines({ name, iban, kind, reference, id }: Entry): { text: string; style: Style }[] {
    const lines = (text: string, style: Style) =>
      wrapped(text, (part) => paper.measureWidth(part, style), detailsWidth).map((part) => {
        return { text: part, style }
      })
    const isNamed = name !== ''
    return [
      ...lines(isNamed ? name : kindNames[kind], styles.strong),
      ...lines(groupedIban(iban), styles.small),
      ...lines(isNamed && kind !== 'transfer' ? kindNames[kind] : '', styles.small),
      ...lines(reference, styles.plain),
      ...lines(id, styles.faint),
    ]
  }

  addHead()
  addBalance('Opening balance', balance)
  return {
    add(entry: Entry): void {
      const lines = toLines(entry)
      const used = lines.reduce((sum, { style }) => sum + leading(style), 7)
      const height = Math.max(used, rowHeightMin)
      requireRoom(height)
      const at = y + 12
      const x = columns.date
      const date = shortDate(Date.parse(entry.bookedAt))
      const time = entry.bookedAt.slice(11, 19)
      const style = styles.plain
      let below = at
      const details = lines.map((line) => {
        const placed = { ...line, x: columns.details, y: below }
        below += leading(line.style)
        return placed
      })
      const isOut = entry.units < 0n
      const amount = money(isOut ? -entry.units : entry.units)
      addRow('TD', [
        [
          { text: date, x, y: at, style },
          { text: time, x, y: at + 10, style: styles.small },
        ],
        details,
        isOut ? [figure(amount, columns.out, at, style)] : [],
        isOut ? [] : [figure(amount, columns.in, at, style)],
        [figure(money(entry.balanceUnits), columns.balance, at, style)],
      ])
      balance = entry.balanceUnits
      endRow(height)
    },
    end(): number {
      requireRoom(60)
      addBalance('Closing balance', heading.closing)
      paper.closeTag(table)
      return y
    },
  }
}
