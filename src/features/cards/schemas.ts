// Schemas of cards, and the conversion of rows.
import { type Static, Type } from 'typebox'
import { rfc3339 } from '../../domain/clock.ts'
import { AccountId, CardId } from '../../domain/ids.ts'
import { type Currency as CurrencyCode, formatAmount } from '../../domain/money.ts'
import {
  Amount,
  closed,
  Currency,
  named,
  Nickname,
  nullable,
  oneOf,
  Time,
  withExample,
} from '../../domain/schema.ts'
import { Actor } from '../accounts/schemas.ts'
import { masked } from './number.ts'
import { type Actor as Part, actors, type CardRow, type Status, statuses } from './sql.ts'

/** Where a card pays. Cash: at machines and counters. */
const channelFields = {
  online: Type.Boolean(),
  abroad: Type.Boolean({ description: 'At merchants in another country than that of the bank.' }),
  contactless: Type.Boolean(),
  cash: Type.Boolean({ description: 'Withdrawals at machines and counters.' }),
}
const limitFields = {
  perPayment: nullable(withExample(Amount, '100.00')),
  perDay: nullable(withExample(Amount, '250.00')),
}

export const Card = named('Card', {
  id: CardId,
  accountId: AccountId,
  maskedNumber: Type.String({
    pattern: '^(•••• ){3}[0-9]{4}$',
    maxLength: 19,
    description: 'The last four digits; the service does not store the others.',
    examples: ['•••• •••• •••• 1234'],
  }),
  expiryMonth: Type.Integer({ minimum: 1, maximum: 12 }),
  expiryYear: Type.Integer({ minimum: 2000, maximum: 9999, examples: [2030] }),
  nickname: nullable(Nickname),
  status: oneOf(statuses, { description: 'A cancelled card stays cancelled.' }),
  frozenBy: nullable(
    oneOf(actors, {
      description: 'Only an administrator unfreezes a card that an administrator froze.',
    }),
  ),
  frozenAt: nullable(Time),
  frozenByActor: Type.Optional(nullable(Actor)),
  currency: Currency,
  limits: closed(limitFields, { title: 'CardLimits', description: 'Null: no limit of the card.' }),
  channels: closed(channelFields, { title: 'CardChannels' }),
  createdAt: Time,
})

const some = { minProperties: 1 }
export const ControlsChange = closed(
  {
    currency: Type.Optional(Currency),
    limits: Type.Optional(closed(Type.Partial(Type.Object(limitFields)).properties, some)),
    channels: Type.Optional(closed(Type.Partial(Type.Object(channelFields)).properties, some)),
  },
  some,
)

/** @param isStaff they see by whom the card was frozen */
export function toCard(row: CardRow, isStaff: boolean): Static<typeof Card> {
  const { frozenAt, frozenById: by, freezerName } = row
  const currency = row.currency as CurrencyCode
  const toAmount = (limit: bigint | null) => (limit === null ? null : formatAmount(limit, currency))
  return {
    id: row.id,
    accountId: row.accountId,
    maskedNumber: masked(row.lastFour),
    expiryMonth: row.expiryMonth,
    expiryYear: row.expiryYear,
    nickname: row.nickname,
    status: row.status as Status,
    frozenBy: row.frozenBy as Part | null,
    frozenAt: frozenAt && rfc3339(frozenAt.getTime()),
    ...(isStaff && { frozenByActor: by === null ? null : { id: by, name: freezerName } }),
    currency,
    limits: { perPayment: toAmount(row.perPaymentLimit), perDay: toAmount(row.perDayLimit) },
    channels: {
      online: row.paysOnline,
      abroad: row.paysAbroad,
      contactless: row.paysContactless,
      cash: row.paysCash,
    },
    createdAt: rfc3339(row.createdAt.getTime()),
  }
}
