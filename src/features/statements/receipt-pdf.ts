// The receipt of one payment as PDF, in the parts of a statement.
import type { Days } from '../../domain/days.ts'
import type { Language } from '../../domain/languages.ts'
import type { Transfer as TransferRow } from '../../ledger/rules/movement.ts'
import { pdfPace, type Steps } from './paper/pace.ts'
import { openPaper, type Paper, type Style, type Tag } from './paper/paper.ts'
import { colors, contentEnd, footLine, contentLeft, textStyles, contentWidth } from './pdf-style.ts'
import { groupedIban, shrinkToFit, type Words, wordsIn, wrap } from './pdf-words.ts'

/** One side of a payment, as the books named it then. */
export type ReceiptSide = { name: string; iban: string | null }

export type Receipt = {
  transfer: TransferRow
  /** Who paid, and who was paid; null: cash, or the bank itself. */
  from: ReceiptSide | null
  to: ReceiptSide | null
  reference: string
  language: Language
  days: Days
  /** The business day on which it leaves for another bank, where the bank says so. */
  leavesOn: string | undefined
  bankName: string
  bic: string | undefined
  issuedAt: number
}

export async function* renderReceipt(receipt: Receipt, pace = pdfPace): AsyncGenerator<Buffer> {
  const { bankName, issuedAt, transfer } = receipt
  const words = wordsIn(receipt.language, receipt.days)
  const title = words.receipt.about(transfer.id)
  const paper = openPaper({ title, bankName, issuedAt, lang: words.tag })
  const root = paper.openTag('Document')
  paper.addPage()
  await pace.run(drawReceipt(receipt, words, paper, root))
  root.end()
  yield* paper.end()
}

/** Told whatever else is: a receipt of a payment that is on its way is no proof that it arrived. */
const describeStatus = ({ transfer }: Receipt, { receipt }: Words): string =>
  transfer.reversedBy === null ? receipt.statuses[transfer.status] : receipt.reversed

function* drawReceipt(receipt: Receipt, words: Words, paper: Paper, root: Tag): Steps<void> {
  const { bankName, bic, transfer, from, to, reference, issuedAt } = receipt
  const put = (type: string, text: string, y: number, style: Style, x: number = contentLeft) =>
    paper.addTag(type, root, [{ text, x, y, style }])
  /** Lines from `y` on; gives where the page is free below them. */
  function* putAll(text: string, y: number, style: Style, x: number, room: number): Steps<number> {
    const lines = yield* wrap(paper, text, style, room)
    for (const [at, line] of lines.entries())
      yield* paper.addTag('P', root, [{ ...line, x, y: y + at * 13, style }])
    return y + Math.max(1, lines.length) * 13
  }
  yield* put('P', bankName, 60, textStyles.bank)
  paper.artifact(() => paper.rectangle(contentLeft, 69, contentWidth, 1.2, colors.accent))
  yield* put('H1', words.receipt.title, 102, textStyles.title)
  yield* put('P', words.kinds[transfer.kind], 120, textStyles.plain)

  const { amount, currency } = transfer
  const money = `${words.amount(amount, currency)} ${currency}`
  paper.artifact(() => {
    paper.rectangle(contentLeft, 136, contentWidth, 58, colors.pale)
    paper.rectangle(contentLeft, 136, 2.5, 58, colors.accent)
  })
  const figure = shrinkToFit(paper, money, textStyles.title, contentWidth - 24)
  yield* put('P', money, 160, figure, contentLeft + 12)
  yield* putAll(
    describeStatus(receipt, words),
    178,
    textStyles.plain,
    contentLeft + 12,
    contentWidth - 24,
  )

  const timeOf = (at: number) => `${words.longDate(at)}, ${words.clock(at)} ${words.zone(at)}`
  const dayOf = (day: string) => words.longDate(receipt.days.startOf(day))
  const sideOf = (side: ReceiptSide | null): string[] =>
    side ? [side.name, groupedIban(side.iban ?? '')] : [words.receipt.noSide]
  const rows: [label: string, values: string[]][] = [
    [words.receipt.from, sideOf(from)],
    [words.receipt.to, sideOf(to)],
    [words.receipt.reference, [reference]],
    [words.date, [timeOf(transfer.createdAt.getTime())]],
    [words.receipt.leavesOn, receipt.leavesOn === undefined ? [] : [dayOf(receipt.leavesOn)]],
    [words.receipt.id, [transfer.id]],
    [words.issued, [timeOf(issuedAt)]],
    ['BIC', bic === undefined ? [] : [bic]],
  ]
  let y = 222
  for (const [label, values] of rows) {
    const told = values.filter((value) => value !== '')
    if (told.length === 0) continue
    yield* put('P', label, y, textStyles.label)
    let below = y
    for (const value of told)
      below = yield* putAll(value, below, textStyles.value, contentLeft + 130, 369)
    y = below + 9
  }
  const hasReplaced = paper.takeReplaced()
  paper.artifact(() => {
    paper.rectangle(contentLeft, footLine - 13, contentWidth, 0.5, colors.line)
  })
  if (hasReplaced)
    yield* putAll(words.replaced, contentEnd - 4, textStyles.small, contentLeft, contentWidth)
}
