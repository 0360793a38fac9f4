// A list as pain.001.001.03 or .09 (ISO 20022, CustomerCreditTransferInitiation), read into the
// body that JSON has. What would be left out of a payment is refused, each fault by its path.
import { isDay } from '../../domain/date-range.ts'
import { type Detail, detailsMax, invalid, Refusal } from '../../domain/errors.ts'
import { type Currency, parseAmount } from '../../domain/money.ts'
import { toFreeText } from '../../domain/rail-text.ts'
import { itemsMax } from '../movements/many.ts'
import { openXmlReader, withoutReferences, type XmlElement, type XmlValue } from './xml.ts'

const forms = {
  'urn:iso:std:iso:20022:tech:xsd:pain.001.001.03': 'pain.001.001.03',
  'urn:iso:std:iso:20022:tech:xsd:pain.001.001.09': 'pain.001.001.09',
} as const
type FormName = keyof typeof forms
const isForm = (namespace: string): namespace is FormName => Object.hasOwn(forms, namespace)

/** All elements that are read. */
const names = new Set(
  (
    'Document CstmrCdtTrfInitn GrpHdr MsgId NbOfTxs CtrlSum PmtInf PmtInfId PmtMtd PmtTpInf ' +
    'SvcLvl LclInstrm Cd ReqdExctnDt Dt DtTm DbtrAcct ChrgBr CdtTrfTxInf PmtId EndToEndId Amt ' +
    'InstdAmt Cdtr Nm CdtrAcct Id IBAN RmtInf Ustrd Strd CdtrRefInf Ref'
  ).split(' '),
)
const readXml = openXmlReader(names)

/** An element with its path from the root of the message, and the faults of the whole file. */
class Place {
  readonly path: string
  readonly faults: Detail[]
  private readonly element: XmlElement
  constructor(element: XmlElement, path: string, faults: Detail[]) {
    this.element = element
    this.path = path
    this.faults = faults
  }

  fault(message: string, path = ''): undefined {
    if (this.faults.length < detailsMax) {
      this.faults.push({ path: this.path + path, message })
    }
    return undefined
  }

  /** The elements of that name. */
  private valuesOf(name: string): XmlValue[] {
    if (!names.has(name)) throw new Error(`${name} is not among the names that are read`)
    const found = Object.hasOwn(this.element, name) ? this.element[name] : undefined
    return found === undefined ? [] : Array.isArray(found) ? found : [found]
  }

  has(name: string): boolean {
    return this.valuesOf(name).length > 0
  }

  /** Each child of that name, with its number in its path. */
  all(name: string): Place[] {
    return this.valuesOf(name).map(
      (value, index) =>
        new Place(toElement(value), `${this.path}/${name}[${index + 1}]`, this.faults),
    )
  }

  /** The child at that path, each element of it at most once; undefined: it is not there. */
  at(path: string): Place | undefined {
    return path.split('/').reduce<Place | undefined>((place, name) => place?.child(name), this)
  }

  private child(name: string): Place | undefined {
    const [value, ...more] = this.valuesOf(name)
    if (more.length > 0) this.fault('is there more than once', `/${name}`)
    return value === undefined
      ? undefined
      : new Place(toElement(value), `${this.path}/${name}`, this.faults)
  }

  /** The text at that path; undefined: it is not there. */
  text(path: string): string | undefined {
    return this.at(path)?.content()
  }

  content(): string {
    const own = this.element['#text']
    return typeof own === 'string' ? withoutReferences(own).trim() : ''
  }

  attribute(name: string): string | undefined {
    const value = this.element[`@${name}`]
    return typeof value === 'string' ? withoutReferences(value) : undefined
  }

  /** The text at that path. A fault if it is missing, or longer than that. */
  required(path: string, lengthMax: number): string | undefined {
    const text = this.text(path)
    if (text === undefined || text === '') return this.fault('is missing', `/${path}`)
    return text.length > lengthMax ? this.fault('is too long', `/${path}`) : text
  }
}

const toElement = (value: XmlValue): XmlElement =>
  typeof value === 'string' ? { '#text': value } : Array.isArray(value) ? {} : value

const ascii = /^[\x20-\x7e]+$/
const ibanForm = /^[A-Z]{2}[0-9]{2}[A-Z0-9]{11,30}$/
const decimal = /^[0-9]{1,18}(?:\.[0-9]{0,17})?$/

/** An exact number, by its digits in front of the point and 17 behind it. */
function toExact(text: string): bigint | undefined {
  if (!decimal.test(text)) return undefined
  const [whole = '', fraction = ''] = text.split('.')
  return BigInt(whole + fraction.padEnd(17, '0'))
}

/** `+010.50` is `10.50`, `.5` is `0.5`, and `10.` is `10` (XML Schema, decimal). */
const toPlain = (text: string): string =>
  text
    .replace(/^\+/, '')
    .replace(/^(?=\.\d)/, '0')
    .replace(/^0+(?=\d)/, '')
    .replace(/\.$/, '')

function readIban(place: Place, path: string): string | undefined {
  const text = place.required(path, 60)
  if (text === undefined) return undefined
  const iban = text.replaceAll(' ', '').toUpperCase()
  return ibanForm.test(iban) ? iban : place.fault('is not of the form of an IBAN', `/${path}`)
}

function readNumber(place: Place, path: string): string | undefined {
  const text = place.required(path, 35)
  return text === undefined || ascii.test(text)
    ? text
    : place.fault('has other characters than those of ASCII', `/${path}`)
}

/** Charges are shared in the bank's schemes; no other bearer can be promised. */
function requireCharges(place: Place): void {
  const bearer = place.text('ChrgBr')
  if (bearer !== undefined && bearer !== 'SLEV' && bearer !== 'SHAR') {
    place.fault('is not SLEV or SHAR', '/ChrgBr')
  }
}

const levels = ['SEPA', 'NURG']

/** An urgent or an instant payment would be made as any other. */
function requireType(place: Place): void {
  const level = place.text('PmtTpInf/SvcLvl/Cd')
  if (level !== undefined && !levels.includes(level)) {
    place.fault('is not SEPA or NURG', '/PmtTpInf/SvcLvl/Cd')
  }
  if (place.text('PmtTpInf/LclInstrm/Cd') === 'INST') {
    place.fault('is an instant payment', '/PmtTpInf/LclInstrm/Cd')
  }
}

/** One reference, of either kind, reaches the payee. */
function readReference(payment: Place): string {
  const info = payment.at('RmtInf')
  if (!info) return ''
  const [text, ...more] = info.all('Ustrd')
  if (more.length > 0) info.fault('is there more than once', '/Ustrd')
  const structured = info.text('Strd/CdtrRefInf/Ref')
  if (info.has('Strd')) {
    if (text) info.fault('is there beside Ustrd', '/Strd')
    else if (!structured) info.fault('is missing', '/Strd/CdtrRefInf/Ref')
  }
  const reference = toFreeText(text?.content() ?? structured ?? '')
  if (reference.length > 140) payment.fault('is too long', '/RmtInf/Ustrd')
  return reference
}

type Read = { currency: string | undefined; amounts: bigint[] }

function readPayment(payment: Place, blockId: string | undefined, read: Read) {
  requireCharges(payment)
  requireType(payment)
  const endToEndId = readNumber(payment, 'PmtId/EndToEndId')
  const amountPath = 'Amt/InstdAmt'
  const currency = payment.at(amountPath)?.attribute('Ccy')
  const text = toPlain(payment.required(amountPath, 30) ?? '')
  const exact = toExact(text)
  if (currency === undefined) payment.fault('has no currency', `/${amountPath}`)
  read.currency ??= currency
  if (currency !== read.currency) payment.fault('has another currency', `/${amountPath}`)
  else if (exact === undefined || parseAmount(text, currency as Currency) === undefined) {
    payment.fault('is not an amount of its currency', `/${amountPath}`)
  } else if (exact === 0n) payment.fault('is zero', `/${amountPath}`)
  read.amounts.push(exact ?? 0n)
  const name = toFreeText(payment.required('Cdtr/Nm', 140) ?? '')
  if (name.length > 70) payment.fault('is longer than 70', '/Cdtr/Nm')
  const reference = readReference(payment)
  return {
    name,
    iban: readIban(payment, 'CdtrAcct/Id/IBAN') ?? '',
    amount: text,
    ...(reference !== '' && { reference }),
    ...(endToEndId !== undefined && endToEndId !== 'NOTPROVIDED' && { endToEndId }),
    ...(blockId !== undefined && { blockId }),
  }
}

/** Control totals that are there have to be right. */
function requireTotals(place: Place, amounts: readonly bigint[], isRequired: boolean): void {
  const count = isRequired ? place.required('NbOfTxs', 15) : place.text('NbOfTxs')
  if (count !== undefined && count.replace(/^0+(?=\d)/, '') !== String(amounts.length)) {
    place.fault('is not the number of payments', '/NbOfTxs')
  }
  const sum = place.text('CtrlSum')
  const total = amounts.reduce((all, amount) => all + amount, 0n)
  if (sum !== undefined && toExact(toPlain(sum)) !== total) {
    place.fault('is not the sum of the amounts', '/CtrlSum')
  }
}

/** The day of an ISODate or ISODateTime, as it is written: also in another time zone. */
const dated =
  /^(\d{4}-\d\d-\d\d)(T([01]\d|2[0-4])(:[0-5]\d){2}(\.\d+)?)?(Z|[+-](0\d|1[0-4]):[0-5]\d)?$/

function readDate(block: Place): string | undefined {
  const at = block.at('ReqdExctnDt')
  if (at?.has('Dt') && at.has('DtTm')) at.fault('is there beside Dt', '/DtTm')
  const text = at?.text('Dt') ?? at?.text('DtTm') ?? at?.content() ?? ''
  const [, day = ''] = dated.exec(text) ?? []
  if (isDay(day)) return day
  return block.fault(text === '' ? 'is missing' : 'is not a day', '/ReqdExctnDt')
}

/** What all blocks of a file have to agree in: a list has one account and one day. */
function readBlock(block: Place, first: { iban?: string; day?: string }, read: Read) {
  requireCharges(block)
  requireType(block)
  if (block.text('PmtMtd') !== 'TRF') block.fault('is not TRF', '/PmtMtd')
  const blockId = readNumber(block, 'PmtInfId')
  const iban = readIban(block, 'DbtrAcct/Id/IBAN')
  const day = readDate(block)
  if (iban !== undefined && iban !== (first.iban ??= iban)) {
    block.fault('is another account than before', '/DbtrAcct/Id/IBAN')
  }
  if (day !== undefined && day !== (first.day ??= day)) {
    block.fault('is another day than before', '/ReqdExctnDt')
  }
  const own: Read = { currency: read.currency, amounts: [] }
  const payments = block.all('CdtTrfTxInf')
  const items = payments.map((payment) => readPayment(payment, blockId, own))
  if (items.length === 0) block.fault('is missing', '/CdtTrfTxInf')
  requireTotals(block, own.amounts, false)
  read.currency = own.currency
  read.amounts.push(...own.amounts)
  return items
}

/** Refuses with the faults of the file, each with its path, such as `/PmtInf[1]/CdtTrfTxInf[3]`. */
export function readPain001(bytes: Buffer): unknown {
  const { root: found, namespace } = readXml(bytes)
  const document = found['Document']
  if (document === undefined || typeof document === 'string' || Array.isArray(document)) {
    return invalid('/body', 'is no Document of pain.001')
  }
  if (namespace === undefined || !isForm(namespace)) {
    return invalid('/body', 'is not pain.001.001.03 or .09')
  }
  const faults: Detail[] = []
  const root = document['CstmrCdtTrfInitn']
  if (root === undefined) return invalid('/body/CstmrCdtTrfInitn', 'is missing')
  const message = new Place(toElement(root), '/body', faults)
  const header = message.at('GrpHdr')
  const messageId = header ? readNumber(header, 'MsgId') : message.fault('is missing', '/GrpHdr')
  const first: { iban?: string; day?: string } = {}
  const read: Read = { currency: undefined, amounts: [] }
  const items = message.all('PmtInf').flatMap((block) => readBlock(block, first, read))
  if (items.length === 0) message.fault('is missing', '/PmtInf')
  if (items.length > itemsMax) message.fault(`has more than ${itemsMax} payments`)
  if (header) requireTotals(header, read.amounts, true)
  if (faults.length > 0) throw new Refusal('invalid_request', { details: faults })
  return {
    messageId,
    currency: read.currency,
    executeOn: first.day,
    debtorIban: first.iban,
    form: forms[namespace],
    items,
  }
}
