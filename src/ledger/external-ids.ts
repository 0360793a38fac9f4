// External identifiers: how a program numbers what it orders. Unlike an Idempotency-Key, which
// lives a day, one stands for its transfer for ever: another system delivers the same thing months
// later.
import { createHash, hash } from 'node:crypto'
import { rowArrays } from '../database/arrays.ts'
import {
  bare,
  type Db,
  Fragment,
  fragment,
  type RowOf,
  sql,
  statement,
} from '../database/statement.ts'
import { canonicalJson } from '../domain/json.ts'
import type { Links } from './hash-chain.ts'
import { canBeNumbered, type ExternalId, kinds, type Order } from './order.ts'
import { ifAny } from './sql.ts'

/**
 * The external identifier of an order. Repeated by the same caller with the same terms, it gets the
 * first answer; with others, `idempotency_key_reused`.
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

const externalColumns = {
  callerId: 'uuid',
  externalId: 'text',
  bodyHash: 'text',
  transferId: 'uuid',
} as const
/** What an external identifier stands for: the transfer that was made, sent or settled. */
export type ExternalRow = RowOf<typeof externalColumns>

const numberedColumns = { ...externalColumns, isSettlement: 'bool', seal: 'text?' } as const
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

/** What the chain holds of an entry `e` beside its transfer. */
export const linkColumns = {
  numberedBy: 'uuid?',
  externalId: 'text?',
  bodyHash: 'text?',
  paymentId: 'uuid?',
} as const
export const selectLinks = fragment`x.caller_id as "numberedBy", x.external_id as "externalId",
     encode(x.body_hash, 'hex') as "bodyHash", r.payment_id as "paymentId"`
const numberedKinds = new Fragment(
  ['sending', 'settlement', ...kinds.filter((kind) => canBeNumbered[kind])]
    .map((kind) => `'${kind}'`)
    .join(', '),
)
/** A look-up for each of the entries that may have any. */
export const joinedLinks = fragment`left join external_ids x
     on x.transfer_id = case when e.kind in (${numberedKinds}) then e.transfer_id end
     and x.is_settlement = (e.kind = 'settlement')
   left join card_refunds r on r.transfer_id = case when e.kind = 'refund' then e.transfer_id end`

export function toLinks({
  numberedBy,
  externalId,
  bodyHash,
  paymentId,
  callerId,
}: RowOf<typeof linkColumns> & { callerId: string }): Links | undefined {
  if (externalId === null && paymentId === null) return undefined
  return { callerId: numberedBy ?? callerId, externalId, bodyHash, paymentId }
}

/** One array costs less than two. */
export const toProof = ({ bodyHash, seal }: Pick<NumberedRow, 'bodyHash' | 'seal'>): Buffer =>
  Buffer.from(bodyHash + (seal ?? ''), 'hex')

type Numbered = { callerId: string; externalId: string }

export const numberedIn = (orders: readonly Order[]): Numbered[] =>
  orders.flatMap(({ caller, externalId }) =>
    externalId ? { callerId: caller.userId, externalId: externalId.id } : [],
  )

const names = rowArrays<Numbered>('k', {
  callerId: ['uuid', ({ callerId }) => callerId],
  externalId: ['text', ({ externalId }) => externalId],
})
const readExternalRows = statement(
  'ledger_read_external_ids',
  names.takes,
  externalColumns,
  sql`select x.caller_id as "callerId", x.external_id as "externalId",
     encode(x.body_hash, 'hex') as "bodyHash", x.transfer_id as "transferId"
   from ${names.unnest} cross join lateral (
     select caller_id, external_id, body_hash, transfer_id from external_ids
     where caller_id = k.caller_id and external_id = k.external_id offset 0
   ) x`,
)
/** Read after the locks, like the claims of keys. */
export const readExternalIds = (db: Db, numbered: readonly Numbered[]) =>
  ifAny(numbered, () => db.run(readExternalRows, names.values(numbered)))

export const externalIdsKey = 'external_ids_pkey'

const rows = rowArrays<NumberedRow>('x', {
  callerId: ['uuid', ({ callerId }) => callerId],
  externalId: ['text', ({ externalId }) => externalId],
  proof: ['bytea', toProof],
  transferId: ['uuid', ({ transferId }) => transferId],
  isSettlement: ['bool', ({ isSettlement }) => isSettlement],
})
const writeExternalRows = statement(
  'ledger_write_external_ids',
  rows.takes,
  {},
  sql`insert into external_ids (${bare(numberedColumns)})
   select caller_id, external_id, substring(proof, 1, 32), transfer_id, is_settlement,
     nullif(substring(proof, 33), '')
   from ${rows.unnest}`,
)
/**
 * An identifier that another instance has used since it was looked for fails the whole transaction
 * on the primary key. In one order in every batch: two batches can wait for each other in one
 * direction only.
 */
export const writeExternalIds = (db: Db, made: readonly NumberedRow[]) =>
  db.run(
    writeExternalRows,
    rows.values(
      made.toSorted((one, other) =>
        toExternalName(one.callerId, one.externalId) <
        toExternalName(other.callerId, other.externalId)
          ? -1
          : 1,
      ),
    ),
  )
