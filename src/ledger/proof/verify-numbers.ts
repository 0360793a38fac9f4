// The verification of external identifiers and of details: each stands for something that is there,
// and a number that no chain holds is sealed with what it stands for.
import {
  bareColumns,
  type Columns,
  type RowOf,
  select,
  sql,
  statement,
} from '../../database/statements/statement.ts'
import { type Authorization, sealedTerms } from '../rules/authorizations.ts'
import { sealNumber } from '../rules/external-ids.ts'

const number = {
  callerId: 'uuid',
  externalId: 'text',
  transferId: 'uuid',
  isSettlement: 'bool',
} as const

/** The authorisation that the number stands for; null: none. */
const authorized = {
  cardId: 'uuid?',
  accountId: 'uuid?',
  paymentId: 'uuid?',
  amount: 'int8?',
  currency: 'text?',
  channel: 'text?',
  reason: 'text?',
  createdAt: 'timestamptz?',
  expiresAt: 'timestamptz?',
  tolerance: 'int2?',
} as const satisfies Columns

/**
 * External identifiers with what they stand for. Of the two of one transfer a page may end with the
 * first and leave out the second: their chains prove both.
 */
export const readNumberPage = statement(
  'verify_read_number_page',
  ['uuid', 'int8'],
  {
    ...number,
    bodyHash: 'text',
    seal: 'text?',
    isOfTransfer: 'bool',
    isOfMade: 'bool',
    placedBy: 'uuid?',
    ...authorized,
  },
  sql`select ${select(number, 'x')}, encode(x.body_hash, 'hex') as "bodyHash",
     encode(x.seal, 'hex') as seal, t.id is not null as "isOfTransfer",
     m.id is not null as "isOfMade",
     coalesce(a.caller_id, h.caller_id, m.caller_id) as "placedBy", ${select(authorized, 'a')}
   from (
     select ${bareColumns(number)}, body_hash, seal from external_ids
     where transfer_id > $1 order by transfer_id limit $2
   ) x
   left join transfers t on t.id = x.transfer_id
   left join card_authorizations a on a.id = case when t.id is null then x.transfer_id end
   left join holds h on h.id = case when t.id is null and a.id is null then x.transfer_id end
   left join made_resources m
     on m.id = case when t.id is null and a.id is null and h.id is null then x.transfer_id end
   order by x.transfer_id`,
)

type Numbered = RowOf<typeof readNumberPage.gives>

/** What is wrong with an external identifier; undefined: nothing. */
export function findNumberFlaw(row: Numbered): string | undefined {
  const { transferId, callerId, placedBy, isOfTransfer, isOfMade, isSettlement, seal } = row
  const where = `An external identifier names transfer ${transferId}`
  if (isOfTransfer) return seal === null ? undefined : `${where}, and has a seal`
  if (placedBy === null) return `${where}, which is missing`
  const isRight =
    placedBy === callerId && !isSettlement && (seal === null ? !isOfMade : seal === toSeal(row))
  return isRight ? undefined : `${where}: it is not what was numbered`
}

function toSeal(row: Numbered): string {
  // A hold, a person, an account and a block have no card: what is authorised always has one.
  return sealNumber(row, row.channel === null ? [] : sealedTerms(row as Authorization & Numbered))
}

/** Details with whether their transfer is there. */
export const readDetailsPage = statement(
  'verify_read_details',
  ['uuid', 'int8'],
  { transferId: 'uuid', isThere: 'bool' },
  `select x.transfer_id as "transferId", t.id is not null as "isThere"
   from (
     select transfer_id from transfer_details where transfer_id > $1 order by transfer_id limit $2
   ) x
   left join transfers t on t.id = x.transfer_id
   order by x.transfer_id`,
)
