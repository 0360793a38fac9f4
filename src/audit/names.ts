// The names that people read beside identifiers. The trail itself holds identifiers alone.
import { type Db, fragment, sql, statement } from '../database/statements/statement.ts'

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
