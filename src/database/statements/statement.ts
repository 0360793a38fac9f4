// A statement is a constant: its name, its text, its parameters and its columns. Values are only
// ever sent as parameters. A test prepares each statement on the schema and compares the types.
import { lastId } from '../../domain/ids.ts'
import {
  type Columns,
  createToRow,
  type ParameterType,
  type RowOf,
  type ValuesOf,
} from './values.ts'

export type { Columns, ColumnType, ParameterType, RowOf, Scalars, ValuesOf } from './values.ts'
export { currencyText, wordOf, wordOrNullOf } from './values.ts'

export type Statement<
  T extends readonly ParameterType[] = readonly ParameterType[],
  G extends Columns = Columns,
> = {
  readonly name: string
  readonly text: string
  readonly takes: T
  readonly gives: G
  /** Makes a row of the texts of its columns. */
  readonly toRow: (texts: readonly (string | null)[]) => RowOf<G>
}

/** All statements of the program, for the test that prepares them. */
export const statements = new Map<string, Statement>()

const noColumns = {} as const

/**
 * Declares a statement. `takes` are its parameters in order, `gives` its result columns in order,
 * where it has any; a `?` at the end of a type says it may be null. Names are unique across the
 * program.
 */
export function statement<const T extends readonly ParameterType[]>(
  name: string,
  takes: T,
  text: string,
): Statement<T, typeof noColumns>
export function statement<const T extends readonly ParameterType[], const G extends Columns>(
  name: string,
  takes: T,
  gives: G,
  text: string,
): Statement<T, G>
export function statement(
  name: string,
  takes: readonly ParameterType[],
  ...rest: [text: string] | [gives: Columns, text: string]
): Statement {
  const [gives, text] = rest.length === 1 ? [noColumns, rest[0]] : rest
  if (statements.has(name)) throw new Error(`Two statements are named ${name}`)
  const declared = Object.freeze({ name, text, takes, gives, toRow: createToRow(gives) })
  statements.set(name, declared)
  return declared
}

/** A constant part of the text of a statement, such as a list of columns. */
export class Fragment {
  readonly text: string
  constructor(text: string) {
    this.text = text
  }
}

export const snakeCase = (name: string): string =>
  name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)

/**
 * The columns a statement gives: `{ id: 'uuid', accountId: 'uuid' }` as `c.id, c.account_id as
 * "accountId"`.
 */
export const select = (columns: Columns, alias?: string): Fragment =>
  new Fragment(
    Object.keys(columns)
      .map((name) => {
        const column = alias === undefined ? snakeCase(name) : `${alias}.${snakeCase(name)}`
        return snakeCase(name) === name ? column : `${column} as "${name}"`
      })
      .join(', '),
  )

/** The same columns by their names in the table alone, for a list that is not the result. */
export const bareColumns = (columns: Columns, alias?: string): Fragment =>
  new Fragment(
    Object.keys(columns)
      .map((name) => (alias === undefined ? snakeCase(name) : `${alias}.${snakeCase(name)}`))
      .join(', '),
  )

/** The text of a statement. Only fragments can be put into it: never a value. */
export const sql = (texts: TemplateStringsArray, ...parts: Fragment[]): string =>
  texts.map((text, index) => text + (parts[index]?.text ?? '')).join('')

/** A part that several statements share. */
export const fragment = (texts: TemplateStringsArray, ...parts: Fragment[]): Fragment =>
  new Fragment(sql(texts, ...parts))

/** Runs statements: on the shared lanes, or in one open transaction. */
export interface Db {
  run<T extends readonly ParameterType[], G extends Columns>(
    statement: Statement<T, G>,
    values: ValuesOf<T>,
  ): Promise<RowOf<G>[]>
}

/** The first row, or undefined. */
export async function one<T extends readonly ParameterType[], G extends Columns>(
  db: Db,
  statement: Statement<T, G>,
  values: ValuesOf<T>,
): Promise<RowOf<G> | undefined> {
  const rows = await db.run(statement, values)
  return rows[0]
}

/**
 * The end of a list's statement, newest first: its rows before the identifier in parameter `$from`,
 * which may be null, as many as the next parameter says.
 */
export function pageBefore(from: number, id = 'id'): Fragment {
  const rows = `${id} < coalesce($${from}::uuid, '${lastId}')`
  return new Fragment(`${rows} order by ${id} desc limit $${from + 1}::int4`)
}

/**
 * Makes the list of what belongs to one account, person or other resource, newest first.
 *
 * @param from the select, up to the condition that it belongs to `$1`
 */
export function listOf<const G extends Columns>(name: string, gives: G, from: Fragment, id = 'id') {
  const text = sql`${from} and ${pageBefore(2, id)}`
  const made = statement(name, ['uuid', 'uuid?', 'int4'], gives, text)
  return (db: Db, owner: string, after: string | undefined, count: number): Promise<RowOf<G>[]> =>
    db.run(made, [owner, after ?? null, count])
}

/**
 * The conditions of a list's optional filters, each with the type of its parameter and followed by
 * `and`. The leading filter is always given.
 */
export const conditions = (
  filters: Record<string, readonly [type: string, condition: string]>,
  lead: string,
): string[] =>
  Object.entries(filters).map(([name, [type, condition]], index) =>
    name === lead ? `${condition} and` : `($${index + 1}::${type} is null or ${condition}) and`,
  )
