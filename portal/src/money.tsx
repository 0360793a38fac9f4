// Amounts as people read and type them. They stay decimal strings: no float holds money.
import { type Currency, formatAmount, parseAmount } from '../../src/domain/money.ts'
import { locale } from './language.ts'

export { currencies, type Currency } from '../../src/domain/money.ts'

/** `-1234.5`, `EUR` → `-€1,234.50`; exact, because the string itself is formatted. */
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
  }).format(amount as Intl.StringNumericLiteral)
}

/** A number of things. */
export const formatCount = (count: number): string => new Intl.NumberFormat(locale()).format(count)

type Props = { amount: string; currency: string; signed?: boolean }

/** `signed`: with a plus as well, for entries of an account. */
export const Money = ({ amount, currency, signed = false }: Props) => (
  <span class={amount.startsWith('-') ? 'money money-out' : 'money'}>
    {formatMoney(amount, currency, signed ? 'exceptZero' : 'auto')}
  </span>
)

/** Both apostrophes, which Swiss write between thousands, as the one of the keyboard. */
const plainApostrophes = (text: string): string => text.replaceAll('\u2019', "'")

function separators(): { group: string; decimal: string } {
  const parts = new Intl.NumberFormat(locale(), { useGrouping: 'always' }).formatToParts(12345.6)
  const find = (type: string) => parts.find((part) => part.type === type)?.value ?? ''
  return { group: plainApostrophes(find('group')), decimal: find('decimal') }
}

/**
 * `1,234.5` as typed in the person's own notation → `1234.50`. Undefined for anything that could be
 * read in two ways: thousands have to be grouped by three or not at all.
 */
export function parseTyped(typed: string, currency: Currency): string | undefined {
  const { group, decimal } = separators()
  const text = plainApostrophes(typed.replace(/[\s\u00a0\u202f]/g, ''))
  const [whole = '', fraction, ...more] = text.split(decimal)
  if (more.length > 0 || fraction === '') return undefined
  const groups = group.trim() === '' ? [whole] : whole.split(group)
  const isGrouped = groups.every((part, at) => (at === 0 ? /^[1-9]\d{0,2}$/ : /^\d{3}$/).test(part))
  if (groups.length > 1 && !isGrouped) return undefined
  const digits = groups.join('').replace(/^0+(?=\d)/, '')
  const amount = parseAmount(fraction === undefined ? digits : `${digits}.${fraction}`, currency)
  return amount === undefined || amount === 0n ? undefined : formatAmount(amount, currency)
}

/** A decimal string in the person's own notation, for a field to begin with. */
export const toTyped = (amount: string): string => amount.replace('.', separators().decimal)

/** The exact sum of amounts as the API answers them: with all minor digits of the currency. */
export const sum = (amounts: readonly string[], currency: Currency): string =>
  formatAmount(
    amounts.reduce((total, amount) => total + BigInt(amount.replace('.', '')), 0n),
    currency,
  )

export const negate = (amount: string): string =>
  amount.startsWith('-') ? amount.slice(1) : `-${amount}`
