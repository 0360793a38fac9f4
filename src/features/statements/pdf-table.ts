// The table of entries in a PDF statement. Each page has its own, with the balance carried forward.
import type { Line, Paper, Style, Tag } from './pdf-paper.ts'
import { colors, contentEnd, contentTop, left, styles, width } from './pdf-style.ts'
import { groupedAmount, groupedIban, shortDate, shrinkToFit, wrap } from './pdf-words.ts'
import type { Entry, Heading } from './rows.ts'

/** The left edge of the text columns and the right edge of the others, in points. */
const columns = { date: left + 5, details: 118, out: 392, in: 467, balance: left + width - 5 }
const detailsWidth = 205
const figureWidth = 72
const rowHeightMin = 29
const footHeight = 60

const lineHeight = ({ size }: Style): number => size + 2.8

type Place = { root: Tag; top: number; turnPage: () => void }

/** Begins the table at `top`; `end()` returns where the page is free again. */
export function createTable(paper: Paper, heading: Heading, { root, top, turnPage }: Place) {
  let y = top
  let balance = heading.opening
  let table = openTable()

  /** A figure that ends at `end`, in smaller type where it is too long for its column. */
  function figure(text: string, end: number, at: number, style: Style): Line {
    const fitted = shrinkToFit(paper, text, style, figureWidth)
    return { text, x: end - paper.measureWidth(text, fitted), y: at, style: fitted }
  }

  const money = (units: bigint, end: number, at: number, style: Style): Line =>
    figure(groupedAmount(units, heading.currency), end, at, style)

  function openTable(): Tag {
    paper.artifact(() => {
      paper.rectangle(left, y, width, 18, colors.pale)
      paper.rectangle(left, y + 18, width, 0.75, colors.accent)
    })
    return paper.openTag('Table', root)
  }

  function addHead(): void {
    const style = styles.head
    const at = y + 12
    paper.addRow(table, 'TH', [
      [{ text: 'Date (UTC)', x: columns.date, y: at, style }],
      [{ text: 'Details', x: columns.details, y: at, style }],
      [figure('Money out', columns.out, at, style)],
      [figure('Money in', columns.in, at, style)],
      [figure(`Balance ${heading.currency}`, columns.balance, at, style)],
    ])
    y += 18.75
  }

  function addBalance(text: string, units: bigint): void {
    const at = y + 13
    const style = styles.strong
    const details = { text, x: columns.details, y: at, style }
    paper.addRow(table, 'TD', [[], [details], [], [], [money(units, columns.balance, at, style)]])
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
    table = openTable()
    addHead()
    addBalance('Balance brought forward', balance)
  }

  function toDetails({ counterparty, kind, reference, id }: Entry) {
    const name = counterparty?.name ?? ''
    const kindName = kind.replace(/^./, (letter) => letter.toUpperCase())
    const texts: [text: string, style: Style][] = [
      [name === '' ? kindName : name, styles.strong],
      [groupedIban(counterparty?.iban ?? ''), styles.small],
      [name === '' || kind === 'transfer' ? '' : kindName, styles.small],
      [reference, styles.plain],
      [id, styles.faint],
    ]
    return texts.flatMap(([text, style]) =>
      wrap(paper, text, style, detailsWidth).map((line) => ({ text: line, style })),
    )
  }

  addHead()
  addBalance('Opening balance', balance)
  return {
    add(entry: Entry): void {
      const details = toDetails(entry)
      const height = details.reduce((sum, { style }) => sum + lineHeight(style), 7)
      requireRoom(Math.max(height, rowHeightMin))
      const at = y + 12
      const x = columns.date
      const date = shortDate(Date.parse(entry.createdAt))
      const time = entry.createdAt.slice(11, 19)
      const style = styles.plain
      let below = at
      const placed = details.map((line) => {
        const lineAt = below
        below += lineHeight(line.style)
        return { ...line, x: columns.details, y: lineAt }
      })
      const { units } = entry
      paper.addRow(table, 'TD', [
        [
          { text: date, x, y: at, style },
          { text: time, x, y: at + 10, style: styles.small },
        ],
        placed,
        units < 0n ? [money(-units, columns.out, at, style)] : [],
        units < 0n ? [] : [money(units, columns.in, at, style)],
        [money(entry.balanceUnits, columns.balance, at, style)],
      ])
      balance = entry.balanceUnits
      endRow(Math.max(height, rowHeightMin))
    },
    end(): number {
      requireRoom(footHeight)
      addBalance('Closing balance', heading.closing)
      paper.closeTag(table)
      return y
    },
  }
}
