// Where in the histories of accounts a time is.
import { Fragment, fragment } from '../../database/statements/statement.ts'

/**
 * The balance and the hash behind entry `seq` of an account, also of the last one in an archive.
 * For a lateral join.
 */
export const entryOrHead = (accountId: Fragment, seq: Fragment): Fragment => fragment`(
     select balance_after, hash from entries where account_id = ${accountId} and seq = ${seq}
     union all
     select balance_after, hash from archived_heads
     where account_id = ${accountId} and seq = ${seq}
     offset 0
   )`

/** The number of the first entry of account `a` that is in no archive. */
export const firstSeq = fragment`coalesce(
       (select g.seq + 1 from archived_heads g where g.account_id = a.id), 1)`

/**
 * The common table expression `halving (account_id, low, high)`. Its rows with `low = high` are the
 * first entries of accounts that are not before a place. Times in an account never go back, so each
 * is found in some twenty look-ups of the primary key: no index by time is kept. With `offset`
 * each look-up stays one, however many accounts there are.
 *
 * @param start the accounts, with the numbers of their first entry and of one behind the last, and
 * the `more` columns
 * @param isBefore whether the entry `e` is before the place, by the columns of `h`
 */
export const searchByHalving = (start: Fragment, isBefore: Fragment, more = ''): Fragment => {
  const own = new Fragment(more && `, ${more}`)
  return fragment`halving (account_id, low, high${own}) as (
     ${start}
     union all
     select account_id, case when is_before then middle + 1 else low end,
            case when is_before then high else middle end${own}
     from (
       select h.*, (h.low + h.high) / 2 as middle from halving h where low < high
     ) h cross join lateral (
       select ${isBefore} as is_before from entries e
       where e.account_id = h.account_id and e.seq = h.middle offset 0
     ) compared
   )`
}
