// How a text is compared when somebody searches it: what is stored and what is typed are folded by
// the same function. PostgreSQL folds nothing: its lower case is another one than JavaScript's.

/** Accents and points upon a letter, not the vowels of Indic scripts; and what shows nothing. */
const removed = /[[\p{M}&&\p{Diacritic}]\p{DI}]/gv
const ascii = /^[\x20-\x7e]*$/

/** Such a text is folded in next to no time. */
export const isAscii = (text: string): boolean => ascii.test(text)

/**
 * Without regard to case, accents and the Unicode form: NFKD, accents removed, the small letters of
 * the capitals, in no language. `İ`, `I`, `ı` and `i` are one letter, `Σ`, `σ` and `ς` too; `ß` is
 * `ss`.
 */
export function foldText(text: string): string {
  if (isAscii(text)) return text.toLowerCase()
  return text
    .normalize('NFKD')
    .replace(removed, '')
    .toLowerCase() // ẞ has no capital.
    .toUpperCase()
    .toLowerCase()
    .replaceAll('ς', 'σ')
}

/** A folded name, with a hyphen as good as a space. */
export const foldName = (name: string): string =>
  foldText(name)
    .replace(/[\s-]+/g, ' ')
    .trim()
