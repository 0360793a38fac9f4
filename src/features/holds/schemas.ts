// Holds in requests and responses.
import { type Static, Type } from '../../domain/type.ts'
import { dayMs, rfc3339 } from '../../domain/clock.ts'
import { AnyTime, parseInstant } from '../../domain/date-range.ts'
import { invalid } from '../../domain/errors.ts'
import { AccountId, CardId, HoldId } from '../../domain/ids.ts'
import { formatAmount } from '../../domain/money.ts'
import {
  Amount,
  closed,
  Currency,
  named,
  nullable,
  oneOf,
  OptionalText,
  Reason,
  Time,
  withExample,
} from '../../domain/schema.ts'
import { type Hold as Row, holdKinds, holdStatuses } from '../../ledger/rules/holds.ts'
import { BankCode } from '../bank-accounts/schemas.ts'
import { ExternalId } from '../rail/schemas.ts'

const kindOptions = {
  description:
    'Authorization: for a card payment that is still to come. Seizure: for a court or an ' +
    'authority. Dispute: while a payment is disputed.',
}

/** How far ahead a hold may expire. */
const daysMax = 400

const expiryRule =
  `At most ${daysMax} days ahead. Without it an authorization expires in seven days, and others ` +
  'stand until they are released.'

export const NewHold = closed(
  {
    amount: Amount,
    currency: Currency,
    kind: oneOf(holdKinds, kindOptions),
    reference: withExample(Reason, 'Hotel Marina, deposit'),
    expiresAt: Type.Optional(AnyTime),
    cardId: Type.Optional(CardId),
    externalId: Type.Optional(ExternalId),
  },
  { description: expiryRule },
)

export const HoldCapture = closed({
  amount: Amount,
  currency: Currency,
  final: Type.Optional(
    Type.Boolean({ description: 'Whether what is left is given back.', examples: [true] }),
  ),
  toCode: Type.Optional(BankCode),
  reference: Type.Optional(withExample(Reason, 'Hotel Marina, two nights')),
  externalId: Type.Optional(ExternalId),
})

export const HoldChange = closed(
  { amount: Type.Optional(Amount), expiresAt: Type.Optional(nullable(AnyTime)) },
  { minProperties: 1 },
)

export const Hold = named('Hold', {
  id: HoldId,
  accountId: AccountId,
  cardId: Type.Optional(CardId),
  kind: oneOf(holdKinds, kindOptions),
  amount: Amount,
  captured: Amount,
  remaining: Amount,
  currency: Currency,
  reference: withExample(OptionalText, 'Hotel Marina, deposit'),
  status: oneOf(holdStatuses, {
    description: 'An active hold keeps `remaining` from leaving the account. Others are over.',
  }),
  createdAt: Time,
  expiresAt: nullable(Time),
  endedAt: nullable(Time),
})

const shownTime = (at: Date | null): string | null => at && rfc3339(at.getTime())

export function toHold(row: Row): Static<typeof Hold> {
  const currency = row.currency
  return {
    id: row.id,
    accountId: row.accountId,
    ...(row.cardId !== null && { cardId: row.cardId }),
    kind: row.kind,
    amount: formatAmount(row.amount, currency),
    captured: formatAmount(row.captured, currency),
    remaining: formatAmount(row.remaining, currency),
    currency,
    reference: row.reference,
    status: row.status,
    createdAt: rfc3339(row.createdAt.getTime()),
    expiresAt: shownTime(row.expiresAt),
    endedAt: shownTime(row.endedAt),
  }
}

/**
 * The end of a hold in a body. Refuses with 400 a time that is over or too far ahead, unless the
 * request is a repetition: that gets its first answer.
 */
export async function readExpiry(
  text: string,
  now: number,
  isRepeated: () => Promise<boolean>,
): Promise<Date> {
  const path = '/body/expiresAt'
  const at = parseInstant(text, path)
  const isFar = at > now + daysMax * dayMs
  if ((at <= now || isFar) && !(await isRepeated())) {
    invalid(path, isFar ? `is more than ${daysMax} days ahead` : 'is in the past')
  }
  return new Date(at)
}
