// Dates, amounts and IBANs of a PDF statement as people read them, and text in lines that fit.
import type { Entry } from './rows.ts'

const months =
  'January February March April May June July August September October November December'.split(' ')

/** `2 January 2026`, in UTC. */
export function longDate(time: number): string {
  const date = new Date(time)
  return `${date.getUTCDate()} ${months[date.getUTCMonth()]} ${date.getUTCFullYear()}`
}

/** `2 Jan 2026`, in UTC. */
export const shortDate = (time: number): string =>
  longDate(time).replace(/[A-Z][a-z]+/, (month) => month.slice(0, 3))

/** `-1234567.89` → `-1,234,567.89` */
export function grouped(amount: string): string {
  const [whole = '', fraction] = amount.split('.')
  const groups = whole.replace(/\d(?=(?:\d{3})+$)/g, '$&,')
  return fraction === undefined ? groups : `${groups}.${fraction}`
}

export const groupedIban = (iban: string): string => iban.replace(/.{4}(?=.)/g, '$& ')

export const kindNames: Record<Entry['kind'], string> = {
  transfer: 'Transfer',
  deposit: 'Deposit',
  withdrawal: 'Withdrawal',
  reversal: 'Reversal',
  return: 'Return',
}

/** Lines of at most `max`, broken between words, or within one that is longer than a line. */
export function wrapped(
  text: string,
  measureWidth: (line: string) => number,
  max: number,
): string[] {
  const words = text.split(/\s+/).filter((each) => each !== '')
  const whole = words.join(' ')
  if (measureWidth(whole) <= max) return whole === '' ? [] : [whole]
  const lines: string[] = []
  let line = ''
  for (const word of words) {
    const longer = line === '' ? word : `${line} ${word}`
    if (measureWidth(longer) <= max) {
      line = longer
      continue
    }
    if (line !== '') lines.push(line)
    line = ''
    for (const character of word) {
      if (line !== '' && measureWidth(line + character) > max) {
        lines.push(line)
        line = ''
      }
      line += character
    }
  }
  return line === '' ? lines : [...lines, line]
}
