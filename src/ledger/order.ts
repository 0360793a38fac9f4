// What is asked of the ledger, and what came of it: the words every part of the ledger shares.
import { hash } from 'node:crypto'
import type { AuditEvent } from '../audit/sql.ts'
import type { Role } from '../gate/roles.ts'
import type { Currency } from '../domain/money.ts'

/** What moves money. A reversal or a return brings back the money of an earlier transfer. */
export const kinds = ['transfer', 'deposit', 'withdrawal', 'reversal', 'return'] as const
export type Kind = (typeof kinds)[number]

export const statuses = ['completed', 'pending', 'returned'] as const
export type Status = (typeof statuses)[number]

/** Who is paid, when that is not simply an account of this bank. */
export type Counterparty = {
  name: string
  /** Null when the account is in this bank; the money waits in clearing otherwise. */
  iban: string | null
}

/** One movement of money as its caller asked for it. `settlement` moves none. */
export type Order = {
  kind: Kind | 'settlement'
  fromAccountId: string
  toAccountId: string
  /** Minor units. */
  amount: bigint
  currency: Currency
  reference: string
  beneficiaryId?: string
  counterparty?: Counterparty
  /** The transfer that is reversed, returned or settled. */
  originalId?: string
  /** Checked again inside the transaction: the session lives and its user has that role. */
  caller: { userId: string; sessionId: string; kid: string | null; role: Role }
  /** The Idempotency-Key. */
  key?: string
  /** What the audit trail says of it, in the transaction in which it takes effect. */
  event?: AuditEvent
}

/** A transfer as it stands in the books. Amount in minor units, time in milliseconds. */
export type Transfer = {
  id: string
  kind: Kind
  status: Status
  fromAccountId: string
  toAccountId: string
  fromSeq: bigint
  toSeq: bigint
  amount: bigint
  currency: Currency
  reference: string
  beneficiaryId: string | null
  counterpartyName: string | null
  counterpartyIban: string | null
  reversalOf: string | null
  reversedBy: string | null
  callerId: string
  createdAt: number
  /** Its texts are gone: the reference is empty, the counterparty null. */
  isErased: boolean
}

/** A transfer that took effect; `isReplayed` when it did so on an earlier request with this key. */
export type Posted = { transfer: Transfer; isReplayed: boolean }

/** What makes an order the same as another. */
export type Terms = Pick<
  Order,
  | 'kind'
  | 'caller'
  | 'fromAccountId'
  | 'amount'
  | 'currency'
  | 'reference'
  | 'beneficiaryId'
  | 'originalId'
> & { toAccountId?: string | undefined }

/**
 * What was asked, as 16 bytes in UUID form: equal for the same caller asking for the same movement.
 * Computed over validated values, so `"1.5"` and `"1.50"` EUR are one amount. The account that a
 * beneficiary stands for is left out: it is not known any more once the beneficiary is deleted.
 */
export function orderFingerprint(order: Terms): string {
  const asked = [
    order.kind,
    order.caller.userId,
    order.fromAccountId,
    order.beneficiaryId === undefined ? order.toAccountId : null,
    order.amount.toString(),
    order.currency,
    order.reference,
    order.beneficiaryId ?? null,
    order.originalId ?? null,
  ]
  const hex = hash('sha256', JSON.stringify(asked), 'hex')
  return (
    `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}` +
    `-${hex.slice(16, 20)}-${hex.slice(20, 32)}`
  )
}

/** An order with what it is known by when it is repeated. */
export type Submission = {
  order: Order
  fingerprint: string
  /** The key among all callers' keys: one caller's key says nothing of another's. */
  claimName: string | undefined
}

export function toSubmission(order: Order): Submission {
  const { key, caller } = order
  const claimName = key === undefined ? undefined : toClaimName(caller.userId, key)
  return { order, fingerprint: orderFingerprint(order), claimName }
}

export const toClaimName = (callerId: string, key: string): string => `${callerId} ${key}`
