// Statements as PDF: bank, holder, account, period, balances and every entry.
import { setImmediate } from 'node:timers/promises'
import { rfc3339 } from '../../domain/clock.ts'
import { openPaper, type Paper, type Style, type Tag } from './pdf-paper.ts'
import { colors, footLine, left, right, styles, width } from './pdf-style.ts'
import { createTable } from './pdf-table.ts'
import {
  groupedAmount,
  groupedIban,
  isDayStart,
  longDate,
  periodBegin,
  periodEnd,
  shrinkToFit,
  wrap,
} from './pdf-words.ts'
import type { Heading, StatementFile } from './rows.ts'

/** Entries between two turns of the event loop: one takes about 0.07 ms. */
const entriesPerTurn = 20
const footTextWidth = 410

export async function* renderPdf({ heading, batches }: StatementFile): AsyncGenerator<Buffer> {
  const title = `Account statement ${heading.label}, account ending ${heading.iban.slice(-4)}`
  const paper = openPaper({ title, issuedAt: heading.issuedAt })
  const root = paper.openTag('Document')
  const turnPage = () => {
    paper.addPage()
    drawFoot(paper, heading)
  }
  turnPage()
  const top = drawHead(paper, heading, root)
  const table = createTable(paper, heading, { root, top, turnPage })
  for await (const batch of batches) {
    for (let at = 0; at < batch.length; at += entriesPerTurn) {
      for (const entry of batch.slice(at, at + entriesPerTurn)) table.add(entry)
      yield* paper.take()
      await setImmediate()
    }
  }
  drawNote(paper, heading, root, table.end())
  paper.closeTag(root)
  for (const _part of paper.end(styles.small)) {
    yield* paper.take()
    await setImmediate()
  }
  yield* paper.take()
}

function drawFoot(paper: Paper, heading: Heading): void {
  const { bankName, iban, from, end } = heading
  const style = styles.small
  const period = `${periodBegin(from)} – ${periodEnd(end)}`
  const foot = `${groupedIban(iban)}  ·  ${period}  ·  ${bankName}`
  const [text = ''] = wrap(paper, foot, style, footTextWidth)
  paper.artifact(() => {
    paper.rectangle(left, footLine - 13, width, 0.5, colors.line)
    paper.draw({ text, x: left, y: footLine, style })
    paper.pageNumber(right, footLine, style)
  }, 'Pagination')
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
function drawHead(paper: Paper, heading: Heading, root: Tag): number {
  const put = (type: string, text: string, x: number, y: number, style: Style): void => {
    paper.addTag(type, root, () => paper.draw({ text, x, y, style }))
  }
  const { bankName, holder, iban, accountName, currency, number, issuedAt } = heading
  put('P', bankName, left, 60, styles.bank)
  paper.artifact(() => paper.rectangle(left, 69, width, 1.2, colors.accent))
  put('H1', 'Account statement', left, 102, styles.title)
  put('P', describePeriod(heading), left, 118, styles.plain)

  const issued = `${longDate(issuedAt)}, ${rfc3339(issuedAt).slice(11, 16)} UTC`
  const account = accountName ?? `${currency} account`
  const issuedLabel = number === null ? 'Issued' : `Statement number ${number}, issued`
  const rows: [label: string, value: string][][] = [
    [
      ['Account holder', holder],
      ['Account', account],
    ],
    [
      ['IBAN', groupedIban(iban)],
      [issuedLabel, issued],
    ],
  ]
  let y = 146
  for (const row of rows) {
    let below = y
    for (const [index, [label, value]] of row.entries()) {
      const x = left + index * 270
      put('P', label, x, y, styles.label)
      const lines = wrap(paper, value, styles.value, 229)
      lines.forEach((text, at) => put('P', text, x, y + 12 + at * 12, styles.value))
      below = Math.max(below, y + 16 + lines.length * 12)
    }
    y = below
  }
  return drawSummary(paper, heading, root, y + 2)
}

/** Draws balances and totals. Returns where the page is free. */
function drawSummary(paper: Paper, heading: Heading, root: Tag, y: number): number {
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
  paper.addRow(
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
  paper.addRow(table, 'TD', cells)
  paper.closeTag(table)
  return y + 66
}

function drawNote(paper: Paper, { credits, debits }: Heading, root: Tag, y: number): void {
  const isEmpty = credits.count + debits.count === 0
  const text = isEmpty
    ? 'There are no entries in this period. Days and times are in UTC.'
    : 'Opening balance and entries add up to the closing balance. Days and times are in UTC.'
  const line = { text, x: left, y: y + 16, style: styles.small }
  paper.addTag('P', root, () => paper.draw(line))
}
