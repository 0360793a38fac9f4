// Data of the trail beside its events: the last events of a person.
import { eventColumns, isChange } from '../../audit/sql.ts'
import {
  type Db,
  Fragment,
  fragment,
  select,
  sql,
  statement,
} from '../../database/statements/statement.ts'

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
