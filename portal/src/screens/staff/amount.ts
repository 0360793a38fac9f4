import { texts } from '../../language.ts'
import { type Currency, sum, toTyped } from '../../money.tsx'

/** The message for what is no amount of that currency. */
export const badAmount = (currency: Currency): string =>
  texts().cash.badAmount(toTyped(sum(['1234'], currency)))
