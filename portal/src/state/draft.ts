// What was typed into a form, kept while the page is open in this tab: a session that ends
// meanwhile loses nothing. A sign-out forgets it. Never used for a secret.
import { useState } from 'preact/hooks'

const prefix = 'strongroom.draft.'
/** Tells whose drafts they are. */
const owner = 'strongroom.user'

export function readDraft(name: string): unknown {
  const stored = sessionStorage.getItem(prefix + name)
  return stored === null ? undefined : JSON.parse(stored)
}

/**
 * The person whose drafts they are, or null. In memory too: a sign-out in another tab that is
 * closed at once empties the storage.
 */
let ownerId = sessionStorage.getItem(owner)

/** Stores nothing after the drafts were forgotten: a field that is taken away tells its change. */
export function storeDraft(name: string, value: unknown): void {
  if (value === undefined) sessionStorage.removeItem(prefix + name)
  else if (ownerId !== null) sessionStorage.setItem(prefix + name, JSON.stringify(value))
}

/** Drafts of one person are not shown to the next. */
export function dropDraftsOfOthers(userId: string): void {
  if (ownerId !== userId) sessionStorage.clear()
  ownerId = userId
  sessionStorage.setItem(owner, userId)
}

/** Forgets what the person typed. */
export function forgetDrafts(): void {
  ownerId = null
  sessionStorage.clear()
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
