// Authorisations of card payments: whether a card may pay, judged behind the lock of its account.
// An approved one is a hold. A decline is an answer, and is stored like one.
import {
  currencyText,
  type RowOf,
  wordOf,
  wordOrNullOf,
} from '../../database/statements/statement.ts'
import type { Code } from '../../domain/errors.ts'
import { areDebitsBlocked, type StoredBlocks } from './blocks.ts'
import { type CountedHold, maxBalance, spentOn } from './holds.ts'

/** How a card is used. Cash: at machines and counters. */
export const channels = ['online', 'contactless', 'chip', 'cash'] as const
export type Channel = (typeof channels)[number]

/** In order of precedence. */
export const declineReasons = [
  'card_cancelled',
  'card_frozen',
  'card_expired',
  'account_frozen',
  'debits_blocked',
  'currency_mismatch',
  'channel_off',
  'per_payment_limit',
  'per_day_limit',
  'insufficient_funds',
] as const
export type DeclineReason = (typeof declineReasons)[number]

/** What a processor asks for, beside the amount. */
export type CardRequest = {
  cardId: string
  channel: Channel
  /** The merchant is in another country than the bank. */
  isAbroad: boolean
  /** A movement that raises a hold has those of the payment, which may be erased. */
  merchantName: string | null
  merchantCategory: string | null
  merchantCountry: string | null
  /** Percent that a capture may take above the amount, such as a tip; undefined: none. */
  tolerance?: number | undefined
  /** The answers that the holder is told by mail. */
  mails: readonly CardMail[]
}

/** What a processor clears, beside the amount. */
export type ClearedCard = Omit<CardRequest, 'isAbroad' | 'tolerance'>

/** The most percent of what is authorised that a capture may take above it, such as a tip. */
export const toleranceMax = 30

export type CardMail = 'card-payment' | 'card-declined'

export const cardColumns = {
  id: 'uuid',
  accountId: 'uuid',
  status: 'text',
  expiryMonth: 'int2',
  expiryYear: 'int2',
  perPaymentLimit: 'int8?',
  perDayLimit: 'int8?',
  paysOnline: 'bool',
  paysAbroad: 'bool',
  paysContactless: 'bool',
  paysCash: 'bool',
} as const
/** A card, read behind the lock of its account, which every writer of a card has. */
export type Card = RowOf<typeof cardColumns> & {
  /** The day of its last authorisation, `2026-01-31`. */
  spentOn: string | null
  /** What was authorised on that day, as far as it is held or was taken. In minor units. */
  spentAmount: bigint
}

/** Amounts are in minor units. */
export const authorizationColumns = {
  id: 'uuid',
  cardId: 'uuid',
  accountId: 'uuid',
  paymentId: 'uuid?',
  amount: 'int8',
  currency: currencyText,
  channel: wordOf(channels),
  reason: wordOrNullOf(declineReasons),
  merchantName: 'text?',
  merchantCategory: 'text?',
  merchantCountry: 'text?',
  callerId: 'uuid',
  createdAt: 'timestamptz',
  expiresAt: 'timestamptz?',
  tolerance: 'int2',
  isCleared: 'bool',
} as const
/**
 * What was asked for a card, and the answer. 0040_card_payments.sql and 0094_clearings.sql say what
 * each column is.
 */
export type Authorization = RowOf<typeof authorizationColumns>

/** All of an authorisation that is never erased: its number is sealed with it. */
export const sealedTerms = (
  authorization: Omit<
    Authorization,
    'merchantName' | 'merchantCategory' | 'merchantCountry' | 'isCleared'
  >,
): readonly unknown[] => [
  authorization.cardId,
  authorization.accountId,
  authorization.paymentId,
  authorization.amount.toString(),
  authorization.currency,
  authorization.channel,
  authorization.reason,
  authorization.callerId,
  authorization.createdAt.getTime(),
  authorization.expiresAt?.getTime() ?? null,
  // Others are sealed as before there were any.
  ...(authorization.tolerance === 0 ? [] : [authorization.tolerance]),
]

/** What came of a request for a card; `isReplayed` when it was answered before. */
export type Authorized = { authorization: Authorization; isReplayed: boolean }

type AttemptFacts = {
  request: CardRequest
  /** What is asked for now, and what the payment comes to with it. */
  amount: bigint
  total: bigint
  currency: string
  account: StoredBlocks & { currency: string; status: string }
  /** Milliseconds since the epoch. */
  at: number
  /** The day of the bank, `2026-01-31`. */
  day: string
}

/**
 * Why the card does not pay; undefined: it does.
 *
 * @param refusal of the hold
 */
export function declineCard(
  card: Card,
  asked: AttemptFacts,
  refusal: Code | undefined,
): DeclineReason | undefined {
  const { amount, total, currency, account, at, day } = asked
  if (card.status === 'cancelled') return 'card_cancelled'
  if (card.status === 'frozen') return 'card_frozen'
  // It is valid to the end of the month that is embossed on it.
  const lastMonth = `${card.expiryYear}-${String(card.expiryMonth).padStart(2, '0')}`
  if (day.slice(0, 7) > lastMonth) return 'card_expired'
  if (account.status === 'frozen') return 'account_frozen'
  if (areDebitsBlocked(account, at)) return 'debits_blocked'
  if (account.currency !== currency) return 'currency_mismatch'
  if (isOff(card, asked.request)) return 'channel_off'
  const { perPaymentLimit, perDayLimit } = card
  if (perPaymentLimit !== null && total > perPaymentLimit) return 'per_payment_limit'
  const ofDay = spentOn(card, day) + amount
  if (ofDay > (perDayLimit ?? maxBalance) || ofDay > maxBalance) return 'per_day_limit'
  return toDecline(refusal)
}

function isOff(card: Card, { channel, isAbroad }: CardRequest): boolean {
  if (isAbroad && !card.paysAbroad) return true
  if (channel === 'online') return !card.paysOnline
  if (channel === 'contactless') return !card.paysContactless
  return channel === 'cash' && !card.paysCash
}

/** The refusals of a hold that are declines of a card payment. */
export const toDecline = (code: Code | undefined): DeclineReason | undefined =>
  declineReasons.find((reason) => reason === code)

/** What comes to the sum of a card's day, in minor units. */
export type CardSpending = { cardId: string; day: string; amount: bigint }

/** What a movement has made of a card payment, as it counts to the day's limit of its card. */
export function countInCard(
  before: CountedHold | undefined,
  { cardId, counted, countedOn: day }: CountedHold,
  card: Card | undefined,
): { spending?: CardSpending; card?: Card } {
  const amount = counted - (day !== null && before?.countedOn === day ? before.counted : 0n)
  if (cardId === null || day === null || amount === 0n) return {}
  const isLatest = card !== undefined && day >= (card.spentOn ?? '')
  return {
    spending: { cardId, day, amount },
    ...(isLatest && { card: { ...card, spentOn: day, spentAmount: spentOn(card, day) + amount } }),
  }
}
