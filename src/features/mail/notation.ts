// Times, days and amounts in mails, in the notation of a language.
import { type Days, zoneName } from '../../domain/days.ts'
import type { Language } from '../../domain/languages.ts'
import { type Currency, formatAmount } from '../../domain/money.ts'

const toTag = (language: Language): string => (language === 'en' ? 'en-GB' : language)

/** `2 January 2026 at 09:30 UTC`, by the clocks of the bank. */
export function timeText(at: number, language: Language, days: Days): string {
  const tag = toTag(language)
  const format = { dateStyle: 'long', timeStyle: 'short', timeZone: days.timeZone(at) } as const
  return `${new Intl.DateTimeFormat(tag, format).format(at)} ${zoneName(days, at, tag)}`
}

/** `1,000.01 EUR`, exact, in the notation of the language. */
export function moneyText(
  { amount, currency }: { amount: bigint; currency: string },
  language: Language,
): string {
  const text = formatAmount(amount, currency as Currency)
  const minimumFractionDigits = text.split('.')[1]?.length ?? 0
  const format = new Intl.NumberFormat(toTag(language), { minimumFractionDigits })
  return `${format.format(text as `${number}`)} ${currency}`
}

/** `2 January 2026` */
export const dayText = (day: string, language: Language): string =>
  new Intl.DateTimeFormat(toTag(language), { dateStyle: 'long', timeZone: 'UTC' }).format(
    Date.parse(day),
  )
