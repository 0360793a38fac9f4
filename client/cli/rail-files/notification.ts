// Reads camt.054: what the other bank has booked, of payments of others and of those of this bank.
import { createHash } from 'node:crypto'
import type { CreateIncomingPaymentBody } from '../../src/index.ts'
import { money } from '../../src/index.ts'
import {
  type Amount,
  type Counted,
  fault,
  firstOf,
  notProvided,
  reasonOf,
  requireSame,
  requireSent,
  requireTotals,
  sumOf,
  toAmount,
  total,
  type SentPayments,
  type Step,
} from './judged.ts'
import { childrenOf, at, required, requiredText, textAt, type XmlElement } from './xml.ts'

const ofDetails = { numbers: ['Refs/TxId', 'Refs/InstrId'], endToEndId: 'Refs/EndToEndId' } as const

/** A number of the other bank, in the form of this one, which takes none that may be a card's. */
function toExternalId(number: string): string {
  const digits = number.replace(/\D/g, '').length
  if (/^[\x20-\x7e]{1,120}$/.test(number) && digits < 13) return `camt.054 ${number}`
  const hash = createHash('sha256').update(number).digest('hex')
  const parts = /^(.{8})(.{4})(.{4})(.{4})(.{12})/.exec(hash)?.slice(1) ?? []
  return `camt.054 ${parts.join('-')}`
}

const textMax = 140

type Detail = { entry: XmlElement; place: XmlElement; amount: Amount }

function toCredit({ entry, place, amount }: Detail): CreateIncomingPaymentBody {
  const party = (name: string): XmlElement | undefined => at(place, `RltdPties/${name}`)
  const account = party('CdtrAcct')
  const iban = account && textAt(account, 'Id/IBAN')
  if (iban === undefined) return fault(place, 'names no account that is credited')
  const number =
    textAt(place, 'Refs/AcctSvcrRef') ?? textAt(place, 'Refs/UETR') ?? textAt(place, 'Refs/TxId')
  const isAlone =
    childrenOf(entry, 'NtryDtls').flatMap((details) => childrenOf(details, 'TxDtls')).length <= 1
  const own = number ?? (isAlone ? textAt(entry, 'AcctSvcrRef') : undefined)
  if (own === undefined) return fault(place, 'has no number: AcctSvcrRef, UETR or TxId')
  const debtor = party('Dbtr')
  const name = debtor && (textAt(debtor, 'Pty/Nm') ?? textAt(debtor, 'Nm'))
  const from = party('DbtrAcct')
  const debtorIban = from && textAt(from, 'Id/IBAN')
  const bic = textAt(place, 'RltdAgts/DbtrAgt/FinInstnId/BICFI')
  const info = at(place, 'RmtInf')
  const text = info
    ? childrenOf(info, 'Ustrd')
        .map((part) => part.text)
        .join(' ')
    : ''
  const structured = info && firstOf(info, 'Strd')
  const reference = text || (structured && textAt(structured, 'CdtrRefInf/Ref')) || ''
  const endToEndId = textAt(place, 'Refs/EndToEndId')
  return {
    iban: iban.replaceAll(' ', '').toUpperCase(),
    amount: money.format(amount.units, amount.currency),
    currency: amount.currency,
    externalId: toExternalId(own),
    debtor: {
      name: Array.from(name ?? notProvided)
        .slice(0, textMax)
        .join(''),
      ...(debtorIban !== undefined && { iban: debtorIban }),
      ...(bic !== undefined && { bic }),
    },
    ...(reference !== '' && { reference: Array.from(reference).slice(0, textMax).join('') }),
    ...(endToEndId !== undefined && endToEndId !== notProvided && { endToEndId }),
    onRefusal: 'suspense',
  }
}

/** A credit is a payment of others, or one of this bank that came back; a debit has arrived. */
function toSteps(detail: Detail, isCredit: boolean, sent: SentPayments): Step[] {
  const { place, amount, entry } = detail
  const { line } = place
  const came = at(place, 'RtrInf')
  if (isCredit && !came)
    return [{ what: 'credit', line, teller: 'notification', body: toCredit(detail) }]
  const payment = requireSent(place, ofDetails, sent)
  requireSame(at(place, 'Amt') ?? required(entry, 'Amt'), payment)
  if (amount.currency !== payment.currency) return fault(place, 'has another currency')
  const { id } = payment
  if (!isCredit) return [{ what: 'settle', id, line, teller: 'notification' }]
  const number = textAt(place, 'Refs/AcctSvcrRef') ?? textAt(entry, 'AcctSvcrRef') ?? id
  return [{ what: 'return', id, line, teller: 'notification', number, reasonCode: reasonOf(came) }]
}

const directions = { CRDT: true, DBIT: false } as const
const isDirection = (text: string): text is keyof typeof directions =>
  Object.hasOwn(directions, text)

function isCreditOf(place: XmlElement): boolean {
  const found = required(place, 'CdtDbtInd')
  const { text } = found
  return isDirection(text) ? directions[text] : fault(found, 'is not CRDT or DBIT')
}

/** A whole file of this bank that was debited as one entry. */
function readBatch(entry: XmlElement, amount: Amount, sent: SentPayments): Step[] {
  const details = firstOf(entry, 'NtryDtls')
  const batch = details && at(details, 'Btch')
  const messageId = batch && (textAt(batch, 'MsgId') ?? textAt(batch, 'PmtInfId'))
  const payments = messageId === undefined ? undefined : sent.ofMessage(messageId)
  if (!payments) return fault(entry, 'names no payment and no message that was sent')
  const sum = sumOf(payments)
  requireTotals(batch, ['NbOfTxs', 'TtlAmt'], { count: payments.length, sum })
  if (sum?.units !== amount.units || sum.currency !== amount.currency) {
    return fault(entry, 'is not the sum of the message that was sent')
  }
  return payments.map(({ id }) => ({
    what: 'settle',
    id,
    line: entry.line,
    teller: 'notification',
  }))
}

function readEntry(entry: XmlElement, sent: SentPayments): { steps: Step[]; amount: Amount } {
  const amount = toAmount(required(entry, 'Amt'))
  const isCredit = isCreditOf(entry)
  const status = textAt(entry, 'Sts/Cd') ?? textAt(entry, 'Sts/Prtry') ?? requiredText(entry, 'Sts')
  if (textAt(entry, 'RvslInd') === 'true' || textAt(entry, 'RvslInd') === '1') {
    return fault(entry, 'is a reversal, which staff have to judge')
  }
  const places = childrenOf(entry, 'NtryDtls').flatMap((details) => childrenOf(details, 'TxDtls'))
  const details = places.map((place): Detail => {
    const own = at(place, 'Amt')
    if (!own && places.length > 1) return fault(place, 'TxDtls has no Amt')
    if (at(place, 'CdtDbtInd') && isCreditOf(place) !== isCredit) {
      return fault(place, 'is of another direction than its entry')
    }
    return { entry, place, amount: own ? toAmount(own) : amount }
  })
  const isWhole = details.every((detail) => detail.amount.currency === amount.currency)
  if (
    details.length > 0 &&
    (!isWhole || total(details.map((detail) => detail.amount)) !== amount.units)
  ) {
    return fault(entry, 'is not the sum of its details')
  }
  // What is not booked may still change.
  if (status !== 'BOOK') return { steps: [], amount }
  if (details.length > 0) {
    return { steps: details.flatMap((detail) => toSteps(detail, isCredit, sent)), amount }
  }
  if (isCredit) return fault(entry, 'has no details of what is credited')
  return { steps: readBatch(entry, amount, sent), amount }
}

export function readCamt054(root: XmlElement, sent: SentPayments): Step[] {
  const message = required(root, 'BkToCstmrDbtCdtNtfctn')
  requiredText(message, 'GrpHdr/MsgId')
  return childrenOf(message, 'Ntfctn').flatMap((notification) => {
    const entries = childrenOf(notification, 'Ntry').map((entry) => ({
      ...readEntry(entry, sent),
      isCredit: isCreditOf(entry),
    }))
    const [first] = entries
    const isOne = entries.every(({ amount }) => amount.currency === first?.amount.currency)
    const counted = (some: typeof entries): Counted => ({
      count: some.length,
      sum:
        first && isOne
          ? { units: total(some.map(({ amount }) => amount)), currency: first.amount.currency }
          : undefined,
    })
    const summary = at(notification, 'TxsSummry')
    const names = ['NbOfNtries', 'Sum'] as const
    requireTotals(summary && at(summary, 'TtlNtries'), names, counted(entries))
    for (const [name, isCredit] of [
      ['TtlCdtNtries', true],
      ['TtlDbtNtries', false],
    ] as const) {
      const some = entries.filter((entry) => entry.isCredit === isCredit)
      requireTotals(summary && at(summary, name), names, counted(some))
    }
    return entries.flatMap(({ steps }) => steps)
  })
}
