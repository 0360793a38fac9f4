// The languages of the bank's pages, mails and statements. Each is a folder of `languages/`.

/** By ISO 639-1 code, each with its own name. */
export const languages = {
  de: 'Deutsch',
  en: 'English',
  es: 'Español',
  fr: 'Français',
} as const

export type Language = keyof typeof languages
export const languageCodes = Object.keys(languages) as Language[]

/** The language of a person who has chosen none, and of programs. */
export const defaultLanguage = 'en' satisfies Language

export const isLanguage = (code: string): code is Language => Object.hasOwn(languages, code)
