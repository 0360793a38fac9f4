// Cursors of lists: opaque, authenticated and bound to their list, so that none can be forged,
// changed, or used for another list or by another caller.
import { createHmac, createSecretKey, type KeyObject, timingSafeEqual } from 'node:crypto'
import { type TSchema, Type } from '../domain/type.ts'
import { invalid } from '../domain/errors.ts'
import { closed, nullable } from '../domain/schema.ts'

const defaultPageSize = 20
export const exampleCursor = `3q2-7w${'A'.repeat(37)}`

/** The query parameters of every list. `limit` above the page size is capped, not refused. */
export const pageQuery = {
  limit: Type.Optional(
    Type.String({
      pattern: '^[1-9][0-9]*$',
      // Any number can be capped; this only limits the text.
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
      nextCursor: nullable(Type.String({ maxLength: 150, examples: [exampleCursor] })),
    },
    { title: `${item.title}List` },
  )

export type PageQuery = { limit?: string; cursor?: string }
export type Page<I> = { items: I[]; nextCursor: string | null }

/** Rows of a list whose reading stopped before the page was full: it goes on from `next`. */
export type PartOfList<Row> = { rows: Row[]; next: string | undefined }

/** How a list reads its rows, in the order of a unique key. */
export type Listing<Row, I> = {
  /** The rows after that key, or from the start; at most `count`. */
  fetch(after: string | undefined, count: number): Promise<Row[] | PartOfList<Row>>
  toItem(row: Row): I
  /** The key that orders the list; `id` by default. */
  keyOf?(row: Row): string
}

/** How many items a page has, given the parameter `limit`. */
export const pageSize = (limit: string | undefined, maxPage: number): number =>
  Math.min(limit === undefined ? defaultPageSize : Number.parseInt(limit, 10), maxPage)

export type Cursors = {
  /**
   * One page of a keyset list. Fetches one row more than fits, to know whether there is another.
   *
   * @param list names the list: its operation, subject, filters and caller
   */
  page<Row, I>(query: PageQuery, list: ListName, listing: Listing<Row, I>): Promise<Page<I>>
  /** For a list whose pages begin elsewhere than behind the key of a row. */
  write(list: ListName, after: string): string
  /** The key of a cursor of that list; refuses any other with `invalid_request`. */
  read(list: ListName, cursor: string): string
}

type ListName = readonly (string | undefined)[]

const macLength = 16

/** @param key gives 32 bytes, the same on all instances; called on each use */
export function createCursors(key: () => Buffer, maxPage: number): Cursors {
  // Made anew only when the bytes are: that takes longer than to compute a MAC.
  let bytes: Buffer | undefined
  let macKey: KeyObject | undefined
  function currentKey(): KeyObject {
    const present = key()
    if (macKey && present === bytes) return macKey
    bytes = present
    return (macKey = createSecretKey(present))
  }

  const computeMac = (list: ListName, after: string): Buffer =>
    createHmac('sha256', currentKey())
      .update(JSON.stringify([...list.map((part) => part ?? null), after]))
      .digest()
      .subarray(0, macLength)

  const write = (list: ListName, after: string): string =>
    Buffer.concat([computeMac(list, after), Buffer.from(after)]).toString('base64url')

  function read(list: ListName, cursor: string): string {
    const bytes = Buffer.from(cursor, 'base64url')
    const after = bytes.subarray(macLength).toString()
    const mac = bytes.subarray(0, macLength)
    const isAuthentic =
      mac.length === macLength &&
      timingSafeEqual(mac, computeMac(list, after)) &&
      bytes.toString('base64url') === cursor
    return isAuthentic ? after : invalid('/query/cursor', 'is not a cursor of this list')
  }

  return {
    write,
    read,
    async page(query, list, { fetch, toItem, keyOf = readId }) {
      const count = pageSize(query.limit, maxPage)
      const after = query.cursor === undefined ? undefined : read(list, query.cursor)
      const fetched = await fetch(after, count + 1)
      const { rows, next } = Array.isArray(fetched) ? { rows: fetched, next: undefined } : fetched
      const items = rows.slice(0, count)
      const last = rows.length > count ? items.at(-1) : undefined
      const key = last === undefined ? next : keyOf(last)
      return { items: items.map(toItem), nextCursor: key === undefined ? null : write(list, key) }
    },
  }
}

function readId(row: unknown): string {
  const { id } = row as { id?: unknown }
  if (typeof id !== 'string') throw new TypeError('A row of a list without an id')
  return id
}
