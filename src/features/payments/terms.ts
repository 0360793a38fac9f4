// What payments are looked up by, each as a number of 8 bytes: an index of numbers is small, and a
// table of them shows no text. An odd one is made of a text, and goes with it.
import { hash } from 'node:crypto'
import { foldText } from '../../domain/folding.ts'

const toTerm = (parts: readonly string[]): bigint =>
  hash('sha256', JSON.stringify(parts), 'buffer').readBigInt64BE()
const ofText = (...parts: string[]): bigint => toTerm(parts) | 1n
const ofFact = (...parts: string[]): bigint => toTerm(parts) & ~1n

/** The account of a customer that money came to. */
export const accountTerm = (accountId: string): bigint => ofFact('account', accountId)

/** An amount in minor units, on a day of the bank. */
export const amountTerm = (amount: bigint, currency: string, day: string): bigint =>
  ofFact('amount', amount.toString(), currency, day)

/** An IBAN at another bank. */
export const ibanTerm = (iban: string): bigint => ofText('iban', iban)

export const endToEndTerm = (endToEndId: string): bigint => ofText('endToEnd', foldText(endToEndId))

/** More words of one text are not looked for: a reference has 140 characters. */
const wordsMax = 12

/** The words of a text, folded, each once, and no single letters: there are too many of them. */
export const wordsIn = (text: string): string[] => {
  const words = foldText(text).match(/[\p{L}\p{M}\p{N}]{2,}/gu) ?? []
  return [...new Set(words)].slice(0, wordsMax)
}
export const wordTerms = (text: string): bigint[] =>
  wordsIn(text).map((word) => ofText('word', word))
