// Data of statements.
import { languageCodes } from '../../domain/languages.ts'
import { channels } from '../../ledger/rules/authorizations.ts'
import {
  currencyText,
  fragment,
  sql,
  statement,
  wordOrNullOf,
} from '../../database/statements/statement.ts'
import { entryOrHead, firstSeq, searchByHalving } from '../../ledger/proof/halving.ts'
import { searchFirstEntry } from '../transfers/history-sql.ts'
import { selectLine, storedEntryColumns, transactionColumns } from '../movements/entry-columns.ts'

/**
 * The sequence numbers at which a period from `$2` to before `$3` begins and ends in account `$1`,
 * both read at one moment. Entries are only ever added at the end, so the entries between them
 * never change.
 */
const withSpan = fragment`with recursive ${searchByHalving(
  fragment`select a.id, ${firstSeq}, a.last_seq + 1, bound.at
     from accounts a, (values ($2::timestamptz), ($3::timestamptz)) as bound (at)
     where a.id = $1`,
  fragment`e.created_at < h.at`,
  'at',
)}, span as (
     select min(low) as first, max(low) as "end" from halving where low = high
   )`

export const readSpan = statement(
  'ledger_read_span',
  ['uuid', 'timestamptz', 'timestamptz'],
  { first: 'int8?', end: 'int8?', archivedAt: 'timestamptz?' },
  sql`${withSpan} select first, "end",
     (select at from archived_heads where account_id = $1) as "archivedAt"
   from span`,
)

/** When an account was last moved or, before that, opened: two look-ups of primary keys. */
export const readNewest = statement(
  'ledger_read_newest_time',
  ['uuid'],
  { at: 'timestamptz' },
  `select greatest(a.created_at, e.created_at) as at
   from accounts a left join entries e on e.account_id = a.id and e.seq = a.last_seq
   where a.id = $1`,
)

/** The balance of a customer's account before the time `$2`. */
export const readBalanceBefore = statement(
  'ledger_read_balance_before',
  ['uuid', 'timestamptz'],
  {
    currency: currencyText,
    openedAt: 'timestamptz',
    balance: 'int8',
    archivedAt: 'timestamptz?',
  },
  sql`${searchFirstEntry}
   select a.currency, a.created_at as "openedAt", coalesce(e.balance_after, 0) as balance,
     g.at as "archivedAt"
   from accounts a
   join halving h on h.low = h.high
   left join lateral ${entryOrHead(fragment`a.id`, fragment`h.low - 1`)} e on true
   left join archived_heads g on g.account_id = a.id
   where a.id = $1 and a.kind = 'customer'`,
)

/**
 * The days of the entries from `$2` to before `$3` of a customer's account, each by its place among
 * the starts `$4`, from 1, with the balance before the first of them; one row without a day when
 * there is none. A sum is text: it may exceed int8.
 */
export const listDays = statement(
  'ledger_list_days',
  ['uuid', 'int8', 'int8', 'timestamptz[]'],
  {
    currency: currencyText,
    opening: 'int8',
    day: 'int4?',
    in: 'text',
    out: 'text',
    entryCount: 'int4',
    balance: 'int8',
  },
  sql`select a.currency, coalesce(before.balance_after, 0) as opening,
          day.day, coalesce(day.into, 0)::text as "in",
          coalesce(day.out, 0)::text as out, coalesce(day.count, 0) as "entryCount",
          coalesce(last.balance_after, 0) as balance
   from accounts a
   left join lateral ${entryOrHead(fragment`a.id`, fragment`$2::int8 - 1`)} before on true
   left join lateral (
     select width_bucket(e.created_at, $4) as day, count(*)::int4, max(e.seq) as seq,
            sum(e.amount) filter (where e.amount > 0) as into,
            -sum(e.amount) filter (where e.amount < 0) as out
     from entries e where e.account_id = $1 and e.seq >= $2 and e.seq < $3
     group by 1
   ) day on true
   left join entries last on last.account_id = a.id and last.seq = day.seq
   where a.id = $1 and a.kind = 'customer'
   order by day.day`,
)

/**
 * The account and its holder at the time `$4`, with the balance before the entry `$2` and before
 * the entry `$3`: of a customer, or if `$5` of the bank, which has a code and a name instead.
 */
export const readHeading = statement(
  'ledger_read_statement_heading',
  ['uuid', 'int8', 'int8', 'timestamptz', 'bool'],
  {
    iban: 'text',
    currency: currencyText,
    createdAt: 'timestamptz',
    holder: 'text',
    language: wordOrNullOf(languageCodes),
    opening: 'int8',
    closing: 'int8',
  },
  sql`select coalesce(a.iban, a.code || '-' || a.currency) as iban, a.currency,
          a.created_at as "createdAt", coalesce(holder_at(a.owner_id, $4), a.name) as holder,
          (select u.language from users u where u.id = a.owner_id) as language,
          coalesce(before.balance_after, 0) as opening, coalesce(last.balance_after, 0) as closing
   from accounts a
   left join lateral ${entryOrHead(fragment`a.id`, fragment`$2::int8 - 1`)} before on true
   left join lateral ${entryOrHead(fragment`a.id`, fragment`$3::int8 - 1`)} last on true
   where a.id = $1 and (a.code is not null) = $5`,
)

/** Whether the former bank of an account booked anything from the day `$2` to the day `$3`. */
export const hasFormerEntries = statement(
  'ledger_has_former_entries',
  ['uuid', 'text', 'text'],
  { found: 'bool' },
  `select exists (
     select from former_entries
     where account_id = $1 and booked_on between $2::text::date and $3::text::date
   ) as found`,
)

/** Totals of the entries from `$2` to before `$3`. A sum is text: it may exceed int8. */
export const readTotals = statement(
  'ledger_read_statement_totals',
  ['uuid', 'int8', 'int8'],
  { creditCount: 'int4', creditSum: 'text', debitCount: 'int4', debitSum: 'text' },
  `select (count(*) filter (where amount > 0))::int4 as "creditCount",
          coalesce(sum(amount) filter (where amount > 0), 0)::text as "creditSum",
          (count(*) filter (where amount < 0))::int4 as "debitCount",
          coalesce(-sum(amount) filter (where amount < 0), 0)::text as "debitSum"
   from entries where account_id = $1 and seq >= $2 and seq < $3`,
)

/** A page of the entries from `$2` to before `$3` that move money, oldest first. */
export const listStatementEntries = statement(
  'ledger_list_statement_entries',
  ['uuid', 'int8', 'int8', 'int8'],
  transactionColumns,
  sql`select ${selectLine}
   from (
     select ${storedEntryColumns} from entries
     where account_id = $1 and seq >= $2 and seq < $3 and amount <> 0
     order by seq limit $4
   ) e
   order by e.seq`,
)

/**
 * What those transfers are of: whether they went to another bank by the account `$2`, what they
 * have of one, the standing order of a run, and the channel of a card payment.
 */
export const listDetails = statement(
  'ledger_list_details_of_entries',
  ['uuid[]', 'uuid'],
  {
    id: 'uuid',
    isElsewhere: 'bool',
    reversalOf: 'uuid?',
    endToEndId: 'text?',
    bic: 'text?',
    reasonCode: 'text?',
    orderId: 'uuid?',
    channel: wordOrNullOf(channels),
  },
  `select t.id, t.to_account_id = $2 as "isElsewhere", t.reversal_of as "reversalOf",
     d.end_to_end_id as "endToEndId", d.bic, d.reason_code as "reasonCode",
     r.order_id as "orderId", c.channel
   from transfers t
   left join transfer_details d
     on d.transfer_id = case when t.kind in ('incoming', 'return', 'transfer') then t.id end
   left join standing_order_runs r
     on r.transfer_id = case when t.kind = 'transfer' then t.id end
   left join hold_captures h
     on h.transfer_id = case when t.kind in ('card', 'clearing') then t.id end
   left join card_authorizations c on c.id = h.hold_id
   where t.id = any($1)`,
)
