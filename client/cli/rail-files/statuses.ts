// Reads pacs.002 and pain.002: a payment has arrived, is rejected, or waits.
import {
  fault,
  firstOf,
  original,
  reasonOf,
  requireSame,
  requireSent,
  requireTotals,
  sumOf,
  type SentPayment,
  type SentPayments,
  type Step,
} from './judged.ts'
import { childrenOf, at, required, requiredText, type XmlElement } from './xml.ts'

/** What a status says of a payment; `waits`: nothing yet. */
const statuses = {
  ACCC: 'settle',
  ACSC: 'settle',
  RJCT: 'return',
  ACCP: 'waits',
  ACFC: 'waits',
  ACSP: 'waits',
  ACTC: 'waits',
  ACWC: 'waits',
  ACWP: 'waits',
  PART: 'waits',
  PDNG: 'waits',
  RCVD: 'waits',
} as const
type Status = keyof typeof statuses
const isStatus = (text: string): text is Status => Object.hasOwn(statuses, text)

function meaningOf(status: XmlElement): (typeof statuses)[Status] {
  const { text } = status
  return isStatus(text) ? statuses[text] : fault(status, `the status ${text} is not known`)
}

type ToldStatus = { status: XmlElement; number: string; reason: XmlElement | undefined }

function toStep({ id }: SentPayment, { status, number, reason }: ToldStatus): Step[] {
  const { line } = status
  const what = meaningOf(status)
  if (what === 'waits') return []
  if (what === 'settle') return [{ what, id, line, teller: 'status' }]
  return [{ what, id, line, teller: 'status', number, reasonCode: reasonOf(reason) }]
}

type Group = { place: XmlElement; id: string; status: string; totals: readonly [string, string] }

/** A status of the group is that of each payment in it which has none of its own. */
function readGroup({ place, id, status, totals }: Group, told: Set<string>, about: About): Step[] {
  const messageId = required(place, id)
  const payments = about.sent.ofMessage(messageId.text)
  if (!payments) return fault(messageId, `${messageId.text} is no message that was sent`)
  requireTotals(place, totals, { count: payments.length, sum: sumOf(payments) })
  const found = at(place, status)
  if (!found) return []
  const rest = payments.filter(({ id: own }) => !told.has(own))
  const given = { status: found, number: about.messageId, reason: firstOf(place, 'StsRsnInf') }
  return rest.flatMap((payment) => {
    const steps = toStep(payment, given)
    if (steps.length > 0) told.add(payment.id)
    return steps
  })
}

type About = { messageId: string; sent: SentPayments }

/** pacs.002 and pain.002. */
function readStatuses(report: XmlElement, sent: SentPayments, groups: readonly Group[]): Step[] {
  const about = { messageId: requiredText(report, 'GrpHdr/MsgId'), sent }
  const told = new Set<string>()
  const places = [report, ...childrenOf(report, 'OrgnlPmtInfAndSts')]
  const single = places.flatMap((place) => childrenOf(place, 'TxInfAndSts'))
  const steps = single.flatMap((place) => {
    const payment = requireSent(place, original, sent)
    const reference = at(place, 'OrgnlTxRef')
    requireSame(reference && at(reference, 'IntrBkSttlmAmt'), payment)
    requireSame(reference && at(reference, 'Amt/InstdAmt'), payment)
    const status = at(place, 'TxSts')
    if (!status) return []
    if (told.has(payment.id)) return fault(place, 'is of a payment that is there twice')
    told.add(payment.id)
    const reason = firstOf(place, 'StsRsnInf')
    return toStep(payment, { status, number: about.messageId, reason })
  })
  return [...steps, ...groups.flatMap((group) => readGroup(group, told, about))]
}

const totals = ['OrgnlNbOfTxs', 'OrgnlCtrlSum'] as const
const toGroup = (place: XmlElement): Group => ({
  place,
  id: 'OrgnlMsgId',
  status: 'GrpSts',
  totals,
})

export function readPacs002(root: XmlElement, sent: SentPayments): Step[] {
  const report = required(root, 'FIToFIPmtStsRpt')
  return readStatuses(report, sent, childrenOf(report, 'OrgnlGrpInfAndSts').map(toGroup))
}

export function readPain002(root: XmlElement, sent: SentPayments): Step[] {
  const report = required(root, 'CstmrPmtStsRpt')
  const blocks = childrenOf(report, 'OrgnlPmtInfAndSts').map((place): Group => ({
    place,
    id: 'OrgnlPmtInfId',
    status: 'PmtInfSts',
    totals,
  }))
  return readStatuses(report, sent, [...blocks, toGroup(required(report, 'OrgnlGrpInfAndSts'))])
}
