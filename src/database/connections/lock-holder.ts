// Which session holds up this service by a lock. PostgreSQL shows what a session does to its own
// role only; the function of the schema shows what the owner of the schema may see of it.
import { type RowOf, statement } from '../statements/statement.ts'

const columns = {
  backend: 'int4?',
  role: 'text?',
  application: 'text?',
  state: 'text?',
  relation: 'text?',
  mode: 'text?',
  since: 'timestamptz?',
  /** The first words of its latest statement: no literal, no parameter. */
  words: 'text?',
  /** Else it only may be the one: it has locked rows, and its transaction is open. */
  isCertain: 'bool',
} as const

export type LockHolder = RowOf<typeof columns>

/** See `migrations/0060_lock_holder.sql`. */
export const findHolder = statement(
  'lock_holder_find',
  [],
  columns,
  `select backend, role, application, state, relation, mode, since, words,
     is_certain as "isCertain"
   from lock_holder()`,
)
