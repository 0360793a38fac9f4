// Statements by which staff look payments up over the whole bank. Each takes its identifiers from
// indexes, newest first, a page at a time.
import {
  type Db,
  Fragment,
  fragment,
  one,
  pageBefore,
  sql,
  statement,
} from '../../database/statements/statement.ts'
import type { Currency } from '../../domain/money.ts'
import { accountTerm, ibanTerm } from './terms.ts'

const gives = { id: 'uuid' } as const
const page = pageBefore(2)
const pageOf = (from: Fragment, id = 'id'): Fragment =>
  fragment`(select ${new Fragment(id)} as id from ${from} and ${pageBefore(2, id)})`
/** One page of several lists. */
const newestOf = (...lists: Fragment[]): string =>
  sql`select id from (${new Fragment(lists.map(({ text }) => text).join(' union '))}) found
   order by id desc limit $3::int4`

/** A page of identifiers behind one of them, or from the newest on. */
export type LookUp = (db: Db, after: string | undefined, count: number) => Promise<string[]>

const idsOf = (rows: readonly { id: string }[]): string[] => rows.map(({ id }) => id)

const byTerm = statement(
  'payments_find_by_term',
  ['int8', 'uuid?', 'int4'],
  gives,
  sql`select id from payment_terms where term = $1 and ${page}`,
)
export const lookUpTerm =
  (term: bigint): LookUp =>
  async (db, after, count) =>
    idsOf(await db.run(byTerm, [term, after ?? null, count]))

const byNumber = statement(
  'payments_find_by_number',
  ['text', 'uuid?', 'int4'],
  gives,
  sql`select transfer_id as id from external_ids
   where external_id = $1 and ${pageBefore(2, 'transfer_id')}`,
)
export const lookUpNumber =
  (externalId: string): LookUp =>
  async (db, after, count) =>
    idsOf(await db.run(byNumber, [externalId, after ?? null, count]))

const byAmount = statement(
  'payments_find_by_amount',
  ['int8', 'uuid?', 'int4', 'int8', 'text', 'uuid', 'uuid'],
  gives,
  newestOf(
    pageOf(fragment`payment_terms where term = $1`),
    pageOf(fragment`refused_payments where amount = $4 and currency = $5
       and id >= $6 and id < $7`),
  ),
)
export const lookUpAmount =
  (
    term: bigint,
    {
      amount,
      currency,
      from,
      to,
    }: Record<'from' | 'to', string> & {
      amount: bigint
      currency: Currency
    },
  ): LookUp =>
  async (db, after, count) =>
    idsOf(await db.run(byAmount, [term, after ?? null, count, amount, currency, from, to]))

const findAccount = statement(
  'payments_find_account',
  ['text'],
  gives,
  'select id from accounts where iban = $1',
)
const byAccount = statement(
  'payments_find_by_account',
  ['uuid', 'uuid?', 'int4', 'int8'],
  gives,
  newestOf(
    pageOf(fragment`transfers where from_account_id = $1`),
    pageOf(fragment`payment_terms where term = $4`),
    pageOf(fragment`card_authorizations where account_id = $1`),
    pageOf(fragment`holds where account_id = $1`),
    pageOf(fragment`refused_payments where account_id = $1`),
  ),
)
/** On either side, of a customer's account or of one at another bank. */
export const lookUpIban =
  (iban: string): LookUp =>
  async (db, after, count) => {
    const account = await one(db, findAccount, [iban])
    if (!account) return lookUpTerm(ibanTerm(iban))(db, after, count)
    const { id } = account
    return idsOf(await db.run(byAccount, [id, after ?? null, count, accountTerm(id)]))
  }

const refusedOfUser = (table: string, condition: string): Fragment =>
  fragment`(select r.id from accounts a cross join lateral (
     select id from ${new Fragment(table)}
     where account_id = a.id ${new Fragment(condition)} and ${pageBefore(2)}
   ) r where a.owner_id = $1)`
const byUser = statement(
  'payments_find_refused_of_user',
  ['uuid', 'uuid?', 'int4'],
  gives,
  newestOf(
    refusedOfUser('refused_payments', ''),
    refusedOfUser('card_authorizations', 'and reason is not null'),
  ),
)
/** What was refused on any account of a person. */
export const lookUpRefused =
  (userId: string): LookUp =>
  async (db, after, count) =>
    idsOf(await db.run(byUser, [userId, after ?? null, count]))

/** The most payments with one of the words that a request reads for the others: 15 ms. */
const withOneMax = 2000

const countTerms = statement(
  'payments_count_terms',
  ['int8[]', 'uuid?', 'int4'],
  { term: 'int8', count: 'int8' },
  `select t.term, (
     select count(*) from (
       select from payment_terms
       where term = t.term and id < coalesce($2::uuid, 'ffffffff-ffff-ffff-ffff-ffffffffffff')
       limit $3::int4
     ) counted
   ) as count
   from unnest($1::int8[]) as t (term)`,
)
/** The rarest word first, as far as they are counted: it has the fewest payments to read. */
async function rarestFirst(db: Db, terms: readonly bigint[], after: string | undefined) {
  const counts = await db.run(countTerms, [[...terms], after ?? null, withOneMax])
  return counts.toSorted((one, other) => (one.count < other.count ? -1 : 1)).map(({ term }) => term)
}

const withWords = statement(
  'payments_find_by_words',
  ['int8', 'uuid?', 'int4', 'int8[]'],
  { id: 'uuid', hasAll: 'bool' },
  sql`select p.id, not exists (
     select from unnest($4::int8[]) as other (term)
     where not exists (select from payment_terms o where o.term = other.term and o.id = p.id)
   ) as "hasAll"
   from (select id from payment_terms where term = $1 and ${page}) p
   order by p.id desc`,
)
type Found = { ids: string[]; next: string | undefined }
/** With all of the words. `next` is where a reading that stopped goes on. */
export async function findByWords(
  db: Db,
  terms: readonly bigint[],
  after: string | undefined,
  count: number,
): Promise<Found> {
  const [only = 0n, ...more] = terms
  if (more.length === 0) {
    return { ids: await lookUpTerm(only)(db, after, count), next: undefined }
  }
  const [lead = only, ...others] = await rarestFirst(db, terms, after)
  const rows = await db.run(withWords, [lead, after ?? null, withOneMax, others])
  const ids = idsOf(rows.filter(({ hasAll }) => hasAll)).slice(0, count)
  const isWhole = rows.length < withOneMax || ids.length === count
  return { ids, next: isWhole ? undefined : rows.at(-1)?.id }
}
