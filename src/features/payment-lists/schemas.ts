// Schemas of payment lists, and the conversions of rows.
import { type Static, Type } from '../../domain/type.ts'
import { rfc3339 } from '../../domain/clock.ts'
import { exampleIban, Iban } from '../../domain/iban.ts'
import {
  AccountId,
  BeneficiaryId,
  foreignKey,
  PaymentListId,
  TransferId,
  uuidPattern,
} from '../../domain/ids.ts'
import { formatAmount } from '../../domain/money.ts'
import {
  Amount,
  closed,
  Count,
  Currency,
  Day,
  Name,
  named,
  noCardNumberKey,
  nullable,
  oneOf,
  OptionalText,
  Time,
  withExample,
} from '../../domain/schema.ts'
import { listForms } from '../../ledger/rules/list-digest.ts'
import type { Transit } from '../../domain/calendar/business-days.ts'
import { itemsMax } from '../movements/many.ts'
import { transitFields } from '../movements/schemas.ts'
import { isoReasons, lineRefusals, toIsoReason } from './reasons.ts'
import { type LineRow, listStatuses, type ListRow } from './sql.ts'

/** An identifier that the customer chose (ISO 20022 Max35Text). */
const ownNumber = (description: string, example: string) =>
  Type.String({
    pattern: '^[\\x20-\\x7e]+$',
    minLength: 1,
    maxLength: 35,
    description,
    examples: [example],
    [foreignKey]: true,
    [noCardNumberKey]: 'schemes',
  })

const MessageId = ownNumber(
  'How the customer numbers the list (ISO 20022 MsgId): once for ever in an account.',
  'SALARIES-2026-01',
)
const EndToEndId = ownNumber(
  'The reference that the payment keeps until its payee (ISO 20022 EndToEndId).',
  'SALARY-2026-01-0017',
)
const BlockId = ownNumber(
  'The block of a pain.001 file that the payment stood in (ISO 20022 PmtInfId).',
  'BLOCK-1',
)
const Reference = withExample(OptionalText, 'Salary January')
const Form = oneOf(listForms, { description: 'What the list was sent as.' })

const Item = closed({
  beneficiaryId: Type.Optional(BeneficiaryId),
  name: Type.Optional(Name),
  iban: Type.Optional(Iban),
  amount: Amount,
  reference: Type.Optional(Reference),
  endToEndId: Type.Optional(EndToEndId),
  blockId: Type.Optional(BlockId),
})
export type ListItem = Static<typeof Item>

export const NewPaymentList = closed({
  messageId: Type.Optional(MessageId),
  currency: Currency,
  executeOn: Type.Optional(Day),
  debtorIban: Type.Optional(Iban),
  form: Type.Optional(Form),
  items: Type.Array(Item, {
    minItems: 1,
    maxItems: itemsMax,
    description: 'Each to a beneficiary of the account, or to a name and an IBAN.',
  }),
})
export type NewList = Static<typeof NewPaymentList>

const Sum = closed({ count: Count, total: Amount })
const Refusal = oneOf(lineRefusals)
const Reason = oneOf(isoReasons, {
  description: 'The refusal as a code of ISO 20022 ExternalStatusReason1Code.',
})
const someone = (description: string) =>
  Type.String({
    pattern: uuidPattern,
    minLength: 36,
    maxLength: 36,
    description,
    examples: ['01981f7e-4c00-7000-8000-757365720000'],
  })

const listFields = {
  id: PaymentListId,
  accountId: AccountId,
  madeBy: someone('The person or the service account that sent it.'),
  orderedBy: Type.Optional(someone('Who ordered it to be paid: its payments are in that name.')),
  messageId: Type.Optional(MessageId),
  form: Form,
  currency: Currency,
  executeOn: nullable(Day),
  status: oneOf(listStatuses, {
    description: 'Ordered: it waits for its day, or is being paid line by line.',
  }),
  all: Sum,
  ready: closed(
    { count: Count, total: Amount },
    { description: 'What is confirmed: the lines that were not refused when it was checked.' },
  ),
  made: Sum,
  refusedCount: Count,
  hash: Type.String({
    pattern: '^[0-9a-f]{64}$',
    minLength: 64,
    maxLength: 64,
    description: 'SHA-256 over the list and all its lines: none of them changes any more.',
    examples: ['5f70bf18a086007016e948b04aed3b82103a36bea41755b6cddfaf10ace3c6ef'],
  }),
  createdAt: Time,
  orderedAt: Type.Optional(Time),
  endedAt: Type.Optional(Time),
}
export const PaymentList = named('PaymentList', listFields)

const CheckedLine = named('CheckedLine', {
  index: Count,
  status: oneOf(['ready', 'refused']),
  refusal: Type.Optional(Refusal),
  reason: Type.Optional(Reason),
})

/** The answer to a new list: what became of each item. */
export const CheckedList = named('CheckedPaymentList', {
  ...listFields,
  lines: Type.Array(CheckedLine, {
    maxItems: itemsMax,
    description: 'One for each item, in their order.',
  }),
})

export const lineStatuses = ['ready', 'made', 'refused'] as const

const LinePayee = named('PaymentListPayee', {
  name: Type.String({ maxLength: 140, examples: ['Okafor household'] }),
  iban: Type.String({ maxLength: 34, examples: [exampleIban] }),
})

export const PaymentListLine = named('PaymentListLine', {
  index: Count,
  payee: Type.Optional(LinePayee),
  beneficiaryId: Type.Optional(BeneficiaryId),
  toAccountId: Type.Optional(AccountId),
  amount: Amount,
  currency: Currency,
  reference: Reference,
  endToEndId: Type.Optional(EndToEndId),
  blockId: Type.Optional(BlockId),
  status: oneOf(lineStatuses, { description: 'Ready: neither made nor refused so far.' }),
  refusal: Type.Optional(Refusal),
  reason: Type.Optional(Reason),
  transferId: Type.Optional(TransferId),
  at: Type.Optional(Time),
  ...transitFields,
})

export function toList(row: ListRow): Static<typeof PaymentList> {
  const { currency, orderedAt, endedAt } = row
  const sum = (count: number, total: bigint) => ({ count, total: formatAmount(total, currency) })
  return {
    id: row.id,
    accountId: row.accountId,
    madeBy: row.makerId,
    ...(row.callerId !== null && { orderedBy: row.callerId }),
    ...(row.messageId !== null && { messageId: row.messageId }),
    form: row.form,
    currency,
    executeOn: row.executeOn,
    status: row.status,
    all: sum(row.lineCount, row.total),
    ready: sum(row.readyCount, row.readyTotal),
    made: sum(row.madeCount, row.madeTotal),
    refusedCount: row.refusedCount,
    hash: row.digest.toString('hex'),
    createdAt: rfc3339(row.createdAt.getTime()),
    ...(orderedAt !== null && { orderedAt: rfc3339(orderedAt.getTime()) }),
    ...(endedAt !== null && { endedAt: rfc3339(endedAt.getTime()) }),
  }
}

export const toCheckedLine = ({
  place: index,
  earlyRefusal,
}: Pick<LineRow, 'place'> & { earlyRefusal: string | null }): Static<typeof CheckedLine> => {
  if (earlyRefusal === null) return { index, status: 'ready' }
  const refusal = earlyRefusal as Static<typeof Refusal>
  return { index, status: 'refused', refusal, reason: toIsoReason(refusal) }
}

export function toLine(
  row: LineRow,
  { currency }: Pick<ListRow, 'currency'>,
  transit: Partial<Transit> = {},
): Static<typeof PaymentListLine> {
  const { payeeName: name, payeeIban: iban, refusal, at } = row
  return {
    index: row.place,
    ...(name !== null && iban !== null && { payee: { name, iban } }),
    ...(row.beneficiaryId !== null && { beneficiaryId: row.beneficiaryId }),
    ...(row.toAccountId !== null && { toAccountId: row.toAccountId }),
    amount: formatAmount(row.amount, currency),
    currency,
    reference: row.reference,
    ...(row.endToEndId !== null && { endToEndId: row.endToEndId }),
    ...(row.blockId !== null && { blockId: row.blockId }),
    status: row.outcome ?? 'ready',
    ...(refusal !== null && { refusal, reason: toIsoReason(refusal) }),
    ...(row.transferId !== null && { transferId: row.transferId }),
    ...(at !== null && { at: rfc3339(at.getTime()) }),
    ...transit,
  }
}
