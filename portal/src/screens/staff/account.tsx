// An account as staff see it. Administrators change it, unless it is an account of their own.
import { useState } from 'preact/hooks'
import { AccountStatus, nameOf, UserText } from '../../parts/accounts.tsx'
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
import { useRead } from '../../calls/call.ts'
import { texts } from '../../texts/language.ts'
import { Money } from '../../texts/money.tsx'
import { to } from '../../state/paths.ts'
import { isAdmin, isCustomer, me } from '../../calls/session.ts'
import { Time } from '../../texts/time.tsx'
import { bic } from '../../state/bank.ts'
import type { Account, User } from '../../state/types.ts'
import { FrozenSince } from '../common/frozen.tsx'
import { Cards } from './cards.tsx'
import { Freezing } from './freezing.tsx'
import { History } from '../customer/history.tsx'
import { Settings } from './settings.tsx'

/** Staff see an entry as the transfer that it is a part of. */
const toTransfer: ToEntry = ({ id }) => to('staffTransfer', { transferId: id })

type Props = { account: Account; again: () => void }

function Details({ account }: Pick<Props, 'account'>) {
  const t = texts().staffAccount
  const { id, ownerId, currency } = account
  const holder = useRead<User>(`/admin/users/${ownerId}`)
  return (
    <Section title={t.details}>
      <p class="amount-large">
        <Money amount={account.balance} currency={currency} />
      </p>
      {account.status === 'frozen' && <FrozenSince accountId={id} />}
      <Facts
        rows={[
          [t.available, <Money amount={account.available} currency={currency} />],
          [t.status, <AccountStatus of={account} />],
          [
            t.holder,
            <a href={to('staffCustomer', { userId: ownerId })}>
              <UserText>{holder.data ? nameOf(holder.data) : t.showHolder}</UserText>
            </a>,
          ],
          ['IBAN', <Iban iban={account.iban} />],
          ['BIC', bic && <span class="code">{bic}</span>],
          [t.name, account.name && <UserText>{account.name}</UserText>],
          [t.opened, <Time at={account.createdAt} style="date" />],
          [t.id, <Copyable text={id} name={t.id} />],
          [
            t.audit,
            isAdmin() ? <a href={`${to('audit')}?target=${id}`}>{t.showAudit}</a> : undefined,
          ],
        ]}
      />
    </Section>
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

function AccountDetails({ account, again }: Props) {
  const t = texts()
  const { id: accountId, status } = account
  const [told, setTold] = useState<string>()
  const isOpen = status !== 'closed'
  const isOwn = account.ownerId === me.value?.id
  const mayChange = isAdmin() && !isOwn && isOpen
  return (
    <>
      {isAdmin() && isOwn && <Own account={account} />}
      {!isOpen && <Notice>{t.staffAccount.closed}</Notice>}
      {told && <Notice kind="good">{told}</Notice>}
      {mayChange && (
        <div class="actions">
          <ButtonLink href={to('deposit', { accountId })}>{t.cash.deposit.title}</ButtonLink>
          {status === 'active' && (
            <ButtonLink href={to('withdrawal', { accountId })}>
              {t.cash.withdrawal.title}
            </ButtonLink>
          )}
          <Freezing
            account={account}
            onChanged={(done) => {
              setTold(done)
              again()
            }}
          />
        </div>
      )}
      <div class="grid">
        <Details account={account} />
        {isOpen && (
          <div class="column">
            <Settings account={account} mayChange={mayChange} onChanged={again} />
            <Cards account={account} mayChange={mayChange} />
          </div>
        )}
      </div>
      <History account={account} accounts={[]} toEntry={toTransfer} none={t.staffAccount.noEntry} />
    </>
  )
}

export function StaffAccount({ parameters }: { parameters: Record<string, string> }) {
  const t = texts().staffAccount
  const read = useRead<Account>(`/admin/accounts/${parameters['accountId']}`)
  return (
    <Screen title={read.data ? t.title(groupIban(read.data.iban)) : t.account}>
      <Loaded of={read} lines={10}>
        {(account) => <AccountDetails account={account} again={read.again} />}
      </Loaded>
    </Screen>
  )
}
