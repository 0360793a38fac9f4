// What the former bank booked in an account that came from there; nothing where there is none.
import { usePages } from '../../../calls/call.ts'
import { UserText } from '../../../parts/accounts.tsx'
import { Fold } from '../../../parts/fold.tsx'
import { Icon } from '../../../parts/icon.tsx'
import { Listed, Rows } from '../../../parts/list.tsx'
import { initialsOf, Row } from '../../../parts/row.tsx'
import type { FormerEntry } from '../../../state/types.ts'
import { texts } from '../../../texts/language.ts'
import { Money } from '../../../texts/money.tsx'
import { formatDay } from '../../../texts/time.tsx'

function Entry({ entry }: { entry: FormerEntry }) {
  const { amount, currency, bookedOn, counterpartyName, counterpartyIban, reference } = entry
  const isOut = amount.startsWith('-')
  const t = texts().entry
  const direction = isOut ? t.paid : t.received
  return (
    <Row
      mark={initialsOf(counterpartyName ?? '') || <Icon name={isOut ? 'out' : 'in'} />}
      name={<UserText>{counterpartyName ?? counterpartyIban ?? direction}</UserText>}
      note={
        <>
          {formatDay(bookedOn)}
          {reference && [' · ', <UserText>{reference}</UserText>]}
        </>
      }
      end={
        <>
          <span class="unseen">{direction}</span>
          <Money amount={amount} currency={currency} signed />
        </>
      }
    />
  )
}

export function FormerEntries({ accountId }: { accountId: string }) {
  const t = texts().formerEntries
  const list = usePages<FormerEntry>(`/accounts/${accountId}/former-entries?limit=50`)
  if (!list.failure && (list.data ?? []).length === 0) return null
  return (
    <Fold title={t.title}>
      <p class="quiet">{t.note}</p>
      <Listed of={list} none={t.title}>
        {(entries) => <Rows of={entries}>{(entry) => <Entry entry={entry} />}</Rows>}
      </Listed>
    </Fold>
  )
}
