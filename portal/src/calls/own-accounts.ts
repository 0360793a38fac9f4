// The person's own accounts.
import { Failure } from '../state/failure.ts'
import type { Account, List } from '../state/types.ts'
import { type Read, readTogether, useRead } from './call.ts'
import { isStaff, me } from './session.ts'

/**
 * All open accounts of the person, newest first. They are at most 100, which is one page. For staff
 * `/accounts` lists those of all customers, and the search has closed ones unless asked by status.
 */
export function useAccounts(): Read<Account[]> {
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

/** One of them, among all. */
export function useAccount(id: string): Read<{ account: Account; all: Account[] }> {
  const read = useAccounts()
  const account = read.data?.find((one) => one.id === id)
  const isMissing = read.data !== undefined && account === undefined
  return {
    ...read,
    data: account && { account, all: read.data as Account[] },
    failure: isMissing ? new Failure('not_found') : read.failure,
  }
}
