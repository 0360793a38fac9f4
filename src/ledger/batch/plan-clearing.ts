// What a processor clears is booked whatever the account says: out of the hold of its authorisation
// first, then out of what is available, and below that as an unarranged overdraft.
import { newId } from '../../domain/ids.ts'
import type { CountedHold } from '../rules/holds.ts'
import { asExpired, isLacking, withUnarranged } from '../rules/holds.ts'
import { decide } from '../rules/decide.ts'
import type { MovementOf } from '../rules/movement.ts'
import type { LockedAccount } from '../rows/transfers.ts'
import { type Booked, bookCapture, findHold } from './book.ts'
import type { Before, Place, Planned, Rows } from './facts.ts'

type Clearing = MovementOf<'clearing'>

export function planClearing(movement: Clearing, place: Place, before: Before): Planned {
  const { hold: read, payment } = findHold(movement, before)
  const hold = read && asExpired(read, before.facts.now)
  const code = decide(movement, { ...place, hold, payment })
  if (code !== undefined) return { code }
  return (id) => {
    const tell = (booked: Booked, { id: paymentId }: CountedHold): Rows => ({
      ...tellDebt(movement, place, booked, paymentId),
      cardEvent: { id: paymentId, word: 'captured', at: new Date(place.at) },
    })
    if (hold) return tell(bookCapture(movement, hold, place, id, before), hold)
    const { hold: made, ...rows } = makePayment(movement, place)
    const ofMade = { ...movement, paymentId: made.id }
    const booked = bookCapture(ofMade, made, place, id, before)
    return { ...tell(booked, made), ...rows }
  }
}

/**
 * The feed is told of each clearing that leaves the account lacking. Its holder is told when it
 * begins to lack: until it is covered no payment leaves it, whatever else is cleared.
 */
export function tellDebt(
  movement: MovementOf<'clearing' | 'takeback'>,
  { from, at }: Place,
  booked: Booked,
  paymentId: string,
): Rows {
  const time = new Date(at)
  const [left, to] = booked.accounts
  const owing = withUnarranged(left, time)
  const rows = { ...booked, accounts: [owing, to] }
  if (from.id === movement.suspenseId) {
    return { ...rows, debtEvent: { id: paymentId, word: 'suspended', at: time } }
  }
  if (owing.unarranged === undefined) return rows
  return {
    ...rows,
    alerts: [...(booked.alerts ?? []), ...(isLacking(from) ? [] : tellOwner(owing, time))],
    debtEvent: { id: owing.id, word: 'overdrawn', at: time },
  }
}

/** Whatever alerts the account has switched off: the overdraft costs the holder money. */
const tellOwner = ({ id: aboutId, ownerId }: LockedAccount, at: Date) =>
  ownerId === null
    ? []
    : [{ id: newId(at.getTime()), kind: 'account-overdrawn', aboutId, ownerId, at } as const]

/** The payment of a clearing that has none: nothing was authorised, and nothing is held. */
function makePayment(
  { cleared, amount, currency, reference, caller, fromAccountId, counterparty }: Clearing,
  { from, at, day }: Place,
) {
  const { cardId, channel, merchantName, merchantCategory, merchantCountry, mails } = cleared
  const id = newId(at)
  const createdAt = new Date(at)
  const terms = {
    id,
    cardId,
    accountId: fromAccountId,
    currency,
    amount,
    callerId: caller.userId,
    createdAt,
    expiresAt: createdAt,
  }
  const hold: CountedHold = {
    ...terms,
    kind: 'authorization',
    reference: counterparty.name,
    captured: 0n,
    remaining: 0n,
    status: 'captured',
    endedAt: createdAt,
    counted: 0n,
    countedOn: null,
  }
  const authorization = {
    ...terms,
    paymentId: id,
    channel,
    reason: null,
    merchantName,
    merchantCategory,
    merchantCountry,
    tolerance: 0,
    isCleared: true,
    reference,
    day,
    externalId: undefined,
  }
  const { ownerId: userId, alertsEnabled } = from
  const isTold = alertsEnabled && userId !== null && mails.includes('card-payment')
  const kind = 'card-payment' as const
  const mail = { id: newId(at), kind, userId: userId ?? '', authorizationId: id, createdAt }
  return {
    hold,
    authorization,
    payment: {
      id,
      callerId: caller.userId,
      tolerance: 0,
      refunded: 0n,
      chargedBack: 0n,
      wonIds: [],
    },
    ...(isTold && { cardMail: mail }),
  }
}
