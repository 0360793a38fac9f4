// An account: what it is and holds, its entries, and its settings.
import { AccountStatus, accountName, nameOf, UserText } from '../../parts/accounts.tsx'
import { useAccount } from '../../calls/own-accounts.ts'
import { ButtonLink, Facts, Iban, Loaded, Notice, Screen, Section } from '../../parts/basic.tsx'
import { useRead } from '../../calls/call.ts'
import { texts } from '../../texts/language.ts'
import { Money } from '../../texts/money.tsx'
import { bic } from '../../state/bank.ts'
import { to } from '../../state/paths.ts'
import { me } from '../../calls/session.ts'
import { Time } from '../../texts/time.tsx'
import type { Account, AccountSettings } from '../../state/types.ts'
import { History } from './history.tsx'
import { PrintButton } from './print.tsx'

function Details({ account }: { account: Account }) {
  const t = texts().account
  const { balance, available, currency, status, iban, createdAt } = account
  return (
    <Section title={t.details}>
      {status === 'frozen' && <Notice kind="warning">{t.frozenText}</Notice>}
      <div>
        <p class="quiet">{t.balance}</p>
        <p class="amount-large">
          <Money amount={balance} currency={currency} />
        </p>
      </div>
      <Facts
        rows={[
          [t.available, <Money amount={available} currency={currency} />],
          ['IBAN', <Iban iban={iban} />],
          ['BIC', bic && <span class="code">{bic}</span>],
          [t.holder, me.value && <UserText>{nameOf(me.value)}</UserText>],
          [t.status, <AccountStatus of={account} />],
          [t.opened, <Time at={createdAt} style="date" />],
        ]}
      />
    </Section>
  )
}

function Settings({ accountId }: { accountId: string }) {
  const t = texts()
  const settings = useRead<AccountSettings>(`/accounts/${accountId}/settings`)
  return (
    <Section title={t.account.settings}>
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
      <p class="no-print">
        <a href={to('accountClose', { accountId })}>{t.account.close}</a>
      </p>
    </Section>
  )
}

export function AccountScreen({ parameters }: { parameters: Record<string, string> }) {
  const t = texts().account
  const accountId = parameters['accountId'] as string
  const read = useAccount(accountId)
  const account = read.data?.account
  const actions = account && (
    <>
      {account.status === 'active' && (
        <ButtonLink href={`${to('transfer')}?from=${accountId}`} kind="primary">
          {t.pay}
        </ButtonLink>
      )}
      <ButtonLink href={to('charts', { accountId })}>{t.charts}</ButtonLink>
      <ButtonLink href={`${to('statements')}?account=${accountId}`}>{t.statements}</ButtonLink>
      <PrintButton />
    </>
  )
  return (
    <Screen title={account ? accountName(account) : t.title} actions={actions}>
      <Loaded of={read} lines={6}>
        {({ account, all }) => (
          <>
            <div class="grid">
              <Details account={account} />
              <Settings accountId={accountId} />
            </div>
            <History account={account} accounts={all} />
          </>
        )}
      </Loaded>
    </Screen>
  )
}
