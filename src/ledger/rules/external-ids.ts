// External identifiers: how a program numbers what it orders. Unlike an Idempotency-Key, which
// lives a day, one stands for its transfer for ever: another system delivers the same thing months
// later.
import { createHash, hash } from 'node:crypto'
import type { RowOf } from '../../database/statements/statement.ts'
import { canonicalJson } from '../../domain/json.ts'
import type { ExternalId } from './movement.ts'

/**
 * The external identifier of a movement. Repeated by the same caller with the same terms, it gets
 * the first answer; with others, `idempotency_key_reused`.
 *
 * @param operation of the route: one identifier numbers one thing, whatever the caller does with it
 * @param terms all that is ordered, as the caller named it: what the terms lead to may change
 */
export const toExternalId = (id: string, operation: string, terms: unknown): ExternalId => ({
  id,
  bodyHash: createHash('sha256')
    .update(canonicalJson([operation, terms]))
    .digest('hex'),
})

/** An external identifier among those of all callers. */
export const toExternalName = (callerId: string, externalId: string): string =>
  `${callerId} ${externalId}`

export const externalColumns = {
  callerId: 'uuid',
  externalId: 'text',
  bodyHash: 'text',
  transferId: 'uuid',
} as const
/** What an external identifier stands for: the transfer that was made, sent or settled. */
export type ExternalRow = RowOf<typeof externalColumns>

export const numberedColumns = { ...externalColumns, isSettlement: 'bool', seal: 'text?' } as const
/** A transfer has one identifier as what was made or sent, and one as what was settled. */
export type NumberedRow = RowOf<typeof numberedColumns>

/**
 * SHA-256, hexadecimal, over an identifier and what it stands for, where no chain holds it.
 *
 * @param terms of an authorization: see `sealedTerms`
 */
export const sealNumber = (
  { callerId, externalId, bodyHash, transferId }: ExternalRow,
  terms: readonly unknown[] = [],
): string =>
  hash('sha256', JSON.stringify([callerId, externalId, bodyHash, transferId, ...terms]), 'hex')
