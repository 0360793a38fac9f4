// The bank's own accounts. Their identifiers are computed, so a deposit needs no look-up for its
// other side.
import type { Currency } from '../domain/money.ts'

const digits = { cash: '01', clearing: '02' } as const

/**
 * The identifier of the bank's account of a currency, as 0003_ledger.sql creates it: cash for money
 * that comes in and goes out, clearing for money on its way to another bank.
 */
export const bankAccount = (side: keyof typeof digits, currency: Currency): string =>
  `00000000-0000-8000-8000-0000${digits[side]}${Buffer.from(currency).toString('hex')}`
