// Claims: the first answer to each request with an Idempotency-Key, for as long as the key lives.
import { rowArrays, sameColumns } from '../../database/statements/arrays.ts'
import {
  bareColumns,
  type Db,
  type RowOf,
  select,
  sql,
  statement,
} from '../../database/statements/statement.ts'
import type { PlainCode } from '../../domain/errors.ts'
import { ifAny } from './transfers.ts'

const claimColumns = {
  callerId: 'uuid',
  key: 'text',
  fingerprint: 'uuid',
  transferId: 'uuid?',
  refusal: 'text?',
  limitTold: 'text?',
  claimedAt: 'timestamptz',
} as const
/**
 * The first answer to a request with that key: a transfer, or the code of a refusal with the limit
 * that was told with it, as JSON. Of a hold that was changed: how it was then. A standing order has
 * its place too, with the daily limit of its account then.
 */
export type Claim = Omit<RowOf<typeof claimColumns>, 'refusal'> & { refusal: PlainCode | null }
type ClaimKey = Pick<Claim, 'callerId' | 'key'>

const keys = rowArrays<ClaimKey>('k', {
  callerId: ['uuid', ({ callerId }) => callerId],
  key: ['text', ({ key }) => key],
})

// `offset 0`: each key is looked up by itself, whatever PostgreSQL knows of the table, which
// is empty at times and grows fast.
const readClaimRows = statement(
  'ledger_read_claims',
  keys.takes,
  claimColumns,
  sql`select ${select(claimColumns, 'c')} from ${keys.unnest}
   cross join lateral (
     select ${bareColumns(claimColumns)} from claims
     where caller_id = k.caller_id and key = k.key offset 0
   ) c`,
)
/** Read after the locks: another claim for a transfer of the same accounts has been committed. */
export const readClaims = (db: Db, claimKeys: readonly ClaimKey[]) =>
  ifAny(claimKeys, () => db.run(readClaimRows, keys.values(claimKeys)) as Promise<Claim[]>)

const dropClaimRows = statement(
  'ledger_drop_claims',
  ['uuid[]', 'text[]', 'timestamptz'],
  sql`delete from claims c using ${keys.unnest}
   where c.caller_id = k.caller_id and c.key = k.key and c.claimed_at <= $3`,
)
/** Drops claims that were made then or before, so that their keys can be claimed anew. */
export const dropClaims = (db: Db, stale: readonly ClaimKey[], until: Date) =>
  db.run(dropClaimRows, [stale.map(({ callerId }) => callerId), stale.map(({ key }) => key), until])

export const claimsKey = 'claims_pkey'

const claims = rowArrays<Claim>(
  'c',
  sameColumns(claimColumns, (claim: Claim) => claim),
)
const writeClaimRows = statement(
  'ledger_write_claims',
  claims.takes,
  sql`insert into claims (${bareColumns(claimColumns)})
   select ${bareColumns(claimColumns)} from ${claims.unnest}`,
)
/**
 * A key that another instance has claimed since it was looked for, for a transfer of other
 * accounts, fails the whole transaction on the primary key: nothing is paid for it.
 */
export const writeClaims = (db: Db, rows: readonly Claim[]) =>
  db.run(writeClaimRows, claims.values(rows))
