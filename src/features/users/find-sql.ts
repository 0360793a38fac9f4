// The statement by which staff find people by what a caller says. Each part of it is a descent of
// an index, and finds no more than is read in a few milliseconds.
import { type Db, Fragment, sql, statement } from '../../database/statements/statement.ts'

/** What a search reads at most of each kind. Where there are more, a caller says more. */
const eachMax = 300

/** What a text may mean: null where it does not. */
export type Look = {
  /** The beginning of a name from one of its words on. */
  name: string | null
  /** Words of a name as a text of `tsquery`: as they were said; those, or words like them. */
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
const upTo = new Fragment(`limit ${eachMax}`)

const find = statement(
  'users_find',
  ['text?', 'text?', 'text?', 'text?', 'text?', 'text?', 'text?', 'text?', 'text?'],
  { id: 'uuid', isAlike: 'bool' },
  sql`select f.id, bool_and(f.is_alike) as "isAlike"
   from (
     (select user_id as id, false as is_alike from user_names
      where ${beginsWith('tail', '$7')} ${upTo})
     union all
     (select user_id, false from user_words
      where words @@ $1::text::tsquery and $5::text is null ${upTo})
     union all
     (select user_id, true from user_words
      where words @@ $2::text::tsquery and $5::text is null ${upTo})
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
     (select a.owner_id, $1::text is not null and not w.words @@ $1::text::tsquery
      from cards c
      join accounts a on a.id = c.account_id
      left join user_words w on w.user_id = a.owner_id
      where c.last_four = $5 and c.status <> 'cancelled'
        and ($2::text is null or w.words @@ $2::text::tsquery) ${upTo})
     union all
     (select owner_id, false from accounts where iban = $6)
   ) f
   join users u on u.id = f.id
   where ($8::text is null or u.status = $8) and ($9::text is null or $9 = any(u.roles))
   group by f.id
   order by 2, f.id desc`,
)

type Filter = { status?: string | undefined; role?: string | undefined }
/** The best first: as it was said, then with a word like it; each newest first. */
export async function lookUpPeople(db: Db, look: Look, filter: Filter): Promise<string[]> {
  const { name, words, alike, beginning, phone, lastFour, iban } = look
  const { status = null, role = null } = filter
  const found = await db.run(find, [
    words,
    alike,
    beginning,
    phone,
    lastFour,
    iban,
    name,
    status,
    role,
  ])
  return found.map(({ id }) => id)
}
