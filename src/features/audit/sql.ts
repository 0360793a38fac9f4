// Data of the trail beside its events: the names that people read with it, and the last events of a
// person. The trail itself holds identifiers alone.
import { eventColumns, isChange } from '../../audit/sql.ts'
import {
  type Db,
  Fragment,
  fragment,
  select,
  sql,
  statement,
} from '../../database/statements/statement.ts'

const named = { id: 'uuid', name: 'text' } as const

const nameOf = fragment`u.given_name || ' ' || u.family_name`
const readNames = statement(
  'audit_read_names',
  ['uuid[]'],
  named,
  sql`select u.id, ${nameOf} as name from users u where u.id = any($1)
   union all
   select a.id, ${nameOf} from accounts a join users u on u.id = a.owner_id where a.id = any($1)
   union all
   select c.id, ${nameOf}
   from cards c join accounts a on a.id = c.account_id join users u on u.id = a.owner_id
   where c.id = any($1)
   union all
   select p.id, p.name from service_accounts p where p.id = any($1)`,
)

/** The names of people, of holders of accounts and cards, and of programs, by identifier. */
export async function namesOf(db: Db, ids: readonly (string | null)[]) {
  const known = [...new Set(ids)].filter((id) => id !== null)
  const rows = known.length === 0 ? [] : await db.run(readNames, [known])
  return new Map(rows.map(({ id, name }) => [id, name] as const))
}

/** The most events of each subject that a request looks through. */
export const lookedThroughMax = 500
export const lastEventsMax = 10

const ofSubject = (condition: string): Fragment =>
  fragment`select id, action from audit_events where ${new Fragment(condition)}
     order by id desc limit $2::int4`
const readLast = statement(
  'audit_read_last_of_user',
  ['uuid', 'int4', 'int4'],
  eventColumns,
  sql`with subjects as (
     select $1::uuid as id
     union all select id from accounts where owner_id = $1
     union all
     select c.id from accounts a join cards c on c.account_id = a.id where a.owner_id = $1
   ), last as (
     select id from (
       select x.id, x.action
       from subjects s cross join lateral (${ofSubject('target = s.id')}) x
       union (${ofSubject('actor_id = $1')})
     ) told where ${isChange} order by id desc limit $3::int4
   )
   select ${select(eventColumns, 'e')} from last join audit_events e on e.id = last.id
   order by e.id desc`,
)
/**
 * What the person did, and what was done to the person, the accounts and the cards, newest first:
 * changes and sign-ins.
 */
export const lastEventsOf = (db: Db, userId: string) =>
  db.run(readLast, [userId, lookedThroughMax, lastEventsMax])
