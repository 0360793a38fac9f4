// The hash chain of an account's entries: a change, a gap or an entry slipped in, or other terms of
// a transfer, would need every later entry of both accounts to be rewritten too.
import { hash } from 'node:crypto'
import { currencyText, type RowOf } from '../../database/statements/statement.ts'
import { detailColumns, type TransferDetails, type Texts, textColumns } from './movement.ts'
import { payeeColumns } from './payee-check.ts'

/** The hash before the first entry of an account. */
export const zeroHash = '0'.repeat(64)

/** An entry as it is hashed: signed amounts in minor units. */
export type Entry = {
  accountId: string
  seq: bigint
  kind: string
  amount: bigint
  balanceAfter: bigint
  createdAt: Date
}

const detailNames = Object.keys(detailColumns) as readonly (keyof typeof detailColumns)[]
const checkNames = Object.keys(payeeColumns) as readonly (keyof typeof payeeColumns)[]
const hasAny = (details: TransferDetails, names: readonly (keyof TransferDetails)[]): boolean =>
  names.some((name) => (details[name] ?? null) !== null)

/**
 * SHA-256, hexadecimal, over the texts and 128 random bits. The chain holds this in their place:
 * without the salt no text can be guessed from it, with the salt none can be replaced.
 *
 * @param details of the few transfers that have any; nothing stands for them otherwise
 */
export function commitTexts(salt: string, texts: Texts, details?: TransferDetails): string {
  const { reference, counterpartyName, counterpartyIban } = texts
  const committed: unknown[] = [salt, reference, counterpartyName, counterpartyIban]
  if (details) {
    const isChecked = hasAny(details, checkNames)
    if (isChecked || hasAny(details, detailNames)) {
      committed.push(...detailNames.map((name) => details[name]))
    }
    if (isChecked) committed.push(...checkNames.map((name) => details[name] ?? null))
  }
  return hash('sha256', JSON.stringify(committed), 'hex')
}

/** The columns of a transfer that the chain holds, beside those that its entries repeat. */
export const provenColumns = {
  currency: currencyText,
  ...textColumns,
  beneficiaryId: 'uuid?',
  reversalOf: 'uuid?',
  callerId: 'uuid',
  sessionId: 'uuid',
} as const

/** All columns of a transfer that the chain holds. */
export const termColumns = {
  id: 'uuid',
  kind: 'text',
  fromAccountId: 'uuid',
  toAccountId: 'uuid',
  amount: 'int8',
  createdAt: 'timestamptz',
  ...provenColumns,
} as const
type ChainedTerms = Omit<RowOf<typeof termColumns>, keyof Texts>

/** All of a transfer that never changes, joined by `|`, which none of the fields can contain. */
export const joinTerms = (terms: ChainedTerms, commitment: string): string =>
  `${terms.id}|${terms.kind}|${terms.fromAccountId}|${terms.toAccountId}|${terms.amount}` +
  `|${terms.currency}|${terms.beneficiaryId ?? ''}|${terms.reversalOf ?? ''}|${terms.callerId}` +
  `|${terms.sessionId}|${terms.createdAt.getTime()}|${commitment}`

/**
 * What an entry is about: the terms of its transfer and the commitment to its own texts. Entries
 * from before they kept any have the terms alone.
 */
export const joinTexts = (terms: string, commitment: string): string => `${terms}|${commitment}`

/** What else the books keep of what an entry is about. */
export type Links = {
  /** Who numbered it. */
  callerId: string
  /** Null, as its hash: it has no external identifier. */
  externalId: string | null
  bodyHash: string | null
  /** The card payment that a refund, a clearing or a chargeback is of. */
  paymentId: string | null
}

/** SHA-256, hexadecimal. */
export const digestLinks = ({ callerId, externalId, bodyHash, paymentId }: Links): string =>
  hash('sha256', JSON.stringify([callerId, externalId, bodyHash, paymentId]), 'hex')

/**
 * What an entry is about, with SHA-256 over its links: they are proved, and none is removed.
 * Entries of 0.3.0 and before hold none, whether they have any or not.
 */
export const joinLinks = (about: string, links: Links | undefined): string =>
  links === undefined ? about : `${about}|${digestLinks(links)}`

/** All that an entry may be about, where it has links: the chain of an older one holds none. */
export const readAbouts = (about: string, links: Links | undefined): string[] =>
  links === undefined ? [about] : [joinLinks(about, links), about]

/**
 * SHA-256, hexadecimal, over an entry, what it is about and the hash before it: the terms of its
 * transfer and its texts, or of a settlement the identifier alone; and its links. Text joined by
 * `|`: an auditor can repeat it with `sha256sum`.
 */
export const entryHash = (previous: string, entry: Entry, about: string): string =>
  hash(
    'sha256',
    `${previous}|${entry.accountId}|${entry.seq}|${entry.kind}|${entry.amount}` +
      `|${entry.balanceAfter}|${entry.createdAt.getTime()}|${about}`,
    'hex',
  )

/** The texts of a transfer with their salt; after an erasure their commitment is left. */
type Proven = Texts & { salt: string | null; commitment: string | null }

/** The commitment to the texts of a transfer as its row has them, hexadecimal. */
export const readCommitment = (row: Proven, details?: TransferDetails): string =>
  row.salt === null ? (row.commitment ?? '') : commitTexts(row.salt, row, details)
