// By what a payment is looked up, from a text as it is typed.
import { searchPattern } from '../../../src/domain/free-text.ts'
import { currencies, type Currency, parseTyped } from './money.tsx'
import { isDay } from './time.tsx'
import { toIban, toPlain } from './typed-text.ts'

/** The parameters of one look. */
export type Look = Readonly<Record<string, string>>

const identifier = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/
const iban = /^[A-Z]{2}\d{2}[A-Z0-9]{11,30}$/
const search = new RegExp(searchPattern, 'u')

/** `31.01.2026`, `31/1/2026` and `2026-01-31` → `2026-01-31`. */
const written = /(?:^|\s)(?:(\d{4})-(\d{2})-(\d{2})|(\d{1,2})[./](\d{1,2})[./](\d{4}))(?=\s|$)/

const signs: ReadonlyMap<string, Currency> = new Map([
  ['€', 'EUR'],
  ['$', 'USD'],
  ['£', 'GBP'],
  ['¥', 'JPY'],
])

/** `12,50 EUR 31.01.2026`, in any order; without a currency, euros. */
function amountOn(text: string): Look | undefined {
  const [found = '', year, month, date, d = '', m = '', y] = written.exec(text) ?? []
  const day = year ? `${year}-${month}-${date}` : `${y}-${m.padStart(2, '0')}-${d.padStart(2, '0')}`
  if (found === '' || !isDay(day)) return undefined
  const [, before = '', number = '', after = ''] =
    /^\s*([A-Za-z]{3}|[€$£¥])?\s*([\d.,'\s]*\d)\s*([A-Za-z]{3}|[€$£¥])?\s*$/.exec(
      text.replace(found, ' '),
    ) ?? []
  const named = (before || after || 'EUR').toUpperCase()
  const currency = currencies.find((code) => code === (signs.get(named) ?? named))
  const amount = currency && parseTyped(number, currency)
  return amount === undefined ? undefined : { amount, currency: currency as Currency, day }
}

/** Each is a request of its own: a number may be one of a program or of another bank. */
export function toLooks(typed: string): Look[] {
  const text = toPlain(typed).trim()
  const id = text.replaceAll(' ', '').toLowerCase()
  if (identifier.test(id)) return [{ id }]
  const compact = toIban(text)
  if (iban.test(compact)) return [{ iban: compact }]
  const amount = amountOn(text)
  if (amount) return [amount]
  if (!search.test(text) || text.length > 140) return []
  const byWords = /[\p{L}\p{M}\p{N}]{2}/u.test(text) ? [{ reference: text }] : []
  const isNumber = /^\S*\d\S*$/.test(text)
  const byNumber = text.length <= 35 ? [{ externalId: text }, { endToEndId: text }] : []
  return isNumber ? [...byNumber, ...byWords] : byWords
}
