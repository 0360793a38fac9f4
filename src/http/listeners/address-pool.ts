// Items by client address. The address with most items gives up its oldest one first, so that a
// client with many connections makes room for the others.

export class AddressPool<T extends { readonly address: string }> {
  private readonly byAddress = new Map<string, Set<T>>()
  /** Addresses by how many items they have: finding the largest takes no walk over all of them. */
  private readonly byCount: Set<string>[] = []
  private itemCount = 0

  get size(): number {
    return this.itemCount
  }

  get addressCount(): number {
    return this.byAddress.size
  }

  countOf(address: string): number {
    return this.byAddress.get(address)?.size ?? 0
  }

  /** Adds an item as the newest of its address; an item of the pool becomes the newest. */
  add(item: T): void {
    const items = this.byAddress.get(item.address) ?? new Set()
    if (items.delete(item)) return void items.add(item)
    this.byAddress.set(item.address, items.add(item))
    this.itemCount++
    this.rank(item.address, items.size - 1, items.size)
  }

  delete(item: T): boolean {
    const items = this.byAddress.get(item.address)
    if (!items?.delete(item)) return false
    if (items.size === 0) this.byAddress.delete(item.address)
    this.itemCount--
    this.rank(item.address, items.size + 1, items.size)
    return true
  }

  oldestOf(address: string): T | undefined {
    return this.byAddress.get(address)?.values().next().value
  }

  /** The oldest item of the address with most. */
  first(): T | undefined {
    return this[Symbol.iterator]().next().value
  }

  /**
   * All items: those of the address with most first, and of each address the oldest first. The last
   * item may be deleted during the walk.
   */
  *[Symbol.iterator](): Generator<T, undefined> {
    for (let count = this.byCount.length - 1; count > 0; count--) {
      for (const address of this.byCount[count] ?? []) yield* this.byAddress.get(address) ?? []
    }
    return undefined
  }

  private rank(address: string, from: number, to: number): void {
    this.byCount[from]?.delete(address)
    if (to > 0) (this.byCount[to] ??= new Set()).add(address)
    while (this.byCount.length > 0 && !this.byCount.at(-1)?.size) this.byCount.pop()
  }
}
