// What staff are shown of a payment that they looked up, whatever it is.
import { type Static, Type } from '../../domain/type.ts'
import { rfc3339 } from '../../domain/clock.ts'
import { codes } from '../../domain/errors.ts'
import { AccountId, OrderId, uuidPattern } from '../../domain/ids.ts'
import { formatAmount } from '../../domain/money.ts'
import { Amount, Currency, Day, named, nullable, oneOf, Time } from '../../domain/schema.ts'
import { CardPayment } from '../card-payments/schemas.ts'
import { Hold } from '../holds/schemas.ts'
import { Transfer } from '../movements/schemas.ts'
import type { RefusedRow } from './refused-sql.ts'

const AnyId = Type.String({
  pattern: uuidPattern,
  minLength: 36,
  maxLength: 36,
  description: 'The identifier of what was found.',
  examples: ['01981f7e-4c00-7000-8000-747261000000'],
})

export const RefusedPayment = named('RefusedPayment', {
  id: AnyId,
  accountId: AccountId,
  reason: oneOf(codes, { description: 'The code of the refusal.' }),
  amount: Amount,
  currency: Currency,
  target: nullable(
    Type.String({
      maxLength: 9,
      description: 'The IBAN that it was for, or came from, without its middle.',
      examples: ['DE89…3000'],
    }),
  ),
  direction: oneOf(['out', 'in'], {
    description: '`in`: a payment from another bank, for the account.',
  }),
  orderId: Type.Optional(OrderId),
  dueOn: Type.Optional(Day),
  createdAt: Time,
})

export const toRefusedPayment = (row: RefusedRow): Static<typeof RefusedPayment> => ({
  id: row.id,
  accountId: row.accountId,
  reason: row.reason,
  amount: formatAmount(row.amount, row.currency),
  currency: row.currency,
  target: row.target,
  direction: row.isIncoming ? 'in' : 'out',
  ...(row.orderId !== null && { orderId: row.orderId }),
  ...(row.dueOn !== null && { dueOn: row.dueOn }),
  createdAt: rfc3339(row.createdAt.getTime()),
})

export const FoundPayment = named('FoundPayment', {
  id: AnyId,
  transfer: Type.Optional(Transfer),
  cardPayment: Type.Optional(CardPayment),
  hold: Type.Optional(Hold),
  refused: Type.Optional(RefusedPayment),
})
export type ShownPayment = Static<typeof FoundPayment>
