// All accounts of the customer with their balances, what needs attention, and the newest entries.
import type { ComponentChildren } from 'preact'
import { AccountLink, FrozenBadge, UserText } from '../../parts/accounts.tsx'
import { useAccounts } from '../../calls/own-accounts.ts'
import {
  Badge,
  ButtonLink,
  Empty,
  FailureNotice,
  groupIban,
  Loaded,
  Screen,
  Section,
} from '../../parts/basic.tsx'
import { counterpartyName, EntryTable } from '../../parts/entries.tsx'
import { moneyColumn, Table } from '../../parts/table.tsx'
import { type Read, useRead } from '../../calls/call.ts'
import { texts } from '../../texts/language.ts'
import { Money, sum } from '../../texts/money.tsx'
import { to } from '../../state/paths.ts'
import { me } from '../../calls/session.ts'
import { Time, timeZoneName } from '../../texts/time.tsx'
import { NoAccount } from './account-choice.tsx'
import type { Account, List, OwnTransaction, Transfer } from '../../state/types.ts'

function Accounts({ accounts }: { accounts: readonly Account[] }) {
  const t = texts().home
  const groups = [...Map.groupBy(accounts, ({ currency }) => currency)]
  const byCurrency = groups.toSorted(([one], [other]) => (one < other ? -1 : 1))
  return (
    <>
      <Table
        caption={t.count(accounts.length)}
        rows={accounts}
        keyOf={({ id }) => id}
        columns={[
          {
            name: t.account,
            isRowHeader: true,
            cell: (account) => (
              <span>
                <AccountLink account={account} /> <FrozenBadge of={account} />
              </span>
            ),
          },
          { name: 'IBAN', cell: ({ iban }) => <span class="code small">{groupIban(iban)}</span> },
          moneyColumn<Account>(t.available, ({ available: amount, currency }) => ({
            amount,
            currency,
          })),
          {
            name: t.balance,
            isNumber: true,
            cell: ({ balance, currency }) => (
              <strong>
                <Money amount={balance} currency={currency} />
              </strong>
            ),
          },
        ]}
      />
      {accounts.length > 1 && (
        <dl class="totals">
          {byCurrency.map(([currency, ofCurrency]) => (
            <div key={currency}>
              <dt>{t.total(currency)}</dt>
              <dd>
                <Money
                  amount={sum(
                    ofCurrency.map(({ balance }) => balance),
                    currency,
                  )}
                  currency={currency}
                />
              </dd>
            </div>
          ))}
        </dl>
      )}
    </>
  )
}

/** How many pending payments are named one by one, and how many entries are shown. */
const pendingMax = 5
const newestMax = 5
/** More than are shown: they name the payees of pending payments as well. */
const entriesRead = 25

type MatterProps = {
  name: ComponentChildren
  word: string
  kind: 'plain' | 'warning' | 'bad'
  text: string
  amount?: string
  currency: string
}

const Matter = ({ name, word, kind, text, amount, currency }: MatterProps) => (
  <li>
    <div>
      {name} <Badge kind={kind}>{word}</Badge>
      <p class="quiet small">{text}</p>
    </div>
    {amount && <Money amount={amount} currency={currency} />}
  </li>
)

type PartProps = { accounts: readonly Account[]; entries: Read<List<OwnTransaction>> }

function Attention({ accounts, entries }: PartProps) {
  const t = texts().home
  const transfers = useRead<List<Transfer>>('/transfers?status=pending&limit=100')
  // For staff the list has those of all customers.
  const isOwn = ({ fromAccountId }: Transfer) => accounts.some(({ id }) => id === fromAccountId)
  const pending = transfers.data?.items.filter(isOwn) ?? []
  const frozen = accounts.filter(({ status }) => status === 'frozen')
  const overdrawn = accounts.filter(({ balance }) => balance.startsWith('-'))
  if (transfers.failure) return <FailureNotice {...transfers} failure={transfers.failure} />
  if (pending.length + frozen.length + overdrawn.length === 0) return null
  // A transfer does not name its payee; its entry does, while that is among the newest.
  const payeeOf = (id: string) => {
    const entry = entries.data?.items.find((one) => one.id === id)
    return entry && counterpartyName(entry, accounts)
  }
  const nameOf = (account: Account) => <AccountLink account={account} />
  return (
    <Section title={t.attention}>
      <ul class="rows">
        {frozen.map((account) => (
          <Matter
            key={account.id}
            name={nameOf(account)}
            word={texts().common.accountStatuses.frozen}
            kind="warning"
            text={t.frozenText}
            currency={account.currency}
          />
        ))}
        {overdrawn.map((account) => (
          <Matter
            key={account.id}
            name={nameOf(account)}
            word={t.overdrawn}
            kind="bad"
            text={t.overdrawnText}
            amount={account.balance}
            currency={account.currency}
          />
        ))}
        {pending.slice(0, pendingMax).map(({ id, amount, currency, createdAt, reference }) => (
          <Matter
            key={id}
            name={
              <>
                <a href={to('receipt', { transferId: id })}>
                  {t.payment} <Time at={createdAt} style="date" />
                </a>{' '}
                <UserText>{payeeOf(id) ?? reference}</UserText>
              </>
            }
            word={t.pending}
            kind="plain"
            text={t.pendingText}
            amount={amount}
            currency={currency}
          />
        ))}
      </ul>
      {pending.length > pendingMax && (
        <p class="quiet">{t.morePending(pending.length - pendingMax)}</p>
      )}
    </Section>
  )
}

function Newest({ accounts, entries }: PartProps) {
  const t = texts()
  return (
    <Section title={t.home.newest}>
      <Loaded of={entries} lines={5}>
        {({ items }) =>
          items.length === 0 ? (
            <Empty>
              <p>{t.account.noEntry}</p>
            </Empty>
          ) : (
            <EntryTable
              caption={t.common.timesIn(timeZoneName())}
              entries={items.slice(0, newestMax)}
              accounts={accounts}
            />
          )
        }
      </Loaded>
    </Section>
  )
}

export function Home() {
  const t = texts().home
  const accounts = useAccounts()
  const entries = useRead<List<OwnTransaction>>(`/transactions?limit=${entriesRead}`)
  const hasSome = accounts.data !== undefined && accounts.data.length > 0
  const actions = hasSome && (
    <>
      <ButtonLink href={to('transfer')} kind="primary">
        {t.pay}
      </ButtonLink>
      <ButtonLink href={to('accountNew')}>{texts().account.openNew}</ButtonLink>
    </>
  )
  return (
    <Screen title={t.title(me.value?.givenName ?? '')} actions={actions}>
      {hasSome && <Attention accounts={accounts.data ?? []} entries={entries} />}
      <Section title={t.accounts}>
        <Loaded of={accounts} lines={5}>
          {(items) => (items.length === 0 ? <NoAccount /> : <Accounts accounts={items} />)}
        </Loaded>
      </Section>
      {hasSome && <Newest accounts={accounts.data ?? []} entries={entries} />}
    </Screen>
  )
}
