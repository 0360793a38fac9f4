// How a card is issued and changed, and what its owner allows it.
import type { Static } from '../../domain/type.ts'
import type { Database } from '../../database/connections/connect.ts'
import { untilUnique } from '../../database/connections/failure.ts'
import { transaction } from '../../database/connections/transaction.ts'
import { countLimit, invalid, refuse } from '../../domain/errors.ts'
import { newId } from '../../domain/ids.ts'
import { parseAmount } from '../../domain/money.ts'
import type { Context } from '../../http/route.ts'
import { lockActiveAccount } from '../accounts/sql.ts'
import { newNumber, toStoredNumber } from './number.ts'
import { type ControlsChange as ControlsChangeSchema, describeChange } from './schemas.ts'
import {
  addCard,
  cardById,
  type CardRow,
  type Change,
  type Controls,
  writeChange,
  writeControls,
} from './sql.ts'

type ChangeContext = Pick<Context, 'caller' | 'db' | 'now' | 'record' | 'requireConfirmed'>

/** Cards of one account that are not cancelled. */
export const cardsPerAccountMax = 10
const yearsValid = 3

export type NewCard = { accountId: string; nickname: string | null; now: number }

/**
 * Issues a card. Refuses with `not_found` when the account is closed or does not exist, with
 * `account_frozen`, and with `limit_exceeded` when the account has the most cards allowed.
 *
 * @param key of the hash of the number
 */
export async function issueCard(
  db: Database,
  { accountId, nickname, now }: NewCard,
  key: Buffer,
  makeNumber: () => string = newNumber,
): Promise<CardRow> {
  const issuedOn = new Date(now)
  const card = {
    id: newId(now),
    accountId,
    nickname,
    createdAt: issuedOn,
    expiryMonth: issuedOn.getUTCMonth() + 1,
    expiryYear: issuedOn.getUTCFullYear() + yearsValid,
  }
  return untilUnique('cards_number_key', () =>
    transaction(db, async (tx) => {
      await lockActiveAccount(tx, accountId)
      const number = toStoredNumber(makeNumber(), key)
      return (
        (await addCard(tx, { ...card, number }, cardsPerAccountMax)) ??
        refuse('limit_exceeded', { limit: countLimit('cards', cardsPerAccountMax) })
      )
    }),
  )
}

/**
 * Changes status, nickname or both; every route that changes a card calls this. Refuses with
 * `not_found`, `forbidden` (a customer unfreezes what an administrator froze), `card_cancelled`,
 * `illegal_transition` (a customer cancels what an administrator froze) or `account_frozen`.
 */
export async function changeCard(
  { db, now, caller: { grant, userId: actorId }, requireConfirmed, record }: ChangeContext,
  id: string,
  change: Change,
): Promise<CardRow> {
  const actor = grant === 'any' ? 'admin' : 'customer'
  return transaction(db, async (tx) => {
    const changed = await writeChange(tx, id, change, { actor, actorId, now })
    if (changed === undefined) refuse('not_found')
    if (typeof changed === 'string') refuse(changed, { because: 'the state of the card' })
    const { card, was } = changed
    if (was === 'frozen' && card.status === 'active') requireConfirmed()
    // The event of a change by staff is that of every such change.
    const isOwn = grant !== 'any'
    if (isOwn && card.status !== was) {
      await record(tx, { detail: `status: ${was} > ${card.status}` })
    }
    return card
  })
}

/** The length of the detail of an event of the audit trail. */
const detailMax = 140

type ControlsChange = Static<typeof ControlsChangeSchema>

/**
 * Changes limits and channels of a card; what is left out stays. Refuses with `not_found`,
 * `account_frozen`, `card_cancelled`, `currency_mismatch`, or `invalid_request` for minor digits
 * that the currency does not have.
 *
 * What allows the card more than before has to be confirmed.
 */
export async function changeControls(
  { db, requireConfirmed, record }: ChangeContext,
  id: string,
  change: ControlsChange,
): Promise<CardRow> {
  const found = (await cardById(db, id)) ?? refuse('not_found')
  return transaction(db, async (tx) => {
    await lockActiveAccount(tx, found.accountId)
    const before = (await cardById(tx, id)) ?? refuse('not_found')
    if (before.status === 'cancelled') refuse('card_cancelled')
    const after = { ...before, ...toControls(before, change) }
    if (allowsMore(before, after)) requireConfirmed()
    await writeControls(tx, after)
    await record(tx, { detail: describeChange(before, after).slice(0, detailMax) || null })
    return after
  })
}

/** The controls that a card has after the change. */
export function toControls(
  before: CardRow,
  { currency, limits = {}, channels = {} }: ControlsChange,
): Controls {
  if (currency !== undefined && currency !== before.currency) refuse('currency_mismatch')
  const toLimit = (name: 'perPayment' | 'perDay', present: bigint | null): bigint | null => {
    const text = limits[name]
    if (text === undefined) return present
    if (text === null) return null
    const units = parseAmount(text, before.currency)
    return units ?? invalid(`/body/limits/${name}`, `has more minor digits than ${before.currency}`)
  }
  return {
    perPaymentLimit: toLimit('perPayment', before.perPaymentLimit),
    perDayLimit: toLimit('perDay', before.perDayLimit),
    paysOnline: channels.online ?? before.paysOnline,
    paysAbroad: channels.abroad ?? before.paysAbroad,
    paysContactless: channels.contactless ?? before.paysContactless,
    paysCash: channels.cash ?? before.paysCash,
  }
}

function allowsMore(before: Controls, after: Controls): boolean {
  const isHigher = (was: bigint | null, is: bigint | null) =>
    was !== null && (is === null || is > was)
  return (
    isHigher(before.perPaymentLimit, after.perPaymentLimit) ||
    isHigher(before.perDayLimit, after.perDayLimit) ||
    (after.paysOnline && !before.paysOnline) ||
    (after.paysAbroad && !before.paysAbroad) ||
    (after.paysContactless && !before.paysContactless) ||
    (after.paysCash && !before.paysCash)
  )
}
