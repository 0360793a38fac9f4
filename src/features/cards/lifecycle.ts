// The life of a card: issued, frozen and unfrozen, cancelled for good.
import type { Database } from '../../database/connect.ts'
import { unlessTaken } from '../../database/failure.ts'
import { transaction } from '../../database/transaction.ts'
import { refuse } from '../../domain/errors.ts'
import type { Caller } from '../../gate/roles.ts'
import { newId } from '../../domain/ids.ts'
import { toStoredNumber, newNumber } from './number.ts'
import { addCard, type CardRow, type Change, lockedAccount, writeChange } from './sql.ts'

/** How many cards of an account may be in use at once. */
export const cardsPerAccountMax = 10
const yearsValid = 3
/** Ten taken numbers in a row, among a thousand million, are a defect and not bad luck. */
const attemptsMax = 10

export type Wish = { accountId: string; nickname: string | null; now: number }

/**
 * Issues a card. Refuses with `not_found` when the account is closed or not there, with
 * `account_frozen`, and with `limit_exceeded` when it has all the cards it may have.
 *
 * @param key under which the number is hashed
 */
export async function issueCard(
  db: Database,
  { accountId, nickname, now }: Wish,
  key: Buffer,
  makeNumber: () => string = newNumber,
): Promise<CardRow> {
  const issuedOn = new Date(now)
  const terms = {
    id: newId(now),
    accountId,
    nickname,
    now,
    expiryMonth: issuedOn.getUTCMonth() + 1,
    expiryYear: issuedOn.getUTCFullYear() + yearsValid,
  }
  for (let attempt = 1; attempt <= attemptsMax; attempt++) {
    const kept = toStoredNumber(makeNumber(), key)
    // A taken number fails its transaction, so each attempt has one of its own.
    const added = await unlessTaken(
      'cards_number_key',
      transaction(db, async (tx) => {
        const account = await lockedAccount(tx, accountId)
        if (!account || account.status === 'closed') refuse('not_found')
        if (account.status === 'frozen') refuse('account_frozen')
        return (
          (await addCard(tx, { ...terms, kept }, cardsPerAccountMax)) ?? refuse('limit_exceeded')
        )
      }),
    )
    if (added !== 'taken') return added
  }
  throw new Error('No free card number was found')
}

/**
 * The one way a card changes: the verbs and the update are the same transition with the same
 * judgement. Refuses with `not_found`, `forbidden` (an administrator froze it), `card_cancelled`,
 * `illegal_transition` (cancelled by a customer while an administrator's freeze holds) or
 * `account_frozen`.
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
