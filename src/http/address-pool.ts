// Items by client address. The address that holds most gives up an item first, and its oldest one,
// so that a client that takes many places makes room for the others.

export class AddressPool<T extends { readonly address: string }> {
  private readonly byAddress = new Map<string, Set<T>>()
  /** Addresses by how many items they hold: finding the largest takes no walk over all of them. */
  private readonly byCount: Set<string>[] = []
  private itemCount = 0

  get size(): number {
    return this.itemCount
  }

  get addressCount(): number {
    return this.byAddress.size
  }

  heldBy(address: string): number {
    return this.byAddress.get(address)?.size ?? 0
  }

  /** Adds an item as the newest of its address; one that is in already becomes the newest. */
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

  /** The oldest item of the address that holds most. */
  first(): T | undefined {
    return this[Symbol.iterator]().next().value
  }

  /**
   * All items: those of the address that holds most first, and of each address the oldest first.
   * The item that was given last may be deleted meanwhile.
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
