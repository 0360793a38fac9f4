// Statements that write one row of a table, made from a table of its columns: a value has its place
// by its name.
import {
  bare,
  type Columns,
  type Db,
  Fragment,
  type ParameterType,
  type RowOf,
  select,
  snakeCase,
  sql,
  statement,
  type ValuesOf,
} from './statement.ts'

type None = Record<string, never>
type Values = ValuesOf<readonly ParameterType[]>

const toValues = (columns: Columns, row: object): Values =>
  Object.keys(columns).map((name) => row[name as keyof typeof row]) as Values

/**
 * Makes the function that adds a row.
 *
 * @param options.gives the columns of the row as it was stored, defaults included
 * @param options.conflict what follows the values, such as `on conflict do nothing`: the result is
 * then undefined for a row that was not added
 */
export function insertInto<const C extends Columns, const G extends Columns = None>(
  name: string,
  table: string,
  columns: C,
  { gives, conflict = '' }: { gives?: G; conflict?: string } = {},
): (db: Db, row: RowOf<C>) => Promise<RowOf<G> | undefined> {
  const places = Object.keys(columns).map((_, index) => `$${index + 1}`)
  const made = statement(
    name,
    Object.values(columns),
    gives ?? ({} as G),
    sql`insert into ${new Fragment(table)} (${bare(columns)})
     values (${new Fragment(places.join(', '))}) ${new Fragment(conflict)}
     ${gives ? new Fragment(`returning ${select(gives).text}`) : new Fragment('')}`,
  )
  return async (db, row) => (await db.run(made, toValues(columns, row)))[0]
}

/** Makes the function that writes these columns of the row with that `id`. */
export function updateIn<const C extends Columns & { id: 'uuid' }>(
  name: string,
  table: string,
  columns: C,
): (db: Db, row: RowOf<C>) => Promise<void> {
  const { id: _, ...written } = columns
  const pairs = Object.keys(written).map((key, index) => `${snakeCase(key)} = $${index + 2}`)
  const made = statement(
    name,
    ['uuid', ...Object.values(written)],
    {},
    sql`update ${new Fragment(table)} set ${new Fragment(pairs.join(', '))} where id = $1`,
  )
  return async (db, row) => {
    await db.run(made, [row.id, ...toValues(written, row)])
  }
}
