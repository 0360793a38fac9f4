// The statement by which staff find people by what a caller says. Each part of it is a descent of
// an index, and finds no more than is read in a few milliseconds.
import { type Db, fragment, Fragment, sql, statement } from '../../database/statements/statement.ts'

/** What a search reads at most of each kind: 10 ms. Where there are more, a caller says more. */
const eachMax = 1000

/** What a text may mean: null where it does not. */
export type Look = {
  /** The words of a name as a text of `tsquery`: as they were said; those, or words like them. */
  words: string | null
  alike: string | null
  /** The beginning of a user name or an e-mail address. */
  beginning: string | null
  /** The last digits of a telephone number, from the last one on. */
  phone: string | null
  /** The last digits of a card; beside words, of a person with that name. */
  lastFour: string | null
  iban: string | null
}

const beginsWith = (column: string, at: string): Fragment =>
  new Fragment(`${column} collate "C" >= ${at} and ${column} collate "C" < ${at} || chr(1114111)`)
const hasCard = fragment`($5::text is null or exists (
  select from accounts a join cards c on c.account_id = a.id
  where a.owner_id = w.user_id and c.last_four = $5 and c.status <> 'cancelled'))`
const upTo = new Fragment(`limit ${eachMax}`)
const named = (at: string): Fragment =>
  fragment`select w.user_id from user_words w
   where w.words @@ ${new Fragment(at)}::text::tsquery and ${hasCard} ${upTo}`

const find = statement(
  'users_find',
  ['text?', 'text?', 'text?', 'text?', 'text?', 'text?', 'text?', 'text?'],
  { id: 'uuid', isAlike: 'bool' },
  sql`select f.id, bool_and(f.is_alike) as "isAlike"
   from (
     (select user_id as id, false as is_alike from (${named('$1')}) n)
     union all
     (select user_id, true from (${named('$2')}) n)
     union all
     (select id, false from users where ${beginsWith('username', '$3')} ${upTo})
     union all
     (select id, false from users where ${beginsWith('email', '$3')} ${upTo})
     union all
     (select id, false from users where ${beginsWith('reverse(phone)', '$4')} ${upTo})
     union all
     (select owner_id, false from accounts
      where ${beginsWith('reverse(registered_phone)', '$4')} ${upTo})
     union all
     (select a.owner_id, false from cards c join accounts a on a.id = c.account_id
      where $1 is null and c.last_four = $5 and c.status <> 'cancelled' ${upTo})
     union all
     (select owner_id, false from accounts where iban = $6)
   ) f
   join users u on u.id = f.id
   where ($7::text is null or u.status = $7) and ($8::text is null or $8 = any(u.roles))
   group by f.id
   order by 2, f.id desc`,
)

type Filter = { status?: string | undefined; role?: string | undefined }
/** The best first: as it was said, then with a word like it; each newest first. */
export async function lookUpPeople(db: Db, look: Look, filter: Filter): Promise<string[]> {
  const { words, alike, beginning, phone, lastFour, iban } = look
  const { status = null, role = null } = filter
  const found = await db.run(find, [words, alike, beginning, phone, lastFour, iban, status, role])
  return found.map(({ id }) => id)
}
