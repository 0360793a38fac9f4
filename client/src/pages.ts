// A list of the bank, read page by page.

export type Page<T> = {
  items: readonly T[]
  /** Undefined on the last page. */
  nextCursor: string | undefined
}

/** A list. Nothing is asked before it is read, and a page not before the one before it is used. */
export class Pages<T> implements AsyncIterable<T> {
  readonly #read: (cursor: string | undefined) => Promise<Page<T>>

  constructor(read: (cursor: string | undefined) => Promise<Page<T>>) {
    this.#read = read
  }

  /** One page: the first, or that of a cursor. */
  page(cursor?: string): Promise<Page<T>> {
    return this.#read(cursor)
  }

  /** Every item of every page, in the order of the bank. */
  async *[Symbol.asyncIterator](): AsyncGenerator<T, void, undefined> {
    for (let cursor: string | undefined; ;) {
      const { items, nextCursor } = await this.#read(cursor)
      yield* items
      if (nextCursor === undefined) return
      cursor = nextCursor
    }
  }

  /** The items of all pages; at most `limit`, 1000 by default. */
  async toArray(limit = 1000): Promise<T[]> {
    const all: T[] = []
    if (limit <= 0) return all
    for await (const item of this) {
      all.push(item)
      if (all.length >= limit) break
    }
    return all
  }
}
