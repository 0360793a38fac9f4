// Payments to other banks as files of ISO 20022: pacs.008.001.08 between banks, or pain.001.001.09
// to a sponsor bank that carries them.
import { createHash } from 'node:crypto'
import type { Currency, Transfer } from '../../src/index.ts'
import { money } from '../../src/index.ts'
import { element, textElement } from './xml.ts'

/** A payment with what a file says of it. */
export type Outgoing = {
  id: string
  endToEndId: string
  amount: string
  currency: Currency
  debtor: { name: string; iban: string | null }
  creditor: { name: string; iban: string }
  reference: string
}
export type WrittenBy = {
  /** The name of the bank itself. */
  name: string
  bic?: string
  /** The bank's account at a sponsor bank, to which a pain.001 goes. */
  sponsor?: string
}
/** Payments of one currency that go out together. */
export type Batch = WrittenBy & {
  batch: string
  createdAt: string
  day: string
  currency: Currency
  payments: Outgoing[]
}
export type WrittenFile = { messageId: string; name: string; text: string }

const notProvided = 'NOTPROVIDED'
const nameMax = 140
const endToEndMax = 35

/** The identifier of a payment within 35 characters. */
export const toReference = (id: string): string => id.replaceAll('-', '')

const toName = (name: string | null | undefined): string =>
  Array.from(name ?? '')
    .slice(0, nameMax)
    .join('')
    .trim() || notProvided

/** Undefined: it names no account to which it could go. */
export function toOutgoing(payment: Transfer): Outgoing | undefined {
  const { id, amount, currency, reference, counterparty, payer, endToEndId } = payment
  if (!counterparty?.iban) return undefined
  return {
    id,
    endToEndId: endToEndId?.trim().slice(0, endToEndMax) || toReference(id),
    amount,
    currency,
    debtor: { name: toName(payer?.name), iban: payer?.iban ?? null },
    creditor: { name: toName(counterparty.name), iban: counterparty.iban },
    reference: reference.trim(),
  }
}

const agentElement = (tag: string, bic?: string): string =>
  element(
    tag,
    element(
      'FinInstnId',
      bic === undefined ? element('Othr', element('Id', notProvided)) : textElement('BICFI', bic),
    ),
  )
const accountElement = (tag: string, iban: string | null): string =>
  iban === null ? '' : element(tag, element('Id', textElement('IBAN', iban)))
const partyElement = (tag: string, name: string): string => element(tag, textElement('Nm', name))
/** Euro go by the rules of SEPA. */
const typeElement = (currency: Currency): string =>
  currency === 'EUR' ? element('PmtTpInf', element('SvcLvl', element('Cd', 'SEPA'))) : ''
const chargesElement = (currency: Currency): string =>
  element('ChrgBr', currency === 'EUR' ? 'SLEV' : 'SHAR')
const textOf = ({ reference }: Outgoing): string =>
  element('RmtInf', textElement('Ustrd', reference))

function renderTransfer(payment: Outgoing, { bic }: Batch): string {
  const { id, endToEndId, amount, currency, debtor, creditor } = payment
  const number = toReference(id)
  return element(
    'CdtTrfTxInf',
    element(
      'PmtId',
      element('InstrId', number),
      textElement('EndToEndId', endToEndId),
      element('TxId', number),
    ),
    element(`IntrBkSttlmAmt Ccy="${currency}"`, amount),
    chargesElement(currency),
    partyElement('Dbtr', debtor.name),
    accountElement('DbtrAcct', debtor.iban),
    agentElement('DbtrAgt', bic),
    agentElement('CdtrAgt'),
    partyElement('Cdtr', creditor.name),
    accountElement('CdtrAcct', creditor.iban),
    textOf(payment),
  )
}

function renderInstruction(payment: Outgoing): string {
  const { id, endToEndId, amount, currency, debtor, creditor } = payment
  return element(
    'CdtTrfTxInf',
    element('PmtId', element('InstrId', toReference(id)), textElement('EndToEndId', endToEndId)),
    element('Amt', element(`InstdAmt Ccy="${currency}"`, amount)),
    partyElement('UltmtDbtr', debtor.name),
    partyElement('Cdtr', creditor.name),
    accountElement('CdtrAcct', creditor.iban),
    textOf(payment),
  )
}

/** The number of a message is the hash of what it says: the same payments are the same message. */
const numberOf = (form: string, { batch, createdAt, day }: Batch, payments: string): string =>
  createHash('sha256')
    .update(JSON.stringify([form, batch, createdAt, day, payments]))
    .digest('hex')
    .slice(0, 32)

const toDocument = (form: string, ...contents: string[]): string => {
  const namespace = `urn:iso:std:iso:20022:tech:xsd:${form}`
  const root = element(`Document xmlns="${namespace}"`, ...contents)
  return `<?xml version="1.0" encoding="UTF-8"?>\n${root}\n`
}

/** One payment a line, so that the line of a fault says which it is. */
const inLines = (rows: readonly string[]): string => `\n${rows.join('\n')}\n`

export function renderBatch(batch: Batch): WrittenFile {
  const { payments, currency, day, createdAt, name, bic, sponsor } = batch
  const sum = money.add(
    payments.map(({ amount }) => amount),
    currency,
  )
  const totals = element('NbOfTxs', String(payments.length)) + element('CtrlSum', sum)
  if (sponsor === undefined) {
    const form = 'pacs.008.001.08'
    const rows = inLines(payments.map((payment) => renderTransfer(payment, batch)))
    const messageId = numberOf(form, batch, rows)
    const header = element(
      'GrpHdr',
      element('MsgId', messageId),
      element('CreDtTm', createdAt),
      totals,
      element(`TtlIntrBkSttlmAmt Ccy="${currency}"`, sum),
      element('IntrBkSttlmDt', day),
      element('SttlmInf', element('SttlmMtd', 'CLRG')),
      typeElement(currency),
      bic === undefined ? '' : agentElement('InstgAgt', bic),
    )
    const text = toDocument(form, element('FIToFICstmrCdtTrf', header, rows))
    return { messageId, name: `pacs.008-${messageId}.xml`, text }
  }
  const form = 'pain.001.001.09'
  const rows = inLines(payments.map(renderInstruction))
  const messageId = numberOf(form, batch, rows)
  const header = element(
    'GrpHdr',
    element('MsgId', messageId),
    element('CreDtTm', createdAt),
    totals,
    partyElement('InitgPty', name),
  )
  const block = element(
    'PmtInf',
    element('PmtInfId', messageId),
    element('PmtMtd', 'TRF'),
    totals,
    typeElement(currency),
    element('ReqdExctnDt', element('Dt', day)),
    partyElement('Dbtr', name),
    accountElement('DbtrAcct', sponsor),
    agentElement('DbtrAgt'),
    chargesElement(currency),
    rows,
  )
  const text = toDocument(form, element('CstmrCdtTrfInitn', header, block))
  return { messageId, name: `pain.001-${messageId}.xml`, text }
}
