// Pages of the verification: each one behind the last key of the one before, so memory stays
// bounded at any size of the books.
import {
  type Columns,
  type Db,
  fragment,
  type Fragment,
  type RowOf,
  type Statement,
} from '../../database/statements/statement.ts'
import { firstId } from '../../domain/ids.ts'
import type { Since } from './verify-since.ts'

export const rowsPerPage = 5000n

/** Reads rows behind a key, as many as a page has. */
type PageStatement<G extends Columns> = Statement<readonly ['uuid', 'int8'], G>
/** The same of rows that are new since then, or were changed. */
type NewPageStatement<G extends Columns> = Statement<
  readonly ['uuid', 'int8', 'uuid', 'timestamptz'],
  G
>

/**
 * The rows of a page that a condition of its columns chooses, as a table, and the last row of the
 * page: the next page begins behind that one. So a statement passes over no more old rows than a
 * page has.
 *
 * @param page `columns` by their names alone; `count` is the parameter that tells how many rows a
 *   page has
 */
export const chooseOf = (
  page: { columns: Fragment; from: Fragment; key: Fragment; count?: Fragment },
  condition: Fragment,
): Fragment => {
  const { columns, from, key, count = fragment`$2` } = page
  return fragment`(
     select ${columns} from (
       select ${columns}, row_number() over (order by ${key}) = ${count} as is_last
       from ${from} order by ${key} limit ${count}
     ) seen
     where is_last or ${condition}
   )`
}

/**
 * Pages up to the first one without rows. The next one is on its way while one is proven.
 *
 * @param read gives the rows behind the last one of the page before
 */
export async function* readAhead<R>(
  read: (last: R | undefined) => Promise<R[]>,
): AsyncGenerator<R[]> {
  for (let next: Promise<R[]> | undefined = read(undefined); next;) {
    const page: R[] = await next
    const last = page.at(-1)
    next = last && read(last)
    next?.catch(() => {})
    yield page
  }
}

/**
 * @param keyOf the key of a row, by which the statement orders its rows
 * @param after the key behind which the first row is
 */
export const pagesOf = <G extends Columns>(
  db: Db,
  read: PageStatement<G>,
  keyOf: (row: RowOf<G>) => string,
  after = firstId,
): AsyncGenerator<RowOf<G>[]> =>
  readAhead((last) => db.run(read, [last === undefined ? after : keyOf(last), rowsPerPage]))

/** All rows, or those that are new since then or were changed. */
export const allOf =
  <G extends Columns>(db: Db, read: PageStatement<G>) =>
  (after: string) =>
    db.run(read, [after, rowsPerPage])
export const newOf =
  <G extends Columns>(db: Db, read: NewPageStatement<G>, since: Since) =>
  (after: string) =>
    db.run(read, [after, rowsPerPage, since.id, since.at])

/**
 * What is wrong with the first row that is not as it has to be, in words; undefined: nothing.
 *
 * @param read gives the rows behind an identifier
 * @param flawOf the same of one row
 */
export async function findFirstFlaw<R extends { id: string }>(
  read: (after: string) => Promise<R[]>,
  flawOf: (row: R) => string | undefined,
): Promise<string | undefined> {
  for await (const page of readAhead((last?: R) => read(last?.id ?? firstId))) {
    for (const row of page) {
      const flaw = flawOf(row)
      if (flaw !== undefined) return flaw
    }
  }
  return undefined
}
