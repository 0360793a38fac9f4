// Statements that write one row of a table, made from a table of its columns: a value has its place
// by its name.
import { LoggedError } from '../../domain/logged-error.ts'
import {
  type Columns,
  type Db,
  type ParameterType,
  type RowOf,
  select,
  snakeCase,
  statement,
  type ValuesOf,
} from './statement.ts'

type None = Record<string, never>
/** A row with the values that are no columns, where there are any. */
type RowWith<C extends Columns, M extends Columns> = string extends keyof M
  ? RowOf<C>
  : RowOf<C> & RowOf<M>
type Values = ValuesOf<readonly ParameterType[]>

const toValues = (columns: Columns, row: object): Values =>
  Object.keys(columns).map((name) => row[name as keyof typeof row]) as Values

/** With the place of the parameter for each name behind a colon. */
function place(text: string, names: readonly string[]): string {
  const toPlace = (_: string, name: string): string => {
    if (!names.includes(name)) throw new LoggedError(`No value is named ${name}`)
    return `$${names.indexOf(name) + 1}`
  }
  return text.replace(/(?<![:\w]):([a-z]\w*)/g, toPlace)
}

/** What is written to each column, by its name in the table. */
const expressions = (columns: Columns, as: Record<string, string>): [string, string][] =>
  Object.keys({ ...columns, ...as }).map((name) => [snakeCase(name), as[name] ?? `:${name}`])

/** Texts of SQL, in which `:accountId` is the value of that name. */
type Written<M extends Columns> = {
  /** Stands before the statement, such as `with … as (…)`. */
  first?: string
  /** Columns whose value is computed. */
  as?: Record<string, string>
  /** Values that are no columns. */
  more?: M
}

/**
 * Makes the function that adds a row.
 *
 * @param options.gives the columns of the row as it was stored, defaults included
 * @param options.where the condition under which it is added: the result is else undefined
 * @param options.conflict what follows the values, such as `on conflict do nothing`: the result is
 *   then undefined for a row that was not added
 */
export function insertInto<
  const C extends Columns,
  const G extends Columns = None,
  const M extends Columns = None,
>(
  name: string,
  table: string,
  columns: C,
  options: Written<M> & { gives?: G; where?: string; conflict?: string } = {},
): (db: Db, row: RowWith<C, M>) => Promise<RowOf<G> | undefined> {
  const { first = '', as = {}, more, gives, where, conflict = '' } = options
  const takes: Columns = { ...columns, ...more }
  const written = expressions(columns, as)
  const values = written.map(([, expression]) => expression).join(', ')
  const source = where === undefined ? [`values (${values})`] : ['select', values, 'where', where]
  const made = statement(
    name,
    Object.values(takes),
    gives ?? ({} as G),
    place(
      `${first} insert into ${table} (${written.map(([column]) => column).join(', ')})
       ${source.join(' ')} ${conflict}
       ${gives ? `returning ${select(gives).text}` : ''}`,
      Object.keys(takes),
    ),
  )
  return async (db, row) => (await db.run(made, toValues(takes, row)))[0]
}

/** Makes the function that writes these columns of the row with that `id`. */
export function updateIn<const C extends Columns & { id: 'uuid' }, const M extends Columns = None>(
  name: string,
  table: string,
  columns: C,
  { first = '', as = {}, more }: Written<M> = {},
): (db: Db, row: RowWith<C, M>) => Promise<void> {
  const { id: _, ...changed } = columns
  const takes: Columns = { ...columns, ...more }
  const pairs = expressions(changed, as).map((pair) => pair.join(' = '))
  const text = `${first} update ${table} set ${pairs.join(', ')} where id = :id`
  const made = statement(name, Object.values(takes), place(text, Object.keys(takes)))
  return async (db, row) => {
    await db.run(made, toValues(takes, row))
  }
}
