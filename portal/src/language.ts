// The texts and the number and date formats of the chosen language.
import { cell } from './cell.ts'
import { preferences } from './preferences.ts'
import { isCustomer, isStaff } from './session.ts'
import type { CommonTexts } from './texts/en.ts'
import type { CustomerTexts } from './texts/en-customer.ts'
import type { StaffTexts } from './texts/en-staff.ts'

/** Customers' browsers do not load the texts of the staff, nor the other way round. */
const languages = {
  en: {
    common: () => import('./texts/en.ts'),
    customer: () => import('./texts/en-customer.ts'),
    staff: () => import('./texts/en-staff.ts'),
  },
  de: {
    common: () => import('./texts/de.ts'),
    customer: () => import('./texts/de-customer.ts'),
    staff: () => import('./texts/de-staff.ts'),
  },
}
type Texts = CommonTexts & CustomerTexts & StaffTexts
export type Language = keyof typeof languages

/** The chosen language, or the first of the browser's that there is. */
export function language(): Language {
  const chosen = preferences.value.language
  if (chosen !== 'auto') return chosen
  const known = navigator.languages.map((tag) => tag.slice(0, 2)).find((tag) => tag in languages)
  return (known as Language | undefined) ?? 'en'
}

/** For numbers and dates: the browser's variant of the language where it has one, as `en-GB`. */
export const locale = (): string =>
  navigator.languages.find((tag) => tag.startsWith(language())) ?? language()

type Loaded = { language: Language; texts: Texts }
const loaded = cell<Loaded | undefined>(undefined)

/** The texts of the language; the page shows nothing before they are loaded. */
export const texts = (): Texts => (loaded.value as Loaded).texts
export const hasTexts = (): boolean => loaded.value !== undefined

async function load(): Promise<void> {
  const wanted = language()
  const files = languages[wanted]
  const modules = await Promise.all([
    files.common(),
    isCustomer() ? files.customer() : undefined,
    isStaff() ? files.staff() : undefined,
  ])
  const all = Object.assign({}, ...modules.map((module) => module?.texts)) as Texts
  document.documentElement.lang = wanted
  loaded.value = { language: wanted, texts: all }
}

let last = Promise.resolve()

/**
 * Loads the texts of the language for the roles of who is signed in: at the start, before the first
 * screen after a sign-in, and when the preference changes. One after the other, so the last holds.
 */
export const loadTexts = (): Promise<void> => (last = last.catch(() => undefined).then(load))
