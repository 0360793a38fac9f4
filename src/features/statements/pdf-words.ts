// Dates, amounts and IBANs as people read them, and text in lines that fit.
import { type Currency, formatAmount } from '../../domain/money.ts'
import type { Paper, Style } from './pdf-paper.ts'

const dateFormat = new Intl.DateTimeFormat('en-GB', { dateStyle: 'long', timeZone: 'UTC' })

/** `2 January 2026`, in UTC. */
export const longDate = (time: number): string => dateFormat.format(time)

/** `2 Jan 2026`, in UTC. */
export const shortDate = (time: number): string =>
  longDate(time).replace(/[A-Z][a-z]+/, (month) => month.slice(0, 3))

/** `-1,234,567.89` */
export const groupedAmount = (units: bigint, currency: Currency): string =>
  formatAmount(units, currency).replace(/\d(?=(?:\d{3})+(?:\.|$))/g, '$&,')

export const groupedIban = (iban: string): string => iban.replace(/.{4}(?=.)/g, '$& ')

/** The style, smaller where the text would be wider than `widthMax` points. */
export function shrinkToFit(paper: Paper, text: string, style: Style, widthMax: number): Style {
  const scale = Math.min(1, widthMax / Math.max(1, paper.measureWidth(text, style)))
  return { ...style, size: Math.floor(style.size * scale * 100) / 100 }
}

/** Lines of at most `widthMax` points, broken between words, or within a word that is longer. */
export function wrap(paper: Paper, text: string, style: Style, widthMax: number): string[] {
  const fits = (line: string): boolean => paper.measureWidth(line, style) <= widthMax
  const words = text.split(/\s+/).filter((word) => word !== '')
  const whole = words.join(' ')
  if (fits(whole)) return whole === '' ? [] : [whole]
  const lines: string[] = []
  let line = ''
  for (const word of words) {
    const longer = line === '' ? word : `${line} ${word}`
    if (fits(longer)) {
      line = longer
      continue
    }
    if (line !== '') lines.push(line)
    line = ''
    for (const character of word) {
      if (line !== '' && !fits(line + character)) {
        lines.push(line)
        line = ''
      }
      line += character
    }
  }
  return [...lines, line]
}
