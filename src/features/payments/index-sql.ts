// Statements that write what payments are looked up by, behind the payments.
import { rowArrays } from '../../database/statements/arrays.ts'
import {
  currencyText,
  type Db,
  Fragment,
  fragment,
  type RowOf,
  select,
  sql,
  statement,
} from '../../database/statements/statement.ts'

const lockPlaceRow = statement(
  'payments_lock_place',
  [],
  { eventNumber: 'int8', below: 'uuid?', lastNumber: 'int8' },
  `select p.event_number as "eventNumber", p.below, e.number as "lastNumber"
   from payment_terms_place p cross join last_event e
   where p.below is not null or p.event_number < e.number
   for update of p skip locked`,
)
/** How far terms are written; undefined: all are, or another instance is writing them. */
export const lockPlace = async (tx: Db) => (await tx.run(lockPlaceRow, []))[0]

const writePlaceRow = statement(
  'payments_write_place',
  ['int8', 'uuid?'],
  {},
  'update payment_terms_place set event_number = $1, below = $2',
)
export const writePlace = (tx: Db, eventNumber: bigint, below: string | null) =>
  tx.run(writePlaceRow, [eventNumber, below])

const listOlderRows = statement(
  'payments_list_older',
  ['uuid', 'int4'],
  { id: 'uuid' },
  `select id from (
     (select id from transfers where id < $1 order by id desc limit $2::int4)
     union
     (select id from card_authorizations where id < $1 order by id desc limit $2::int4)
     union
     (select id from holds where id < $1 order by id desc limit $2::int4)
   ) older order by id desc limit $2::int4`,
)
/** Payments and holds of before, the newest first. */
export const olderThan = async (tx: Db, below: string, count: number): Promise<string[]> =>
  (await tx.run(listOlderRows, [below, count])).map(({ id }) => id)

const keepTexts = statement(
  'payments_keep_texts',
  ['uuid[]'],
  {},
  'select from transfers where id = any($1) order by id for share',
)
/** Until COMMIT their texts are not erased. What is new is not erased yet, and is not locked. */
export const keepTextsOf = (tx: Db, ids: readonly string[]) => tx.run(keepTexts, [[...ids]])

const isWritten = (alias: string) =>
  new Fragment(`exists (select from payment_terms where id = ${alias}.id offset 0) as is_written`)
const read = {
  id: 'uuid',
  toAccountId: 'uuid?',
  amount: 'int8',
  currency: currencyText,
  text: 'text',
  iban: 'text?',
  endToEndId: 'text?',
  createdAt: 'timestamptz',
  isWritten: 'bool',
} as const
/**
 * What is known of a payment, a hold or an authorisation, and whether a term of it is written. Its
 * text is empty once it is erased.
 */
export type Searchable = RowOf<typeof read>

const readRows = statement(
  'payments_read_searchable',
  ['uuid[]'],
  read,
  sql`select ${select(read)} from (
     select t.id, a.id as to_account_id, t.amount, t.currency, t.reference as text,
       t.counterparty_iban as iban, d.end_to_end_id, t.created_at, ${isWritten('t')}
     from transfers t
     left join transfer_details d on d.transfer_id = t.id
     left join accounts a on a.id = t.to_account_id and a.kind = 'customer'
     where t.id = any($1)
     union all
     select id, null, amount, currency, coalesce(merchant_name, ''), null, null, created_at,
       ${isWritten('a')}
     from card_authorizations a
     where id = any($1) and (reason is not null or id = payment_id)
     union all
     select id, null, amount, currency, reference, null, null, created_at, ${isWritten('h')}
     from holds h
     where id = any($1) and not exists (select from card_authorizations where id = h.id)
   ) as found`,
)
export const searchablesOf = (tx: Db, ids: readonly string[]) => tx.run(readRows, [[...ids]])

type TermRow = { term: bigint; id: string }
const terms = rowArrays<TermRow>('x', {
  term: ['int8', ({ term }) => term],
  id: ['uuid', ({ id }) => id],
})
const insert = fragment`insert into payment_terms (term, id) select term, id from ${terms.unnest}`
const insertTerms = statement('payments_insert_terms', terms.takes, {}, sql`${insert}`)
const insertMissingTerms = statement(
  'payments_insert_missing_terms',
  terms.takes,
  {},
  sql`${insert} on conflict do nothing`,
)
/**
 * Terms of what has none: to look for each of them costs as much again as to write it. The lock of
 * the place keeps others from writing some meanwhile.
 */
export const addTerms = (tx: Db, rows: readonly TermRow[]) =>
  tx.run(insertTerms, terms.values(rows))
/** Terms of what may have some. */
export const addMissingTerms = (tx: Db, rows: readonly TermRow[]) =>
  tx.run(insertMissingTerms, terms.values(rows))
