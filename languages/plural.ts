// A number with its noun, by the plural rules of a language (CLDR).

/** @returns writes `1 Feld`, `2 Felder`; the number in the notation of the language */
export function pluralIn(tag: string): (count: number, one: string, other: string) => string {
  const rules = new Intl.PluralRules(tag)
  const numbers = new Intl.NumberFormat(tag)
  return (count, one, other) =>
    `${numbers.format(count)} ${rules.select(count) === 'one' ? one : other}`
}
