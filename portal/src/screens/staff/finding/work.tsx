// The work of staff, first on their home: what waits and since when, what was refused today, and
// the customers whom they looked at last.
import type { ComponentChildren } from 'preact'
import { type RefusedReason, textOfWord } from '../../../../../languages/words.ts'
import { Empty, Loaded, Section } from '../../../parts/basic.tsx'
import { UserText } from '../../../parts/accounts.tsx'
import { Rows } from '../../../parts/list.tsx'
import { useRead } from '../../../calls/call.ts'
import { hasFourEyes, isAdmin } from '../../../calls/session.ts'
import { to } from '../../../state/paths.ts'
import type { Overview } from '../../../state/types.ts'
import { colon, texts } from '../../../texts/language.ts'
import { formatCount, Money } from '../../../texts/money.tsx'
import { Time, timeZoneName } from '../../../texts/time.tsx'
import { lastCustomers } from './last-customers.ts'

type Work = Overview['work']

const Waiting = ({ page, name, of: since, children }: WaitingProps) => (
  <li>
    <div>
      {page ? <a href={page}>{name}</a> : name}
      {since && (
        <p class="quiet">
          {texts().today.since} <Time at={since} />
        </p>
      )}
    </div>
    <span>{children}</span>
  </li>
)
type WaitingProps = {
  page?: string | undefined
  name: string
  of?: string | null
  children: ComponentChildren
}

function Pending({ of: { day, threeDays, older, oldestSince } }: { of: Work['pending'] }) {
  const t = texts().work
  const ages = [
    [t.older, older],
    [t.threeDays, threeDays],
    [t.day, day],
  ] as const
  const shown = ages.filter(([, count]) => count > 0)
  if (shown.length === 0) return null
  return (
    <Waiting page={to('clearing')} name={texts().today.pending} of={oldestSince}>
      {shown.map(([name, count]) => `${name}${colon()}${formatCount(count)}`).join(' · ')}
    </Waiting>
  )
}

type WaitingListProps = { of: Work; disputes: Overview['disputes'] }

function WaitingList({ of: { pending, approvals, suspense }, disputes }: WaitingListProps) {
  const t = texts().work
  const isEmpty =
    pending.oldestSince === null &&
    approvals.waiting + disputes.waiting === 0 &&
    suspense.length === 0
  if (isEmpty) return <Empty>{t.nothing}</Empty>
  return (
    <ul class="rows">
      <Pending of={pending} />
      {hasFourEyes && approvals.waiting > 0 && (
        <Waiting
          page={isAdmin() ? to('approvals') : undefined}
          name={t.requests}
          of={approvals.oldestSince}
        >
          {formatCount(approvals.waiting)}
        </Waiting>
      )}
      {disputes.waiting > 0 && (
        <Waiting page={to('disputes')} name={texts().today.disputes} of={disputes.oldestSince}>
          {formatCount(disputes.waiting)}
        </Waiting>
      )}
      {suspense.map(({ currency, amount, since }) => (
        <Waiting
          key={currency}
          page={to('staffBank', { code: 'suspense', currency })}
          name={t.suspense}
          of={since}
        >
          <Money amount={amount} currency={currency} />
        </Waiting>
      ))}
    </ul>
  )
}

function RefusedOrders({ of: { count, latest } }: { of: Work['refusedOrders'] }) {
  const t = texts()
  if (count === 0) return <p class="quiet">{t.work.noRefused}</p>
  return (
    <>
      <Rows of={latest}>
        {({ accountId, target, reason, amount, currency, createdAt }) => (
          <>
            <div>
              <a href={to('staffAccount', { accountId })}>{t.found.refusedRun}</a>{' '}
              <UserText>{target ? t.found.to(target) : ''}</UserText>
              <p class="quiet">
                <Time at={createdAt} />{' '}
                <b>{textOfWord(t.found.reasons, reason as RefusedReason, t.found.otherReason)}</b>
              </p>
            </div>
            <Money amount={amount} currency={currency} />
          </>
        )}
      </Rows>
      {count > latest.length && <p class="quiet">{t.work.moreRefused(count)}</p>}
    </>
  )
}

export function Work() {
  const t = texts().work
  const read = useRead<Overview>('/admin/overview')
  const last = lastCustomers()
  return (
    <>
      <Section title={t.title}>
        <Loaded of={read} lines={4}>
          {({ work, disputes }) => <WaitingList of={work} disputes={disputes} />}
        </Loaded>
      </Section>
      {read.data && (
        <Section title={t.refused}>
          <RefusedOrders of={read.data.work.refusedOrders} />
        </Section>
      )}
      {last.length > 0 && (
        <Section title={t.last}>
          <Rows of={last}>
            {({ id, name }) => (
              <a href={to('staffCustomer', { userId: id })}>
                <UserText>{name}</UserText>
              </a>
            )}
          </Rows>
        </Section>
      )}
      <p class="quiet small">{texts().common.timesIn(timeZoneName())}</p>
    </>
  )
}
