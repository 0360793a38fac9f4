// A queue of moments, oldest first, from which the past falls away.

export class Times {
  private times: number[] = []
  private head = 0

  get size(): number {
    return this.times.length - this.head
  }

  /** Drops all up to and including `time`. */
  forgetUntil(time: number): void {
    while (this.size > 0 && (this.times[this.head] as number) <= time) this.head++
    if (this.head < 32 && this.size > 0) return
    this.times = this.times.slice(this.head)
    this.head = 0
  }

  /** Not earlier than those before. */
  add(time: number): void {
    this.times.push(time)
  }

  /** Takes one of that moment out again, if it is still there. */
  remove(time: number): void {
    const index = this.times.lastIndexOf(time)
    if (index >= this.head) this.times.splice(index, 1)
  }

  oldest(): number | undefined {
    return this.times[this.head]
  }

  /** The `count`-th from the end; 1 is the newest. */
  fromLast(count: number): number {
    return this.times[this.times.length - count] as number
  }
}
