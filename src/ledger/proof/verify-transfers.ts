// Whether a transfer agrees with its entries, with what brought it back, and with what numbers it.
import {
  type Columns,
  currencyText,
  type Db,
  fragment,
  Fragment,
  type RowOf,
  select,
  sql,
  statement,
} from '../../database/statements/statement.ts'
import { firstId } from '../../domain/ids.ts'
import { bankAccount } from '../rules/internal-accounts.ts'
import { canBeNumbered, goesElsewhere, isBack, isCaptureKind } from '../rules/movement.ts'
import { readAhead, rowsPerPage } from './verify-pages.ts'

const transfer = {
  id: 'uuid',
  kind: 'text',
  status: 'text',
  fromAccountId: 'uuid',
  toAccountId: 'uuid',
  currency: currencyText,
  callerId: 'uuid',
} as const

const checked = {
  ...transfer,
  isDebited: 'bool',
  isCredited: 'bool',
  archivedSides: 'int4',
  isSettled: 'bool',
  isSent: 'bool',
  hasItsMarks: 'bool',
  numberedBy: 'uuid?',
  isSettlementNumbered: 'bool',
  isOfHold: 'bool',
  isOfCard: 'bool',
  isChargeback: 'bool',
  isTakeback: 'bool',
  isKeptAsBack: 'bool',
  isErased: 'bool',
  isErasedWhole: 'bool',
  isErasureRecorded: 'bool',
  backKind: 'text?',
  backToId: 'uuid?',
  isBackWhole: 'bool?',
} as const satisfies Columns

/** Whether an entry is in an archive: the head says so, and what is kept of its transfer. */
const isMarkArchived = (seq: Fragment): Fragment =>
  fragment`t.${seq} <= v.seq and z.${seq} = t.${seq}`
const isSideArchived = (side: Fragment, head: Fragment): Fragment =>
  fragment`(t.${side}_seq <= ${head}.seq and t.created_at <= ${head}.at
         and (z.${side}_account_id, z.${side}_seq) = (t.${side}_account_id, t.${side}_seq))`
const isDebitArchived = isSideArchived(fragment`from`, fragment`f`)
const isCreditArchived = isSideArchived(fragment`to`, fragment`v`)
const isSettled = fragment`coalesce(s.transfer_id = t.id and s.kind = 'settlement',
       ${isMarkArchived(fragment`settled_seq`)}, false)`
const isSent = fragment`coalesce(n.transfer_id = t.id and n.kind = 'sending',
       ${isMarkArchived(fragment`sent_seq`)}, false)`

/** Transfers `t` with what has to be in the books because of them, in their order. */
const selectChecked = (where: Fragment, before: Fragment): Fragment =>
  fragment`select ${select(transfer, 't')},
     coalesce(d.transfer_id = t.id and d.amount = -t.amount,
       t.id < ${before} or ${isDebitArchived}, false) as "isDebited",
     coalesce(c.transfer_id = t.id and c.amount = t.amount,
       t.id < ${before} or ${isCreditArchived}, false) as "isCredited",
     coalesce(${isDebitArchived}, false)::int4 + coalesce(${isCreditArchived}, false)::int4
       as "archivedSides",
     ${isSettled} as "isSettled", ${isSent} as "isSent",
     (t.settled_seq is null or ${isSettled}) and (t.sent_seq is null or ${isSent})
       as "hasItsMarks",
     x.caller_id as "numberedBy", y.transfer_id is not null as "isSettlementNumbered",
     k.transfer_id is not null as "isOfHold",
     r.transfer_id is not null as "isOfCard", g.transfer_id is not null as "isChargeback",
     coalesce(q.chargeback_id = t.reversal_of, false) as "isTakeback",
     coalesce(o.by_transfer_id = t.id, t.reversal_of is null) as "isKeptAsBack",
     t.salt is null as "isErased",
     num_nonnulls(t.commitment, t.erasure_id) = case when t.salt is null then 2 else 0 end
       as "isErasedWhole",
     coalesce((select x.action = 'erase' from audit_events x where x.id = t.erasure_id), false)
       as "isErasureRecorded",
     b.kind as "backKind", b.to_account_id as "backToId",
     (b.amount = t.amount and b.currency = t.currency
       and (b.from_account_id = t.to_account_id
         -- Of an account that is closed, suspense has paid it.
         or (b.kind = 'takeback' and exists (
           select from accounts where id = b.from_account_id and kind = 'suspense')))
     ) as "isBackWhole"
   from (
     select id, kind, status, amount, currency, caller_id, from_account_id, to_account_id,
            from_seq, to_seq, sent_seq, settled_seq, created_at, salt, commitment, erasure_id,
            reversal_of
     from transfers where ${where}
   ) t
   left join entries d
     on d.account_id = case when t.id >= ${before} then t.from_account_id end and d.seq = t.from_seq
   left join entries c
     on c.account_id = case when t.id >= ${before} then t.to_account_id end and c.seq = t.to_seq
   left join entries s on s.account_id = t.to_account_id and s.seq = t.settled_seq
   left join entries n on n.account_id = t.to_account_id and n.seq = t.sent_seq
   left join external_ids x on x.transfer_id = t.id and not x.is_settlement
   left join external_ids y on y.transfer_id = t.id and y.is_settlement
   left join hold_captures k
     on k.transfer_id = case when t.kind in ('capture', 'card', 'clearing') then t.id end
   left join card_refunds r on r.transfer_id = case when t.kind = 'refund' then t.id end
   left join card_chargebacks g
     on g.transfer_id = case when t.kind = 'chargeback' then t.id end
   left join chargeback_ends q
     on q.transfer_id = case when t.kind = 'takeback' then t.id end
   left join brought_back o on o.transfer_id = t.reversal_of
   left join brought_back w on w.transfer_id = t.id
   left join transfers b on b.id = w.by_transfer_id
   left join archived_heads f on f.account_id = t.from_account_id
   left join archived_heads v on v.account_id = t.to_account_id
   left join archived_terms z on z.transfer_id = t.id
   order by t.id`

/** After one and up to `$4`. Of those below `$3` the two entries are taken to be there. */
const readTransferPage = statement(
  'verify_read_transfer_page',
  ['uuid', 'int8', 'uuid', 'uuid'],
  checked,
  sql`${selectChecked(fragment`id > $1 and id <= $4 order by id limit $2`, fragment`$3`)}`,
)

const readTransfers = statement(
  'verify_read_transfers',
  ['uuid[]'],
  checked,
  sql`${selectChecked(fragment`id = any($1)`, new Fragment(`'${firstId}'::uuid`))}`,
)

type Transfer = RowOf<typeof checked>

const idsPerPage = 5000

export type TransferRange = {
  after: string
  upTo: string
  /** Below this identifier the entries are not looked up. */
  before: string
}

/** The first flaw, in words, and what was counted. */
export async function findFlawOfTransfers(db: Db, { after, upTo, before }: TransferRange) {
  const counts = { transfers: 0, erased: 0, sidesBefore: 0 }
  const read = (last?: { id: string }) =>
    db.run(readTransferPage, [last?.id ?? after, rowsPerPage, before, upTo])
  for await (const page of readAhead(read)) {
    for (const row of page) {
      const flaw = findTransferFlaw(row)
      if (flaw !== undefined) return { ...counts, flaw: `Transfer ${row.id}: ${flaw}` }
      if (row.isErased) counts.erased++
      if (row.id < before) counts.sidesBefore += 2 - row.archivedSides
    }
    counts.transfers += page.length
  }
  return { ...counts, flaw: undefined }
}

/** The first flaw of transfers that have to be there, in words. */
export async function findFlawOfThese(db: Db, ids: readonly string[]): Promise<string | undefined> {
  for (let at = 0; at < ids.length; at += idsPerPage) {
    const some = ids.slice(at, at + idsPerPage)
    const rows = new Map((await db.run(readTransfers, [some])).map((row) => [row.id, row]))
    for (const id of some) {
      const row = rows.get(id)
      const flaw = row ? findTransferFlaw(row) : 'it is missing'
      if (flaw !== undefined) return `Transfer ${id}: ${flaw}`
    }
  }
  return undefined
}

/** What is wrong with a transfer; undefined: nothing. */
function findTransferFlaw(row: Transfer): string | undefined {
  if (!row.isDebited || !row.isCredited)
    return 'one of its two entries is missing or is another one'
  if (row.status !== computeStatus(row) || !row.hasItsMarks) return 'its status is wrong'
  if (row.isOfHold !== isCaptureKind(row.kind)) return 'it captures no hold'
  if (row.isOfCard !== (row.kind === 'refund')) return 'it refunds no card payment'
  if (row.isChargeback !== (row.kind === 'chargeback')) return 'it charges no card payment back'
  if (row.isTakeback !== (row.kind === 'takeback')) return 'it ends no chargeback'
  if (!row.isKeptAsBack) return 'what it brings back does not name it'
  if (!isRightlyNumbered(row)) return 'its external identifier is missing or wrong'
  if (row.backKind !== null && !(row.isBackWhole && isBackWhereItBelongs(row))) {
    return 'what came back is something else'
  }
  if (!row.isErasedWhole) return 'its texts are erased in part'
  const isRecorded = !row.isErased || row.isErasureRecorded
  return isRecorded ? undefined : 'its texts were erased without a record'
}

/**
 * A payment has the number of the caller that sent it, and of the one that settled it. A booking
 * has the number of its caller.
 */
function isRightlyNumbered(row: Transfer): boolean {
  const { kind, isSent, isSettled, numberedBy, callerId, isSettlementNumbered } = row
  if (isSettlementNumbered && !isSettled) return false
  if (kind === 'transfer' || goesElsewhere(row)) return isSent === (numberedBy !== null)
  if (numberedBy === null) return kind !== 'incoming'
  return canBeNumbered(kind) && numberedBy === callerId
}

/** A return for a closed account is in suspense. */
const isBackWhereItBelongs = ({ backKind, backToId, fromAccountId, currency }: Transfer): boolean =>
  backToId === fromAccountId ||
  (backKind === 'return' && backToId === bankAccount('suspense', currency))

/** The status that follows from all that is in the books; undefined when that cannot be. */
function computeStatus(row: Transfer): string | undefined {
  const { kind, backKind, isSent, isSettled, toAccountId, currency } = row
  if (!goesElsewhere(row)) {
    // Out of suspense, money from another bank is sent back there.
    const isSentBack =
      kind === 'incoming' &&
      backKind === 'return' &&
      toAccountId === bankAccount('suspense', currency)
    const isRight =
      backKind === null ||
      isSentBack ||
      (backKind === 'takeback' ? kind === 'chargeback' : backKind === 'reversal' && !isBack(kind))
    return isRight && !isSent && !isSettled ? 'completed' : undefined
  }
  if (backKind === 'return') return 'returned'
  if (backKind === 'cancellation') return isSent || isSettled ? undefined : 'cancelled'
  if (isSettled) return 'completed'
  // Only what has arrived is reversed.
  if (backKind !== null) return undefined
  return isSent ? 'sent' : 'pending'
}
