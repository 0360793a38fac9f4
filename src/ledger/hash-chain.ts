// The hash chain of an account's entries: whoever changes, drops or slips in an entry, or bends the
// terms of its transfer, has to rewrite every later entry of both accounts too.
import { hash } from 'node:crypto'
import type { Transfer } from './order.ts'

/** What stands before an account's first entry. */
export const zeroHash = '0'.repeat(64)

/**
 * An entry as it is hashed: amounts in minor units, signed; time in milliseconds since the epoch.
 */
export type Link = {
  accountId: string
  seq: bigint
  kind: string
  amount: bigint
  balanceAfter: bigint
  createdAt: number
}

/** The texts of a transfer: personal data, which is erased one day. */
export type Texts = Pick<Transfer, 'reference' | 'counterpartyName' | 'counterpartyIban'>

/**
 * SHA-256, hexadecimal, over the texts and 128 random bits. The chain holds this in their place:
 * without the salt no text can be guessed from it, with the salt none can be replaced.
 */
export const commitTexts = (salt: string, texts: Texts): string =>
  hash(
    'sha256',
    JSON.stringify([salt, texts.reference, texts.counterpartyName, texts.counterpartyIban]),
    'hex',
  )

export type Terms = Omit<
  Transfer,
  keyof Texts | 'fromSeq' | 'toSeq' | 'status' | 'reversedBy' | 'isErased'
>

/** All of a transfer that never changes, joined by `|`, which none of the fields can contain. */
export const joinTerms = (terms: Terms, sessionId: string, commitment: string): string =>
  `${terms.id}|${terms.kind}|${terms.fromAccountId}|${terms.toAccountId}|${terms.amount}` +
  `|${terms.currency}|${terms.beneficiaryId ?? ''}|${terms.reversalOf ?? ''}|${terms.callerId}` +
  `|${sessionId}|${terms.createdAt}|${commitment}`

/**
 * SHA-256, hexadecimal, over an entry, what it is about and the hash before it: the terms of its
 * transfer, or of a settlement the identifier alone. Text joined by `|`, so an auditor can repeat
 * it with `sha256sum`.
 */
export const entryHash = (previous: string, link: Link, about: string): string =>
  hash(
    'sha256',
    `${previous}|${link.accountId}|${link.seq}|${link.kind}|${link.amount}|${link.balanceAfter}` +
      `|${link.createdAt}|${about}`,
    'hex',
  )
