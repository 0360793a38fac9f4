// Schemas of card payments and their authorisations, and the conversions of rows.
import { type Static, Type } from '../../domain/type.ts'
import { rfc3339 } from '../../domain/clock.ts'
import { AccountId, CardId, CardPaymentId } from '../../domain/ids.ts'
import { formatAmount } from '../../domain/money.ts'
import {
  Amount,
  Currency,
  named,
  noCardNumberKey,
  nullable,
  oneOf,
  Time,
} from '../../domain/schema.ts'
import {
  type Authorization,
  channels,
  declineReasons,
  toleranceMax,
} from '../../ledger/rules/authorizations.ts'
import { railText } from '../rail/schemas.ts'
import { type PaymentRow, paymentStatuses } from './sql.ts'

export const merchantNameMax = 140

/** ISO 18245. */
export const Category = Type.String({
  pattern: '^[0-9]{4}$',
  minLength: 4,
  maxLength: 4,
  description: 'Merchant category code of ISO 18245.',
  examples: ['5411'],
})
const Country = Type.String({
  pattern: '^[A-Z]{2}$',
  minLength: 2,
  maxLength: 2,
  description: 'ISO 3166-1 alpha-2.',
  examples: ['DE'],
})

export const MerchantInput = named('MerchantInput', {
  name: {
    ...railText('MerchantName', 'Lindner Lebensmittel', merchantNameMax),
    [noCardNumberKey]: 'any',
  },
  category: Category,
  country: Country,
})

const Merchant = named('Merchant', {
  name: Type.String({ maxLength: merchantNameMax, examples: ['Lindner Lebensmittel'] }),
  category: Category,
  country: Country,
})
const ShownMerchant = nullable(Merchant)
export const ShownMerchantName = nullable(Merchant.properties.name)

export const ChannelName = oneOf(channels, {
  description: 'How the card was used. Cash: at a machine or a counter.',
})

const percent = {
  maximum: toleranceMax,
  description: 'Percent of what is authorised that captures may take above it, such as a tip.',
  examples: [20],
}
export const Tolerance = Type.Integer({ minimum: 1, ...percent })
const ShownTolerance = Type.Integer({ minimum: 0, ...percent })

const Reason = nullable(
  oneOf(declineReasons, { description: 'Why it was declined; null: it was not.' }),
)

export const CardAuthorization = named('CardAuthorization', {
  id: CardPaymentId,
  paymentId: nullable(CardPaymentId),
  accountId: AccountId,
  cardId: CardId,
  status: oneOf(['approved', 'declined']),
  reason: Reason,
  amount: Amount,
  currency: Currency,
  merchant: ShownMerchant,
  channel: ChannelName,
  expiresAt: nullable(Time),
  tolerance: ShownTolerance,
  createdAt: Time,
})

export const CardPayment = named('CardPayment', {
  id: CardPaymentId,
  accountId: AccountId,
  cardId: CardId,
  status: oneOf(paymentStatuses, {
    description: 'Authorized: its amount is reserved, as far as it was not captured.',
  }),
  reason: Reason,
  amount: Amount,
  held: Amount,
  captured: Amount,
  refunded: Amount,
  chargedBack: Amount,
  currency: Currency,
  merchant: ShownMerchant,
  channel: ChannelName,
  expiresAt: nullable(Time),
  tolerance: ShownTolerance,
  authorized: Type.Boolean({
    description: 'False: nothing was asked for before it was cleared, or it was declined.',
  }),
  createdAt: Time,
})

type MerchantRow = Pick<Authorization, 'merchantName' | 'merchantCategory' | 'merchantCountry'>

/** Null once it is erased. */
const toMerchant = ({
  merchantName: name,
  merchantCategory: category,
  merchantCountry: country,
}: MerchantRow) =>
  name !== null && category !== null && country !== null ? { name, category, country } : null

/** What an authorisation and a payment show alike. */
function toCommon(row: Authorization) {
  const { accountId, cardId, expiresAt } = row
  const currency = row.currency
  return {
    id: row.id,
    accountId,
    cardId,
    reason: row.reason,
    amount: formatAmount(row.amount, currency),
    currency,
    merchant: toMerchant(row),
    channel: row.channel,
    expiresAt: expiresAt && rfc3339(expiresAt.getTime()),
    tolerance: row.tolerance,
    createdAt: rfc3339(row.createdAt.getTime()),
  }
}

export const toAuthorization = (row: Authorization): Static<typeof CardAuthorization> => ({
  ...toCommon(row),
  paymentId: row.paymentId,
  status: row.reason === null ? 'approved' : 'declined',
})

export function toCardPayment(row: PaymentRow): Static<typeof CardPayment> {
  const toAmount = (units: bigint) => formatAmount(units, row.currency)
  return {
    ...toCommon(row),
    status: row.status,
    authorized: row.reason === null && !row.isCleared,
    held: toAmount(row.held),
    captured: toAmount(row.captured),
    refunded: toAmount(row.refunded),
    chargedBack: toAmount(row.chargedBack),
  }
}
