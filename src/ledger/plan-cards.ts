// What a batch makes of the requests of a processor of card payments: an approved one places or
// raises a hold, a declined one leaves the account as it is. Both are stored and told.
import type { Code } from '../domain/errors.ts'
import { newId } from '../domain/ids.ts'
import {
  type Authorized,
  type CardRequest,
  declineCard,
  type DeclineReason,
  spentOn,
  toDecline,
} from './authorizations.ts'
import { type CardEvent, keptOf } from './authorizations-sql.ts'
import type { BatchFacts, Plan } from './facts.ts'
import type { Hold } from './holds.ts'
import type { Order, Transfer } from './order.ts'
import type { LockedAccount } from './sql.ts'

export type CardAttempt = {
  order: Order
  request: CardRequest
  from: LockedAccount
  /** The payment that is to be raised. */
  hold: Hold | undefined
  at: number
  day: string
}

/** The order as one for a card, if it is. */
export const toAttempt = (
  order: Order,
  {
    from,
    ...rest
  }: Omit<CardAttempt, 'order' | 'request' | 'from'> & { from: LockedAccount | undefined },
): CardAttempt | undefined =>
  order.authorization && from && { ...rest, order, request: order.authorization, from }

/**
 * Why the payment is declined; undefined where it is not, or where the request itself is refused.
 *
 * @param refusal of the hold
 */
export function findDecline(
  { order, request, from, hold, at, day }: CardAttempt,
  refusal: Code | undefined,
  { cards, spendings, days, holds }: BatchFacts,
): DeclineReason | undefined {
  const ofHold = refusal === undefined ? undefined : toDecline(refusal)
  const card = cards.get(request.cardId)
  if (!card || (refusal !== undefined && ofHold === undefined)) return undefined
  const { amount, currency } = order
  const isOfDay = (time: Date) => days.dayOf(time.getTime()) === day
  const keptNow = (id: string) => {
    const known = holds.get(id)
    return known && keptOf(known, at)
  }
  const spent = spentOn(spendings.get(card.id) ?? [], isOfDay, keptNow)
  const total = amount + (hold?.amount ?? 0n)
  return (
    declineCard(card, { request, amount, total, currency, account: from, day, spent }) ?? ofHold
  )
}

/** Notes the decline, which is the answer. */
export function decline(attempt: CardAttempt, reason: DeclineReason, plan: Plan): Authorized {
  const made = answer(attempt, { id: newId(attempt.at), payment: attempt.hold, reason }, plan)
  const { id } = made.authorization
  const { events = [] } = attempt.order
  const detail = `declined: ${reason}`
  plan.events.push(...events.map((event) => ({ ...event, target: event.target ?? id, detail })))
  return made
}

/** Notes what was approved, beside the hold as it is now. */
export function approve(
  attempt: CardAttempt,
  payment: Hold,
  facts: BatchFacts,
  plan: Plan,
): Authorized {
  const { order, request, hold, at } = attempt
  const id = hold ? newId(at) : payment.id
  const { amount } = order
  const before = facts.spendings.get(request.cardId) ?? []
  const spending = { paymentId: payment.id, amount, createdAt: new Date(at), kept: amount }
  facts.spendings.set(request.cardId, [...before, spending])
  return answer(attempt, { id, payment, reason: null }, plan)
}

type Answer = { id: string; payment: Hold | undefined; reason: DeclineReason | null }

function answer(attempt: CardAttempt, { id, payment, reason }: Answer, plan: Plan): Authorized {
  const { order, request, from, at } = attempt
  const { cardId, channel, merchantName, merchantCategory, merchantCountry, mails } = request
  const isApproved = reason === null
  const authorization = {
    id,
    cardId,
    accountId: from.id,
    paymentId: payment?.id ?? null,
    amount: order.amount,
    currency: order.currency,
    channel,
    reason,
    merchantName,
    merchantCategory,
    merchantCountry,
    callerId: order.caller.userId,
    createdAt: new Date(at),
    expiresAt: isApproved ? (payment?.expiresAt ?? null) : null,
  }
  const { ownerId: userId, alertsEnabled } = from
  const kind = isApproved ? 'card-payment' : 'card-declined'
  const isTold = alertsEnabled && userId !== null && mails.includes(kind)
  const mail = isTold ? ({ id: newId(at), kind, userId } as const) : null
  plan.cards.authorizations.push({ ...authorization, mail })
  const told = isApproved && payment ? payment.id : id
  tell(told, isApproved ? 'authorized' : 'declined', at, plan)
  return { authorization, isReplayed: false }
}

/** In the feed of events. */
function tell(id: string, word: CardEvent['word'], at: number, plan: Plan): void {
  plan.cards.events.push({ id, word, at: new Date(at) })
}

/** Tells what an order has made of a hold, if that is a card payment. */
export function tellOfCard({ hold }: Order, at: number, facts: BatchFacts, plan: Plan): void {
  if (hold?.step !== 'capture' && hold?.step !== 'release') return
  if (facts.payments.has(hold.id)) {
    tell(hold.id, hold.step === 'capture' ? 'captured' : 'released', at, plan)
  }
}

/** Notes of which card payment money came back. */
export function refundCard(
  { refundOf, amount }: Order,
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
