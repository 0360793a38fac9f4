// Requests of a processor of card payments: an approved one places or raises a hold, a declined one
// leaves the account as it is. Both are stored and told. What was approved is taken and refunded.
import { countLimit } from '../../domain/errors.ts'
import { newId } from '../../domain/ids.ts'
import { declineCard, type DeclineReason, toDecline } from '../rules/authorizations.ts'
import type { CardEvent } from '../rows/authorizations.ts'
import { decide } from '../rules/decide.ts'
import {
  type Hold,
  holdsMax,
  placeHold,
  raiseHold,
  refuseChange,
  refusePlacing,
  tellHoldTerms,
} from '../rules/holds.ts'
import type { AuthorizeMovement, MovementOf } from '../rules/movement.ts'
import { aboutThing, bookCapture, bookTransfer, findHold, toHoldRows } from './book.ts'
import type { Before, Place, Planned, Rows } from './facts.ts'

export function planAuthorization(
  movement: MovementOf<'authorization'>,
  place: Place,
  before: Before,
): Planned {
  const { request, amount, reference, caller, expiresAt } = movement
  const { from, at, day } = place
  const code = refusePlacing('authorization', movement, from, at)
  const reason = findDecline(movement, undefined, code, place, before)
  if (reason) return (id) => decline(movement, undefined, reason, place, id)
  if (code === 'limit_exceeded') {
    return { code, limit: countLimit('activeHolds', holdsMax.authorization) }
  }
  if (code !== undefined) return { code }
  const asked = { kind: 'authorization', amount, reference, expiresAt, countedOn: day } as const
  const about = { cardId: request.cardId, callerId: caller.userId }
  return (id) => {
    const placed = placeHold(from, { ...asked, ...about, id }, at)
    return {
      ...answer(movement, { id, payment: placed.hold, reason: null }, place),
      ...toHoldRows(placed, undefined, { word: 'created', at }, before),
      // Both are written and told with the authorisation. The trail has its terms there.
      holdEvent: undefined,
      events: aboutThing(movement.events, id, `hold ${id}`),
    }
  }
}

export function planIncrement(
  movement: MovementOf<'increment'>,
  place: Place,
  before: Before,
): Planned {
  const { from, at, day } = place
  const { hold } = findHold(movement, before)
  const code = refuseChange(movement, { from, hold, at }, movement.amount)
  const reason = findDecline(movement, hold, code, place, before)
  if (reason) return (id) => decline(movement, hold, reason, place, id)
  if (code !== undefined || !hold) return { code: code ?? 'not_found' }
  return (id) => {
    const raised = raiseHold({ hold, from }, movement.amount, day)
    return {
      ...answer(movement, { id, payment: raised.hold, reason: null }, place),
      ...toHoldRows(raised, hold, { word: 'changed', at }, before),
      cardEvent: tell(hold.id, 'authorized', place),
      events: aboutThing(movement.events, hold.id, tellHoldTerms(raised.hold)),
    }
  }
}

/**
 * Why the payment is declined; undefined where it is not, or where the request itself is refused.
 *
 * @param code the refusal of the hold
 */
function findDecline(
  { request, amount, currency }: AuthorizeMovement,
  hold: Hold | undefined,
  code: Parameters<typeof declineCard>[2],
  { from: account, at, day }: Place,
  { state }: Before,
): DeclineReason | undefined {
  const card = state.cards.get(request.cardId)
  if (!card || (code !== undefined && toDecline(code) === undefined)) return undefined
  const total = amount + (hold?.amount ?? 0n)
  return declineCard(card, { request, amount, total, currency, account, at, day }, code)
}

const decline = (
  movement: AuthorizeMovement,
  payment: Hold | undefined,
  reason: DeclineReason,
  place: Place,
  id: string,
): Rows => ({
  ...answer(movement, { id, payment, reason }, place),
  events: aboutThing(movement.events, id, `declined: ${reason}`),
})

/** What is stored of a request, and answered; the holder may be told by mail. */
function answer(
  { request, amount, currency, reference, caller, externalId }: AuthorizeMovement,
  { id, payment, reason }: { id: string; payment: Hold | undefined; reason: DeclineReason | null },
  { from, at, day }: Place,
) {
  const { cardId, channel, merchantName, merchantCategory, merchantCountry, mails } = request
  const isApproved = reason === null
  const createdAt = new Date(at)
  const authorization = {
    id,
    cardId,
    accountId: from.id,
    paymentId: payment?.id ?? null,
    amount,
    currency,
    channel,
    reason,
    merchantName,
    merchantCategory,
    merchantCountry,
    callerId: caller.userId,
    createdAt,
    expiresAt: isApproved ? (payment?.expiresAt ?? null) : null,
    tolerance: request.tolerance ?? 0,
    isCleared: false,
  }
  const { ownerId: userId, alertsEnabled } = from
  const kind = isApproved ? 'card-payment' : 'card-declined'
  const isTold = alertsEnabled && userId !== null && mails.includes(kind)
  return {
    made: { authorization, isReplayed: false },
    madeId: id,
    authorization: { ...authorization, reference, day, externalId },
    cardMail: isTold ? { id: newId(at), kind, userId, authorizationId: id, createdAt } : undefined,
  } satisfies Rows
}

/** In the feed of events. */
const tell = (id: string, word: CardEvent['word'], { at }: Place): CardEvent => ({
  id,
  word,
  at: new Date(at),
})

export function planCard(movement: MovementOf<'card'>, place: Place, before: Before): Planned {
  const { hold, payment } = findHold(movement, before)
  const code = decide(movement, { ...place, hold, payment })
  if (code !== undefined || !hold) return { code: code ?? 'not_found' }
  return (id) => ({
    ...bookCapture(movement, hold, place, id, before),
    cardEvent: payment && tell(hold.id, 'captured', place),
  })
}

export function planRefund(movement: MovementOf<'refund'>, place: Place, before: Before): Planned {
  const { hold, payment } = findHold(movement, before)
  const code = decide(movement, { ...place, hold, payment })
  if (code !== undefined || !payment) return { code: code ?? 'not_found' }
  return (id) => ({
    ...bookTransfer(movement, place, id),
    payment: { ...payment, refunded: payment.refunded + movement.amount },
    refund: { transferId: id, paymentId: payment.id },
    cardEvent: tell(payment.id, 'refunded', place),
  })
}
