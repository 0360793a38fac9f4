// What a person chose for this browser: kept in its storage, never sent.
import type { Language } from '../../../src/domain/languages.ts'
import { cell } from './cell.ts'

export type Preferences = {
  language: 'auto' | Language
  /** An IANA name, or `auto`: the browser's. */
  timeZone: string
  theme: 'auto' | 'light' | 'dark' | 'contrast'
  /** The identifier of the account that was used last; of another person it is none of theirs. */
  account: string
  /** Whether the last person was a customer: whose home is loaded before the bank has answered. */
  wasCustomer?: boolean
  /** Whether single keys are shortcuts (WCAG 2.2, 2.1.4). */
  shortcuts: boolean
}

const key = 'strongroom.preferences'
const defaults: Preferences = {
  language: 'auto',
  timeZone: 'auto',
  theme: 'auto',
  shortcuts: true,
  account: '',
}

function read(): Preferences {
  try {
    return { ...defaults, ...(JSON.parse(localStorage.getItem(key) ?? '{}') as object) }
  } catch {
    // Storage is switched off, or holds what this page did not write.
    return defaults
  }
}

export const preferences = cell(read())

/** Also called after a sign-out, which makes the browser drop what is stored. */
export function storePreferences(): void {
  try {
    localStorage.setItem(key, JSON.stringify(preferences.value))
  } catch {
    // Without storage they hold until the page is left.
  }
}

export function changePreferences(change: Partial<Preferences>): void {
  preferences.value = { ...preferences.value, ...change }
  storePreferences()
  showTheme()
}

/** Whether the browser knows the time zone. */
export function isZone(zone: string): boolean {
  try {
    return Boolean(new Intl.DateTimeFormat('en', { timeZone: zone }))
  } catch {
    return false
  }
}

/** The time zone in which times are shown; UTC where the browser does not know its own. */
export function timeZone(): string {
  const own = Intl.DateTimeFormat().resolvedOptions().timeZone
  const chosen = preferences.value.timeZone
  return [chosen === 'auto' ? own : chosen, own].find(isZone) ?? 'UTC'
}

/** Style sheets choose the colours by it. */
export function showTheme(): void {
  document.documentElement.dataset['theme'] = preferences.value.theme
}
