// The rows of card payments: what a movement adds to the plan, and leaves to the next ones.
import type { BatchState, Plan, Rows } from './facts.ts'

export function addCardRows(
  rows: Rows,
  { state, plan: { cards } }: { state: BatchState; plan: Plan },
): void {
  const { card, payment, authorization, spending, cardMail, refund, cardEvent, debtEvent } = rows
  const { chargeback, chargebackEnd } = rows
  if (card) state.cards.set(card.id, card)
  if (payment) state.payments.set(payment.id, payment)
  if (authorization) cards.authorizations.push(authorization)
  if (cardMail) cards.mails.push(cardMail)
  if (refund) cards.refunds.push(refund)
  if (chargeback) cards.chargebacks.push(chargeback)
  if (chargebackEnd) cards.ends.push(chargebackEnd)
  if (cardEvent) cards.events.push(cardEvent)
  if (debtEvent) cards.events.push(debtEvent)
  if (!spending) return
  const { cardId, day, amount } = spending
  const planned = cards.spent.get(cardId)
  // A card has the sum of its last day alone.
  if (planned && planned.day > day) return
  const before = planned?.day === day ? planned.amount : 0n
  cards.spent.set(cardId, { cardId, day, amount: amount + before })
}
