// The bank's own accounts in requests and responses.
import { type Static, Type } from '../../domain/type.ts'
import { rfc3339 } from '../../domain/clock.ts'
import { formatAmount } from '../../domain/money.ts'
import {
  closed,
  Count,
  Currency,
  Name,
  named,
  secretKey,
  SignedAmount,
  Time,
} from '../../domain/schema.ts'
import type { BankAccountRow } from './sql.ts'

/** By what staff name an account of the bank, with its currency. */
export const BankCode = Type.String({
  title: 'BankCode',
  pattern: '^[a-z][a-z0-9-]*$',
  minLength: 2,
  maxLength: 30,
  description:
    'In every currency: `cash`, `clearing` (on its way from or to another bank), `fees`, ' +
    '`interest`, `suspense` (of no account yet) and `opening`.',
  examples: ['fees'],
  [secretKey]: false,
})

export const bankAccountParams = closed({ code: BankCode, currency: Currency })

export const BankAccount = named('BankAccount', {
  code: BankCode,
  currency: Currency,
  name: Name,
  balance: SignedAmount,
  entryCount: Count,
  createdAt: Time,
})

export const toBankAccount = (row: BankAccountRow): Static<typeof BankAccount> => ({
  code: row.code,
  currency: row.currency,
  name: row.name,
  balance: formatAmount(row.balance, row.currency),
  // Marks of payments have no amount, and are in no list.
  entryCount: Number.parseInt((row.lastSeq - row.markCount).toString(), 10),
  createdAt: rfc3339(row.createdAt.getTime()),
})
