// Many rows as parameters of one statement: an array for each column, which `unnest` makes rows of
// again. The parameter types, the text and the values come from one table of columns.
import {
  type Columns,
  Fragment,
  type ParameterType,
  type RowOf,
  type Scalars,
  snakeCase,
  type ValuesOf,
} from './statement.ts'

/** The type of each column, and how its value is taken from a row. */
export type ArrayColumns<Row> = Record<
  string,
  {
    [S in keyof Scalars]: readonly [type: S, pick: (row: Row) => Scalars[S] | null]
  }[keyof Scalars]
>

/**
 * @param alias what the rows are called in the statement
 * @param first the number of the first parameter
 */
export function rowArrays<Row>(alias: string, columns: ArrayColumns<Row>, first = 1) {
  const types = Object.values(columns).map(([type]) => type)
  const parameters = types.map((type, index) => `$${first + index}::${type}[]`).join(', ')
  const names = Object.keys(columns).map(snakeCase).join(', ')
  const picks = Object.values(columns).map(([, pick]) => pick as (row: Row) => never)
  return {
    takes: types.map((type): ParameterType => `${type}[]`),
    /** For a `from` clause. */
    unnest: new Fragment(`unnest(${parameters}) as ${alias} (${names})`),
    values: (rows: readonly Row[]): ValuesOf<ParameterType[]> =>
      picks.map((pick) => rows.map((row): never => pick(row))),
  }
}

/** Columns whose values are taken as they are, from the object that `source` gives. */
export const sameColumns = <T extends Columns, Row>(
  columns: T,
  source: (row: Row) => RowOf<T>,
): ArrayColumns<Row> =>
  Object.fromEntries(
    Object.entries(columns).map(([name, type]) => [
      name,
      [type.replace('?', '') as 'text', (row: Row) => source(row)[name] as string | null],
    ]),
  )
