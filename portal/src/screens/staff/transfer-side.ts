// What the screen of a transfer and its reversal share: both sides, and what became of a change.
import type { BankCode, NoneLeft } from '../../../../languages/words.ts'
import { type Read, useRead } from '../../calls/call.ts'
import type { Account, Transaction } from '../../state/types.ts'

/** The bank's own accounts, which hold cash and what is on its way to other banks. */
export const isBanks = (accountId: string | undefined): boolean =>
  accountId?.startsWith('00000000-0000-8000-8000-0000') ?? true

const bankCodes = ['cash', 'clearing', 'fees', 'interest', 'suspense', 'opening'] as const
export type UnknownCode = NoneLeft<Exclude<BankCode, (typeof bankCodes)[number]>>

/** The code of an account of the bank by its identifier; undefined of one that was added. */
export const bankCode = (accountId: string): BankCode | undefined =>
  bankCodes[Number.parseInt(accountId.slice(28, 30), 16) - 1]

export type SideRead = {
  account: Read<Account>
  /** The entry of the account: the balance after it, and the other side as the holder sees it. */
  entry: Read<Transaction>
}

export function useSide(accountId: string | undefined, transferId: string): SideRead {
  const id = isBanks(accountId) ? undefined : accountId
  return {
    account: useRead<Account>(id && `/admin/accounts/${id}`),
    entry: useRead<Transaction>(id && `/accounts/${id}/transactions/${transferId}`),
  }
}

/** What became of a change, shown above what was read again after it. */
export type ChangeNotice = { kind: 'good' | 'info'; text: string }
