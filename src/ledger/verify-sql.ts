// Statements of the verification: pages by primary key, so memory stays bounded at any size of the
// books.
import { bare, type Fragment, fragment, select, sql, statement } from '../database/statement.ts'
import { provenColumns } from './hash-chain.ts'
import { detailColumns } from './order.ts'

const account = {
  id: 'uuid',
  kind: 'text',
  currency: 'text',
  balance: 'int8',
  held: 'int8',
  activeHolds: 'int4',
  lastSeq: 'int8',
  markCount: 'int8',
} as const

/** Accounts with the ends of their chains, and with what their active holds say that is held. */
export const readAccounts = statement(
  'verify_read_accounts',
  ['uuid?', 'int8'],
  {
    ...account,
    lastHash: 'text',
    lastEntryAt: 'timestamptz',
    heldByHolds: 'int8',
    activeByHolds: 'int4',
    isHeldTooLong: 'bool',
  },
  sql`select ${select(account, 'a')},
     coalesce(encode(a.last_hash, 'hex'), repeat('0', 64)) as "lastHash",
     coalesce(a.last_entry_at, 'epoch') as "lastEntryAt", h.remaining as "heldByHolds",
     h.count as "activeByHolds",
     h.until is not null and (a.held_until is null or a.held_until > h.until) as "isHeldTooLong"
   from (
     select ${bare(account)}, last_hash, last_entry_at, held_until from accounts
     where $1::uuid is null or id > $1 order by id limit $2
   ) a
   cross join lateral (
     select coalesce(sum(remaining), 0)::int8 as remaining, count(*)::int4 as count,
       min(expires_at) as until
     from holds where account_id = a.id and status = 'active'
   ) h
   order by a.id`,
)

/** The last entries that accounts say they have now. */
export const readLastSeqs = statement(
  'verify_read_last_seqs',
  ['uuid[]'],
  { id: 'uuid', lastSeq: 'int8' },
  `select id, last_seq as "lastSeq" from accounts where id = any($1)`,
)

/** Each account knows the number of its entries: no entry is read for this. */
export const countEntries = statement(
  'verify_count_entries',
  [],
  { total: 'int8' },
  `select coalesce(sum(last_seq), 0)::int8 as total from accounts`,
)

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

/**
 * Entries with their transfers, in the order of their primary key, after one and up to an account.
 * What both hold is compared here and sent once: `flaw` names the first difference, and
 * `otherAccountId` is the account on the other side. Its IBAN is read for entries alone whose texts
 * no chain holds: a look-up for each of them.
 */
export const readEntries = statement(
  'verify_read_entries',
  ['uuid', 'int8', 'uuid', 'int8'],
  {
    ...entry,
    hash: 'text',
    flaw: 'text?',
    otherAccountId: 'uuid',
    ...provenColumns,
    ...detailColumns,
    salt: 'text?',
    commitment: 'text?',
    ...own,
    otherIban: 'text?',
  },
  sql`select ${select(entry, 'e')}, encode(e.hash, 'hex') as hash,
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
     ${select(provenColumns, 't')}, ${select(detailColumns, 'd')}, encode(t.salt, 'hex') as salt,
     encode(t.commitment, 'hex') as commitment, ${select(own, 'e')},
     case when not e.texts_in_chain and e.own_reference is not null then (
       select a.iban from accounts a where a.id =
         case when t.from_account_id = e.account_id then t.to_account_id else t.from_account_id end
     ) end as "otherIban"
   from (
     select account_id, seq, transfer_id, kind, amount, balance_after, created_at, hash,
       texts_in_chain, reference as own_reference, counterparty_name as own_name,
       counterparty_iban as own_iban, encode(commitment, 'hex') as own_commitment
     from entries where (account_id, seq) > ($1, $2) and account_id <= $3
     order by account_id, seq limit $4
   ) e
   left join transfers t on t.id = e.transfer_id
   -- A look-up for each of the few transfers that may have details.
   left join transfer_details d
     on d.transfer_id = case when t.kind in ('incoming', 'return') then t.id end
   order by e.account_id, e.seq`,
)

const transfer = {
  id: 'uuid',
  kind: 'text',
  status: 'text',
  fromAccountId: 'uuid',
  toAccountId: 'uuid',
  currency: 'text',
  callerId: 'uuid',
} as const

/** Transfers with what has to be in the books because of them. */
export const readTransferPage = statement(
  'verify_read_transfer_page',
  ['uuid', 'int8'],
  {
    ...transfer,
    isDebited: 'bool',
    isCredited: 'bool',
    isSettled: 'bool',
    isSent: 'bool',
    numberedBy: 'uuid?',
    isSettlementNumbered: 'bool',
    isOfHold: 'bool',
    isOfCard: 'bool',
    isErased: 'bool',
    isErasureRecorded: 'bool',
    backKind: 'text?',
    backToId: 'uuid?',
    isBackWhole: 'bool?',
  },
  sql`select ${select(transfer, 't')},
     coalesce(d.transfer_id = t.id, false) as "isDebited",
     coalesce(c.transfer_id = t.id, false) as "isCredited",
     coalesce(s.transfer_id = t.id and s.kind = 'settlement', false) as "isSettled",
     coalesce(n.transfer_id = t.id and n.kind = 'sending', false) as "isSent",
     x.caller_id as "numberedBy", y.transfer_id is not null as "isSettlementNumbered",
     k.transfer_id is not null as "isOfHold",
     r.transfer_id is not null as "isOfCard",
     t.salt is null as "isErased",
     coalesce((select x.action = 'erase' from audit_events x where x.id = t.erasure_id), false)
       as "isErasureRecorded",
     b.kind as "backKind", b.to_account_id as "backToId",
     (b.amount = t.amount and b.currency = t.currency
       and b.from_account_id = t.to_account_id) as "isBackWhole"
   from (
     select id, kind, status, amount, currency, caller_id, from_account_id, to_account_id,
            from_seq, to_seq, sent_seq, settled_seq, salt, erasure_id
     from transfers where id > $1 order by id limit $2
   ) t
   left join entries d on d.account_id = t.from_account_id and d.seq = t.from_seq
   left join entries c on c.account_id = t.to_account_id and c.seq = t.to_seq
   left join entries s on s.account_id = t.to_account_id and s.seq = t.settled_seq
   left join entries n on n.account_id = t.to_account_id and n.seq = t.sent_seq
   left join external_ids x on x.transfer_id = t.id and not x.is_settlement
   left join external_ids y on y.transfer_id = t.id and y.is_settlement
   left join hold_captures k
     on k.transfer_id = case when t.kind in ('capture', 'card') then t.id end
   left join card_refunds r on r.transfer_id = case when t.kind = 'refund' then t.id end
   left join transfers b on b.reversal_of = t.id
   order by t.id`,
)

/**
 * Rows that name a transfer, after one: none names one that is not there. A page of its index at a
 * time.
 *
 * @param orElse what the row may name in place of a transfer
 */
const namesOf = (name: string, table: Fragment, orElse = fragment``) =>
  statement(
    `verify_read_${name}`,
    ['uuid', 'int8'],
    { transferId: 'uuid', isThere: 'bool' },
    sql`select x.transfer_id as "transferId", t.id is not null ${orElse} as "isThere"
     from (
       select transfer_id from ${table} where transfer_id > $1 order by transfer_id limit $2
     ) x
     left join transfers t on t.id = x.transfer_id
     order by x.transfer_id`,
  )
export const namedTransfers = {
  'An external identifier': namesOf(
    'external_ids',
    fragment`external_ids`,
    fragment`or exists (select from holds where id = x.transfer_id)
       or exists (select from card_authorizations where id = x.transfer_id)`,
  ),
  'The details of a transfer': namesOf('details', fragment`transfer_details`),
} as const

const hold = {
  id: 'uuid',
  accountId: 'uuid',
  amount: 'int8',
  captured: 'int8',
  remaining: 'int8',
  status: 'text',
  counted: 'int8',
} as const

/**
 * Holds with what the books say was captured of them. `approvals`: of a card payment what was
 * authorised, each amount with its time in milliseconds since the epoch.
 */
export const readHoldPage = statement(
  'verify_read_hold_page',
  ['uuid', 'int8'],
  {
    ...hold,
    capturedByTransfers: 'int8',
    isRightlyCaptured: 'bool',
    isOfAccount: 'bool',
    refundedByTransfers: 'int8',
    isRightlyRefunded: 'bool',
    isRightlyAuthorized: 'bool',
    countedOn: 'text?',
    isCounted: 'bool',
    approvals: 'text?',
  },
  sql`select ${select(hold, 'h')}, c.amount as "capturedByTransfers",
     c.is_right as "isRightlyCaptured",
     coalesce(a.currency = h.currency, false)
       and (h.card_id is null or coalesce(d.account_id = h.account_id, false)) as "isOfAccount",
     r.amount as "refundedByTransfers", r.is_right as "isRightlyRefunded",
     coalesce(p.is_right, true) as "isRightlyAuthorized", h.counted_on::text as "countedOn",
     h.counted_on is null or coalesce(d.status = 'cancelled' or d.spent_on >= h.counted_on, false)
       as "isCounted",
     y.approvals
   from (
     select ${bare(hold)}, currency, card_id, counted_on from holds
     where id > $1 order by id limit $2
   ) h
   left join accounts a on a.id = h.account_id
   left join cards d on d.id = h.card_id
   cross join lateral (
     select string_agg(x.amount || ' ' || (extract(epoch from x.created_at) * 1000)::int8, ',')
       as approvals
     from (
       select amount, created_at from card_authorizations where id = h.id and reason is null
       union all
       select amount, created_at from card_authorizations
       where payment_id = h.id and payment_id <> id and reason is null
     ) x
   ) y
   left join lateral (
     select reason is null and payment_id = h.id and card_id = h.card_id
       and account_id = h.account_id and currency = h.currency as is_right
     from card_authorizations where id = h.id
   ) p on true
   cross join lateral (
     select coalesce(sum(t.amount), 0)::int8 as amount, coalesce(bool_and(coalesce(
       t.kind = case when p.is_right then 'card' else 'capture' end
         and t.from_account_id = h.account_id and t.currency = h.currency, false
     )), true) as is_right
     from hold_captures k left join transfers t on t.id = k.transfer_id
     where k.hold_id = h.id
   ) c
   cross join lateral (
     select coalesce(sum(t.amount), 0)::int8 as amount, coalesce(bool_and(coalesce(
       t.kind = 'refund' and t.currency = h.currency and (
         t.to_account_id = h.account_id
         -- What came back when the account was closed.
         or exists (select from accounts where id = t.to_account_id and kind = 'suspense')),
       false
     )), true) as is_right
     from card_refunds k left join transfers t on t.id = k.transfer_id
     where k.payment_id = h.id
   ) r
   order by h.id`,
)

/** Authorisations that name a card, an account or a payment which is not there, or not theirs. */
export const readAuthorizationPage = statement(
  'verify_read_authorization_page',
  ['uuid', 'int8'],
  { id: 'uuid', isOfCard: 'bool', isOfPayment: 'bool' },
  `select x.id, coalesce(c.account_id = x.account_id, false) as "isOfCard",
     x.payment_id is null
       or coalesce(h.card_id = x.card_id and h.account_id = x.account_id, false) as "isOfPayment"
   from (
     select id, card_id, account_id, payment_id from card_authorizations
     where id > $1 order by id limit $2
   ) x
   left join cards c on c.id = x.card_id
   left join holds h on h.id = x.payment_id
   order by x.id`,
)

/** Longer than a day of the bank, and than its midnight can be from that of UTC. */
const aroundDay = fragment`interval '15 hours'`
/** The first identifier of a time: authorisations are found by it, beside those of the account. */
const idOf = (time: Fragment): Fragment =>
  fragment`(lpad(to_hex((extract(epoch from ${time}) * 1000)::int8), 12, '0')
       || repeat('0', 20))::uuid`

/** Cards with what their payments say counts to the limit of their last day. */
export const readCardPage = statement(
  'verify_read_card_page',
  ['uuid', 'int8'],
  { id: 'uuid', spentAmount: 'int8', spentByHolds: 'int8' },
  sql`select c.id, c.spent_amount as "spentAmount", (
     select coalesce(sum(h.counted), 0)::int8 from holds h
     where h.counted_on = c.spent_on and h.card_id = c.id and h.id in (
       select payment_id from card_authorizations
       where account_id = c.account_id and card_id = c.id and reason is null
         and id >= ${idOf(fragment`c.spent_on::timestamp - ${aroundDay}`)}
         and id < ${idOf(fragment`c.spent_on::timestamp + interval '1 day' + ${aroundDay}`)}
     )
   ) as "spentByHolds"
   from (
     select id, account_id, spent_on, spent_amount from cards
     where id > $1 and spent_on is not null and status <> 'cancelled' order by id limit $2
   ) c
   order by c.id`,
)

/** The sum of all accounts of a currency, the bank's own included, has to be zero. */
export const sumBalances = statement(
  'verify_sum_balances',
  [],
  { currency: 'text', total: 'text' },
  `select currency, sum(balance)::text as total from accounts group by currency order by currency`,
)
