// The account that a screen is about, chosen from the customer's own and kept in the query.
import type { ComponentChildren } from 'preact'
import { accountName, BlockNotice } from '../../parts/accounts.tsx'
import { useUsualAccount } from '../../calls/usual-account.ts'
import { ButtonLink, Empty, Loaded, Notice } from '../../parts/basic.tsx'
import { Field } from '../../parts/field.tsx'
import { texts } from '../../texts/language.ts'
import { formatMoney } from '../../texts/money.tsx'
import { to } from '../../state/paths.ts'
import { changePreferences } from '../../state/preferences.ts'
import { changeQuery, readQuery } from '../../state/router.ts'
import type { Account, Beneficiary } from '../../state/types.ts'

/** `Savings …3000 · €12.00`: for a list to choose from. */
export const accountLabel = (account: Account): string =>
  `${accountName(account)} …${account.iban.slice(-4)} · ${formatMoney(account.balance, account.currency)}`

type Target = [value: string, label: string, group: string]

/** The payees that the account may pay: accounts of its owner and currency, its active payees. */
export function toTargets(
  { id, ownerId, currency }: Account,
  accounts: readonly Account[],
  payees: readonly Beneficiary[],
  groups: { own: string; payees: string },
): Target[] {
  const own = accounts.filter(
    (other) => other.id !== id && other.ownerId === ownerId && other.currency === currency,
  )
  const active = payees.filter((payee) => payee.status === 'active' && payee.accountId === id)
  return [
    ...own.map((other): Target => [`account:${other.id}`, accountLabel(other), groups.own]),
    ...active.map(({ id: payee, name, nickname, iban }): Target => {
      return [`beneficiary:${payee}`, `${nickname ?? name} …${iban.slice(-4)}`, groups.payees]
    }),
  ]
}

/** `text`: why no account can be used. */
export const NoAccount = ({ text = texts().account.noAccount }: { text?: string }) => (
  <Empty>
    <p>{text}</p>
    <ButtonLink href={to('accountNew')} kind="primary">
      {texts().account.openNew}
    </ButtonLink>
  </Empty>
)

/** Shows `children` for the account of the query, or for the usual one. */
export function WithAccount({
  children,
}: {
  children: (account: Account, all: readonly Account[]) => ComponentChildren
}) {
  const t = texts()
  const accounts = useUsualAccount()
  return (
    <Loaded of={accounts}>
      {({ all: items, usual }) => {
        const account = items.find(({ id }) => id === readQuery().get('account')) ?? usual
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
            <BlockNotice of={account} />
            {children(account, items)}
          </>
        )
      }}
    </Loaded>
  )
}
