// Dates, amounts and IBANs as people read them, and text in lines that fit.
import { dayMs, rfc3339 } from '../../domain/clock.ts'
import { type Currency, formatAmount } from '../../domain/money.ts'
import type { Steps } from './pace.ts'
import type { Paper, Style } from './pdf-paper.ts'
import { type Direction, readDirection, splitGraphemes } from './runs.ts'

const dateFormat = new Intl.DateTimeFormat('en-GB', { dateStyle: 'long', timeZone: 'UTC' })

/** `2 January 2026`, in UTC. */
export const longDate = (time: number): string => dateFormat.format(time)

/** `2 Jan 2026`, in UTC. */
export const shortDate = (time: number): string =>
  longDate(time).replace(/[A-Z][a-z]+/, (month) => month.slice(0, 3))

/** `-1,234,567.89` */
export const groupedAmount = (units: bigint, currency: Currency): string =>
  formatAmount(units, currency).replace(/\d(?=(?:\d{3})+(?:\.|$))/g, '$&,')

/** `2 Jan 2026, 09:00:30 UTC`, with milliseconds where there are any. */
function shortTime(time: number): string {
  const clock = rfc3339(time).slice(11, -1).replace('.000', '')
  return `${shortDate(time)}, ${clock} UTC`
}

export const isDayStart = (time: number): boolean => time % dayMs === 0
/** The first day of a period, or its first moment where that is within a day. */
export const periodBegin = (from: number): string =>
  isDayStart(from) ? shortDate(from) : shortTime(from)
/** The last day of a period, or the moment after it where that is within a day. */
export const periodEnd = (end: number): string =>
  isDayStart(end) ? shortDate(end - 1) : shortTime(end)

/** The code of an account of the bank stays as it is. */
export const groupedIban = (iban: string): string =>
  /^[A-Z]/.test(iban) ? iban.replace(/.{4}(?=.)/g, '$& ') : iban

/** The style, smaller where the text would be wider than `widthMax` points. */
export function shrinkToFit(paper: Paper, text: string, style: Style, widthMax: number): Style {
  const scale = Math.min(1, widthMax / Math.max(1, paper.measureWidth(text, style)))
  return { ...style, size: Math.floor(style.size * scale * 100) / 100 }
}

export type WrappedLine = { text: string; direction: Direction }

/**
 * Lines of at most `widthMax` points, broken between words, or within a word that is longer. Each
 * has the direction of the whole text. A step is a word, or a part of one.
 */
export function* wrap(
  paper: Paper,
  text: string,
  style: Style,
  widthMax: number,
): Steps<WrappedLine[]> {
  const measure = (part: string) => paper.measureWidth(part, style)
  const direction = readDirection(text)
  const gap = measure(' ')
  const lines: WrappedLine[] = []
  let line = ''
  let width = 0
  function endLine(): void {
    if (line !== '') lines.push({ text: line, direction })
    line = ''
    width = 0
  }
  for (const word of text.normalize('NFC').trim().split(/\s+/)) {
    yield* paper.prepare(word, style)
    const added = measure(word) + (line === '' ? 0 : gap)
    if (width + added <= widthMax) {
      line += line === '' ? word : ` ${word}`
      width += added
      yield
      continue
    }
    endLine()
    yield
    for (const grapheme of splitGraphemes(word)) {
      const each = measure(grapheme)
      if (width + each > widthMax) endLine()
      line += grapheme
      width += each
      yield
    }
  }
  endLine()
  return lines
}
