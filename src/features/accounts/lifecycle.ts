// The life of an account: opened, frozen and thawed, closed for good.
import type { Database } from '../../database/connect.ts'
import { unlessTaken } from '../../database/failure.ts'
import { transaction } from '../../database/transaction.ts'
import { type Code, refuse } from '../../domain/errors.ts'
import { newIban } from '../../domain/iban.ts'
import {
  type AccountRow,
  addAccount,
  hasPending,
  lockedAccount,
  lockedOwner,
  type NewAccount,
  setStatus,
  writeClosed,
} from './sql.ts'

/** Ten collisions in a row, among ten thousand million numbers, are a defect and not bad luck. */
const attemptsMax = 10

/** Frozen accounts count; closed ones do not. */
export const openAccountsPerCustomerMax = 100

/**
 * Opens an account with an IBAN of its own. Refuses with `absent` when the owner is not there, is
 * disabled or is no customer, and with `limit_exceeded` when he has all the accounts he may have.
 */
export async function openAccount(
  db: Database,
  { absent = 'not_found', ...account }: Omit<NewAccount, 'iban'> & { absent?: Code },
  makeIban: () => string = newIban,
): Promise<AccountRow> {
  for (let attempt = 1; attempt <= attemptsMax; attempt++) {
    // A taken IBAN fails its transaction, so each attempt has one of its own.
    const added = await unlessTaken(
      'accounts_iban_key',
      transaction(db, async (tx) => {
        if (!(await lockedOwner(tx, account.ownerId))) refuse(absent)
        const made = { ...account, iban: makeIban() }
        const row = await addAccount(tx, made, openAccountsPerCustomerMax)
        return row ?? refuse('limit_exceeded')
      }),
    )
    if (added !== 'taken') return added
  }
  throw new Error('No free IBAN was found')
}

/**
 * Freezes or thaws an account, to the same end however often. Refuses with `not_found`, or
 * `account_closed`: both last, so asking after the write gives the true reason.
 */
export async function changeStatus(
  db: Database,
  accountId: string,
  status: 'active' | 'frozen',
): Promise<AccountRow> {
  return transaction(db, async (tx) => {
    const changed = await setStatus(tx, accountId, status)
    if (changed) return changed
    return refuse((await lockedAccount(tx, accountId)) ? 'account_closed' : 'not_found')
  })
}

/**
 * Closes an account for good. Refuses with `not_found` (also when it is closed already),
 * `account_frozen` or `account_not_empty`, as it is under the lock that a transfer takes too.
 */
export async function close(db: Database, accountId: string): Promise<void> {
  await transaction(db, async (tx) => {
    const account = await lockedAccount(tx, accountId)
    if (!account || account.status === 'closed') refuse('not_found')
    if (account.status === 'frozen') refuse('account_frozen')
    // A payment that is returned needs an account to return to.
    const isEmpty = account.balance === 0n && !(await hasPending(tx, accountId))
    if (!isEmpty) refuse('account_not_empty')
    await writeClosed(tx, accountId)
  })
}
