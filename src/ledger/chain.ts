// The hash chain of an account's entries: whoever changes, drops or slips in an entry, or bends the
// terms of its transfer, has to rewrite every later entry of both accounts too.
import { hash } from 'node:crypto'
import type { Transfer } from './order.ts'

/** What stands before an account's first entry. */
export const genesis = '0'.repeat(64)

/**
 * An entry as it is hashed: amounts in minor units, signed; time in milliseconds since the epoch.
 */
export type Link = {
  accountId: string
  seq: bigint
  transferId: string
  amount: bigint
  balanceAfter: bigint
  createdAt: number
}

/** SHA-256, hexadecimal, over the terms of a transfer: all of it but its status. */
export const digestOf = (transfer: Omit<Transfer, 'status' | 'reversedBy'>): string =>
  hash(
    'sha256',
    JSON.stringify([
      transfer.id,
      transfer.kind,
      transfer.fromAccountId,
      transfer.toAccountId,
      transfer.amount.toString(),
      transfer.currency,
      transfer.reference,
      transfer.beneficiaryId,
      transfer.counterpartyName,
      transfer.counterpartyIban,
      transfer.reversalOf,
      transfer.callerId,
      transfer.createdAt,
    ]),
    'hex',
  )

/**
 * SHA-256, hexadecimal, over an entry, its transfer's digest and the hash before it. The fields are
 * text joined by `|`, which none of them can contain, so an auditor can repeat it with `sha256sum`.
 */
export const hashOf = (previous: string, link: Link, digest: string): string =>
  hash(
    'sha256',
    `${previous}|${link.accountId}|${link.seq}|${link.transferId}|${link.amount}` +
      `|${link.balanceAfter}|${link.createdAt}|${digest}`,
    'hex',
  )
