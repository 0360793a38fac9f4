// What belongs to accounts, such as cards, of all of them in one list.
import { type ComponentChildren, Fragment } from 'preact'
import { useState } from 'preact/hooks'
import { accountName, UserText } from '../../parts/accounts.tsx'
import { type Pages, readTogether, usePages } from '../../calls/call.ts'
import { useUsualAccount } from '../../calls/usual-account.ts'
import { keepForBack, readForBack, readQuery } from '../../state/router.ts'
import type { Account } from '../../state/types.ts'
import { WithAccount } from './account-choice.tsx'

/** So many accounts are read at first; as many more each time that more is asked for. */
const togetherMax = 6

export type Part = {
  accounts: readonly Account[]
  /** Otherwise each row names its account. */
  isAlone?: boolean
  /** Shows more accounts; left out where these are all. */
  next?: (() => void) | undefined
}

/** What the accounts have: `path` of one of them. They are the same for as long as it is shown. */
export function useOfAccounts<I>(
  { accounts, next }: Part,
  path: (account: Account) => string,
): Pages<I> {
  const reads = accounts.map((account) => usePages<I>(path(account)))
  const read = readTogether(Object.fromEntries(reads.entries()))
  const data = read.data && Object.values(read.data).flat()
  return { ...read, data, more: reads.find(({ more }) => more)?.more ?? next }
}

/** Which account it belongs to, under what it is. */
export const OfAccount = ({ account }: { account: Account | undefined }) =>
  account ? (
    <p class="quiet small">
      <UserText>{accountName(account)}</UserText> …{account.iban.slice(-4)}
    </p>
  ) : null

/** Shows `children` for all accounts, the usual one first, or for the account of the query. */
export function EveryAccount({ children }: { children: (part: Part) => ComponentChildren }) {
  const { data } = useUsualAccount()
  const [count, setCount] = useState(() => readForBack('accounts') ?? togetherMax)
  if (data === undefined || data.all.length < 2 || readQuery().has('account')) {
    return (
      <WithAccount>
        {(account) => (
          <Fragment key={account.id}>{children({ accounts: [account], isAlone: true })}</Fragment>
        )}
      </WithAccount>
    )
  }
  const { all, usual } = data
  const isRest = (one: Account) => one !== usual
  const inOrder = all.toSorted((one, other) => Number(isRest(one)) - Number(isRest(other)))
  const showMore = () => {
    setCount(count + togetherMax)
    keepForBack('accounts', count + togetherMax)
  }
  const next = count < all.length ? showMore : undefined
  return <Fragment key={count}>{children({ accounts: inOrder.slice(0, count), next })}</Fragment>
}
