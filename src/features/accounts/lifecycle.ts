// How an account is opened, frozen, unfrozen and closed.
import { databaseNow } from '../../database/background/clocks.ts'
import type { Database } from '../../database/connections/connect.ts'
import { untilUnique, violates } from '../../database/connections/failure.ts'
import type { Db } from '../../database/statements/statement.ts'
import { transaction } from '../../database/connections/transaction.ts'
import type { Clock } from '../../domain/clock.ts'
import { type PlainCode, countLimit, refuse } from '../../domain/errors.ts'
import type { Context } from '../../http/route.ts'
import { areCreditsBlocked, areDebitsBlocked } from '../../ledger/rules/blocks.ts'
import { expireHolds } from '../../ledger/rows/holds.ts'
import { queueMemberMails } from '../mail/members-sql.ts'
import { addFreeze, type FreezeRow, removeFreeze } from './freeze-sql.ts'
import { type IbanSource, withdrawPooled } from './ibans.ts'
import {
  type AccountRow,
  addAccount,
  endMembersOf,
  hasPending,
  lockAccount,
  lockActiveAccount,
  type LockedRow,
  lockOwner,
  type NewAccount,
  setStatus,
  writeClosed,
} from './sql.ts'

/** Frozen accounts count, closed ones do not. */
export const openAccountsPerCustomerMax = 100

type Opening = Omit<NewAccount, 'iban' | 'createdAt'> & { now: number; absent?: PlainCode }

/** Opens it in a transaction. */
type Within<R> = (open: (tx: Db) => Promise<AccountRow>) => Promise<R>

/**
 * Opens an account with the next IBAN of the source. Refuses with `absent` when the owner is not an
 * active customer, and with `limit_exceeded` when the owner has the most accounts allowed.
 */
export const openAccount = <R>(
  within: Within<R>,
  account: Opening,
  source: IbanSource,
): Promise<R> =>
  untilUnique('accounts_iban_key', () => within((tx) => openWith(tx, account, source)))

/** The same with an IBAN of the bank that is given. Refuses with `already_exists` a taken one. */
export async function openGivenAccount<R>(
  within: Within<R>,
  account: Opening,
  iban: string,
): Promise<R> {
  const source = async (tx: Db) => {
    await withdrawPooled(tx, iban)
    return iban
  }
  try {
    return await within((tx) => openWith(tx, account, source))
  } catch (thrown) {
    if (violates(thrown, 'accounts_iban_key')) refuse('already_exists', { because: thrown })
    throw thrown
  }
}

async function openWith(
  tx: Db,
  { absent = 'not_found', now, ...account }: Opening,
  source: IbanSource,
): Promise<AccountRow> {
  if (!(await lockOwner(tx, account.ownerId))) refuse(absent)
  const row = { ...account, iban: await source(tx), createdAt: new Date(now) }
  const openMax = openAccountsPerCustomerMax
  const limit = countLimit('openAccounts', openMax)
  return (await addAccount(tx, { ...row, openMax })) ?? refuse('limit_exceeded', { limit })
}

/**
 * Freezes an account, or unfreezes it; repeating it changes nothing, so the first reason stays.
 * Refuses with `not_found` or `account_closed`.
 *
 * @param freeze undefined: unfreezes it
 */
export async function changeStatus(
  db: Database,
  accountId: string,
  freeze: Omit<FreezeRow, 'accountId'> | undefined,
): Promise<AccountRow> {
  return transaction(db, async (tx) => {
    const { status } = (await lockAccount(tx, accountId)) ?? refuse('not_found')
    const changed = await setStatus(tx, accountId, freeze ? 'frozen' : 'active')
    if (!changed) refuse('account_closed')
    // Release 0.2.0 leaves the freeze of an account that it unfreezes.
    if (!freeze || status === 'active') await removeFreeze(tx, accountId)
    if (freeze) await addFreeze(tx, { accountId, ...freeze })
    return changed
  })
}

/**
 * A locked account without what holds keep whose time is over by the database's clock, swept or
 * not: as the ledger decides.
 */
export async function giveBackExpired(tx: Db, account: LockedRow, clock: Clock) {
  const { id, heldUntil } = account
  if (heldUntil === null) return account
  const now = await databaseNow(tx, clock)
  if (heldUntil.getTime() > now) return account
  const [kept] = await expireHolds(tx, [id], now)
  return { ...account, ...kept }
}

/** An account under a block is none that its customer leaves: its cause has to end first. */
async function requireUnblocked(tx: Db, account: LockedRow, clock: Clock): Promise<void> {
  if (account.debitsBlockedUntil === null && account.creditsBlockedUntil === null) return
  const now = await databaseNow(tx, clock)
  if (areDebitsBlocked(account, now)) refuse('debits_blocked')
  if (areCreditsBlocked(account, now)) refuse('credits_blocked')
}

/**
 * Closes an account for good, under the lock that every transfer takes. Refuses with `not_found`
 * (also when it is closed already), `account_frozen` or `account_not_empty`, also while something
 * is held of its overdraft; and while a block stands, with the code of what it stops. Nobody acts
 * on it for its owner any more.
 */
export async function closeAccount(
  db: Database,
  accountId: string,
  { clock, by, record }: { clock: Clock; by: 'owner' | 'staff' } & Pick<Context, 'record'>,
): Promise<void> {
  await transaction(db, async (tx) => {
    const locked = await lockActiveAccount(tx, accountId)
    await requireUnblocked(tx, locked, clock)
    const { balance, held } = await giveBackExpired(tx, locked, clock)
    // A pending payment may be returned, and needs an open account for that.
    const isEmpty = balance === 0n && held === 0n
    if (!isEmpty || (await hasPending(tx, accountId))) refuse('account_not_empty')
    const at = await databaseNow(tx, clock)
    for (const ended of await endMembersOf(tx, accountId, { at, by })) {
      if (ended.acceptedAt !== null) await queueMemberMails(tx, 'member-ended', ended, at)
      await record(tx, { action: 'endMember', target: accountId, detail: ended.id })
    }
    await writeClosed(tx, accountId)
  })
}
