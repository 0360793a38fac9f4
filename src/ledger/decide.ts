// Whether an order may take effect, given what its accounts are under their locks. Pure: no clock,
// no database, no order of arrival. The table below is the whole law, in order of precedence.
import type { Code } from '../domain/errors.ts'
import type { Order, Transfer } from './order.ts'

/** An account as the lock found it, and as the orders before in the same batch left it. */
export type Account = {
  id: string
  kind: 'customer' | 'cash' | 'clearing'
  ownerId: string | null
  currency: string
  status: 'active' | 'frozen' | 'closed'
  balance: bigint
  /** How far below zero the balance may go. */
  overdraftLimit: bigint
  /** How much may leave by transfers per day (UTC); null: no limit. */
  dailyTransferLimit: bigint | null
  /** What has left on that day. */
  spentOn: string | null
  spentAmount: bigint
}

/** A beneficiary as it stands while its account is held. */
export type Beneficiary = { accountId: string; status: 'active' | 'deactivated' | 'deleted' }

export type Facts = {
  from: Account | undefined
  to: Account | undefined
  /** The transfer the order brings back or settles. */
  original: Pick<Transfer, 'kind' | 'status' | 'reversedBy'> | undefined
  /** The beneficiary the order names. */
  beneficiary?: Beneficiary | undefined
  /** The day the order is posted on, `2026-01-31`. */
  day: string
}

type Known = Facts & { from: Account; to: Account }
type Check = readonly [refusal: Code, isBroken: (order: Order, facts: Known) => boolean]

/** No balance and no day's sum ever leaves int8, whose end is at 9.22e18. */
export const maxBalance = 9_000_000_000_000_000_000n

const isCustomers = ({ kind }: Account): boolean => kind === 'customer'

const checks: readonly Check[] = [
  ['forbidden', isForeign],
  ['not_found', isWrongSide],
  ['illegal_transition', cannotBeUndone],
  ['already_reversed', (_, { original }) => (original?.reversedBy ?? null) !== null],
  ['account_closed', (_, { from, to }) => from.status === 'closed' || to.status === 'closed'],
  ['account_frozen', (_, { from }) => from.status === 'frozen'],
  ['beneficiary_inactive', isInactive],
  ['currency_mismatch', ({ currency }, { from }) => from.currency !== currency],
  ['currency_mismatch', ({ currency }, { to }) => to.currency !== currency],
  ['invalid_request', (_, { from, to }) => from.id === to.id],
  ['invalid_request', ({ amount }) => amount <= 0n],
  ['insufficient_funds', isBelowFloor],
  ['limit_exceeded', isAboveDailyLimit],
  ['limit_exceeded', ({ amount }, { from, to }) => isTooFar(from, -amount) || isTooFar(to, amount)],
]

/** The refusal an order meets first, or undefined: after that, it must succeed. */
export function decide(order: Order, facts: Facts): Code | undefined {
  const { from, to, original } = facts
  if (!from || !to) return order.kind === 'transfer' ? 'forbidden' : 'not_found'
  if (order.kind === 'settlement') {
    return original?.status === 'pending' ? undefined : 'illegal_transition'
  }
  const known = { ...facts, from, to }
  return checks.find(([, isBroken]) => isBroken(order, known))?.[0]
}

/** The gate has asked already; this is the answer under the lock. */
function isForeign(
  { kind, caller, beneficiaryId }: Order,
  { from, to, beneficiary }: Known,
): boolean {
  if (kind !== 'transfer') return false
  if (from.ownerId !== caller.userId) return true
  if (beneficiaryId !== undefined) return beneficiary?.accountId !== from.id
  return to.ownerId !== caller.userId
}

/**
 * The bank's own accounts are a side of a movement only where its kind says so, and a beneficiary
 * that was deleted leads nowhere.
 */
function isWrongSide({ kind, counterparty }: Order, { from, to, beneficiary }: Known): boolean {
  if (kind === 'transfer' && beneficiary?.status === 'deleted') return true
  if (kind === 'transfer') return isCustomers(to) !== ((counterparty?.iban ?? null) === null)
  if (kind === 'deposit') return !isCustomers(to)
  if (kind === 'withdrawal') return !isCustomers(from)
  return false
}

/** Deactivated since the request was let in, maybe: this is the answer under the lock. */
function isInactive({ kind, beneficiaryId }: Order, { beneficiary }: Known): boolean {
  return kind === 'transfer' && beneficiaryId !== undefined && beneficiary?.status !== 'active'
}

/**
 * Only what was completed is reversed, only what is pending is returned, and neither twice over.
 */
function cannotBeUndone({ kind }: Order, { original }: Known): boolean {
  if (kind === 'return') return original?.status !== 'pending'
  if (kind !== 'reversal') return false
  const isUndoing = original?.kind === 'reversal' || original?.kind === 'return'
  return original?.status !== 'completed' || isUndoing
}

/** The bank's own accounts have no floor: what they lack is what the customers have. */
function isBelowFloor({ amount }: Order, { from }: Known): boolean {
  return from.kind === 'customer' && from.balance - amount < -from.overdraftLimit
}

/** Only what its owner sends counts; what staff take back or pay out does not. */
function isAboveDailyLimit({ kind, amount }: Order, { from, day }: Known): boolean {
  if (kind !== 'transfer' || from.dailyTransferLimit === null) return false
  return spentOn(from, day) + amount > from.dailyTransferLimit
}

function isTooFar({ balance }: Account, change: bigint): boolean {
  const after = balance + change
  return after > maxBalance || after < -maxBalance
}

/** What has left the account by transfers on that day. */
export const spentOn = (account: Account, day: string): bigint =>
  account.spentOn === day ? account.spentAmount : 0n
