// Schemas of cards, and the conversion of rows.
import { type Static, Type } from '../../domain/type.ts'
import { rfc3339 } from '../../domain/clock.ts'
import type { TermName } from '../../domain/errors.ts'
import { AccountId, CardId } from '../../domain/ids.ts'
import { amountPattern, type Currency as CurrencyCode, formatAmount } from '../../domain/money.ts'
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
import type { ShownTerms } from '../../gate/confirmations.ts'
import { Actor } from '../accounts/schemas.ts'
import { maskedCardNumber } from './number.ts'
import { type Actor as Part, cardActors, type CardRow, type Controls, statuses } from './sql.ts'

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
    oneOf(cardActors, {
      description: 'Only an administrator unfreezes a card that an administrator froze.',
    }),
  ),
  frozenAt: nullable(Time),
  frozenByActor: Type.Optional(nullable(Actor)),
  currency: Currency,
  spentToday: Type.String({
    pattern: amountPattern,
    minLength: 1,
    maxLength: 19,
    description:
      "What counts to `limits.perDay` on the bank's present day: what was authorised for the " +
      'card on it, as far as it is held or was captured. What is released or expires counts no ' +
      'more. A refund, a clearing without authorisation and a capture above what was authorised ' +
      'change nothing. Of a cancelled card it stays as it was.',
    examples: ['38.00'],
  }),
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

/**
 * What a card may do, as it is shown to the person who confirms it. `none`: no limit, or no
 * channel.
 */
export function showControls(
  { perPaymentLimit, perDayLimit, ...controls }: Controls,
  currency: CurrencyCode,
): ShownTerms {
  const toText = (limit: bigint | null) => (limit === null ? 'none' : formatAmount(limit, currency))
  const on = Object.entries(toChannels(controls)).flatMap(([name, isOn]) => (isOn ? name : []))
  return {
    currency,
    perPayment: toText(perPaymentLimit),
    perDay: toText(perDayLimit),
    channels: on.join(', ') || 'none',
  }
}

type ChannelColumns = Pick<Controls, 'paysOnline' | 'paysAbroad' | 'paysContactless' | 'paysCash'>
const toChannels = (row: ChannelColumns) => ({
  online: row.paysOnline,
  abroad: row.paysAbroad,
  contactless: row.paysContactless,
  cash: row.paysCash,
})

/** What of that a change has made other than before, for the audit trail. */
export function describeChange(before: CardRow, after: CardRow): string {
  const currency = after.currency
  const [was, is] = [showControls(before, currency), showControls(after, currency)]
  const names = Object.keys(is) as TermName[]
  const changed = names.filter((name) => was[name] !== is[name])
  return changed.map((name) => `${name}: ${was[name]} > ${is[name]}`).join('; ')
}

/**
 * All that is stored of a card, which its payments do not change.
 *
 * @param isStaff they see by whom the card was frozen
 */
export function toCard(row: CardRow, isStaff: boolean): Omit<Static<typeof Card>, 'spentToday'> {
  const { frozenAt, frozenById: by, freezerName } = row
  const currency = row.currency
  const toAmount = (limit: bigint | null) => (limit === null ? null : formatAmount(limit, currency))
  return {
    id: row.id,
    accountId: row.accountId,
    maskedNumber: maskedCardNumber(row.lastFour),
    expiryMonth: row.expiryMonth,
    expiryYear: row.expiryYear,
    nickname: row.nickname,
    status: row.status,
    frozenBy: row.frozenBy as Part | null,
    frozenAt: frozenAt && rfc3339(frozenAt.getTime()),
    ...(isStaff && { frozenByActor: by === null ? null : { id: by, name: freezerName } }),
    currency,
    limits: { perPayment: toAmount(row.perPaymentLimit), perDay: toAmount(row.perDayLimit) },
    channels: toChannels(row),
    createdAt: rfc3339(row.createdAt.getTime()),
  }
}
