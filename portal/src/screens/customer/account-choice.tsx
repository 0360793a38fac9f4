// The account that a screen is about, chosen from the customer's own and kept in the query.
import { type ComponentChildren, Fragment } from 'preact'
import { accountName } from '../../parts/accounts.tsx'
import { useAccounts } from '../../calls/own-accounts.ts'
import { ButtonLink, Empty, Loaded, Notice } from '../../parts/basic.tsx'
import { Field } from '../../parts/field.tsx'
import { texts } from '../../texts/language.ts'
import { formatMoney } from '../../texts/money.tsx'
import { to } from '../../state/paths.ts'
import { changePreferences, preferences } from '../../state/preferences.ts'
import { changeQuery, readQuery } from '../../state/router.ts'
import type { Account } from '../../state/types.ts'

/** `Savings …3000 · €12.00`: for a list to choose from. */
export const accountLabel = (account: Account): string =>
  `${accountName(account)} …${account.iban.slice(-4)} · ${formatMoney(account.balance, account.currency)}`

/** `text`: why no account can be used. */
export const NoAccount = ({ text = texts().account.noAccount }: { text?: string }) => (
  <Empty>
    <p>{text}</p>
    <ButtonLink href={to('accountNew')} kind="primary">
      {texts().account.openNew}
    </ButtonLink>
  </Empty>
)

/** The account that was used last, or the first one. */
export const usualOf = <A extends { id: string }>(accounts: readonly A[]): A | undefined =>
  accounts.find(({ id }) => id === preferences.value.account) ?? accounts[0]

/** Shows `children` for the account of the query, or for the first one. */
export function WithAccount({
  children,
}: {
  children: (account: Account, all: readonly Account[]) => ComponentChildren
}) {
  const t = texts()
  const accounts = useAccounts()
  return (
    <Loaded of={accounts}>
      {(items) => {
        const account = items.find(({ id }) => id === readQuery().get('account')) ?? usualOf(items)
        if (!account) return <NoAccount />
        return (
          <>
            {items.length > 1 && (
              <div>
                <Field
                  name="account"
                  label={t.entry.account}
                  value={account.id}
                  onInput={(id) => {
                    changePreferences({ account: id })
                    changeQuery({ account: id })
                  }}
                  options={items.map((one) => [one.id, accountLabel(one)])}
                />
              </div>
            )}
            {account.status === 'frozen' && (
              <Notice kind="warning">{t.errors.account_frozen}</Notice>
            )}
            {children(account, items)}
          </>
        )
      }}
    </Loaded>
  )
}

/** So many accounts are read at once for one list. */
const togetherMax = 5

/** Shows `children` for each account under its name; where there are many, for a chosen one. */
export function EachAccount({
  children,
}: {
  children: (account: Account, all: readonly Account[]) => ComponentChildren
}) {
  const accounts = useAccounts()
  const count = accounts.data?.length ?? 0
  const isChosen = readQuery().has('account') || count < 2 || count > togetherMax
  if (accounts.data === undefined || isChosen) return <WithAccount>{children}</WithAccount>
  const usual = usualOf(accounts.data)
  const others = accounts.data.filter((account) => account !== usual)
  return (
    <>
      {[...(usual ? [usual] : []), ...others].map((account) => (
        <Fragment key={account.id}>{children(account, accounts.data as Account[])}</Fragment>
      ))}
    </>
  )
}
