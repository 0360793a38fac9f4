// The bank's own accounts: known by heart, so that a deposit needs no look-up to find its other
// side.
import type { Currency } from '../domain/money.ts'

const digits = { cash: '01', clearing: '02' } as const

/**
 * The identifier of the bank-side account of a currency, as 0003_ledger.sql made it: cash for money
 * that comes in and goes out, clearing for money on its way to another bank.
 */
export const bankAccount = (side: keyof typeof digits, currency: Currency): string =>
  `00000000-0000-8000-8000-0000${digits[side]}${Buffer.from(currency).toString('hex')}`
