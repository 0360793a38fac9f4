// Statements of the verification: pages by primary key, so memory stays bounded at any size of the
// books.
import {
  bareColumns,
  currencyText,
  fragment,
  Fragment,
  type RowOf,
  select,
  sql,
  statement,
} from '../../database/statements/statement.ts'
import { joinedLinks, linkColumns, selectLinks } from './links.ts'
import { blockColumns } from '../rules/blocks.ts'
import { provenColumns } from '../rules/hash-chain.ts'
import { storedDetailColumns } from '../rules/movement.ts'

const account = {
  id: 'uuid',
  kind: 'text',
  ownerId: 'uuid?',
  currency: currencyText,
  balance: 'int8',
  overdraftLimit: 'int8',
  unarranged: 'int8',
  unarrangedSince: 'timestamptz?',
  held: 'int8',
  activeHolds: 'int4',
  lastSeq: 'int8',
  markCount: 'int8',
  ...blockColumns,
} as const

/** Where the chain of an account `g` begins in the database: behind its entries in an archive. */
const archivedColumns = {
  archivedSeq: 'int8',
  archivedMarks: 'int8',
  archivedBalance: 'int8',
  archivedHash: 'text',
  archivedAt: 'timestamptz',
} as const
const selectArchived = fragment`coalesce(g.seq, 0) as "archivedSeq",
     coalesce(g.mark_count, 0) as "archivedMarks",
     coalesce(g.balance_after, 0) as "archivedBalance",
     coalesce(encode(g.hash, 'hex'), repeat('0', 64)) as "archivedHash",
     coalesce(g.at, 'epoch') as "archivedAt"`

/**
 * Accounts with the ends of their chains, and with what their active holds say that is held,
 * and until when their blocks say that they stop each side.
 * `isWhole`: it has what an account of its kind has, and nothing that only others have.
 */
export const readAccounts = statement(
  'verify_read_accounts',
  ['uuid?', 'uuid'],
  {
    ...account,
    lastHash: 'text',
    lastEntryAt: 'timestamptz',
    heldByHolds: 'int8',
    activeByHolds: 'int4',
    isHeldTooLong: 'bool',
    debitsByBlocks: 'timestamptz?',
    creditsByBlocks: 'timestamptz?',
    isForced: 'bool',
    isWhole: 'bool',
    ...archivedColumns,
  },
  sql`select ${select(account, 'a')},
     coalesce(encode(a.last_hash, 'hex'), repeat('0', 64)) as "lastHash",
     coalesce(a.last_entry_at, 'epoch') as "lastEntryAt", h.remaining as "heldByHolds",
     h.count as "activeByHolds",
     h.until is not null and (a.held_until is null or a.held_until > h.until) as "isHeldTooLong",
     b.debits as "debitsByBlocks", b.credits as "creditsByBlocks",
     a.unarranged_since is null or exists (
       select from card_authorizations c join hold_captures k on k.hold_id = c.id
       join transfers t on t.id = k.transfer_id
       where c.account_id = a.id and c.payment_id = c.id and t.kind = 'clearing'
         and t.from_account_id = a.id and t.created_at = a.unarranged_since
     ) or exists (
       select from card_authorizations c join card_chargebacks b on b.payment_id = c.id
       join chargeback_ends n on n.chargeback_id = b.transfer_id
       join transfers t on t.id = n.transfer_id
       where c.account_id = a.id and c.payment_id = c.id
         and t.from_account_id = a.id and t.created_at = a.unarranged_since
     ) or exists (
       -- It came so from another bank, whose clearing is not here.
       select from imported i join entries e on e.account_id = i.id and e.seq = 1
       where i.kind = 'account' and i.id = a.id and e.amount < 0
     ) or exists (
       -- The same, and its first entries are in an archive.
       select from imported i join archived_heads r on r.account_id = i.id
       where i.kind = 'account' and i.id = a.id and a.unarranged_since <= r.at
     ) as "isForced",
     case when a.kind = 'customer' then num_nulls(a.owner_id, a.iban) = 0 and a.code is null
       else a.status = 'active' and a.alerts_enabled
         and (a.overdraft_limit, a.spent_amount, a.unarranged) = (0, 0, 0)
         and num_nonnulls(a.owner_id, a.iban, a.daily_transfer_limit, a.spent_on,
           a.registered_phone, a.held_until, a.own_per_payment, a.own_per_day,
           a.next_per_payment, a.next_per_day, a.next_limits_at, a.notice_below,
           a.signatures_from, a.next_signatures_from, a.next_signatures_at,
           a.debits_blocked_until, a.credits_blocked_until, a.unarranged_since) = 0
         and not a.is_below_told
         and case when a.kind = 'further' then a.code is not null
           else coalesce((a.code, a.name) = (a.kind, initcap(a.kind)), false) end
     end as "isWhole", ${selectArchived}
   from (
     select ${bareColumns(account)}, last_hash, last_entry_at, held_until, status, iban, code, name,
       alerts_enabled, daily_transfer_limit, spent_on, spent_amount,
       registered_phone, own_per_payment, own_per_day, next_per_payment, next_per_day,
       next_limits_at, notice_below, is_below_told, signatures_from, next_signatures_from,
       next_signatures_at
     from accounts where ($1::uuid is null or id > $1) and id <= $2
   ) a
   cross join lateral (
     select coalesce(sum(remaining), 0)::int8 as remaining, count(*)::int4 as count,
       min(expires_at) as until
     from holds where account_id = a.id and status = 'active'
   ) h
   cross join lateral (
     select max(coalesce(until, '9999-12-31T23:59:59.999Z')) filter (where debits) as debits,
       max(coalesce(until, '9999-12-31T23:59:59.999Z')) filter (where credits) as credits
     from account_blocks where account_id = a.id and lifted_at is null
   ) b
   left join archived_heads g on g.account_id = a.id
   order by a.id`,
)

/** The last entries that accounts say they have now. */
export const readLastSeqs = statement(
  'verify_read_last_seqs',
  ['uuid[]'],
  { id: 'uuid', lastSeq: 'int8' },
  `select id, last_seq as "lastSeq" from accounts where id = any($1)`,
)

/** Accounts after one, with the number of the last entry of each, and of the last in an archive. */
export const findAccounts = statement(
  'verify_find_accounts',
  ['uuid?', 'int8'],
  { id: 'uuid', lastSeq: 'int8', archivedSeq: 'int8' },
  `select a.id, a.last_seq as "lastSeq", coalesce(g.seq, 0) as "archivedSeq"
   from accounts a left join archived_heads g on g.account_id = a.id
   where $1::uuid is null or a.id > $1 order by a.id limit $2`,
)

/** Each account knows the number of its entries: no entry is read for this. */
export const countEntries = statement(
  'verify_count_entries',
  [],
  { total: 'int8' },
  `select (coalesce(sum(last_seq), 0)
     - (select coalesce(sum(seq), 0) from archived_heads))::int8 as total
   from accounts`,
)

/**
 * When a caller that is not the owner of an account may have paid from it. A payment is posted
 * later than its judgement by what the clocks may differ.
 */
export const readPayingTimes = statement(
  'verify_read_paying_times',
  ['uuid', 'uuid', 'int4'],
  { since: 'timestamptz?', until: 'timestamptz?' },
  `select null::timestamptz as since, null::timestamptz as until
   from service_accounts where id = $1
   union all
   select accepted_at - differing.time, least(ended_at, until) + differing.time
   from account_members
   cross join (select $3::int4 * interval '1 millisecond' as time) differing
   where person_id = $1 and account_id = $2 and accepted_at is not null and may_have_paid`,
)
export type PayingTimes = RowOf<typeof readPayingTimes.gives>

const entry = {
  accountId: 'uuid',
  seq: 'int8',
  transferId: 'uuid',
  kind: 'text',
  amount: 'int8',
  balanceAfter: 'int8',
  createdAt: 'timestamptz',
} as const

/** The texts that an entry keeps itself. */
const own = {
  textsInChain: 'bool',
  ownReference: 'text?',
  ownName: 'text?',
  ownIban: 'text?',
  ownCommitment: 'text?',
} as const

/** Why an entry is not that of its transfer, as {@link readEntries} names it. */
export type Flaw = 'missing' | 'settlement' | 'sending' | 'place' | 'amount' | 'kind' | 'time'

const entryColumns = {
  ...entry,
  hash: 'text',
  flaw: 'text?',
  otherAccountId: 'uuid',
  ...provenColumns,
  ...storedDetailColumns,
  salt: 'text?',
  commitment: 'text?',
  ...own,
  ...linkColumns,
  otherIban: 'text?',
} as const

export type Entry = RowOf<typeof entryColumns>

/** Selects an entry `e` with its transfer `t`. */
const selectEntry = fragment`select ${select(entry, 'e')}, encode(e.hash, 'hex') as hash,
     case
       when t.id is null then 'missing'
       when e.kind = 'settlement' then
         case
           when t.to_account_id = e.account_id and t.settled_seq = e.seq and e.amount = 0 then null
           else 'settlement'
         end
       when e.kind = 'sending' then
         case
           when t.to_account_id = e.account_id and t.sent_seq = e.seq and e.amount = 0 then null
           else 'sending'
         end
       when (e.account_id, e.seq) not in
         ((t.from_account_id, t.from_seq), (t.to_account_id, t.to_seq)) then 'place'
       when abs(e.amount) <> t.amount or (e.amount < 0) <> (t.from_account_id = e.account_id)
         then 'amount'
       when e.kind <> t.kind then 'kind'
       when e.created_at <> t.created_at then 'time'
     end as flaw,
     case when t.from_account_id = e.account_id then t.to_account_id else t.from_account_id end
       as "otherAccountId",
     ${select(provenColumns, 't')}, ${select(storedDetailColumns, 'd')},
     encode(t.salt, 'hex') as salt, encode(t.commitment, 'hex') as commitment,
     ${select(own, 'e')}, ${selectLinks},
     case when not e.texts_in_chain and e.own_reference is not null then (
       select a.iban from accounts a where a.id =
         case when t.from_account_id = e.account_id then t.to_account_id else t.from_account_id end
     ) end as "otherIban"`

const storedEntry = new Fragment(`account_id, seq, transfer_id, kind, amount, balance_after,
       created_at, hash, texts_in_chain, reference as own_reference,
       counterparty_name as own_name, counterparty_iban as own_iban,
       encode(commitment, 'hex') as own_commitment`)

/** A look-up for each of the transfers that may have details. */
const joinedDetails = fragment`left join transfer_details d on d.transfer_id = case
     when t.kind in ('incoming', 'return') or t.beneficiary_id is not null then t.id end
   ${joinedLinks}`

/**
 * Entries with their transfers, in the order of their primary key, of ranges that are each after
 * one place and up to another: as many as `$5` of each.
 * What both hold is compared here and sent once: `flaw` is the first difference, and
 * `otherAccountId` is the account on the other side. Its IBAN is read for entries alone whose texts
 * no chain holds: a look-up for each of them.
 */
export const readEntries = statement(
  'verify_read_entries',
  ['uuid[]', 'int8[]', 'uuid[]', 'int8[]', 'int8'],
  entryColumns,
  sql`${selectEntry}
   from unnest($1::uuid[], $2::int8[], $3::uuid[], $4::int8[])
     as w (after_id, after_seq, to_id, to_seq)
   cross join lateral (
     select ${storedEntry} from entries
     where (account_id, seq) > (w.after_id, w.after_seq)
       and (account_id, seq) <= (w.to_id, w.to_seq)
     order by account_id, seq limit $5
   ) e
   left join transfers t on t.id = e.transfer_id
   ${joinedDetails}
   order by e.account_id, e.seq`,
)

/** Not by ranges: all of a bank's new accounts would be in the last one. */
const isOfPart = (side: string): Fragment =>
  new Fragment(`${side} > $3 and mod(abs(uuid_hash(${side})::int8), $5::int4) = $4::int4`)

/**
 * The same of both entries of each transfer behind one, in the order of the transfers, as far as
 * they name it and are of accounts behind `$3` and of part `$4` of `$5`.
 */
export const readEntriesOfTransfers = statement(
  'verify_read_entries_of_transfers',
  ['uuid', 'int8', 'uuid', 'int4', 'int4'],
  entryColumns,
  sql`${selectEntry}
   from (
     select id, kind, from_account_id, to_account_id, from_seq, to_seq, sent_seq, settled_seq,
       amount, created_at, ${bareColumns(provenColumns)}, salt, commitment
     from transfers
     where id > $1 and (${isOfPart('from_account_id')} or ${isOfPart('to_account_id')})
     order by id limit $2
   ) t
   cross join lateral (
     select ${storedEntry} from entries
     where account_id = t.from_account_id and seq = t.from_seq and transfer_id = t.id
       and ${isOfPart('t.from_account_id')}
     union all
     select ${storedEntry} from entries
     where account_id = t.to_account_id and seq = t.to_seq and transfer_id = t.id
       and ${isOfPart('t.to_account_id')}
   ) e
   ${joinedDetails}
   order by t.id`,
)

/** What the proof of a chain needs of its account. */
export const readChainAccounts = statement(
  'verify_read_chain_accounts',
  ['uuid[]'],
  { id: 'uuid', kind: 'text', currency: currencyText, ownerId: 'uuid?', ...archivedColumns },
  sql`select a.id, a.kind, a.currency, a.owner_id as "ownerId", ${selectArchived}
   from accounts a left join archived_heads g on g.account_id = a.id
   where a.id = any($1)`,
)

/** The state of a chain where it begins in the database. */
export const toArchivedState = (row: RowOf<typeof archivedColumns>) => ({
  seq: row.archivedSeq,
  markCount: row.archivedMarks,
  sideCount: 0,
  balance: row.archivedBalance,
  hash: row.archivedHash,
  at: row.archivedAt,
})

/**
 * The numbers, from 0, of the ranges of the primary key that hold an entry. Each range is after one
 * place and up to another.
 */
export const findEntries = statement(
  'verify_find_entries',
  ['uuid[]', 'int8[]', 'uuid[]', 'int8[]'],
  { number: 'int4' },
  `select r.number::int4 - 1 as number
   from unnest($1::uuid[], $2::int8[], $3::uuid[], $4::int8[])
     with ordinality as r (after_id, after_seq, to_id, to_seq, number)
   cross join lateral (
     select from entries
     where (account_id, seq) > (r.after_id, r.after_seq)
       and (account_id, seq) <= (r.to_id, r.to_seq)
     order by account_id, seq limit 1
   ) found
   order by r.number`,
)

export const readHashes = statement(
  'verify_read_hashes',
  ['uuid[]', 'int8[]'],
  { accountId: 'uuid', hash: 'text' },
  `select p.account_id as "accountId", encode(coalesce(e.hash, g.hash), 'hex') as hash
   from unnest($1::uuid[], $2::int8[]) as p (account_id, seq)
   left join entries e on e.account_id = p.account_id and e.seq = p.seq
   left join archived_heads g on g.account_id = p.account_id and g.seq = p.seq
   where coalesce(e.hash, g.hash) is not null`,
)

/** The sum of all accounts of a currency, the bank's own included, has to be zero. */
export const sumBalances = statement(
  'verify_sum_balances',
  [],
  { currency: currencyText, total: 'text' },
  `select currency, sum(balance)::text as total from accounts group by currency order by currency`,
)
