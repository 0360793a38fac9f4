// Money: a bigint of minor units inside, a decimal string outside, never a float.

/** ISO 4217 minor digits of the currencies of accounts. */
const minorDigits = Object.freeze({
  AED: 2,
  AUD: 2,
  BHD: 3,
  CAD: 2,
  CHF: 2,
  CZK: 2,
  DKK: 2,
  EUR: 2,
  GBP: 2,
  HUF: 2,
  JPY: 0,
  KWD: 3,
  NOK: 2,
  NZD: 2,
  PLN: 2,
  SEK: 2,
  SGD: 2,
  TND: 3,
  USD: 2,
})

export type Currency = keyof typeof minorDigits
export const currencies = Object.keys(minorDigits) as Currency[]

/** An amount of any currency: no sign, no exponent, no leading zero. */
export const amountPattern = '^(0|[1-9][0-9]{0,14})(\\.[0-9]{1,3})?$'
const amountShape = new RegExp(amountPattern)

/**
 * `"12.34"` → `1234n`. Undefined when the text is not an amount of that currency: a sign, an
 * exponent, more minor digits than ISO 4217 gives it, more than 15 digits before the point.
 */
export function parseAmount(text: string, currency: Currency): bigint | undefined {
  if (!amountShape.test(text)) return undefined
  const [whole = '', fraction = ''] = text.split('.')
  const digits = minorDigits[currency]
  if (fraction.length > digits) return undefined
  return BigInt(whole + fraction.padEnd(digits, '0'))
}

/** `1234n` → `"12.34"`, `-5n` → `"-0.05"`; always with all minor digits of the currency. */
export function formatAmount(minorUnits: bigint, currency: Currency): string {
  const digits = minorDigits[currency]
  const sign = minorUnits < 0n ? '-' : ''
  const text = (minorUnits < 0n ? -minorUnits : minorUnits).toString().padStart(digits + 1, '0')
  if (digits === 0) return sign + text
  return `${sign}${text.slice(0, -digits)}.${text.slice(-digits)}`
}
