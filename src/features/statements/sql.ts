// What is read for statements of account.
import { sql, statement } from '../../database/statement.ts'
import { entryColumns, joinOther, selectEntry } from '../transfers/sql.ts'

/**
 * Where a range of time begins and ends in the account's sequence, all seen at one moment: entries
 * are only ever added, so whatever lies between the two never changes again. Both places are found
 * by halving, in one statement; see `ledger_find_seq`.
 */
export const readSpan = statement(
  'ledger_read_span',
  ['uuid', 'timestamptz', 'timestamptz'],
  { first: 'int8?', end: 'int8?' },
  `with recursive halving (at, low, high) as (
     select bound.at, 1::int8, a.last_seq + 1
     from accounts a, (values ($2::timestamptz), ($3::timestamptz)) as bound (at)
     where a.id = $1
     union all
     select h.at, case when e.created_at < h.at then h.middle + 1 else h.low end,
            case when e.created_at < h.at then h.high else h.middle end
     from (select at, low, high, (low + high) / 2 as middle from halving where low < high) h
     join entries e on e.account_id = $1 and e.seq = h.middle
   )
   select min(low) as first, max(low) as end from halving where low = high`,
)

/** The account, and its balance before the entry `$2` and before the entry `$3`. */
export const readBalances = statement(
  'ledger_read_balances',
  ['uuid', 'int8', 'int8'],
  { iban: 'text', currency: 'text', opening: 'int8', closing: 'int8' },
  `select a.iban, a.currency, coalesce(before.balance_after, 0) as opening,
          coalesce(last.balance_after, 0) as closing
   from accounts a
   left join entries before on before.account_id = a.id and before.seq = $2::int8 - 1
   left join entries last on last.account_id = a.id and last.seq = $3::int8 - 1
   where a.id = $1 and a.kind = 'customer'`,
)

/** A page of the entries from `$2` to before `$3`, oldest first. */
export const listStatementEntries = statement(
  'ledger_list_statement_entries',
  ['uuid', 'int8', 'int8', 'int8'],
  entryColumns,
  sql`select ${selectEntry}
   from (
     select seq, transfer_id, amount, balance_after, kind, created_at from entries
     where account_id = $1 and seq >= $2 and seq < $3
     order by seq limit $4
   ) e
   join transfers t on t.id = e.transfer_id
   ${joinOther}
   order by e.seq`,
)

/**
 * What heads a statement as a file: the account, its owner, and what the entries from `$2` to
 * before `$3` add up to. Sums are text: they may be longer than any balance.
 */
export const readHeading = statement(
  'ledger_read_statement_heading',
  ['uuid', 'int8', 'int8'],
  {
    iban: 'text',
    currency: 'text',
    name: 'text?',
    created_at: 'timestamptz',
    given_name: 'text',
    family_name: 'text',
    opening: 'int8',
    closing: 'int8',
    credit_count: 'int8',
    credit_sum: 'text',
    debit_count: 'int8',
    debit_sum: 'text',
  },
  `select a.iban, a.currency, a.name, a.created_at, u.given_name, u.family_name,
          coalesce(before.balance_after, 0) as opening, coalesce(last.balance_after, 0) as closing,
          total.credit_count, total.credit_sum, total.debit_count, total.debit_sum
   from accounts a
   join users u on u.id = a.owner_id
   left join entries before on before.account_id = a.id and before.seq = $2::int8 - 1
   left join entries last on last.account_id = a.id and last.seq = $3::int8 - 1
   cross join lateral (
     select count(*) filter (where amount > 0) as credit_count,
            coalesce(sum(amount) filter (where amount > 0), 0)::text as credit_sum,
            count(*) filter (where amount < 0) as debit_count,
            coalesce(-sum(amount) filter (where amount < 0), 0)::text as debit_sum
     from entries where account_id = a.id and seq >= $2 and seq < $3
   ) total
   where a.id = $1 and a.kind = 'customer'`,
)
