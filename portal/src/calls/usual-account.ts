// Which of the own accounts is used.
import { preferences } from '../state/preferences.ts'
import type { Account, List, OwnTransaction } from '../state/types.ts'
import { type Read, useRead } from './call.ts'
import { isOwn, useActedAccounts } from './own-accounts.ts'

/** The newest entries of all accounts: they tell which accounts are used. */
export const newestEntries = '/transactions?limit=25'

/** That of most of the newest entries first; else by when they were opened. */
export function byUse(
  accounts: readonly Account[],
  entries: List<OwnTransaction> | undefined,
): Account[] {
  const count = ({ id }: Account) =>
    entries?.items.filter(({ accountId }) => accountId === id).length ?? 0
  return accounts.toReversed().toSorted((one, other) => count(other) - count(one))
}

/**
 * All of them, and the one to begin with: the last used one, or that of most of the newest entries.
 * The entries are read only where this browser remembers no use.
 */
export function useUsualAccount(): Read<{
  all: Account[]
  usual: Account | undefined
  /** The accounts of others that the person may pay from. */
  others: Account[]
}> {
  const read = useActedAccounts()
  const all = read.data?.filter(isOwn)
  const others = (read.data ?? []).filter(({ membership }) => membership?.rights === 'pay')
  const last = all?.find(({ id }) => id === preferences.value.account)
  const isOpen = all !== undefined && all.length > 1 && !last
  const entries = useRead<List<OwnTransaction>>(isOpen ? newestEntries : undefined)
  const isSettled = !isOpen || entries.data !== undefined || entries.failure !== undefined
  const usual = last ?? (all && byUse(all, entries.data)[0])
  return { ...read, data: all && isSettled ? { all, usual, others } : undefined }
}
