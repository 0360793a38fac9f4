// What was typed into a form, kept while the page is open in this tab: a session that ends
// meanwhile loses nothing. A sign-out forgets it, except movements of money whose outcome is open:
// they are finished when the same person signs in again. Never used for a secret.
import { useState } from 'preact/hooks'

const prefix = 'strongroom.draft.'
/** Tells whose drafts they are. */
const owner = 'strongroom.user'

/** A movement of money that was sent, and the page that finds out what became of it. */
type Open = { sentAt?: number; page?: string }

/** Drafts of movements whose outcome is open. A sign-out makes the browser empty the storage. */
const open = new Map<string, string>()

function note(key: string, text: string | undefined): void {
  const isOpen = text !== undefined && (JSON.parse(text) as Open | null)?.sentAt !== undefined
  if (isOpen) open.set(key, text)
  else open.delete(key)
}
for (const [key, text] of Object.entries(sessionStorage) as [string, string][]) {
  if (key.startsWith(prefix)) note(key, text)
}

export function readDraft(name: string): unknown {
  const stored = sessionStorage.getItem(prefix + name)
  return stored === null ? undefined : JSON.parse(stored)
}

export function storeDraft(name: string, value: unknown): void {
  const key = prefix + name
  const text = value === undefined ? undefined : JSON.stringify(value)
  note(key, text)
  if (text === undefined) sessionStorage.removeItem(key)
  else sessionStorage.setItem(key, text)
}

/** Kept in memory too: a sign-out in another tab that is closed at once empties the storage. */
let ownerId = sessionStorage.getItem(owner)

function keepOpen(userId: string): void {
  ownerId = userId
  sessionStorage.setItem(owner, userId)
  for (const [key, text] of open) sessionStorage.setItem(key, text)
}

/** Drafts of one person are not shown to the next. */
export function dropDraftsOfOthers(userId: string): void {
  if (ownerId !== userId) {
    sessionStorage.clear()
    open.clear()
  }
  // What the storage has is what this tab wrote last.
  if (sessionStorage.getItem(owner) === null) keepOpen(userId)
}

/** Forgets what the person typed, but for what is open. */
export function forgetDrafts(): void {
  sessionStorage.clear()
  if (ownerId !== null && open.size > 0) keepOpen(ownerId)
}

/** The page of a movement whose outcome is open; undefined: there is none. */
export function findOpenPage(): string | undefined {
  const [text] = open.values()
  return text && (JSON.parse(text) as Open).page
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
