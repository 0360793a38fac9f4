// An account as staff see it. Administrators change it, unless it is an account of their own.
import { useState } from 'preact/hooks'
import { AccountStatus, BlockNotice, nameOf, UserText } from '../../parts/accounts.tsx'
import {
  ButtonLink,
  Copyable,
  Facts,
  groupIban,
  Iban,
  Loaded,
  Notice,
  Screen,
  Section,
} from '../../parts/basic.tsx'
import type { ToEntry } from '../../parts/entries.tsx'
import { Fold } from '../../parts/fold.tsx'
import { Later } from '../../parts/later.tsx'
import { useRead } from '../../calls/call.ts'
import { loadTexts, type TextFile, texts } from '../../texts/language.ts'
import { formatMoney, Money } from '../../texts/money.tsx'
import { to } from '../../state/paths.ts'
import { isAdmin, isCustomer, me } from '../../calls/session.ts'
import { Time } from '../../texts/time.tsx'
import { bic } from '../../state/bank.ts'
import type { NumberedAccount as Account, List, Transfer, User } from '../../state/types.ts'
import { FrozenSince } from '../common/frozen.tsx'
import { Freezing } from './freezing.tsx'
import { History } from '../customer/history.tsx'
import { Settings } from './settings.tsx'

/** Staff see an entry as the transfer that it is a part of. */
const toTransfer: ToEntry = ({ id }) => to('staffTransfer', { transferId: id })

type Props = { account: Account; again: () => void }

/** A part of the screen that is loaded when it is needed, with its texts. */
const withTexts = <P,>(part: Promise<P>, file: TextFile): Promise<P> =>
  Promise.all([part, loadTexts(file)]).then(([loaded]) => loaded)

const loadHolds = async () => (await withTexts(import('./holds.tsx'), 'holds')).Holds
const loadBlocks = async () => (await withTexts(import('./account/blocks.tsx'), 'blocks')).Blocks
const loadNotes = async () => (await withTexts(import('./people/notes.tsx'), 'people')).Notes
const loadFormerEntries = async () =>
  (await withTexts(import('../customer/account/former-entries.tsx'), 'holds')).StaffFormerEntries
const loadCards = async () => (await withTexts(import('./cards.tsx'), 'cards')).Cards
const loadCardPayments = async () => (await withTexts(import('./cards.tsx'), 'cards')).CardPayments
const loadOrders = async () => (await withTexts(import('./orders.tsx'), 'orders')).Orders

function Details({ account }: Pick<Props, 'account'>) {
  const t = texts().staffAccount
  const { id } = account
  return (
    <Section title={t.details}>
      {account.status === 'frozen' && <FrozenSince accountId={id} />}
      <BlockNotice of={account} />
      <Facts
        rows={[
          ['IBAN', <Iban iban={account.iban} />],
          ['BIC', bic && <span class="code">{bic}</span>],
          [t.name, account.name && <UserText>{account.name}</UserText>],
          [t.opened, <Time at={account.createdAt} style="date" />],
          [t.id, <Copyable text={id} name={t.id} />],
          [t.externalId, account.externalId && <UserText>{account.externalId}</UserText>],
          [
            t.audit,
            isAdmin() ? <a href={`${to('audit')}?target=${id}`}>{t.showAudit}</a> : undefined,
          ],
        ]}
      />
    </Section>
  )
}

/** What a caller asks first: it stands above the entries. */
function HeldBy({ of: { ownerId, available, held, currency } }: { of: Account }) {
  const t = texts().account
  const { data } = useRead<User>(`/admin/users/${ownerId}`)
  const money = (amount: string) => formatMoney(amount, currency)
  return (
    <p class="quiet">
      <a href={to('staffCustomer', { userId: ownerId })}>
        <UserText>{data ? nameOf(data) : texts().staffAccount.showHolder}</UserText>
      </a>
      {` · ${t.available(money(available))}`}
      {Number(held) > 0 && ` · ${t.reserved(money(held))}`}
    </p>
  )
}

function Own({ account }: Pick<Props, 'account'>) {
  const t = texts().staffAccount
  return (
    <Notice kind="warning">
      <p>{t.own}</p>
      {isCustomer() && account.status !== 'closed' && (
        <a href={to('account', { accountId: account.id })}>{t.asCustomer}</a>
      )}
    </Notice>
  )
}

const isOwn = ({ ownerId }: Account): boolean => ownerId === me.value?.id
const mayChange = (account: Account): boolean =>
  isAdmin() && !isOwn(account) && account.status !== 'closed'

function AccountDetails({ account, again }: Props) {
  const t = texts().staffAccount
  const pending = useRead<List<Transfer>>(
    `/transfers?accountId=${account.id}&status=pending&limit=100`,
  )
  const isOpen = account.status !== 'closed'
  return (
    <>
      {isAdmin() && isOwn(account) && <Own account={account} />}
      {!isOpen && <Notice>{t.closed}</Notice>}
      <div class="split">
        <div class="wide column">
          <History
            account={account}
            accounts={[]}
            toEntry={toTransfer}
            none={t.noEntry}
            pendingIds={pending.data?.items.map(({ id }) => id) ?? []}
          />
          {isOpen && (
            <>
              <Fold title={texts().account.cardPayments}>
                <Later load={loadCardPayments} with={{ account }} />
              </Fold>
              <Fold title={texts().nav.orders}>
                <Later load={loadOrders} with={{ account }} />
              </Fold>
            </>
          )}
          <Fold title={t.formerEntries}>
            <Later load={loadFormerEntries} with={{ accountId: account.id }} />
          </Fold>
        </div>
        <div class="column">
          <Details account={account} />
          {!isOwn(account) && (
            <>
              <Later
                load={loadBlocks}
                with={{ account, mayChange: mayChange(account), onChanged: again }}
              />
              <Later load={loadNotes} with={{ path: `/admin/accounts/${account.id}` }} />
            </>
          )}
          {isOpen && (
            <>
              <Settings account={account} mayChange={mayChange(account)} onChanged={again} />
              <Later
                load={loadHolds}
                with={{ account, mayChange: mayChange(account), onChanged: again }}
              />
              <Later load={loadCards} with={{ account, mayChange: mayChange(account) }} />
            </>
          )}
        </div>
      </div>
    </>
  )
}

function Actions({ account, onChanged }: { account: Account; onChanged: (told: string) => void }) {
  const t = texts().cash
  const { id: accountId, status } = account
  return (
    <>
      <ButtonLink href={to('deposit', { accountId })}>{t.deposit.title}</ButtonLink>
      {status === 'active' && (
        <ButtonLink href={to('withdrawal', { accountId })}>{t.withdrawal.title}</ButtonLink>
      )}
      <ButtonLink href={to('staffPosting', { accountId })}>{texts().staffAccount.book}</ButtonLink>
      <Freezing account={account} onChanged={onChanged} />
    </>
  )
}

export function StaffAccount({ parameters }: { parameters: Record<string, string> }) {
  const t = texts().staffAccount
  const read = useRead<Account>(`/admin/accounts/${parameters['accountId']}`)
  const [told, setTold] = useState<string>()
  const { data: account, again } = read
  function tell(done: string): void {
    setTold(done)
    again()
  }
  return (
    <Screen
      title={account ? t.title(groupIban(account.iban)) : t.account}
      aside={account && <AccountStatus of={account} />}
      lead={
        account && (
          <>
            <p class="amount-large">
              <Money amount={account.balance} currency={account.currency} />
            </p>
            <HeldBy of={account} />
          </>
        )
      }
      actions={account && mayChange(account) && <Actions account={account} onChanged={tell} />}
    >
      {told && <Notice kind="good">{told}</Notice>}
      <Loaded of={read} lines={10}>
        {(loaded) => <AccountDetails account={loaded} again={again} />}
      </Loaded>
    </Screen>
  )
}
