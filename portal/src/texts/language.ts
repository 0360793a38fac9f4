// The texts and the number and date formats of the chosen language.
import type { files } from '../../../languages/en/portal/index.ts'
import { isLanguage, type Language } from '../../../src/domain/languages.ts'
import { cell } from '../state/cell.ts'
import { preferences } from '../state/preferences.ts'
import { loadScript } from '../state/scripts.ts'

/** In files by what screens need together: a browser loads those of the screens that it shows. */
type Files = typeof files
export type TextFile = keyof Files
/** All sections of all files as one object. */
type Together<U> = (U extends unknown ? (each: U) => void : never) extends (all: infer A) => void
  ? A
  : never
type Texts = Together<Awaited<ReturnType<Files[TextFile]>>['texts']>

/** The chosen language, or the first of the browser's that there is. */
export function language(): Language {
  const chosen = preferences.value.language
  if (isLanguage(chosen)) return chosen
  const known = browserTags().map(primary)
  return known.find((tag) => isLanguage(tag)) ?? 'en'
}

/**
 * The browser's languages that `Intl` takes (BCP 47). Chromium takes some from the environment: it
 * names `en-US@posix` where the system's language is `C`.
 */
const browserTags = (): string[] =>
  navigator.languages.flatMap((tag) => {
    try {
      return Intl.getCanonicalLocales(tag)
    } catch {
      return []
    }
  })

/** `en` of `en-GB`. */
const primary = (tag: string): string => tag.split('-', 1)[0] as string

/** For numbers and dates: the browser's variant of the language where it has one, as `en-GB`. */
export const locale = (): string =>
  browserTags().find((tag) => primary(tag) === language()) ?? language()

const loaded = cell<Texts | undefined>(undefined)

/** The texts of the language; the page shows nothing before they are loaded. */
export const texts = (): Texts => loaded.value as Texts
/** Between a name and what it names, as the language writes it. */
export const colon = (): string => texts().common.colon
export const hasTexts = (): boolean => loaded.value !== undefined

const wanted = new Set<TextFile>(['common'])

let begun = 0
let shown = 0

/**
 * Loads these files and all that were loaded before, in the present language: before a screen is
 * first shown, and when the preference changes. What began last holds.
 */
export async function loadTexts(...names: readonly TextFile[]): Promise<void> {
  const added = names.filter((name) => !wanted.has(name))
  for (const name of added) wanted.add(name)
  const turn = ++begun
  const now = language()
  const load = (file: TextFile) => loadScript<{ texts: object }>(`${file}-${now}`)
  const modules = await Promise.all([...wanted].map(load)).catch((thrown: unknown) => {
    // Other screens can do without them.
    for (const name of added) wanted.delete(name)
    throw thrown
  })
  if (turn < shown) return
  shown = turn
  document.documentElement.lang = now
  loaded.value = Object.assign({}, ...modules.map((module) => module.texts)) as Texts
}
