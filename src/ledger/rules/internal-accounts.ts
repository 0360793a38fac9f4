// The bank's own accounts. Their identifiers are computed, so a deposit needs no look-up for its
// other side.
import type { Currency } from '../../domain/money.ts'

const digits = {
  cash: '01',
  clearing: '02',
  fees: '03',
  interest: '04',
  suspense: '05',
  opening: '06',
} as const

/** An account that the bank has in every currency. */
export type BankCode = keyof typeof digits
export const bankCodes = Object.keys(digits) as readonly BankCode[]

/** How many more an administrator may add, in all currencies together. */
export const furtherMax = 50
const furtherFirst = 0x10

const prefix = '00000000-0000-8000-8000-0000'
const toId = (pair: string, currency: string): string =>
  `${prefix}${pair}${Buffer.from(currency).toString('hex')}`

/**
 * The identifier of the bank's account of a currency, as 0003_ledger.sql and 0030_bank_accounts.sql
 * create it: cash for money that comes in and goes out over the counter, clearing for money on its
 * way from or to another bank, suspense for money that belongs to no account yet.
 */
export const bankAccount = (code: BankCode, currency: Currency): string =>
  toId(digits[code], currency)

/** The identifier of a further account, by its number from 0 to below {@link furtherMax}. */
export const furtherAccount = (number: number, currency: Currency): string =>
  toId((furtherFirst + number).toString(16), currency)

/** Whether it names an account of the bank. No customer's account has such an identifier. */
export const isBankAccountId = (id: string): boolean => id.startsWith(prefix)

/** Not smaller than the identifier of any account of the bank. */
export const lastBankId = `${prefix}ffffffff`

/** Whether an account of the bank has the identifier that its kind and currency give it. */
export function isRightBankId(id: string, kind: string, currency: Currency): boolean {
  if (kind !== 'further') {
    return Object.hasOwn(digits, kind) && id === toId(digits[kind as BankCode], currency)
  }
  const number = Number.parseInt(id.slice(prefix.length, prefix.length + 2), 16) - furtherFirst
  return number >= 0 && number < furtherMax && id === furtherAccount(number, currency)
}
