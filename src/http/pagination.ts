// Cursors of lists: opaque, authenticated and bound to the list they came from, so that none can be
// made up, bent, or carried over to somebody else's list.
import { createHmac, timingSafeEqual } from 'node:crypto'
import { type TSchema, Type } from 'typebox'
import { invalid } from '../domain/errors.ts'
import { closed, nullable } from '../domain/schema.ts'

const defaultPageSize = 20

/** The query parameters of every list. `limit` above the page size is capped, not refused. */
export const pageQuery = {
  limit: Type.Optional(
    Type.String({
      pattern: '^[1-9][0-9]*$',
      // No number is too large to be capped; this only bounds the text.
      maxLength: 4000,
      description: `How many items at most; default ${defaultPageSize}, capped to the page size.`,
    }),
  ),
  cursor: Type.Optional(Type.String({ pattern: '^[A-Za-z0-9_-]+$', minLength: 1, maxLength: 150 })),
}

/** The reply of every list; a `title` of the item names it. */
export const listSchema = <T extends TSchema & { title?: string }>(item: T) =>
  closed(
    {
      items: Type.Array(item, { maxItems: 1000 }),
      nextCursor: nullable(Type.String({ maxLength: 150 })),
    },
    { title: `${item.title}List` },
  )

export type PageQuery = { limit?: string; cursor?: string }
export type Page<I> = { items: I[]; nextCursor: string | null }

/** How a list gets its rows, newest first or in any other order of a unique key. */
export type Listing<Row, I> = {
  /** The rows after that key (undefined: from the start), at most `count`. */
  fetch(after: string | undefined, count: number): Promise<Row[]>
  toItem(row: Row): I
  /** The key the list is ordered by; its `id` if none is said. */
  keyOf?(row: Row): string
}

export type Cursors = {
  /**
   * One page of a keyset list. Asks `fetch` for one row more than fits, to know whether it goes on.
   *
   * @param list names the list: its route, its subject, its filters, and the caller
   */
  page<Row, I>(query: PageQuery, list: ListName, listing: Listing<Row, I>): Promise<Page<I>>
  /** For a list that pages by more than the key of its last row. */
  write(list: ListName, after: string): string
  /** What was written for that list; refuses everything else with `invalid_request`. */
  read(list: ListName, cursor: string): string
}

type ListName = readonly (string | undefined)[]

const macLength = 16

/** @param key 32 bytes, the same on all instances; asked for on each use */
export function createCursors(key: () => Buffer, maxPage: number): Cursors {
  const computeMac = (list: ListName, after: string): Buffer =>
    createHmac('sha256', key())
      .update(JSON.stringify([...list.map((part) => part ?? null), after]))
      .digest()
      .subarray(0, macLength)

  const write = (list: ListName, after: string): string =>
    Buffer.concat([computeMac(list, after), Buffer.from(after)]).toString('base64url')

  function read(list: ListName, cursor: string): string {
    const bytes = Buffer.from(cursor, 'base64url')
    const after = bytes.subarray(macLength).toString()
    const mac = bytes.subarray(0, macLength)
    const isOurs =
      mac.length === macLength &&
      timingSafeEqual(mac, computeMac(list, after)) &&
      bytes.toString('base64url') === cursor
    return isOurs ? after : invalid('/query/cursor', 'is not a cursor of this list')
  }

  return {
    write,
    read,
    async page(query, list, { fetch, toItem, keyOf = readId }) {
      const asked = query.limit === undefined ? defaultPageSize : Number.parseInt(query.limit, 10)
      const count = Math.min(asked, maxPage)
      const after = query.cursor === undefined ? undefined : read(list, query.cursor)
      const rows = await fetch(after, count + 1)
      const items = rows.slice(0, count)
      const last = rows.length > count ? items.at(-1) : undefined
      return {
        items: items.map(toItem),
        nextCursor: last === undefined ? null : write(list, keyOf(last)),
      }
    },
  }
}

function readId(row: unknown): string {
  const { id } = row as { id?: unknown }
  if (typeof id !== 'string') throw new TypeError('A row of a list without an id')
  return id
}
