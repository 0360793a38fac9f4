// Shared by the readers of files: what they give, and what has to be right in each of them.
import { type Currency, currencies } from '../../../src/domain/money.ts'
import { returnReasons } from '../../../src/features/rail/return-codes.ts'
import type { CreateIncomingPaymentBody, ReasonCode } from '../../src/index.ts'
import { money } from '../../src/index.ts'
import { childrenOf, at, FileFault, textAt, type XmlElement } from './xml.ts'

/** A payment that went out in one of the files. */
export type SentPayment = { id: string; endToEndId: string; amount: string; currency: Currency }
export type SentPayments = {
  /** By its number in the file: its identifier as 32 hexadecimal digits. */
  byNumber(number: string): SentPayment | undefined
  /** All that have it. */
  byEndToEndId(endToEndId: string): readonly SentPayment[]
  ofMessage(messageId: string): readonly SentPayment[] | undefined
}

/** The kind of message that tells it. */
export type Teller = 'status' | 'return' | 'notification'
export type Step = { line: number; teller: Teller } & (
  | { what: 'settle'; id: string }
  /** `number`: how the other side numbers it. */
  | { what: 'return'; id: string; reasonCode: ReasonCode; number: string }
  | { what: 'credit'; body: CreateIncomingPaymentBody }
)

const decimal = /^[+]?(\d{1,15})(?:\.(\d{0,17}))?$/
const isCurrency = (code: string): code is Currency =>
  (currencies as readonly string[]).includes(code)

/** In minor units, exactly. */
function toUnits({ text, line, name }: XmlElement, currency: Currency): bigint {
  const [, whole = '', fraction = ''] = decimal.exec(text) ?? []
  const digits = `${whole.replace(/^0+(?=\d)/, '')}.${fraction.replace(/0+$/, '')}`
  try {
    return money.parse(digits.replace(/\.$/, ''), currency)
  } catch {
    throw new FileFault(line, `${name} is not an amount of ${currency}: ${text}`)
  }
}

export type Amount = { units: bigint; currency: Currency; line: number }

export function toAmount(found: XmlElement): Amount {
  const currency = found.attributes.get('Ccy') ?? ''
  const { line } = found
  if (!isCurrency(currency)) throw new FileFault(line, `${found.name} has no currency of this bank`)
  return { units: toUnits(found, currency), currency, line }
}

export function requireSame(found: XmlElement | undefined, payment: SentPayment): void {
  if (!found) return
  const { units, currency, line } = toAmount(found)
  if (currency !== payment.currency) {
    throw new FileFault(line, `is in ${currency}; it was sent in ${payment.currency}`)
  }
  if (units !== money.parse(payment.amount, payment.currency)) {
    throw new FileFault(line, `is not the amount that was sent, ${payment.amount}`)
  }
}

export type Counted = { count: number; sum?: { units: bigint; currency: Currency } | undefined }

/** A count and a control sum that are there have to be right. */
export function requireTotals(
  place: XmlElement | undefined,
  [countName, sumName]: readonly [string, string],
  { count, sum }: Counted,
): void {
  const counted = place && at(place, countName)
  if (counted && counted.text.replace(/^0+(?=\d)/, '') !== String(count)) {
    throw new FileFault(counted.line, `${countName} is ${counted.text}; there are ${count}`)
  }
  const summed = place && at(place, sumName)
  if (summed && sum && toUnits(summed, sum.currency) !== sum.units) {
    const right = money.format(sum.units, sum.currency)
    throw new FileFault(summed.line, `${sumName} is ${summed.text}; the sum is ${right}`)
  }
}

export const total = (amounts: readonly { units: bigint }[]): bigint =>
  amounts.reduce((sum, { units }) => sum + units, 0n)

/** The sum, if all are of one currency. */
export function sumOf(payments: readonly SentPayment[]): Counted['sum'] {
  const [first] = payments
  if (!first || payments.some(({ currency }) => currency !== first.currency)) return undefined
  const { currency } = first
  return {
    units: total(payments.map((each) => ({ units: money.parse(each.amount, currency) }))),
    currency,
  }
}

export const notProvided = 'NOTPROVIDED'
export type References = { numbers: readonly string[]; endToEndId: string }

/** The payment of this bank that is meant by these elements. Undefined: none is. */
export function findSent(
  place: XmlElement,
  { numbers, endToEndId }: References,
  sent: SentPayments,
): SentPayment | undefined {
  const found = numbers.flatMap((name) => sent.byNumber(textAt(place, name) ?? '') ?? [])
  const given = textAt(place, endToEndId)
  const named = given === undefined || given === notProvided ? [] : sent.byEndToEndId(given)
  const [payment = named.length === 1 ? named[0] : undefined] = found
  if (!payment) return undefined
  const isOther = given !== undefined && given !== notProvided && given !== payment.endToEndId
  if (isOther || found.some(({ id }) => id !== payment.id)) {
    throw new FileFault(place.line, 'its references are of different payments')
  }
  return payment
}

export function requireSent(
  place: XmlElement,
  references: References,
  sent: SentPayments,
): SentPayment {
  const payment = findSent(place, references, sent)
  return payment ?? fault(place, 'names no payment that was sent')
}

export function fault({ line }: XmlElement, problem: string): never {
  throw new FileFault(line, problem)
}

export const original = {
  numbers: ['OrgnlTxId', 'OrgnlInstrId'],
  endToEndId: 'OrgnlEndToEndId',
} as const

/** MS03: a reason is not specified, or not one that this bank knows. */
export const reasonOf = (place: XmlElement | undefined): ReasonCode =>
  returnReasons.find((code) => place && code === textAt(place, 'Rsn/Cd')) ?? 'MS03'

export const firstOf = (place: XmlElement, name: string): XmlElement | undefined =>
  childrenOf(place, name)[0]
