// External identifiers among those of all callers: read after the locks, written with what they
// number.
import { rowArrays } from '../../database/statements/arrays.ts'
import { bareColumns, type Db, sql, statement } from '../../database/statements/statement.ts'
import {
  externalColumns,
  numberedColumns,
  type NumberedRow,
  toExternalName,
} from '../rules/external-ids.ts'
import type { Movement } from '../rules/movement.ts'
import { ifAny } from './transfers.ts'

/** One array costs less than two. */
export const toProof = ({ bodyHash, seal }: Pick<NumberedRow, 'bodyHash' | 'seal'>): Buffer =>
  Buffer.from(bodyHash + (seal ?? ''), 'hex')

type Numbered = { callerId: string; externalId: string }

export const numberedIn = (movements: readonly Movement[]): Numbered[] =>
  movements.flatMap(({ caller, externalId }) =>
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
  sql`insert into external_ids (${bareColumns(numberedColumns)})
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
