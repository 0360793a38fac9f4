// Where the focus goes when what had it is gone.
import { useEffect } from 'preact/hooks'

/** The focus goes to the heading when what had it is gone, such as a deleted row. */
export function useFocusKept(count: number | undefined): void {
  useEffect(() => {
    if (document.activeElement === document.body) {
      document.querySelector<HTMLElement>('main h1')?.focus()
    }
  }, [count])
}
