// The words of a PDF statement: dates, amounts and IBANs as people read them in their language, and
// text in lines that fit.
import { statements } from '../../../languages/statement.ts'
import { type Days, zoneName } from '../../domain/days.ts'
import type { Language } from '../../domain/languages.ts'
import { type Currency, formatAmount } from '../../domain/money.ts'
import type { Direction } from './paper/composed-glyphs.ts'
import type { Steps } from './paper/pace.ts'
import type { Paper, Style } from './paper/paper.ts'
import { readDirection, splitGraphemes } from './paper/runs.ts'

export type Words = ReturnType<typeof wordsIn>

/** The words of a language, with the days and times of the bank. */
export function wordsIn(language: Language, days: Days) {
  const texts = statements[language]
  // The text of a day has no time zone: it is read as one of UTC, and written as one.
  const dates = (dateStyle: 'long' | 'medium') =>
    new Intl.DateTimeFormat(texts.tag, { dateStyle, timeZone: 'UTC' })
  const [long, medium] = [dates('long'), dates('medium')]
  const dayOf = (time: number): number => Date.parse(days.dayOf(time))
  /** `2 January 2026` */
  const longDate = (time: number): string => long.format(dayOf(time))
  /** `2 Jan 2026` */
  const shortDate = (time: number): string => medium.format(dayOf(time))
  /** `09:30:00`, and the milliseconds of `09:30:00.500`. */
  const clock = (time: number): string => days.localTime(time).slice(11).replace('.000', '')
  const zone = (time: number): string => zoneName(days, time, texts.tag)
  /** `2 Jan 2026, 09:00:30 UTC`; the day is the one that the clocks show. */
  const shortTime = (time: number): string =>
    `${medium.format(Date.parse(days.localTime(time).slice(0, 10)))}, ${clock(time)} ${zone(time)}`
  const isDayStart = (time: number): boolean => days.startOf(days.dayOf(time)) === time
  const places = new Map<Currency, Intl.NumberFormat>()
  function placesOf(currency: Currency): Intl.NumberFormat {
    let format = places.get(currency)
    if (format === undefined) {
      const minimumFractionDigits = formatAmount(0n, currency).slice(2).length
      format = new Intl.NumberFormat(texts.tag, { minimumFractionDigits })
      places.set(currency, format)
    }
    return format
  }
  return {
    ...texts,
    longDate,
    shortDate,
    clock,
    zone,
    isDayStart,
    /** `-1,234,567.89`, exact. */
    amount: (units: bigint, currency: Currency): string =>
      placesOf(currency).format(formatAmount(units, currency) as `${number}`),
    /** The first day of a period, or its first moment where that is within a day. */
    periodBegin: (from: number): string => (isDayStart(from) ? shortDate(from) : shortTime(from)),
    /** The last day of a period, or the moment after it where that is within a day. */
    periodEnd: (end: number): string => (isDayStart(end) ? shortDate(end - 1) : shortTime(end)),
    /** The time zones of a period as the bank names them: two after a change. */
    zones: (from: number, end: number): string =>
      [...new Set([from, end - 1].map(days.timeZone))].join(', ').replaceAll('_', ' '),
  }
}

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
