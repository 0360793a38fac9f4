// How statements are planned that find their rows by key, whatever PostgreSQL knows of the tables.
import { Fragment, sql, statement } from '../statements/statement.ts'

const generic = {
  // PostgreSQL takes a new table for empty, and a prepared statement that was planned then keeps
  // reading all of it.
  enable_seqscan: 'off',
  // For look-ups and batches: one generic plan serves any number of keys. PostgreSQL would plan a
  // statement with few keys on each execution, which takes longer than the execution.
  plan_cache_mode: 'force_generic_plan',
  enable_hashjoin: 'off',
  enable_mergejoin: 'off',
}
const settings = Object.entries(generic)

/** For the start-up packet of a connection. */
export const genericPlans = settings.map(([name, value]) => `-c ${name}=${value}`)
export const byKeys = `-c enable_seqscan=${generic.enable_seqscan}`

const rows = new Fragment(settings.map((setting) => `('${setting.join("', '")}')`).join(', '))
/** For the rest of a transaction, on a connection that plans as PostgreSQL does. */
export const planByKeys = statement(
  'plan_by_keys',
  [],
  { count: 'int8' },
  sql`select count(set_config(name, value, true)) as count
   from (values ${rows}) as setting (name, value)`,
)
