// How a card is issued and changed.
import type { Database } from '../../database/connect.ts'
import { untilUnique } from '../../database/failure.ts'
import { transaction } from '../../database/transaction.ts'
import { countLimit, refuse } from '../../domain/errors.ts'
import { newId } from '../../domain/ids.ts'
import type { Caller } from '../../gate/roles.ts'
import { lockActiveAccount } from '../accounts/sql.ts'
import { newNumber, toStoredNumber } from './number.ts'
import { addCard, type CardRow, type Change, writeChange } from './sql.ts'

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
    now,
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
  db: Database,
  id: string,
  change: Change,
  { grant }: Caller,
): Promise<CardRow> {
  const actor = grant === 'any' ? 'admin' : 'customer'
  return transaction(db, async (tx) => {
    const changed = await writeChange(tx, id, change, actor)
    if (changed === undefined) refuse('not_found')
    if (typeof changed === 'string') refuse(changed, { because: 'the state of the card' })
    return changed
  })
}
