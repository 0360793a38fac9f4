// Pages of the verification: each one behind the last key of the one before, so memory stays
// bounded at any size of the books.
import type { Columns, Db, RowOf, Statement } from '../../database/statements/statement.ts'
import { firstId } from '../../domain/ids.ts'

export const rowsPerPage = 5000n

/** Reads rows behind a key, as many as a page has. */
export type PageStatement<G extends Columns> = Statement<readonly ['uuid', 'int8'], G>

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

/** @param keyOf the key of a row, by which the statement orders its rows */
export const pagesOf = <G extends Columns>(
  db: Db,
  read: PageStatement<G>,
  keyOf: (row: RowOf<G>) => string,
): AsyncGenerator<RowOf<G>[]> =>
  readAhead((last) => db.run(read, [last === undefined ? firstId : keyOf(last), rowsPerPage]))

/**
 * What is wrong with the first row that is not as it has to be, in words; undefined: nothing.
 *
 * @param flawOf the same of one row
 */
export async function findFirstFlaw<G extends Columns>(
  db: Db,
  read: PageStatement<G & { id: 'uuid' }>,
  flawOf: (row: RowOf<G & { id: 'uuid' }>) => string | undefined,
): Promise<string | undefined> {
  for await (const page of pagesOf(db, read, ({ id }) => id)) {
    for (const row of page) {
      const flaw = flawOf(row)
      if (flaw !== undefined) return flaw
    }
  }
  return undefined
}
