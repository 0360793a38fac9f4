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

const useEntries = (accountId: string) =>
  usePages<FormerEntry>(`/accounts/${accountId}/former-entries?limit=50`)

type ListProps = { of: ReturnType<typeof useEntries>; note: string; none: string }

const List = ({ of: list, note, none }: ListProps) => (
  <Listed of={list} none={none}>
    {(entries) => (
      <>
        <p class="quiet">{note}</p>
        <Rows of={entries}>{(entry) => <Entry entry={entry} />}</Rows>
      </>
    )}
  </Listed>
)

export function FormerEntries({ accountId }: { accountId: string }) {
  const t = texts().formerEntries
  const list = useEntries(accountId)
  if (!list.failure && (list.data ?? []).length === 0) return null
  return (
    <Fold title={t.title}>
      <List of={list} note={t.note} none={t.none} />
    </Fold>
  )
}

/** Each look of staff is recorded, so it is read when they ask for it. */
export function StaffFormerEntries({ accountId }: { accountId: string }) {
  const t = texts().formerEntries
  return <List of={useEntries(accountId)} note={t.staffNote} none={t.none} />
}
