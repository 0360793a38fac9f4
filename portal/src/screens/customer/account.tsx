// An account: what it holds and its entries; folded beside them what it is, and its settings.
import { useState } from 'preact/hooks'
import {
  AccountStatus,
  accountName,
  BlockNotice,
  canPay,
  nameOf,
  UserText,
} from '../../parts/accounts.tsx'
import { useAccount } from '../../calls/own-accounts.ts'
import { Button, ButtonLink, Facts, Iban, Loaded, Notice, Screen } from '../../parts/basic.tsx'
import { Fold } from '../../parts/fold.tsx'
import { Icon } from '../../parts/icon.tsx'
import { Later } from '../../parts/later.tsx'
import { Menu } from '../../parts/menu.tsx'
import { useRead } from '../../calls/call.ts'
import { loadTexts, texts } from '../../texts/language.ts'
import { formatMoney, Money, negate, sum } from '../../texts/money.tsx'
import { bic, hasMembers } from '../../state/bank.ts'
import { to } from '../../state/paths.ts'
import { me } from '../../calls/session.ts'
import { Time } from '../../texts/time.tsx'
import type { Account, AccountSettings, List, Transfer } from '../../state/types.ts'
import { FrozenSince } from '../common/frozen.tsx'
import { useReserved } from './account/reserved-rows.tsx'
import { loadAside } from './beside/aside-later.ts'
import { History } from './history.tsx'
import { PrintButton } from './print.tsx'

async function loadReserved() {
  const [{ Reserved }] = await Promise.all([import('./reserved.tsx'), loadTexts('holds')])
  return Reserved
}

const loadRename = () =>
  import('./account/account-rename.tsx').then(({ AccountRename }) => AccountRename)

async function loadGetPaid() {
  const [{ GetPaid }] = await Promise.all([import('./account/get-paid.tsx'), loadTexts('getPaid')])
  return GetPaid
}

async function loadLimits() {
  const [{ OwnLimits }] = await Promise.all([import('./account/limits.tsx'), loadTexts('cards')])
  return OwnLimits
}

async function loadBalanceNotice() {
  const [{ BalanceNotice }] = await Promise.all([
    import('./account/balance-notice.tsx'),
    loadTexts('notices'),
  ])
  return BalanceNotice
}

async function loadFormerEntries() {
  const [{ FormerEntries }] = await Promise.all([
    import('./account/former-entries.tsx'),
    loadTexts('holds'),
  ])
  return FormerEntries
}

async function loadMembers() {
  const [{ Members }] = await Promise.all([import('./members/members.tsx'), loadTexts('members')])
  return Members
}

/** What can be paid from it now, what of that is overdraft, and what is reserved. */
function Available({ account }: { account: Account }) {
  const { balance, available, held, currency } = account
  const t = texts().account
  const [isAsking, setAsking] = useState(false)
  const hasHeld = /[1-9]/.test(held)
  if (available === balance && !hasHeld) return null
  const free = sum([balance, negate(held)], currency)
  const overdraft = free.startsWith('-') ? available : sum([available, negate(free)], currency)
  const money = formatMoney(available, currency)
  return (
    <>
      <p class="quiet small">
        {/^[^-]*[1-9]/.test(overdraft)
          ? t.withOverdraft(money, formatMoney(overdraft, currency))
          : t.available(money)}
        {hasHeld && (
          <>
            {' · '}
            <Button kind="link" onClick={() => setAsking(true)}>
              {t.reserved(formatMoney(held, currency))}
            </Button>
          </>
        )}
      </p>
      {isAsking && (
        <Later load={loadReserved} with={{ account, onClose: () => setAsking(false) }} />
      )}
    </>
  )
}

function Details({ account }: { account: Account }) {
  const t = texts().account
  return (
    <Fold title={t.details}>
      <Facts
        rows={[
          ['IBAN', <Iban iban={account.iban} />],
          ['BIC', bic && <span class="code">{bic}</span>],
          [t.holder, me.value && <UserText>{nameOf(me.value)}</UserText>],
          [t.status, <AccountStatus of={account} />],
          [t.opened, <Time at={account.createdAt} style="date" />],
        ]}
      />
    </Fold>
  )
}

function Settings({ accountId }: { accountId: string }) {
  const t = texts()
  const settings = useRead<AccountSettings>(`/accounts/${accountId}/settings`)
  return (
    <div class="column">
      <Loaded of={settings} lines={4}>
        {({ currency, registeredPhone, dailyTransferLimit, overdraftLimit, alertsEnabled }) => (
          <Facts
            rows={[
              [t.account.phone, registeredPhone ?? t.account.noPhone],
              [
                t.account.dailyLimit,
                dailyTransferLimit === null ? (
                  t.account.noLimit
                ) : (
                  <Money amount={dailyTransferLimit} currency={currency} />
                ),
              ],
              [t.account.overdraft, <Money amount={overdraftLimit} currency={currency} />],
              [t.account.alerts, alertsEnabled ? t.account.on : t.account.off],
            ]}
          />
        )}
      </Loaded>
      <p class="quiet small">{t.account.settingsNote}</p>
      <Later load={loadLimits} with={{ accountId }} />
      <Later load={loadBalanceNotice} with={{ accountId }} />
    </div>
  )
}

type MoreProps = { accountId: string; onAsk: () => void; onRename: () => void }

function MoreOf({ accountId, onAsk, onRename }: MoreProps) {
  const t = texts().account
  return (
    <Menu>
      <ButtonLink href={to('charts', { accountId })}>{t.charts}</ButtonLink>
      <ButtonLink href={`${to('cardPayments')}?account=${accountId}`}>{t.cardPayments}</ButtonLink>
      <Button onClick={onAsk}>{t.getPaid}</Button>
      <PrintButton />
      <Button onClick={onRename}>{texts().rename.action}</Button>
      <ButtonLink href={to('accountClose', { accountId })}>{t.close}</ButtonLink>
    </Menu>
  )
}

/** What the bank stops on the account. */
const Stopped = ({ of: account }: { of: Account }) => (
  <>
    {account.status === 'frozen' && (
      <Notice kind="warning">
        {texts().account.frozenText}
        <FrozenSince accountId={account.id} />
      </Notice>
    )}
    <BlockNotice of={account} />
  </>
)

export function AccountScreen({ parameters }: { parameters: Record<string, string> }) {
  const t = texts().account
  const accountId = parameters['accountId'] as string
  const read = useAccount(accountId)
  const account = read.data?.account
  const pending = useRead<List<Transfer>>('/transfers?status=pending&limit=100')
  const [isRenaming, setRenaming] = useState(false)
  const [isAsking, setAsking] = useState(false)
  function onRenamed(): void {
    setRenaming(false)
    read.again()
  }
  const actions = account && (
    <>
      {canPay(account) && (
        <ButtonLink href={`${to('transfer')}?from=${accountId}`} kind="primary">
          <Icon name="transfer" />
          {t.pay}
        </ButtonLink>
      )}
      <ButtonLink href={`${to('statements')}?account=${accountId}`}>{t.statements}</ButtonLink>
      <MoreOf
        accountId={accountId}
        onAsk={() => setAsking(true)}
        onRename={() => setRenaming(true)}
      />
    </>
  )
  const lead = account && (
    <>
      <p class="amount-large">
        <Money amount={account.balance} currency={account.currency} />
      </p>
      <Available account={account} />
    </>
  )
  return (
    <Screen
      title={account ? accountName(account) : t.title}
      aside={account && <Iban iban={account.iban} />}
      lead={lead}
      actions={actions}
    >
      <Loaded of={read} lines={6}>
        {({ account, all }) => (
          <>
            {isRenaming && (
              <Later
                load={loadRename}
                with={{ account, onDone: onRenamed, onClose: () => setRenaming(false) }}
              />
            )}
            {isAsking && (
              <Later load={loadGetPaid} with={{ account, onClose: () => setAsking(false) }} />
            )}
            <Stopped of={account} />
            <div class="split">
              <History
                account={account}
                accounts={all}
                useTops={(isWanted, oldest) => useReserved(account, isWanted, oldest)}
                pendingIds={pending.data?.items.map(({ id }) => id) ?? []}
              />
              <Later load={loadFormerEntries} with={{ accountId }} />
              <Later load={loadAside} with={{ of: account, accounts: all }} />
              <Details account={account} />
              <Fold title={t.settings}>
                <Settings accountId={accountId} />
              </Fold>
              {hasMembers && <Later load={loadMembers} with={{ account }} />}
            </div>
          </>
        )}
      </Loaded>
    </Screen>
  )
}
