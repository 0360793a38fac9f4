// The text of a QR code for a payment in euro, which invoices show and phones scan: European
// Payments Council, EPC069-12, version 2.1.
import { toIban, toPlain } from './typed-text.ts'

export type CreditTransferText = {
  name: string
  iban: string
  /** In euro, with a dot. Undefined: the payer chooses. */
  amount?: string | undefined
  reference: string
}

const sizeMax = 331
/** Cents above this one cannot be written in such a text. */
const amountShape = /^EUR(\d{1,9}(?:\.\d{1,2})?)$/

/** What the text asks to pay. Undefined: it is not such a text, or not one for a payment. */
export function parseCreditTransfer(text: string): CreditTransferText | undefined {
  const [tag, version, signs, kind, , name = '', iban = '', amount = '', , structured, free] = text
    .trim()
    .split(/\r?\n|\r/)
    .map((line) => line.trim())
  if (tag !== 'BCD' || !/^00[12]$/.test(version ?? '') || !/^[1-8]$/.test(signs ?? '')) return
  if (kind !== 'SCT' || name === '' || iban === '') return
  const euros = amountShape.exec(amount)?.[1]
  if (amount !== '' && (euros === undefined || Number(euros) === 0)) return
  const reference = toPlain(structured || free || '')
  return { name: toPlain(name), iban: toIban(iban), amount: euros, reference }
}

/** The text of such a code, or undefined where it would be longer than the standard permits. */
export function toCreditTransferText(asked: CreditTransferText): string | undefined {
  const { name, iban, amount, reference } = asked
  const lines = ['BCD', '002', '1', 'SCT', '', name, iban, amount ? `EUR${amount}` : '', '', '']
  const text = [...lines, reference].join('\n').trimEnd()
  return new TextEncoder().encode(text).length <= sizeMax ? text : undefined
}

/** The address of a payment, which programs of banks open: RFC 8905. */
export function toPayTo({ name, iban, amount, reference }: CreditTransferText, currency: string) {
  const fields = [
    `receiver-name=${encodeURIComponent(name)}`,
    ...(amount ? [`amount=${currency}:${amount}`] : []),
    ...(reference ? [`message=${encodeURIComponent(reference)}`] : []),
  ]
  return `payto://iban/${iban}?${fields.join('&')}`
}
