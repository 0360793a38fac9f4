// Pages of the verification: each one behind the last key of the one before, so memory stays
// bounded at any size of the books.
import type { Columns, Db, RowOf, Statement } from '../../database/statements/statement.ts'
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
