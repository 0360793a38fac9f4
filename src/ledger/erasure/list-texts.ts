// Erases the texts of payment lists: payees, references and numbers of their lines, with the salt
// of their digest.
import { type Db, fragment, sql, statement } from '../../database/statements/statement.ts'

/** Each with up to a thousand lines. */
const listsPerPage = 10n

/** What follows the lists named `page`: those that are due lose their texts. */
const listTexts = fragment`ended as (
     update payment_lists p set salt = null from page
     where p.id = page.id and page.is_due and p.salt is not null
     returning p.id
   ), erased as (
     update payment_list_lines l
     set payee_name = null, payee_iban = null, reference = '', end_to_end_id = null,
       block_id = null
     from ended where l.list_id = ended.id
   )`

/** A page of payment lists from before that time: those that have ended lose their texts. */
const eraseLists = statement(
  'erase_lists',
  ['uuid', 'uuid', 'timestamptz', 'int8'],
  { last: 'uuid' },
  sql`with page as materialized (
     select id, ended_at < $3 as is_due from payment_lists
     where id > $1 and id < $2 order by id limit $4
   ), ${listTexts}
   select id as last from page order by id desc limit 1`,
)

/** The same of an account. Of a closed one, which gets no more, also the numbers of its lists. */
const eraseListsOfAccount = statement(
  'erase_lists_of_account',
  ['uuid', 'uuid', 'int8'],
  { last: 'uuid' },
  sql`with page as materialized (
     select p.id, p.ended_at is not null or a.status = 'closed' as is_due
     from payment_lists p join accounts a on a.id = p.account_id
     where p.account_id = $2 and p.id > $1 order by p.id limit $3
   ), ${listTexts}
   select id as last from page order by id desc limit 1`,
)
const eraseListNumbers = statement(
  'erase_list_numbers',
  ['uuid'],
  {},
  `update payment_lists p set message_id = null
   from accounts a
   where a.id = $1 and a.status = 'closed' and p.account_id = a.id and p.message_id is not null`,
)

/** A page behind that list. */
export const eraseListTexts = (
  tx: Db,
  after: string,
  { end, time }: { end: string; time: Date },
): Promise<{ last: string }[]> => tx.run(eraseLists, [after, end, time, listsPerPage])

/** The same of an account. */
export const eraseListTextsOf = (
  tx: Db,
  after: string,
  accountId: string,
): Promise<{ last: string }[]> => tx.run(eraseListsOfAccount, [after, accountId, listsPerPage])

/** The numbers of the lists of a closed account, which gets no more. */
export const eraseListNumbersOf = (tx: Db, accountId: string) =>
  tx.run(eraseListNumbers, [accountId])
