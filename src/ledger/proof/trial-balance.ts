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
import { entryOrHead, firstSeq, searchByHalving } from './halving.ts'
import type { Head } from './heads.ts'

/**
 * Balances before the time `$2` of a page of accounts. An account without an entry since then has
 * the balance of its row. The last entry before of each other one is found by halving, so the cost
 * does not grow with all entries: it is a look-up of the accounts, and of some ten entries of each
 * account that was moved since. A sum is text: it may exceed int8.
 */
const readBalances = statement(
  'ledger_read_trial_balance',
  ['uuid?', 'timestamptz', 'int8'],
  {
    currency: currencyText,
    code: 'text?',
    name: 'text?',
    balance: 'text',
    isUsed: 'bool',
    isOld: 'bool',
    last: 'uuid',
  },
  sql`with recursive page as materialized (
     select id, currency, code, name, kind, balance, created_at, last_entry_at, last_seq
     from accounts where $1::uuid is null or id > $1 order by id limit $3
   ), ${searchByHalving(
     fragment`select a.id, ${firstSeq}, a.last_seq + 1 from page a where a.last_entry_at >= $2`,
     fragment`e.created_at < $2`,
   )}
   select p.currency, p.code, max(p.name) filter (where p.code is not null) as name,
     sum(case when p.last_entry_at >= $2 then coalesce(e.balance_after, 0) else p.balance end)::text
       as balance,
     bool_or(p.last_entry_at is not null) as "isUsed",
     bool_or(p.kind <> 'further' or p.created_at < $2 or p.last_entry_at < $2
       or e.balance_after is not null) as "isOld",
     (select id from page order by id desc limit 1) as last
   from page p
   left join halving h on h.account_id = p.id and h.low = h.high
   left join lateral ${entryOrHead(fragment`h.account_id`, fragment`h.low - 1`)} e on true
   group by p.currency, p.code
   order by p.currency, min(p.id::text) filter (where p.code is not null) nulls last`,
)

/** Minor units. The line without a code is that of all customers together. */
export type TrialLine = { code: string | null; name: string | null; balance: bigint }
export type TrialBalance = { currency: Currency; lines: TrialLine[]; total: bigint }[]

/** A statement of so many, all moved since, takes half a second: a quarter of what one may take. */
const balancesPerPage = 2000

/**
 * The balances before a time, by currency; currencies without any entry are left out. After
 * `untilSettled` nothing is booked before it any more. Pages of accounts, read one after the other,
 * are one state of the books then, and the same time always has the same balances.
 *
 * @param end the first millisecond after the time, since the epoch
 */
export async function readTrialBalance(
  db: Db,
  end: number,
  perPage = balancesPerPage,
): Promise<TrialBalance> {
  const found = new Map<string, TrialLine & { currency: string }>()
  const used = new Set<string>()
  // Ends at an empty page: each begins behind the last account of the one before.
  for (let after: string | null = null; ;) {
    const rows: RowOf<typeof readBalances.gives>[] = await db.run(readBalances, [
      after,
      new Date(end),
      BigInt(perPage),
    ])
    const [first] = rows
    if (!first) break
    after = first.last
    for (const { currency, code, name, balance, isUsed, isOld } of rows) {
      if (isUsed) used.add(currency)
      const key = `${currency} ${code ?? ''}`
      const sum = (found.get(key)?.balance ?? 0n) + BigInt(balance)
      if (isOld) found.set(key, { currency, code, name, balance: sum })
    }
  }
  return currencies.flatMap((currency) => {
    if (!used.has(currency)) return []
    const own = [...found.values()].filter((line) => line.currency === currency)
    const isBank = ({ code }: TrialLine) => code !== null
    const inOrder = [...own.filter(isBank), ...own.filter((line) => !isBank(line))]
    const lines = inOrder.map(({ code, name, balance }) => ({ code, name, balance }))
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
     fragment`select a.id, ${firstSeq}, a.last_seq + 1 from page a`,
     fragment`e.created_at < $2`,
   )}
   select p.id as "accountId", p.currency, p.code,
     p.created_at < $2 or p.kind not in ('customer', 'further') or h.low > 1 as "isOld",
     h.low - 1 as seq, coalesce(encode(e.hash, 'hex'), repeat('0', 64)) as hash,
     coalesce(e.balance_after, 0) as balance
   from page p
   join halving h on h.account_id = p.id and h.low = h.high
   left join lateral ${entryOrHead(fragment`h.account_id`, fragment`h.low - 1`)} e on true
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
