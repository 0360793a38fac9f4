// Transfers and transactions in requests and responses.
import { type Static, Type } from '../../domain/type.ts'
import type { Transit } from '../../domain/calendar/business-days.ts'
import type { Clocks } from '../../database/background/clocks.ts'
import { rfc3339 } from '../../domain/clock.ts'
import { textRule } from '../../domain/free-text.ts'
import { exampleIban } from '../../domain/iban.ts'
import type { RowOf } from '../../database/statements/statement.ts'
import { invalid } from '../../domain/errors.ts'
import {
  AccountId,
  BeneficiaryId,
  CardPaymentId,
  PaymentDraftId,
  TransactionId,
  TransferId,
  uuidPattern,
} from '../../domain/ids.ts'
import { type Currency as CurrencyCode, formatAmount, parseAmount } from '../../domain/money.ts'
import {
  Amount,
  closed,
  Currency,
  dayOf,
  named,
  noCardNumberKey,
  nullable,
  oneOf,
  OptionalText,
  SignedAmount,
  Time,
  withExample,
} from '../../domain/schema.ts'
import {
  goesElsewhere,
  kinds,
  statuses,
  type Transfer as Row,
} from '../../ledger/rules/movement.ts'
import { CheckedPayee, toCheckedPayee } from '../payee-checks/carried.ts'
import type { DetailedTransfer } from './details.ts'
import type { transactionColumns } from './entry-columns.ts'

const Reference = withExample(OptionalText, 'Rent February')

const Counterparty = named('Counterparty', {
  name: nullable(Type.String({ maxLength: 141, examples: ['Okafor household'] })),
  iban: nullable(Type.String({ maxLength: 34, examples: [exampleIban] })),
})

const person = (description: string) =>
  Type.String({
    pattern: uuidPattern,
    minLength: 36,
    maxLength: 36,
    description,
    examples: ['01890a5d-ac96-774b-bcce-b302099a8057'],
  })

const ReturnReason = Type.String({
  pattern: '^[A-Z0-9]{4}$',
  minLength: 4,
  maxLength: 4,
  description: 'Why it came back: a code of ISO 20022 ExternalReturnReason1Code.',
  examples: ['AC04'],
})

export const transitFields = {
  leavesOn: Type.Optional(
    dayOf(
      'The business day on which a payment leaves for another bank. Absent of a bank without ' +
        'holidays and cut-off time.',
    ),
  ),
  arrivesBy: Type.Optional(
    dayOf('The business day at whose end the other bank has it at the latest.'),
  ),
}

export const Transfer = named('Transfer', {
  id: TransferId,
  kind: oneOf(kinds),
  fromAccountId: AccountId,
  toAccountId: Type.Optional(AccountId),
  beneficiaryId: Type.Optional(BeneficiaryId),
  amount: Amount,
  currency: Currency,
  reference: Reference,
  status: oneOf(statuses, {
    description:
      'Pending: to be sent to another bank. Sent: on its way there, no longer to be cancelled. ' +
      'Returned or cancelled: the money is back.',
  }),
  createdAt: Time,
  madeBy: Type.Optional(person('The member of the account who made it, in place of the owner.')),
  draftId: Type.Optional(PaymentDraftId),
  signedBy: Type.Optional(
    Type.Array(person('A person that has signed the draft.'), {
      maxItems: 2,
      description: 'Who has signed the draft that it has paid.',
    }),
  ),
  ...transitFields,
  counterparty: Type.Optional(Counterparty),
  payeeCheck: Type.Optional(CheckedPayee),
  payer: Type.Optional(Counterparty),
  endToEndId: Type.Optional(
    Type.String({
      maxLength: 35,
      description:
        'The reference that a payment keeps from bank to bank (ISO 20022 EndToEndId): that of ' +
        'its payer, or of one to another bank its identifier as 32 hexadecimal digits.',
      examples: ['01981f7e4c0070008000747261000000'],
    }),
  ),
  creditorIban: Type.Optional(
    Type.String({
      maxLength: 34,
      description:
        'For staff, of what lies in suspense since it could not be credited: the IBAN that it ' +
        'was for.',
      examples: [exampleIban],
    }),
  ),
  creditorAccountId: Type.Optional(AccountId),
  cardPaymentId: Type.Optional(CardPaymentId),
  reasonCode: Type.Optional(ReturnReason),
  reversalOf: Type.Optional(TransferId),
  reversedBy: Type.Optional(TransferId),
})

/** What the owner of an account has noted on an entry. */
export const EntryNote = Type.String({
  ...OptionalText,
  title: 'EntryNote',
  description: `${textRule} Without a card number.`,
  examples: ['Split with Grace'],
  [noCardNumberKey]: 'any',
})

export const Transaction = closed(
  {
    id: TransactionId,
    amount: SignedAmount,
    currency: Currency,
    balanceAfter: SignedAmount,
    counterparty: nullable(Counterparty),
    reference: Reference,
    kind: oneOf(kinds),
    createdAt: Time,
    note: Type.Optional(EntryNote),
  },
  {
    title: 'Transaction',
    description: 'One entry of an account, by the identifier of its transfer.',
  },
)

/** Staff see both accounts. The owner of the source does not see the payee's account. */
export type View = 'staff' | 'owner'

const showsTarget = ({ kind, beneficiaryId }: Row, view: View): boolean =>
  view === 'staff' || (beneficiaryId === null && (kind === 'transfer' || kind === 'withdrawal'))

/** The EndToEndId of a payment to another bank that its payer gave none. */
export const toEndToEndId = (id: string): string => id.replaceAll('-', '')

/** Money that is sent back keeps that of its payer. */
const findEndToEndId = (row: DetailedTransfer): string | null =>
  row.checked?.endToEndId ??
  (row.kind === 'transfer' && goesElsewhere(row)
    ? toEndToEndId(row.id)
    : (row.details?.endToEndId ?? null))

/** The bank's calendar, as a service has it. */
export type WithCalendar = { clocks: Pick<Clocks, 'calendar'> }

/** As the bank's calendar had it when the payment was made. One that says nothing is not shown. */
function showTransit(row: DetailedTransfer, { clocks }: WithCalendar): Partial<Transit> {
  if (row.kind !== 'transfer' || !goesElsewhere(row) || row.status === 'cancelled') return {}
  return toTransit(row.createdAt, { clocks })
}

/** When a payment to another bank leaves that was made then. */
export function toTransit(createdAt: Date, { clocks }: WithCalendar): Partial<Transit> {
  const [calendar, at] = [clocks.calendar(), createdAt.getTime()]
  return calendar.at(at).isPlain ? {} : calendar.transitOf(at)
}

export const toTransfer = (
  row: DetailedTransfer,
  view: View,
  service: WithCalendar,
): Static<typeof Transfer> => {
  const [endToEndId, reasonCode] = [findEndToEndId(row), row.details?.reasonCode ?? null]
  const { cardPaymentId } = row
  const { creditorIban, creditorAccountId }: Partial<DetailedTransfer> = view === 'staff' ? row : {}
  return {
    id: row.id,
    kind: row.kind,
    fromAccountId: row.fromAccountId,
    ...(showsTarget(row, view) && { toAccountId: row.toAccountId }),
    ...(row.beneficiaryId !== null && { beneficiaryId: row.beneficiaryId }),
    amount: formatAmount(row.amount, row.currency),
    currency: row.currency,
    reference: row.reference,
    status: row.status,
    createdAt: rfc3339(row.createdAt.getTime()),
    ...(row.madeBy !== undefined && { madeBy: row.madeBy }),
    ...(row.draft && { draftId: row.draft.id, signedBy: row.draft.signedBy }),
    ...showTransit(row, service),
    ...(row.counterpartyName !== null && {
      counterparty: { name: row.counterpartyName, iban: row.counterpartyIban },
    }),
    ...toCheckedPayee(row.checked),
    ...(row.payer && { payer: row.payer }),
    ...(endToEndId !== null && { endToEndId }),
    ...(creditorIban !== undefined && { creditorIban }),
    ...(creditorAccountId !== undefined && { creditorAccountId }),
    ...(cardPaymentId !== undefined && { cardPaymentId }),
    ...(reasonCode !== null && { reasonCode }),
    ...(row.reversalOf !== null && { reversalOf: row.reversalOf }),
    ...(row.reversedBy !== null && { reversedBy: row.reversedBy }),
  }
}

/** A transfer as its first answer showed it, without later changes. */
export const asFirstAnswered = <T extends Row>(row: T): T => ({
  ...row,
  status: goesElsewhere(row) ? 'pending' : 'completed',
  reversedBy: null,
})

type EntryRow = RowOf<typeof transactionColumns>

export const toTransaction = (
  row: EntryRow & { note?: string | undefined },
  currency: CurrencyCode,
): Static<typeof Transaction> => ({
  id: row.transferId,
  amount: formatAmount(row.amount, currency),
  currency,
  balanceAfter: formatAmount(row.balanceAfter, currency),
  counterparty:
    row.counterpartyName === null
      ? null
      : { name: row.counterpartyName, iban: row.counterpartyIban },
  reference: row.reference,
  kind: row.kind,
  createdAt: rfc3339(row.createdAt.getTime()),
  ...(row.note !== undefined && { note: row.note }),
})

/**
 * The amount of a body in minor units. Refuses zero, and more digits than the currency has.
 *
 * @param path of what holds the amount
 */
export function parsePositiveAmount(
  { amount, currency }: { amount: string; currency: CurrencyCode },
  path = '/body',
): bigint {
  const parsed = parseAmount(amount, currency)
  if (parsed === undefined) invalid(`${path}/amount`, 'has more minor digits than its currency')
  if (parsed === 0n) invalid(`${path}/amount`, 'is zero')
  return parsed
}
