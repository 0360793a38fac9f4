// What a batch makes of the requests of a processor of card payments: an approved one places or
// raises a hold, a declined one leaves the account as it is. Both are stored and told.
import type { PlainCode } from '../../domain/errors.ts'
import type { Days } from '../../domain/days.ts'
import { newId } from '../../domain/ids.ts'
import {
  type Authorized,
  type CardRequest,
  declineCard,
  type DeclineReason,
  toDecline,
} from '../rules/authorizations.ts'
import type { CardEvent } from '../rows/authorizations.ts'
import { spentOn } from '../rules/decide.ts'
import type { BatchFacts, Plan } from './facts.ts'
import { type CountedHold, type Hold, maxBalance } from '../rules/holds.ts'
import type { Movement, Transfer } from '../rules/movement.ts'
import type { LockedAccount } from '../rows/transfers.ts'

export type CardAttempt = {
  movement: Movement
  request: CardRequest
  from: LockedAccount
  /** The payment that is to be raised. */
  hold: Hold | undefined
  at: number
  day: string
}

/** The movement as one for a card, if it is. */
export const toAttempt = (
  movement: Movement,
  {
    from,
    ...rest
  }: Omit<CardAttempt, 'movement' | 'request' | 'from'> & { from: LockedAccount | undefined },
): CardAttempt | undefined =>
  movement.authorization && from && { ...rest, movement, request: movement.authorization, from }

/**
 * Nothing is authorised before the day of the last authorisation of the card has begun: a day does
 * not come again, whatever the clocks show. In milliseconds since the epoch.
 */
export const earliestOf = (
  { authorization }: Movement,
  { cards, days }: { cards: BatchFacts['cards']; days: Days },
): number => {
  const day = cards.get(authorization?.cardId ?? '')?.spentOn ?? null
  return day === null ? 0 : days.startOf(day)
}

/**
 * Why the payment is declined; undefined where it is not, or where the request itself is refused.
 *
 * @param refusal of the hold
 */
export function findDecline(
  { movement, request, from, hold, day }: CardAttempt,
  refusal: PlainCode | undefined,
  { cards }: BatchFacts,
): DeclineReason | undefined {
  const ofHold = refusal === undefined ? undefined : toDecline(refusal)
  const card = cards.get(request.cardId)
  if (!card || (refusal !== undefined && ofHold === undefined)) return undefined
  const { amount, currency } = movement
  const spent = spentOn(card, day)
  const total = amount + (hold?.amount ?? 0n)
  const reason = declineCard(card, { request, amount, total, currency, account: from, day, spent })
  return reason ?? (spent + amount > maxBalance ? 'per_day_limit' : ofHold)
}

/** Counts to the day's limit of its card what a movement has made of a payment. */
export function countInCard(
  before: CountedHold | undefined,
  { cardId, counted, countedOn: day }: CountedHold,
  { cards }: BatchFacts,
  { cards: { spent } }: Plan,
): void {
  if (cardId === null || day === null) return
  const amount = counted - (before?.countedOn === day ? before.counted : 0n)
  if (amount === 0n) return
  const card = cards.get(cardId)
  if (card && day >= (card.spentOn ?? '')) {
    card.spentAmount = spentOn(card, day) + amount
    card.spentOn = day
  }
  const planned = spent.get(cardId)
  if (planned && planned.day > day) return
  spent.set(cardId, { cardId, day, amount: amount + (planned?.day === day ? planned.amount : 0n) })
}

/** Notes the decline, which is the answer. */
export function decline(attempt: CardAttempt, reason: DeclineReason, plan: Plan): Authorized {
  const made = answer(attempt, { id: newId(attempt.at), payment: attempt.hold, reason }, plan)
  const { id } = made.authorization
  const { events = [] } = attempt.movement
  const detail = `declined: ${reason}`
  plan.events.push(...events.map((event) => ({ ...event, target: event.target ?? id, detail })))
  return made
}

/** Notes what was approved, beside the hold as it is now. */
export function approve(attempt: CardAttempt, payment: Hold, plan: Plan): Authorized {
  const id = attempt.hold ? newId(attempt.at) : payment.id
  // In its order among what else is done with the payment; a new one is told where it is written.
  if (attempt.hold) tell(payment.id, 'authorized', attempt.at, plan)
  return answer(attempt, { id, payment, reason: null }, plan)
}

type Answer = { id: string; payment: Hold | undefined; reason: DeclineReason | null }

function answer(attempt: CardAttempt, { id, payment, reason }: Answer, plan: Plan): Authorized {
  const { movement, request, from, at, day } = attempt
  const { reference, externalId } = movement
  const { cardId, channel, merchantName, merchantCategory, merchantCountry, mails } = request
  const isApproved = reason === null
  const authorization = {
    id,
    cardId,
    accountId: from.id,
    paymentId: payment?.id ?? null,
    amount: movement.amount,
    currency: movement.currency,
    channel,
    reason,
    merchantName,
    merchantCategory,
    merchantCountry,
    callerId: movement.caller.userId,
    createdAt: new Date(at),
    expiresAt: isApproved ? (payment?.expiresAt ?? null) : null,
  }
  const { ownerId: userId, alertsEnabled } = from
  const kind = isApproved ? 'card-payment' : 'card-declined'
  if (alertsEnabled && userId !== null && mails.includes(kind)) {
    const told = { authorizationId: id, createdAt: authorization.createdAt }
    plan.cards.mails.push({ id: newId(at), kind, userId, ...told })
  }
  plan.cards.authorizations.push({ ...authorization, reference, day, externalId })
  return { authorization, isReplayed: false }
}

/** In the feed of events. */
function tell(id: string, word: CardEvent['word'], at: number, plan: Plan): void {
  plan.cards.events.push({ id, word, at: new Date(at) })
}

/** Tells what a movement has made of a hold, if that is a card payment. */
export function tellOfCard({ hold }: Movement, at: number, facts: BatchFacts, plan: Plan): void {
  if (hold?.step !== 'capture' && hold?.step !== 'release') return
  if (facts.payments.has(hold.id)) {
    tell(hold.id, hold.step === 'capture' ? 'captured' : 'released', at, plan)
  }
}

/** Notes of which card payment money came back. */
export function refundCard(
  { refundOf, amount }: Movement,
  { id: transferId, createdAt }: Transfer,
  facts: BatchFacts,
  plan: Plan,
): void {
  const payment = facts.payments.get(refundOf ?? '')
  if (!payment) return
  payment.refunded += amount
  plan.cards.refunds.push({ transferId, paymentId: payment.id })
  tell(payment.id, 'refunded', createdAt.getTime(), plan)
}
