// What an archive is made of: the entries of each account before a time, each with what its hash is
// over, and the transfers that leave the database with them.
import {
  currencyText,
  fragment,
  type Fragment,
  sql,
  statement,
} from '../../database/statements/statement.ts'
import { searchByHalving } from '../proof/halving.ts'
import { joinedLinks, joinedLinksOf, selectLinks } from '../proof/links.ts'

/**
 * Accounts behind one, with where their chains begin in the database, and the last entry there
 * before the time `$2`: times in an account never go back.
 */
export const readArchivable = statement(
  'archive_read_accounts',
  ['uuid', 'timestamptz', 'int8'],
  {
    id: 'uuid',
    kind: 'text',
    currency: currencyText,
    ownerId: 'uuid?',
    seq: 'int8',
    hash: 'text',
    balance: 'int8',
    markCount: 'int8',
    at: 'timestamptz',
    endSeq: 'int8',
    endHash: 'text?',
  },
  sql`with recursive page as materialized (
     select a.id, a.kind, a.currency, a.owner_id, a.last_seq, coalesce(h.seq, 0) as seq, h.hash,
       coalesce(h.balance_after, 0) as balance, coalesce(h.mark_count, 0) as mark_count, h.at
     from accounts a left join archived_heads h on h.account_id = a.id
     where a.id > $1 order by a.id limit $3
   ), ${searchByHalving(
     fragment`select id, seq + 1, last_seq + 1 from page`,
     fragment`e.created_at < $2`,
   )}
   select p.id, p.kind, p.currency, p.owner_id as "ownerId", p.seq,
     coalesce(encode(p.hash, 'hex'), repeat('0', 64)) as hash, p.balance,
     p.mark_count as "markCount", coalesce(p.at, 'epoch') as at, h.low - 1 as "endSeq",
     encode(e.hash, 'hex') as "endHash"
   from page p join halving h on h.account_id = p.id and h.low = h.high
   left join lateral (
     select hash from entries where account_id = h.account_id and seq = h.low - 1 offset 0
   ) e on true
   order by p.id`,
)

/** A row as an object of texts: no number of it is rounded by a reader of JSON. */
export const texts = (row: Fragment): Fragment =>
  fragment`(select jsonb_object_agg(key, value) from jsonb_each_text(to_jsonb(${row})))`

/** A line for each entry of account `$1` after `$2` and up to `$3`, in their order. */
export const exportEntries = statement(
  'archive_export_entries',
  ['uuid', 'int8', 'int8', 'int8'],
  { line: 'text' },
  sql`select jsonb_build_object(
     'entry', ${texts(fragment`e`)}, 'transfer', ${texts(fragment`t`)},
     'details', ${texts(fragment`d`)}, 'links', ${texts(fragment`link`)}
   )::text as line
   from entries e
   left join transfers t on t.id = e.transfer_id
   left join transfer_details d on d.transfer_id = t.id
   ${joinedLinks}
   cross join lateral (
     select ${selectLinks}, case when not e.texts_in_chain and e.reference is not null then (
       select a.iban from accounts a where a.id =
         case when t.from_account_id = e.account_id then t.to_account_id
           else t.from_account_id end
     ) end as "otherIban"
   ) link
   where e.account_id = $1 and e.seq > $2 and e.seq <= $3
   order by e.seq limit $4`,
)

/** Whether a mark of a transfer is before a time, or in an archive already. */
const isMarkBefore = (t: Fragment, seq: Fragment, time: Fragment): Fragment =>
  fragment`not exists (
       select from entries e
       where e.account_id = ${t}.to_account_id and e.seq = ${t}.${seq}
         and e.created_at >= ${time})`

/** By rows of these, beside its entries, a transfer is proven or answered. */
export const namingTables = [
  fragment`external_ids`,
  fragment`hold_captures`,
  fragment`card_refunds`,
  fragment`card_chargebacks`,
  fragment`chargeback_ends`,
  fragment`standing_order_runs`,
  fragment`payment_list_lines`,
  fragment`payment_drafts`,
]

/**
 * Whether a transfer may leave the database: nothing of it is still to come or is after a time, and
 * no other row that stays is proven by it. One with an external identifier stays as the first
 * answer to it: a rail that delivers a payment again would take a refusal for its return.
 */
const mayLeave = (t: Fragment, time: Fragment): Fragment =>
  namingTables.reduce(
    (before, table) =>
      fragment`${before}
       and not exists (select from ${table} x where x.transfer_id = ${t}.id)`,
    fragment`
       ${t}.created_at < ${time} and ${t}.status not in ('pending', 'sent')
       and ${isMarkBefore(t, fragment`sent_seq`, time)}
       and ${isMarkBefore(t, fragment`settled_seq`, time)}`,
  )

/** What came back of the transfers of a page, and what they brought back: all of them, or none. */
const lines = fragment`line (of_id, id) as (
     select id, id from page
     union
     select l.of_id, x.id
     from line l join transfers t on t.id = l.id
     cross join lateral (
       select t.reversal_of as id where t.reversal_of is not null
       union all
       select b.by_transfer_id from brought_back b where b.transfer_id = t.id
     ) x
   )`
const isGoingBefore = (time: Fragment): Fragment => fragment`not exists (
       select from line w join transfers m on m.id = w.id
       where w.of_id = p.id and not (${mayLeave(fragment`m`, time)}))`

const ofKind = (kind: Fragment) => ({ transferId: fragment`t.id`, kind })
const sending = ofKind(fragment`case when t.sent_seq is not null then 'sending' end`)
const settling = ofKind(fragment`case when t.settled_seq is not null then 'settlement' end`)
const linksOfTransfers = fragment`${joinedLinksOf(fragment`own`, ofKind(fragment`t.kind`))}
   ${joinedLinksOf(fragment`sending`, sending)}
   ${joinedLinksOf(fragment`settling`, settling)}`

/**
 * The transfers behind `$1` and before `$2`, with a line for each that is before the time `$4`, and
 * whether it leaves.
 */
export const exportTransfers = statement(
  'archive_export_transfers',
  ['uuid', 'uuid', 'int8', 'timestamptz'],
  { id: 'uuid', line: 'text?', isGoing: 'bool' },
  sql`with recursive page as materialized (
     select id from transfers where id > $1 and id < $2 order by id limit $3
   ), ${lines}
   select p.id, case when t.created_at < $4 then jsonb_build_object(
     'transfer', ${texts(fragment`t`)}, 'details', ${texts(fragment`d`)},
     'search', coalesce((select jsonb_agg(x.term::text order by x.term) from payment_terms x
       where x.id = t.id), '[]'),
     'kept', ${texts(fragment`k`)}, 'links', ${texts(fragment`own`)},
     'sentLinks', ${texts(fragment`sending`)}, 'settledLinks', ${texts(fragment`settling`)},
     'sentSeq',
       case when ${isMarkBefore(fragment`t`, fragment`sent_seq`, fragment`$4`)}
         then t.sent_seq::text end,
     'settledSeq',
       case when ${isMarkBefore(fragment`t`, fragment`settled_seq`, fragment`$4`)}
         then t.settled_seq::text end
   )::text end as line, ${isGoingBefore(fragment`$4`)} as "isGoing"
   from page p join transfers t on t.id = p.id
   left join transfer_details d on d.transfer_id = t.id
   left join archived_terms k on k.transfer_id = t.id
   ${linksOfTransfers}
   order by p.id`,
)

export const lockTransfers = statement(
  'archive_lock_transfers',
  ['uuid[]'],
  { id: 'uuid' },
  'select id from transfers where id = any($1) order by id for update',
)
/**
 * Those of transfers that may leave for an archive before the time `$2`, with what came back of
 * them and what they brought back.
 */
export const chooseGoing = statement(
  'archive_choose_going',
  ['uuid[]', 'timestamptz'],
  { id: 'uuid' },
  sql`with recursive page as materialized (
     select id from transfers where id = any($1)
   ), ${lines}
   select distinct l.id from page p join line l on l.of_id = p.id
   where ${isGoingBefore(fragment`$2`)}`,
)
