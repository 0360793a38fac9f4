// All accounts of the customer with their balances, what needs attention, and the newest entries.
import type { ComponentChildren } from 'preact'
import { useRef } from 'preact/hooks'
import { AccountLink, FrozenBadge } from '../../parts/accounts.tsx'
import { useAccounts } from '../../calls/own-accounts.ts'
import { byUse, newestEntries } from '../../calls/usual-account.ts'
import { Badge, ButtonLink, Empty, groupIban, Loaded, Screen, Section } from '../../parts/basic.tsx'
import { Entries } from '../../parts/entries.tsx'
import { Icon } from '../../parts/icon.tsx'
import { Menu } from '../../parts/menu.tsx'
import { Later } from '../../parts/later.tsx'
import { type ShownCode, textOfWord } from '../../../../languages/words.ts'
import { type Read, useRead } from '../../calls/call.ts'
import { loadTexts, texts } from '../../texts/language.ts'
import { hasMembers } from '../../state/bank.ts'
import { Money, sum } from '../../texts/money.tsx'
import { to } from '../../state/paths.ts'
import { me } from '../../calls/session.ts'
import { formatDay, timeZoneName } from '../../texts/time.tsx'
import { useTodo } from '../common/todo.tsx'
import { NoAccount } from './account-choice.tsx'
import { loadAside } from './beside/aside-later.ts'
import type { Account, List, OwnTransaction, OwnUpcomingRuns, Transfer } from '../../state/types.ts'

type PartProps = {
  accounts: readonly Account[]
  entries: Read<List<OwnTransaction>>
  pending: Read<List<Transfer>>
}

/** As many as are seen at a glance; the others are folded. */
const accountsShown = 6

const AccountCards = ({ of: accounts }: { of: readonly Account[] }) => (
  <ul class="accounts">
    {accounts.map((account) => (
      <li key={account.id}>
        <h3>
          <AccountLink account={account} /> <FrozenBadge of={account} />
        </h3>
        <p class="amount-large">
          <Money amount={account.balance} currency={account.currency} />
        </p>
        <p class="quiet small code">{groupIban(account.iban)}</p>
      </li>
    ))}
  </ul>
)

/** The accounts, the most used one first. */
function Accounts({ of: inOrder }: { of: readonly Account[] }) {
  const t = texts().home
  const more = inOrder.slice(accountsShown)
  const groups = [...Map.groupBy(inOrder, ({ currency }) => currency)]
  const byCurrency = groups.toSorted(([one], [other]) => (one < other ? -1 : 1))
  return (
    <section class="card-part">
      <h2 class="unseen">{t.accounts}</h2>
      <AccountCards of={inOrder.slice(0, accountsShown)} />
      {more.length > 0 && (
        <details>
          <summary>{t.moreAccounts(more.length)}</summary>
          <AccountCards of={more} />
        </details>
      )}
      {inOrder.length > 1 && (
        <dl class="totals small">
          {byCurrency.map(([currency, ofCurrency]) => (
            <div key={currency}>
              <dt class="quiet">{t.total(currency)}</dt>
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
    </section>
  )
}

/** How many entries are shown. */
const newestMax = 5

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

type Troubled = OwnUpcomingRuns['troubled'][number]

/** An order that waits for the person. */
function TroubledOrder({ of: order }: { of: Troubled }) {
  const { errors, home: t } = texts()
  const { accountId, amount, because, currency, dueOn, payee, refusal } = order
  const reason = refusal && textOfWord(errors, refusal as ShownCode, errors.invalid_request)
  return (
    <Matter
      name={<a href={`${to('orders')}?account=${accountId}`}>{payee?.name ?? t.order}</a>}
      word={t.orderStates[because]}
      kind={because === 'refused' ? 'bad' : 'warning'}
      text={[dueOn && formatDay(dueOn), reason ?? t.order].filter(Boolean).join(' · ')}
      amount={amount}
      currency={currency}
    />
  )
}

type AttentionProps = Pick<PartProps, 'accounts'> & { orders: readonly Troubled[] }

function Attention({ accounts, orders }: AttentionProps) {
  const { errors, home: t } = texts()
  const todo = useTodo()
  const frozen = accounts.filter(({ status }) => status === 'frozen')
  const blocked = accounts.filter((account) => account.blocked.debits || account.blocked.credits)
  const overdrawn = accounts.filter(
    ({ balance, overdrawnSince }) => overdrawnSince || balance.startsWith('-'),
  )
  if (orders.length + todo.length + frozen.length + blocked.length + overdrawn.length === 0)
    return null
  const nameOf = (account: Account) => <AccountLink account={account} />
  return (
    <Section title={texts().todo.title}>
      <ul class="rows">
        {todo}
        {orders.map((order) => (
          <TroubledOrder key={order.orderId} of={order} />
        ))}
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
        {blocked.map((account) => (
          <Matter
            key={`${account.id} blocked`}
            name={nameOf(account)}
            word={t.blocked}
            kind="warning"
            text={errors[account.blocked.debits ? 'debits_blocked' : 'credits_blocked']}
            currency={account.currency}
          />
        ))}
        {overdrawn.map((account) => (
          <Matter
            key={account.id}
            name={nameOf(account)}
            word={t.overdrawn}
            kind="bad"
            text={account.overdrawnSince ? t.lackingText : t.overdrawnText}
            amount={account.overdrawnSince ? account.available : account.balance}
            currency={account.currency}
          />
        ))}
      </ul>
    </Section>
  )
}

function Newest({ accounts, entries, pending }: PartProps) {
  const t = texts()
  return (
    <section class="card list wide">
      <div class="heading">
        <h2>{t.home.newest}</h2>
      </div>
      <Loaded of={entries} lines={5}>
        {({ items }) =>
          items.length === 0 ? (
            <Empty>
              <p>{t.account.noEntry}</p>
            </Empty>
          ) : (
            <>
              <Entries
                entries={items.slice(0, newestMax)}
                accounts={accounts}
                pendingIds={pending.data?.items.map(({ id }) => id) ?? []}
              />
              <p class="quiet small pad">{t.common.timesIn(timeZoneName())}</p>
            </>
          )
        }
      </Loaded>
    </section>
  )
}

async function loadShared() {
  const [{ SharedAccounts }] = await Promise.all([
    import('./members/shared-accounts.tsx'),
    loadTexts('members'),
  ])
  return SharedAccounts
}

export function Home() {
  const t = texts().home
  const accounts = useAccounts()
  // More than are shown: they name the payees of pending payments as well.
  const entries = useRead<List<OwnTransaction>>(newestEntries)
  const pending = useRead<List<Transfer>>('/transfers?status=pending&limit=100')
  // Behind the balances, which it is not to delay.
  const orders = useRead<OwnUpcomingRuns>(accounts.data && '/orders/upcoming')
  // Until then it is not known which account comes first, and none is to move under a finger.
  const isSettled = entries.data !== undefined || entries.failure !== undefined
  const hasSome = accounts.data !== undefined && accounts.data.length > 0
  const parts = { accounts: accounts.data ?? [], entries, pending }
  // Newer entries move no account.
  const firstEntries = useRef<List<OwnTransaction> | undefined>(undefined)
  firstEntries.current ??= entries.data
  const inOrder = byUse(parts.accounts, firstEntries.current)
  const busiest = entries.data && inOrder[0]
  const actions = hasSome && (
    <>
      <ButtonLink href={to('transfer')} kind="primary">
        <Icon name="transfer" />
        {t.pay}
      </ButtonLink>
      <Menu>
        <ButtonLink href={to('accountNew')}>{texts().account.openNew}</ButtonLink>
      </Menu>
    </>
  )
  return (
    <Screen title={t.title(me.value?.givenName ?? '')} actions={actions}>
      <Loaded of={{ ...accounts, data: isSettled ? accounts.data : undefined }} lines={5}>
        {(items) => (items.length === 0 ? <NoAccount /> : <Accounts of={inOrder} />)}
      </Loaded>
      {hasMembers && <Later load={loadShared} with={{}} />}
      {hasSome && (
        <div class="split">
          <Attention accounts={parts.accounts} orders={orders.data?.troubled ?? []} />
          <Newest {...parts} />
          {busiest && (
            <Later
              load={loadAside}
              with={{
                of: busiest,
                hasName: parts.accounts.length > 1,
                accounts: parts.accounts,
                coming: { runs: orders.data?.runs },
              }}
            />
          )}
        </div>
      )}
    </Screen>
  )
}
