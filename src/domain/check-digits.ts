// The formulas of check digits in national account numbers (BBAN), by the place where they stand.
import { luhnCheckDigit } from './card-number.ts'

/** How numbers are checked. */
export type Rule = Readonly<{
  /** Where the check digits stand; below zero: counted from the end. */
  places: readonly number[]
  /** The number with them; undefined when no digit fits, as 10 of modulus 11. */
  fill(bban: string): string | undefined
}>

export const digitSum = (digits: string, weights: readonly number[]): number =>
  weights.reduce((sum, weight, index) => sum + weight * Number(digits[index]), 0)
export const replaceAt = (bban: string, at: number, check: string): string =>
  bban.slice(0, at) + check + bban.slice(at + check.length)

/** A letter as two digits, A = 10 (ISO 7064). */
const toDigits = (text: string): string =>
  text.replace(/[A-Z]/g, (letter) => `${letter.charCodeAt(0) - 55}`)
export const mod97 = (digits: string): number => Number(BigInt(digits) % 97n)
export const twoDigits = (check: number): string => `${check}`.padStart(2, '0')

/** The last two digits, from the remainder of all before them times a hundred. */
const lastTwo = (toCheck: (remainder: number) => number): Rule => ({
  places: [-2, -1],
  fill(bban) {
    const body = bban.slice(0, -2)
    return body + twoDigits(toCheck(mod97(`${toDigits(body)}00`)))
  },
})
/** ISO 7064, MOD 97-10. */
export const iso7064 = lastTwo((remainder) => 98 - remainder)
export const complement97 = lastTwo((remainder) => 97 - remainder)

/** One digit at `at`, from the text of the others. */
export const digitRule = (at: number, check: (bban: string) => number | undefined): Rule => ({
  places: [at],
  fill(bban) {
    const found = check(bban)
    return found === undefined ? undefined : replaceAt(bban, at, `${found}`)
  },
})

/** A digit at `at` for the sum of `weights` from `from` on, in modulus 10. */
export const modulus10 = (from: number, at: number, weights: readonly number[]): Rule =>
  digitRule(at, (bban) => (10 - (digitSum(bban.slice(from), weights) % 10)) % 10)

/** The same in modulus 11. `forTen` stands where the digit would be 10. */
export const modulus11 = (
  from: number,
  at: number,
  weights: readonly number[],
  forTen?: number,
): Rule =>
  digitRule(at, (bban) => {
    const check = (11 - (digitSum(bban.slice(from), weights) % 11)) % 11
    return check === 10 ? forTen : check
  })

/** Luhn: every other digit before `at` is doubled, the last one first. */
export const luhn = (from: number, at: number): Rule =>
  digitRule(at, (bban) => luhnCheckDigit(bban.slice(from, at)))

/** ISO 7064, MOD 11,10. */
export const modulus11And10 = (from: number, at: number): Rule =>
  digitRule(at, (bban) => {
    const values = Array.from(bban.slice(from, at), Number)
    const product = values.reduce((last, value) => (((last + value) % 10 || 10) * 2) % 11, 10)
    return (11 - product) % 10
  })

export const allOf = (...rules: Rule[]): Rule => ({
  places: rules.flatMap(({ places }) => places),
  fill: (bban) =>
    rules.reduce<string | undefined>((filled, { fill }) => filled && fill(filled), bban),
})

/** Where the ten digits of the account begin in a German number. */
const account = 8
/** A place of the account as the Bundesbank counts them, from 1 on. */
const place = (number: number): number => account + number - 1
/** Weights of the digits `from` to `to` of the account; modulus 11, and 0 where the check is 10. */
const german = (from: number, to: number, weights: readonly number[]): Rule =>
  modulus11(place(from), place(to + 1), weights, 0)

/** Method 88: a third digit of 9 counts too. */
const third: readonly [Rule, Rule] = [
  german(4, 9, [7, 6, 5, 4, 3, 2]),
  german(3, 9, [8, 7, 6, 5, 4, 3, 2]),
]

/** Method 24: which first digits count, and from where on. */
function countedIn24(digits: string): string {
  const counted = /^[3-6]/.test(digits) ? digits.slice(1) : digits.replace(/^9../, '')
  return counted.replace(/^0+/, '')
}

/**
 * The check digits of German accounts, which each bank chooses: methods of the Bundesbank by their
 * marks. They are those that nine in ten bank codes have (schwifty 2026.10.1), and a few more.
 * What a method allows besides, such as a number without its sub-account, is not made.
 */
export const germanMethods = {
  '00': luhn(place(1), place(10)),
  '01': modulus10(place(1), place(10), [1, 7, 3, 1, 7, 3, 1, 7, 3]),
  '06': german(1, 9, [4, 3, 2, 7, 6, 5, 4, 3, 2]),
  '09': { places: [], fill: (bban) => bban },
  '10': german(1, 9, [10, 9, 8, 7, 6, 5, 4, 3, 2]),
  '13': luhn(place(2), place(8)),
  '17': digitRule(place(8), (bban) => {
    const products = [1, 2, 1, 2, 1, 2].map((weight, at) => {
      const product = weight * Number(bban[place(2) + at])
      return product > 9 ? product - 9 : product
    })
    const sum = products.reduce((total, product) => total + product)
    return (10 - ((sum + 10) % 11)) % 10
  }),
  '24': digitRule(place(10), (bban) => {
    const counted = countedIn24(bban.slice(place(1), place(10)))
    const products = Array.from(counted, (each, at) => (((at % 3) + 1) * (Number(each) + 1)) % 11)
    return products.reduce((total, product) => total + product, 0) % 10
  }),
  '28': german(1, 7, [8, 7, 6, 5, 4, 3, 2]),
  '32': german(4, 9, [7, 6, 5, 4, 3, 2]),
  '33': german(5, 9, [6, 5, 4, 3, 2]),
  '34': german(1, 7, [7, 9, 10, 5, 8, 4, 2]),
  // The first digit is 0.
  '63': {
    places: [place(1), place(8)],
    fill: (bban) => luhn(place(2), place(8)).fill(replaceAt(bban, place(1), '0')),
  },
  '76': {
    places: [place(8)],
    fill(bban) {
      const check = digitSum(bban.slice(place(2)), [7, 6, 5, 4, 3, 2]) % 11
      const isKind = /[046789]/.test(bban.charAt(place(1)))
      return isKind && check < 10 ? replaceAt(bban, place(8), `${check}`) : undefined
    },
  },
  '88': {
    places: [place(10)],
    fill: (bban) => third[bban[place(3)] === '9' ? 1 : 0].fill(bban),
  },
} as const satisfies Record<string, Rule>

export type GermanMethod = keyof typeof germanMethods
export const germanMarks = Object.keys(germanMethods).toSorted() as GermanMethod[]
