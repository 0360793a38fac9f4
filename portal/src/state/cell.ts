// State that any screen may show: the page is drawn again when a cell changes.
let draw: () => void = () => {}
let isDue = false

export type Cell<T> = { value: T }

export function cell<T>(initial: T): Cell<T> {
  let value = initial
  return {
    get value() {
      return value
    },
    set value(next: T) {
      if (Object.is(next, value)) return
      value = next
      if (isDue) return
      isDue = true
      queueMicrotask(() => {
        isDue = false
        draw()
      })
    },
  }
}

/** @param again draws the whole page */
export function drawWith(again: () => void): void {
  draw = again
  draw()
}
