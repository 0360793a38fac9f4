// What the verification reads: pages by primary key, so memory stays bounded however long the
// books.
import { statement } from '../database/statement.ts'

const end = {
  id: 'uuid',
  kind: 'text',
  currency: 'text',
  balance: 'int8',
  last_seq: 'int8',
  last_hash: 'text?',
  last_entry_at: 'timestamptz?',
} as const

export const readEnds = statement(
  'verify_read_ends',
  ['uuid?', 'int8'],
  end,
  `select id, kind, currency, balance, last_seq, encode(last_hash, 'hex') as last_hash,
          last_entry_at
   from accounts where $1::uuid is null or id > $1 order by id limit $2`,
)

export const countEntries = statement(
  'verify_count_entries',
  [],
  { total: 'int8' },
  // Each account knows its own: no entry is touched for it.
  `select coalesce(sum(last_seq), 0)::int8 as total from accounts`,
)

/**
 * What the chain holds of a transfer beside the columns of its entries. Without a salt, there is a
 * commitment in place of its texts.
 */
export const provenColumns = {
  currency: 'text',
  salt: 'text?',
  reference: 'text',
  counterparty_name: 'text?',
  counterparty_iban: 'text?',
  commitment: 'text?',
  beneficiary_id: 'uuid?',
  reversal_of: 'uuid?',
  caller_id: 'uuid',
  session_id: 'uuid',
} as const

/**
 * Entries with their transfers, in the order of their primary key, after one and up to an account.
 * What both hold is compared here and sent once: `flaw` names the first difference, and `other_id`
 * is the account on the other side.
 */
export const readPage = statement(
  'verify_read_page',
  ['uuid', 'int8', 'uuid', 'int8'],
  {
    account_id: 'uuid',
    seq: 'int8',
    transfer_id: 'uuid',
    entry_kind: 'text',
    entry_amount: 'int8',
    balance_after: 'int8',
    entry_at: 'timestamptz',
    hash: 'text',
    flaw: 'text?',
    other_id: 'uuid',
    ...provenColumns,
  },
  `select e.account_id, e.seq, e.transfer_id, e.kind as entry_kind, e.amount as entry_amount,
          e.balance_after, e.created_at as entry_at, encode(e.hash, 'hex') as hash,
          case
            when t.id is null then 'missing'
            when e.kind = 'settlement' then
              case
                when t.to_account_id = e.account_id and t.settled_seq = e.seq and e.amount = 0
                  then null
                else 'settlement'
              end
            when (e.account_id, e.seq) not in
              ((t.from_account_id, t.from_seq), (t.to_account_id, t.to_seq)) then 'place'
            when abs(e.amount) <> t.amount or (e.amount < 0) <> (t.from_account_id = e.account_id)
              then 'amount'
            when e.kind <> t.kind then 'kind'
            when e.created_at <> t.created_at then 'time'
          end as flaw,
          case when t.from_account_id = e.account_id then t.to_account_id else t.from_account_id end
            as other_id,
          t.currency, encode(t.salt, 'hex') as salt, t.reference, t.counterparty_name,
          t.counterparty_iban, encode(t.commitment, 'hex') as commitment, t.beneficiary_id,
          t.reversal_of, t.caller_id, t.session_id
   from (
     select account_id, seq, transfer_id, kind, amount, balance_after, created_at, hash
     from entries where (account_id, seq) > ($1, $2) and account_id <= $3
     order by account_id, seq limit $4
   ) e
   left join transfers t on t.id = e.transfer_id
   order by e.account_id, e.seq`,
)

/** Where accounts end now: a second look at those that were ahead of the first. */
export const readEndsAgain = statement(
  'verify_read_ends_again',
  ['uuid[]'],
  { id: 'uuid', last_seq: 'int8' },
  `select id, last_seq from accounts where id = any($1)`,
)

/** Transfers with what has to be there because of them. */
export const readTransferPage = statement(
  'verify_read_transfer_page',
  ['uuid', 'int8'],
  {
    id: 'uuid',
    kind: 'text',
    status: 'text',
    to_account_id: 'uuid',
    currency: 'text',
    is_debited: 'bool',
    is_credited: 'bool',
    is_settled: 'bool',
    is_erased: 'bool',
    is_erasure_recorded: 'bool',
    back_kind: 'text?',
    is_back_whole: 'bool?',
  },
  `select t.id, t.kind, t.status, t.to_account_id, t.currency,
          coalesce(d.transfer_id = t.id, false) as is_debited,
          coalesce(c.transfer_id = t.id, false) as is_credited,
          coalesce(s.transfer_id = t.id and s.kind = 'settlement', false) as is_settled,
          t.salt is null as is_erased,
          coalesce((select x.action = 'erase' from audit_events x where x.id = t.erasure_id), false)
            as is_erasure_recorded,
          b.kind as back_kind,
          (b.amount = t.amount and b.currency = t.currency and b.from_account_id = t.to_account_id
            and b.to_account_id = t.from_account_id) as is_back_whole
   from (
     select id, kind, status, amount, currency, from_account_id, to_account_id, from_seq, to_seq,
            settled_seq, salt, erasure_id
     from transfers where id > $1 order by id limit $2
   ) t
   left join entries d on d.account_id = t.from_account_id and d.seq = t.from_seq
   left join entries c on c.account_id = t.to_account_id and c.seq = t.to_seq
   left join entries s on s.account_id = t.to_account_id and s.seq = t.settled_seq
   left join transfers b on b.reversal_of = t.id
   order by t.id`,
)

/** What all accounts of a currency hold together, the bank's own included: nothing. */
export const sumBalances = statement(
  'verify_sum_balances',
  [],
  { currency: 'text', total: 'text' },
  `select currency, sum(balance)::text as total from accounts group by currency order by currency`,
)
