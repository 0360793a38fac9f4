// An account as the rules of the ledger read it, for their tests without a database.
import type { Account } from '../../src/ledger/rules/decide.ts'

/** An active customer's account of Ada with EUR 1.00, without limits, holds or blocks. */
export const ledgerAccount = (more: Partial<Account> = {}): Account => ({
  id: 'a',
  kind: 'customer',
  ownerId: 'ada',
  currency: 'EUR',
  status: 'active',
  balance: 100n,
  overdraftLimit: 0n,
  held: 0n,
  heldUntil: null,
  activeHolds: 0,
  dailyTransferLimit: null,
  ownPerPayment: null,
  ownPerDay: null,
  nextPerPayment: null,
  nextPerDay: null,
  nextLimitsAt: null,
  signaturesFrom: null,
  nextSignaturesFrom: null,
  nextSignaturesAt: null,
  debitsBlockedUntil: null,
  creditsBlockedUntil: null,
  spentOn: null,
  spentAmount: 0n,
  ...more,
})
