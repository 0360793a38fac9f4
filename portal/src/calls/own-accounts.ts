// The person's own accounts, and those of others that the person may act on.
import { Failure } from '../state/failure.ts'
import type { Account, List } from '../state/types.ts'
import { type Read, readTogether, useRead } from './call.ts'
import { isStaff, me } from './session.ts'

/**
 * All open accounts of the person and those of others, which have a `membership`, newest first. For
 * staff `/accounts` lists those of all customers, and the search has closed ones unless asked by
 * status: it finds the own ones alone.
 */
export function useActedAccounts(): Read<Account[]> {
  const search = (status: string) =>
    isStaff() ? `/admin/accounts?ownerId=${me.value?.id}&status=${status}&limit=100` : undefined
  const all = useRead<List<Account>>(search('active') ?? '/accounts?limit=100')
  const frozen = useRead<List<Account>>(search('frozen'))
  const read = readTogether({ all, ...(isStaff() && { frozen }) })
  const items = [...(read.data?.all.items ?? []), ...(read.data?.frozen?.items ?? [])]
  return {
    ...read,
    data: read.data && items.toSorted((one, other) => (one.id < other.id ? 1 : -1)),
  }
}

export const isOwn = ({ membership }: Account): boolean => membership === undefined

/** All open accounts of the person, newest first. They are at most 100, which is one page. */
export function useAccounts(): Read<Account[]> {
  const read = useActedAccounts()
  return { ...read, data: read.data?.filter(isOwn) }
}

/** One of them, among all. */
export const useAccount = (id: string) => useOneOf(useAccounts(), id)
/** The same, also of somebody else. */
export const useActedAccount = (id: string | undefined) => useOneOf(useActedAccounts(), id)

function useOneOf(
  read: Read<Account[]>,
  id: string | undefined,
): Read<{ account: Account; all: Account[] }> {
  const account = read.data?.find((one) => one.id === id)
  const isMissing = id !== undefined && read.data !== undefined && account === undefined
  return {
    ...read,
    data: account && { account, all: read.data as Account[] },
    failure: isMissing ? new Failure('not_found') : read.failure,
  }
}
