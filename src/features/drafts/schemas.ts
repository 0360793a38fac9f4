// Schemas of payment drafts, and the conversions of rows.
import { type Static, Type } from '../../domain/type.ts'
import { rfc3339 } from '../../domain/clock.ts'
import { exampleIban } from '../../domain/iban.ts'
import {
  AccountId,
  BeneficiaryId,
  PaymentDraftId,
  TransferId,
  uuidPattern,
} from '../../domain/ids.ts'
import { formatAmount } from '../../domain/money.ts'
import {
  Amount,
  closed,
  Currency,
  named,
  oneOf,
  OptionalText,
  Time,
  withExample,
} from '../../domain/schema.ts'
import { signaturesNeeded } from '../../ledger/rules/signatures.ts'
import { carriedFields, CheckedPayee, toCheckedPayee } from '../payee-checks/carried.ts'
import { type DraftRow, draftStatuses } from './sql.ts'

const Reference = withExample(OptionalText, 'Invoice 1017')

export const NewDraft = closed({
  toAccountId: Type.Optional(AccountId),
  beneficiaryId: Type.Optional(BeneficiaryId),
  amount: Amount,
  currency: Currency,
  reference: Type.Optional(Reference),
  ...carriedFields,
})

const person = (description: string) =>
  Type.String({
    pattern: uuidPattern,
    minLength: 36,
    maxLength: 36,
    description,
    examples: ['01981f7e-4c00-7000-8000-757365720000'],
  })

export const Draft = named('PaymentDraft', {
  id: PaymentDraftId,
  accountId: AccountId,
  madeBy: person('The person that made it.'),
  toAccountId: Type.Optional(AccountId),
  beneficiaryId: Type.Optional(BeneficiaryId),
  payee: Type.Optional(
    named('DraftPayee', {
      name: Type.Optional(Type.String({ maxLength: 141, examples: ['Okafor household'] })),
      iban: Type.String({ maxLength: 34, examples: [exampleIban] }),
    }),
  ),
  payeeCheck: Type.Optional(CheckedPayee),
  amount: Amount,
  currency: Currency,
  reference: Reference,
  status: oneOf(draftStatuses, {
    description:
      'Void: its maker or a signer may not any more, ' +
      'or the session or signing key of one was revoked.',
  }),
  signedBy: Type.Array(person('A person that has signed it.'), { maxItems: 2 }),
  signaturesNeeded: Type.Integer({
    minimum: 1,
    maximum: 2,
    description: 'How many people have to sign it; of a paid one, how many had to then.',
    examples: [2],
  }),
  expiresAt: Time,
  createdAt: Time,
  endedAt: Type.Optional(Time),
  cancelledBy: Type.Optional(person('The person that cancelled it.')),
  transferId: Type.Optional(TransferId),
})

/** @param now in milliseconds since the epoch: a draft whose time is over has expired */
export function toDraft(row: DraftRow, now: number): Static<typeof Draft> {
  const isOver = row.status === 'waiting' && row.expiresAt.getTime() <= now
  const endedAt = isOver ? row.expiresAt : row.endedAt
  return {
    id: row.id,
    accountId: row.accountId,
    madeBy: row.makerId,
    ...(row.toAccountId !== null && { toAccountId: row.toAccountId }),
    ...(row.beneficiaryId !== null && { beneficiaryId: row.beneficiaryId }),
    ...(row.payeeIban !== null && {
      payee: { ...(row.payeeName !== null && { name: row.payeeName }), iban: row.payeeIban },
    }),
    ...toCheckedPayee({ payeeResult: row.payeeResult, payeeAccepted: row.payeeAccepted }),
    amount: formatAmount(row.amount, row.currency),
    currency: row.currency,
    reference: row.reference,
    status: isOver ? 'expired' : row.status,
    signedBy: row.signedBy as string[],
    signaturesNeeded: row.paidBy ?? signaturesNeeded(row, row.amount, now),
    expiresAt: rfc3339(row.expiresAt.getTime()),
    createdAt: rfc3339(row.createdAt.getTime()),
    ...(endedAt !== null && { endedAt: rfc3339(endedAt.getTime()) }),
    ...(row.endedBy !== null && { cancelledBy: row.endedBy }),
    ...(row.transferId !== null && { transferId: row.transferId }),
  }
}
