// The bank in a few totals, as of the moment they were read.
import type { ComponentChildren } from 'preact'
import {
  Badge,
  Button,
  ButtonLink,
  Empty,
  Loaded,
  Notice,
  Screen,
  Section,
} from '../../parts/basic.tsx'
import { Bar } from '../../parts/bar.tsx'
import { moneyColumn, Table } from '../../parts/table.tsx'
import { useRead } from '../../calls/call.ts'
import { texts } from '../../texts/language.ts'
import { formatCount } from '../../texts/money.tsx'
import { to } from '../../state/paths.ts'
import { isAdmin } from '../../calls/session.ts'
import { bankDay, Time, timeZoneName } from '../../texts/time.tsx'
import type { Overview } from '../../state/types.ts'
import { TrialBalances } from './trial-balance.tsx'

/** The service counts no further. */
const countedMax = 10_000

const shownCount = (count: number): string =>
  count < countedMax ? formatCount(count) : texts().today.orMore(formatCount(countedMax))

const Figure = ({ name, children }: { name: string; children: ComponentChildren }) => (
  <div>
    <dt class="quiet">{name}</dt>
    <dd>{children}</dd>
  </div>
)

function Figures({
  of: { currencies, users, liveSessions, overdrawn, disputes },
}: {
  of: Overview
}) {
  const t = texts().today
  const pending = currencies.reduce((sum, { pendingTransfers }) => sum + pendingTransfers, 0)
  const people = (status: 'active' | 'disabled') => (
    <a class="amount-large" href={`${to('users')}?status=${status}`}>
      {formatCount(users[status])}
    </a>
  )
  return (
    <dl class="figures">
      <Figure name={t.pending}>
        <a class="amount-large" href={to('clearing')}>
          {formatCount(pending)}
        </a>
      </Figure>
      <Figure name={t.overdrawn}>
        <a class="amount-large" href={to('overdrawn')}>
          {shownCount(overdrawn.accounts)}
        </a>
        {overdrawn.oldestSince && (
          <p class="quiet small">
            {t.since} <Time at={overdrawn.oldestSince} />
          </p>
        )}
      </Figure>
      <Figure name={t.disputes}>
        <a class="amount-large" href={to('disputes')}>
          {shownCount(disputes.waiting)}
        </a>
        {disputes.oldestSince && (
          <p class="quiet small">
            {t.since} <Time at={disputes.oldestSince} />
          </p>
        )}
      </Figure>
      <Figure name={t.sessions}>
        <span class="amount-large">{shownCount(liveSessions)}</span>
      </Figure>
      <Figure name={t.active}>{people('active')}</Figure>
      <Figure name={t.disabled}>{people('disabled')}</Figure>
    </dl>
  )
}

function Currencies({ of: { currencies } }: { of: Overview }) {
  const t = texts().today
  const max = Math.max(...currencies.map(({ openAccounts }) => openAccounts))
  if (currencies.length === 0) return <Empty>{t.noAccounts}</Empty>
  return (
    <Table
      caption={t.currenciesCaption}
      rows={currencies}
      keyOf={({ currency }) => currency}
      columns={[
        { name: t.currency, isRowHeader: true, cell: ({ currency }) => currency },
        {
          name: t.accounts,
          isNumber: true,
          cell: ({ openAccounts }) => (
            <span class="barred">
              <Bar value={openAccounts} max={max} />
              {formatCount(openAccounts)}
            </span>
          ),
        },
        moneyColumn<Overview['currencies'][number]>(
          t.balances,
          ({ customerBalance: amount, currency }) => ({ amount, currency }),
          'end',
        ),
        {
          name: t.pending,
          isNumber: true,
          place: 'desk',
          cell: ({ pendingTransfers }) => formatCount(pendingTransfers),
        },
        moneyColumn<Overview['currencies'][number]>(
          t.pendingAmount,
          ({ pendingAmount: amount, currency }) => ({
            amount,
            currency,
          }),
        ),
      ]}
    />
  )
}

function Refusals({ of: { refusals } }: { of: Overview }) {
  const t = texts().today
  const rows = (['failure', 'limited', 'forbidden'] as const).map((outcome) => ({
    outcome,
    count: refusals[outcome],
  }))
  const max = Math.max(...rows.map(({ count }) => count))
  const address = (outcome: string) => `${to('audit')}?outcome=${outcome}&from=${bankDay(-1)}`
  return (
    <Table
      caption={t.refusalsCaption}
      rows={rows}
      keyOf={({ outcome }) => outcome}
      columns={[
        {
          name: t.kind,
          isRowHeader: true,
          cell: ({ outcome }) =>
            isAdmin() ? <a href={address(outcome)}>{t.refusals[outcome]}</a> : t.refusals[outcome],
        },
        {
          name: t.count,
          isNumber: true,
          place: 'end',
          cell: ({ count }) => (
            <span class="barred">
              <Bar value={count} max={max} />
              {shownCount(count)}
            </span>
          ),
        },
      ]}
    />
  )
}

function Verification({ of: { lastVerification: last } }: { of: Overview }) {
  const t = texts().today
  if (!last) return <Notice kind="warning">{t.neverVerified}</Notice>
  const { at, isSound, eventId } = last
  return (
    <>
      <p>
        <Badge kind={isSound ? 'good' : 'bad'}>{isSound ? t.sound : t.unsound}</Badge>{' '}
        <Time at={at} />
      </p>
      <p>{isSound ? t.soundMeaning : t.unsoundMeaning}</p>
      {isAdmin() && <a href={`${to('audit')}?event=${eventId}`}>{t.toEvent}</a>}
    </>
  )
}

/** That of most accounts. */
const mainCurrency = ({ currencies }: Overview): string | undefined =>
  currencies.toSorted((one, other) => other.openAccounts - one.openAccounts)[0]?.currency

export function Today() {
  const t = texts()
  const read = useRead<Overview>('/admin/overview')
  return (
    <Screen
      title={t.today.title}
      actions={
        <Button isBusy={read.isLoading} onClick={read.again}>
          {t.today.refresh}
        </Button>
      }
    >
      <Loaded of={read} lines={12}>
        {(overview) => (
          <>
            <p class="quiet" role="status">
              {t.today.asOf} <Time at={overview.at} style="exact" />
            </p>
            <Figures of={overview} />
            <Section title={t.today.currencies}>
              <Currencies of={overview} />
            </Section>
            <Section
              title={t.trial.heading}
              actions={
                isAdmin() && (
                  <>
                    <ButtonLink href={to('postings')}>{t.trial.postings}</ButtonLink>
                    <ButtonLink href={to('bankAccountNew')}>{t.trial.add}</ButtonLink>
                  </>
                )
              }
            >
              <TrialBalances main={mainCurrency(overview)} />
            </Section>
            <div class="grid">
              <Section title={t.today.refused}>
                <Refusals of={overview} />
              </Section>
              <Section title={t.today.verification}>
                <Verification of={overview} />
              </Section>
            </div>
            <p class="quiet small">{t.common.timesIn(timeZoneName())}</p>
          </>
        )}
      </Loaded>
    </Screen>
  )
}
