// Amounts are decimal strings, as the bank sends them, or exact minor units; never a float.
import { formatAmount, parseAmount } from '../../src/domain/money.ts'
import type { Currency } from './generated.ts'

function parse(amount: string, currency: Currency): bigint {
  const isNegative = amount.startsWith('-')
  const units = parseAmount(isNegative ? amount.slice(1) : amount, currency)
  if (units === undefined) throw new RangeError(`Not an amount of ${currency}: ${amount}`)
  return isNegative ? -units : units
}

export const money = {
  /**
   * `"12.34"` of EUR → `1234n`, in minor units of ISO 4217. Throws RangeError for anything that is
   * not an amount of that currency, such as more minor digits than it has.
   */
  parse,
  /** `1234n` of EUR → `"12.34"`, always with all minor digits. */
  format: (minorUnits: bigint, currency: Currency): string => formatAmount(minorUnits, currency),
  /** The exact sum of amounts of one currency; `"0.00"` of none. */
  add: (amounts: readonly string[], currency: Currency): string =>
    formatAmount(
      amounts.reduce((sum, amount) => sum + parse(amount, currency), 0n),
      currency,
    ),
}
