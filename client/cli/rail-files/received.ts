// What files of the other side say. Nothing is booked here: a file is steps, or a fault.
import {
  type Amount,
  firstOf,
  original,
  reasonOf,
  requireSame,
  requireSent,
  requireTotals,
  toAmount,
  total,
  type SentPayments,
  type Step,
} from './judged.ts'
import { readCamt054 } from './notification.ts'
import { readPacs002, readPain002 } from './statuses.ts'
import {
  childrenOf,
  at,
  FileFault,
  readXml,
  required,
  requiredText,
  type XmlElement,
} from './xml.ts'

const prefix = 'urn:iso:std:iso:20022:tech:xsd:'

/** Throws a {@link FileFault} at the first thing that is not as it has to be. */
export function readSteps(bytes: Uint8Array, sent: SentPayments): Step[] {
  const { root, namespace } = readXml(bytes)
  const form = namespace.startsWith(prefix) ? namespace.slice(prefix.length) : ''
  if (!isForm(form) || root.name !== 'Document') {
    throw new FileFault(root.line, `is none of ${Object.keys(forms).join(', ')}`)
  }
  const steps = forms[form](root, sent)
  requireOnce(steps)
  return steps
}

function requireOnce(steps: readonly Step[]): void {
  const seen = new Set<string>()
  for (const step of steps) {
    const key = step.what === 'credit' ? step.body.externalId : `${step.what} ${step.id}`
    if (seen.has(key)) throw new FileFault(step.line, `${key} is there twice`)
    seen.add(key)
  }
}

/** Payments that came back. */
function readPacs004(root: XmlElement, sent: SentPayments): Step[] {
  const message = required(root, 'PmtRtr')
  const header = required(message, 'GrpHdr')
  requiredText(header, 'MsgId')
  requiredText(header, 'NbOfTxs')
  const returns = childrenOf(message, 'TxInf')
  const amounts: Amount[] = []
  const steps = returns.map((place): Step => {
    const payment = requireSent(place, original, sent)
    requireSame(at(place, 'OrgnlIntrBkSttlmAmt'), payment)
    const came = required(place, 'RtrdIntrBkSttlmAmt')
    requireSame(came, payment)
    amounts.push(toAmount(came))
    const { id } = payment
    const number = requiredText(place, 'RtrId')
    const reasonCode = reasonOf(firstOf(place, 'RtrRsnInf'))
    return { what: 'return', id, line: place.line, teller: 'return', number, reasonCode }
  })
  const [first] = amounts
  const isOne = amounts.every(({ currency }) => currency === first?.currency)
  const sum = first && isOne ? { units: total(amounts), currency: first.currency } : undefined
  const counted = { count: returns.length, sum }
  requireTotals(header, ['NbOfTxs', 'CtrlSum'], counted)
  requireTotals(header, ['NbOfTxs', 'TtlRtrdIntrBkSttlmAmt'], counted)
  return steps
}

/** By the last part of their namespace: versions that have these elements alike. */
const forms = {
  'pacs.002.001.10': readPacs002,
  'pacs.002.001.12': readPacs002,
  'pain.002.001.10': readPain002,
  'pacs.004.001.09': readPacs004,
  'pacs.004.001.11': readPacs004,
  'camt.054.001.08': readCamt054,
} as const
const isForm = (form: string): form is keyof typeof forms => Object.hasOwn(forms, form)
