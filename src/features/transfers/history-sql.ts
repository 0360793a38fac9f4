// What is read of the books: transfers by their source, and the history of an account.
import { statement } from '../../database/statement.ts'
import { transferColumns } from '../../ledger/sql.ts'

/** All transfers of the bank, newest first, from before that identifier on. */
export const listTransfers = statement(
  'ledger_list_transfers',
  ['uuid', 'int8'],
  transferColumns,
  `select t.id, t.kind, t.status, t.from_account_id, t.to_account_id, t.from_seq, t.to_seq,
          t.amount, t.currency, t.reference, t.beneficiary_id, t.counterparty_name,
          t.counterparty_iban, t.reversal_of, r.id as reversed_by, t.caller_id, t.created_at,
          t.salt is null as is_erased
   from (select id from transfers where id < $1 order by id desc limit $2) page
   join transfers t on t.id = page.id
   left join transfers r on r.reversal_of = t.id
   order by t.id desc`,
)

/**
 * The transfers out of these accounts, newest first. A page is in the accounts with the newest
 * transfers, as many of them as it is long: of each other account one entry of the index is read.
 */
export const listTransfersFrom = statement(
  'ledger_list_transfers_from',
  ['uuid[]', 'uuid', 'int8'],
  transferColumns,
  `select t.id, t.kind, t.status, t.from_account_id, t.to_account_id, t.from_seq, t.to_seq,
          t.amount, t.currency, t.reference, t.beneficiary_id, t.counterparty_name,
          t.counterparty_iban, t.reversal_of, r.id as reversed_by, t.caller_id, t.created_at,
          t.salt is null as is_erased
   from (
     select page.id from (
       select source.id from unnest($1::uuid[]) as source (id) cross join lateral (
         select id from transfers where from_account_id = source.id and id < $2
         order by id desc limit 1
       ) newest
       order by newest.id desc limit $3
     ) source cross join lateral (
       select id from transfers where from_account_id = source.id and id < $2
       order by id desc limit $3
     ) page
     order by page.id desc limit $3
   ) page
   join transfers t on t.id = page.id
   left join transfers r on r.reversal_of = t.id
   order by t.id desc`,
)

export const readOwnAccounts = statement(
  'ledger_read_own_accounts',
  ['uuid'],
  { id: 'uuid' },
  `select id from accounts where owner_id = $1 and status <> 'closed'`,
)

/** Readers see the accounts of customers alone, not the bank's own side of the books. */
export const readCustomersAccount = statement(
  'ledger_read_customers_account',
  ['uuid'],
  { currency: 'text' },
  `select currency from accounts where id = $1 and kind = 'customer'`,
)

/**
 * The first entry of an account at or after that time. Times in an account never go back, so the
 * place is found by halving, in some twenty look-ups of the primary key: no index by time is kept.
 */
export const findSeq = statement(
  'ledger_find_seq',
  ['uuid', 'timestamptz'],
  { seq: 'int8' },
  `with recursive halving (low, high) as (
     select 1::int8, last_seq + 1 from accounts where id = $1
     union all
     select case when e.created_at < $2 then h.middle + 1 else h.low end,
            case when e.created_at < $2 then h.high else h.middle end
     from (select low, high, (low + high) / 2 as middle from halving where low < high) h
     join entries e on e.account_id = $1 and e.seq = h.middle
   )
   select low as seq from halving where low = high`,
)

const entryColumns = {
  seq: 'int8',
  transfer_id: 'uuid',
  amount: 'int8',
  balance_after: 'int8',
  kind: 'text',
  created_at: 'timestamptz',
  reference: 'text',
  is_erased: 'bool',
  counterparty_name: 'text?',
  counterparty_iban: 'text?',
  other_kind: 'text',
  other_iban: 'text?',
  given_name: 'text?',
  family_name: 'text?',
} as const

/**
 * A page of an account's history, newest first: sequence numbers from `$2` to before `$3`, amounts
 * without sign from `$5` to `$6`. What an entry does not say itself is looked up for the page
 * alone.
 */
export const listEntries = statement(
  'ledger_list_entries',
  ['uuid', 'int8', 'int8', 'text?', 'int8', 'int8', 'int8'],
  entryColumns,
  `select e.seq, e.transfer_id, e.amount, e.balance_after, e.kind, e.created_at, t.reference,
          t.salt is null as is_erased, t.counterparty_name, t.counterparty_iban,
          o.kind as other_kind, o.iban as other_iban,
          u.given_name, u.family_name
   from (
     select seq, transfer_id, amount, balance_after, kind, created_at from entries
     where account_id = $1 and seq >= $2 and seq < $3 and ($4::text is null or kind = $4)
       and abs(amount) between $5 and $6 and kind <> 'settlement'
     order by seq desc limit $7
   ) e
   join transfers t on t.id = e.transfer_id
   join accounts o
     on o.id = case when t.from_account_id = $1 then t.to_account_id else t.from_account_id end
   left join users u on u.id = o.owner_id
   order by e.seq desc`,
)

/** One entry of an account, by its transfer. */
export const readEntry = statement(
  'ledger_read_entry',
  ['uuid', 'uuid'],
  entryColumns,
  `select e.seq, e.transfer_id, e.amount, e.balance_after, e.kind, e.created_at, t.reference,
          t.salt is null as is_erased, t.counterparty_name, t.counterparty_iban,
          o.kind as other_kind, o.iban as other_iban,
          u.given_name, u.family_name
   from transfers t
   join entries e
     on e.account_id = $1
       and e.seq = case when t.from_account_id = $1 then t.from_seq else t.to_seq end
   join accounts o
     on o.id = case when t.from_account_id = $1 then t.to_account_id else t.from_account_id end
   left join users u on u.id = o.owner_id
   where t.id = $2 and $1 in (t.from_account_id, t.to_account_id)`,
)
