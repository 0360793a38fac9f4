// A map of bounded size. A full one loses what was not used lately, and never everything: emptied
// whole, it would make all callers compute anew at once.

type Entry<V> = { readonly value: V; isUsed: boolean }

/**
 * Second chance: a hand goes round, in the order of insertion. It drops an entry that was not used
 * since it last came by, so what is asked for once never displaces what is asked for again.
 */
export class BoundedCache<K, V> {
  private readonly entries = new Map<K, Entry<V>>()
  private readonly bytesMax: number
  private readonly bytesOf: (key: K, value: V) => number
  private hand: MapIterator<[K, Entry<V>]> | undefined
  private bytesUsed = 0

  /** @param bytesOf estimates the memory of an entry; always the same for one entry */
  constructor(bytesMax: number, bytesOf: (key: K, value: V) => number) {
    this.bytesMax = bytesMax
    this.bytesOf = bytesOf
  }

  /** The estimated memory of all entries. */
  get bytes(): number {
    return this.bytesUsed
  }

  get(key: K): V | undefined {
    const entry = this.entries.get(key)
    if (!entry) return undefined
    entry.isUsed = true
    return entry.value
  }

  /** An entry that is larger than the whole cache is not kept. */
  set(key: K, value: V): void {
    this.drop(key, this.entries.get(key))
    const bytes = this.bytesOf(key, value)
    if (bytes > this.bytesMax) return
    while (this.bytesUsed + bytes > this.bytesMax) this.advance()
    this.entries.set(key, { value, isUsed: false })
    this.bytesUsed += bytes
  }

  private advance(): void {
    // Made when it is needed: an iterator that rests keeps each table that the map has outgrown.
    this.hand ??= this.entries.entries()
    const { done, value: found } = this.hand.next()
    if (done) this.hand = undefined
    else if (found[1].isUsed) found[1].isUsed = false
    else this.drop(...found)
  }

  private drop(key: K, entry: Entry<V> | undefined): void {
    if (!entry) return
    this.entries.delete(key)
    this.bytesUsed -= this.bytesOf(key, entry.value)
  }
}
