// The feed of events: read from a number on, or followed for as long as the program runs.

export type FeedPage<T> = {
  items: readonly T[]
  /** Where the next page begins. */
  nextAfter: string
}

type Read<T> = (after: string | undefined, waitSeconds: number) => Promise<FeedPage<T>>

/** What happened, in order. To go on later, keep the number of the last item, or `nextAfter`. */
export class Feed<T> implements AsyncIterable<T> {
  readonly #read: Read<T>
  readonly #waitSecondsMax: number
  readonly #pause: () => Promise<void>

  constructor(read: Read<T>, waitSecondsMax: number, pause: () => Promise<void>) {
    this.#read = read
    this.#waitSecondsMax = waitSecondsMax
    this.#pause = pause
  }

  /** One page after that number; at once, or when there is something or the time is over. */
  page(after?: string, waitSeconds = 0): Promise<FeedPage<T>> {
    return this.#read(after, waitSeconds)
  }

  /** Everything up to now. */
  async *[Symbol.asyncIterator](): AsyncGenerator<T, void, undefined> {
    // A page can be empty before the end: what it passes over may be no event of the caller.
    const end = BigInt((await this.#read('last', 0)).nextAfter)
    for (let after: string | undefined; after === undefined || BigInt(after) < end;) {
      const { items, nextAfter } = await this.#read(after, 0)
      yield* items
      after = nextAfter
    }
  }

  /** Everything up to now, and then each item when it happens, until the signal is aborted. */
  async *follow(): AsyncGenerator<T, never, undefined> {
    for (let after: string | undefined; ;) {
      const { items, nextAfter } = await this.#read(after, this.#waitSecondsMax)
      yield* items
      after = nextAfter
      // Attempts are too short for the bank to wait in them.
      if (items.length === 0 && this.#waitSecondsMax === 0) await this.#pause()
    }
  }
}
