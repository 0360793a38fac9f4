// The trial balance: what every account of the bank and all customers together hold at a time. The
// two are computed apart, so their sum of zero proves something.
import {
  currencyText,
  type Db,
  fragment,
  type RowOf,
  sql,
  statement,
} from '../../database/statements/statement.ts'
import { type Currency, currencies } from '../../domain/money.ts'
import { searchByHalving } from './halving.ts'
import type { Head } from './heads.ts'

/**
 * Balances before the time `$1`. An account without an entry since then has the balance of its row.
 * The last entry before of each other one is found by halving, so the cost does not grow with all
 * entries: it is a look-up of the accounts, and of some ten entries of each account that was moved
 * since. A sum is text: it may exceed int8.
 */
const readBalances = statement(
  'ledger_read_trial_balance',
  ['timestamptz'],
  { currency: currencyText, code: 'text?', name: 'text?', balance: 'text', isUsed: 'bool' },
  sql`with recursive ${searchByHalving(
    fragment`select id, 1::int8, last_seq + 1 from accounts where last_entry_at >= $1`,
    fragment`e.created_at < $1`,
  )}
   select a.currency, a.code, max(a.name) filter (where a.code is not null) as name,
     sum(case when a.last_entry_at >= $1 then coalesce(e.balance_after, 0) else a.balance end)::text
       as balance,
     bool_or(a.last_entry_at is not null) as "isUsed"
   from accounts a
   left join halving h on h.account_id = a.id and h.low = h.high
   left join lateral (
     select balance_after from entries where account_id = h.account_id and seq = h.low - 1 offset 0
   ) e on true
   where a.kind <> 'further' or a.created_at < $1 or a.last_entry_at < $1
     or e.balance_after is not null
   group by a.currency, a.code
   order by a.currency, min(a.id::text) filter (where a.code is not null) nulls last`,
)

/** Minor units. The line without a code is that of all customers together. */
export type TrialLine = { code: string | null; name: string | null; balance: bigint }
export type TrialBalance = { currency: Currency; lines: TrialLine[]; total: bigint }[]

/**
 * The balances before a time, by currency; currencies without any entry are left out. One statement
 * is one state of the books: after `untilSettled` the same time always has the same balances.
 *
 * @param end the first millisecond after the time, since the epoch
 */
export async function readTrialBalance(db: Db, end: number): Promise<TrialBalance> {
  const rows = await db.run(readBalances, [new Date(end)])
  return currencies.flatMap((currency) => {
    const own = rows.filter((row) => row.currency === currency)
    if (!own.some(({ isUsed }) => isUsed)) return []
    const lines = own.map(({ code, name, balance }) => ({ code, name, balance: BigInt(balance) }))
    return { currency, lines, total: lines.reduce((sum, { balance }) => sum + balance, 0n) }
  })
}

/**
 * A page of accounts with the last entry of each before the time `$2`: those that were opened or
 * moved before.
 */
const readHeads = statement(
  'ledger_read_heads_before',
  ['uuid?', 'timestamptz', 'int8'],
  {
    accountId: 'uuid',
    currency: currencyText,
    code: 'text?',
    isOld: 'bool',
    seq: 'int8',
    hash: 'text',
    balance: 'int8',
  },
  sql`with recursive page as materialized (
     select id, currency, code, kind, created_at, last_entry_at, last_seq from accounts
     where $1::uuid is null or id > $1 order by id limit $3
   ), ${searchByHalving(
     fragment`select id, 1::int8, last_seq + 1 from page`,
     fragment`e.created_at < $2`,
   )}
   select p.id as "accountId", p.currency, p.code,
     p.created_at < $2 or p.kind not in ('customer', 'further') or h.low > 1 as "isOld",
     h.low - 1 as seq, coalesce(encode(e.hash, 'hex'), repeat('0', 64)) as hash,
     coalesce(e.balance_after, 0) as balance
   from page p
   join halving h on h.account_id = p.id and h.low = h.high
   left join lateral (
     select hash, balance_after from entries
     where account_id = h.account_id and seq = h.low - 1 offset 0
   ) e on true
   order by p.id`,
)

export type HeadBefore = Head & { currency: string; code: string | null; balance: bigint }

const accountsPerPage = 1000

/** The heads of all chains before a time that is settled, in the order of their accounts. */
export async function* headsBefore(db: Db, end: number): AsyncGenerator<HeadBefore> {
  // Ends at a page that is not full: each begins behind the last account of the one before.
  for (let after: string | null = null; ;) {
    const rows: RowOf<typeof readHeads.gives>[] = await db.run(readHeads, [
      after,
      new Date(end),
      BigInt(accountsPerPage),
    ])
    yield* rows.filter(({ isOld }) => isOld)
    const last = rows.at(-1)
    if (!last || rows.length < accountsPerPage) return
    after = last.accountId
  }
}
