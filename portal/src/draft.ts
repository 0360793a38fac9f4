// What was typed into a form, kept while the page is open in this tab: a session that ends
// meanwhile loses nothing. Never used for a secret.
import { useState } from 'preact/hooks'

const keyOf = (name: string): string => `strongroom.draft.${name}`

export function readDraft(name: string): unknown {
  const stored = sessionStorage.getItem(keyOf(name))
  return stored === null ? undefined : JSON.parse(stored)
}

export function storeDraft(name: string, value: unknown): void {
  if (value === undefined) sessionStorage.removeItem(keyOf(name))
  else sessionStorage.setItem(keyOf(name), JSON.stringify(value))
}

export type Draft<T> = [value: T, change: (part: Partial<T>) => void, clear: () => void]

/** The fields of a form, as last typed. */
export function useDraft<T extends object>(name: string, initial: T): Draft<T> {
  const [value, setValue] = useState<T>(() => ({
    ...initial,
    ...(readDraft(name) as T | undefined),
  }))
  return [
    value,
    (part) =>
      setValue((last) => {
        const next = { ...last, ...part }
        storeDraft(name, next)
        return next
      }),
    () => {
      storeDraft(name, undefined)
      setValue(initial)
    },
  ]
}
