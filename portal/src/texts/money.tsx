// Amounts as people read and type them. They stay decimal strings: no float holds money.
import { type Currency, formatAmount, parseAmount } from '../../../src/domain/money.ts'
import { locale, texts } from './language.ts'
import { toPlain } from './typed-text.ts'

export { currencies, type Currency } from '../../../src/domain/money.ts'

/**
 * `-1234.5`, `EUR` → `−€1,234.50`; exact, because the string itself is formatted. The minus is
 * U+2212, as wide as the plus: a hyphen is overlooked.
 */
export function formatMoney(
  amount: string,
  currency: string,
  sign: 'auto' | 'exceptZero' = 'auto',
) {
  const digits = amount.split('.')[1]?.length ?? 0
  return new Intl.NumberFormat(locale(), {
    style: 'currency',
    currency,
    minimumFractionDigits: digits,
    maximumFractionDigits: digits,
    signDisplay: sign,
  })
    .format(amount as Intl.StringNumericLiteral)
    .replace('-', '−')
}

/** A number of things. */
export const formatCount = (count: number): string => new Intl.NumberFormat(locale()).format(count)

type Props = { amount: string; currency: string; signed?: boolean; plus?: boolean }

/**
 * `plus`: with a plus as well as a minus. `signed`: so, and money that came in has a ground; for
 * entries of an account.
 */
export function Money({ amount, currency, signed = false, plus = signed }: Props) {
  const text = formatMoney(amount, currency, plus ? 'exceptZero' : 'auto')
  // Firefox breaks a line between a sign and a currency.
  const head = /^[+−]\D*\d/.exec(text)?.[0] ?? ''
  return (
    <span class={signed && !amount.startsWith('-') ? 'money in' : 'money'}>
      {head && <span class="sign">{head}</span>}
      {text.slice(head.length)}
    </span>
  )
}

/** How the page writes amounts of a currency; with some languages that depends on the currency. */
function notation(currency: Currency) {
  const options = { style: 'currency', currency, minimumFractionDigits: 1 } as const
  const format = new Intl.NumberFormat(locale(), { ...options, useGrouping: 'always' })
  const parts = format.formatToParts(12345.6)
  const find = (wanted: string) => toPlain(parts.find(({ type }) => type === wanted)?.value ?? '')
  return { group: find('group'), decimal: find('decimal'), symbol: find('currency') }
}

/** In plain signs and the digits of ASCII, without the currency before or behind it. */
function toAscii(typed: string, currency: Currency): string {
  const nineToZero = new Intl.NumberFormat(locale(), { useGrouping: false }).format(9876543210)
  const digits = [...nineToZero].toReversed()
  const text = toPlain(typed)
    .replace(/\p{Nd}/gu, (digit) => String(digits.includes(digit) ? digits.indexOf(digit) : digit))
    .trim()
  const isShown = (name: string) => text.startsWith(name) || text.endsWith(name)
  return text.replace([notation(currency).symbol, currency].find(isShown) ?? '', '').trim()
}

/** Whether thousands are grouped by three, or as the page shows them: `12,34,567` in India. */
function isGrouped([first = '', ...others]: string[]): boolean {
  const all = [first, ...others]
  if (!/^[1-9]/.test(first) || !all.every((group) => /^\d+$/.test(group))) return false
  if (first.length <= 3 && others.every((group) => group.length === 3)) return true
  const format = new Intl.NumberFormat(locale(), { useGrouping: 'always', numberingSystem: 'latn' })
  const shown = format.formatToParts(BigInt(all.join('')))
  const groups = shown.filter(({ type }) => type === 'integer').map(({ value }) => value)
  return groups.join() === all.join()
}

/**
 * `1,234.5` as typed in the notation in which the page shows amounts → `1234.50`. Undefined for
 * anything that could be read in two ways: each sign has to stand where the page writes it, or be
 * left out. A space may stand between thousands in every language (ISO 80000-1).
 *
 * @param least whether zero is an amount
 */
export function parseTyped(
  typed: string,
  currency: Currency,
  least: 'aboveZero' | 'zero' = 'aboveZero',
): string | undefined {
  const { group, decimal } = notation(currency)
  const [whole = '', fraction, ...more] = toAscii(typed, currency).split(decimal)
  const sign = whole.includes(group) ? group : ' '
  const groups = whole.split(sign)
  const isWhole = groups.length === 1 ? /^\d+$/.test(whole) : isGrouped(groups)
  // `12 500` may be twelve dinars and a half without the decimal sign.
  const hasOneSpace = sign !== group && groups.length === 2 && fraction === undefined
  if (hasOneSpace && formatAmount(1n, currency) === '0.001') return undefined
  if (!isWhole || fraction === '' || more.length > 0) return undefined
  const digits = groups.join('').replace(/^0+(?=\d)/, '')
  const amount = parseAmount(fraction === undefined ? digits : `${digits}.${fraction}`, currency)
  const isRefused = amount === undefined || (amount === 0n && least !== 'zero')
  return isRefused ? undefined : formatAmount(amount, currency)
}

const minorDigits = (currency: Currency): number =>
  formatAmount(0n, currency).split('.')[1]?.length ?? 0
/** As the API takes them. */
const wholeDigitsMax = 15

/** What is wrong with a text that is no amount: which kind of it, and how to write it. */
export function amountError(typed: string, currency: Currency): string {
  const t = texts().form
  const example = toTyped(formatAmount(1234n, currency), currency)
  if (parseTyped(typed, currency, 'zero') !== undefined) return t.zeroAmount(example)
  const text = toAscii(typed, currency)
  if (text === '') return t.required
  if (/^[-+]/.test(text) && parseTyped(text.slice(1), currency, 'zero')) return t.signedAmount
  const { group, decimal } = notation(currency)
  const [whole = '', fraction, ...others] = text.split(decimal)
  const most = minorDigits(currency)
  const isWhole = /^\d+$/.test(whole) || isGrouped(whole.split(group))
  if (isWhole && whole.replace(/\D/g, '').length > wholeDigitsMax) return t.longAmount
  // Three digits behind the sign may be thousands.
  const digits = /^(\d{1,2}|\d{4,})$/.exec(fraction ?? '')?.[0].length ?? 0
  if (isWhole && digits > most && others.length === 0) {
    return t.manyDigits(
      currency,
      most,
      most === 0 ? (example.split(decimal)[0] as string) : example,
    )
  }
  // Digits, and signs between them.
  const isUnclear = /^\d+([ .,'\u066b\u066c]+\d*)+$/.test(text)
  if (!isUnclear) return t.badAmount(example)
  const long = formatAmount(1_234_500n, currency)
  return t.unclearAmount(typed.trim(), formatMoney(long, currency), toTyped(long, currency))
}

/** A decimal string in the person's own notation, for a field to begin with. */
export const toTyped = (amount: string, currency: Currency): string =>
  amount.replace('.', notation(currency).decimal)

/** The exact sum of amounts as the API answers them: with all minor digits of the currency. */
export const sum = (amounts: readonly string[], currency: Currency): string =>
  formatAmount(
    amounts.reduce((total, amount) => total + BigInt(amount.replace('.', '')), 0n),
    currency,
  )

export const negate = (amount: string): string =>
  amount.startsWith('-') ? amount.slice(1) : `-${amount}`
