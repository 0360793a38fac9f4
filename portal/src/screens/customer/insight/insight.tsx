// What an account has spent in a month beside the month before: by kind and by shop, drawn and as
// tables with the same amounts.
import { useActedAccount } from '../../../calls/own-accounts.ts'
import { useRead } from '../../../calls/call.ts'
import { AccountLink, UserText } from '../../../parts/accounts.tsx'
import { Bar } from '../../../parts/bar.tsx'
import { Empty, groupIban, type Loadable, Loaded, Screen, Section } from '../../../parts/basic.tsx'
import { Scrolling } from '../../../parts/scrolling.tsx'
import { moneyColumn, Table } from '../../../parts/table.tsx'
import { changeQuery, readQuery } from '../../../state/router.ts'
import type { Insight } from '../../../state/types.ts'
import { texts } from '../../../texts/language.ts'
import { type Currency, Money, negate, sum } from '../../../texts/money.tsx'
import { shortMonth } from '../../../texts/short-month.ts'
import { bankZoneName, formatMonth, lastMonths } from '../../../texts/time.tsx'
import { PrintButton } from '../print.tsx'
import { shopKindOf } from './shop-kinds.ts'

type Sums = Pick<Insight, 'spent' | 'spentBefore'>
type Row = Sums & { name: string; isOfUser?: boolean }

/** As many months as there are to choose from. */
const monthsShown = 6
/** A longer table scrolls in a box. */
const rowsMax = 10
/** As many bars as are seen at a glance; the table has all. */
const barsMax = 8

/** For the length of bars only. */
const larger = ({ spent, spentBefore }: Sums): number =>
  Math.max(Number(spent), Number(spentBefore))

const byLargest = (one: Sums, other: Sums): number =>
  Number(other.spent) - Number(one.spent) || Number(other.spentBefore) - Number(one.spentBefore)

const add = (all: readonly Sums[], currency: Currency): Sums => ({
  spent: sum(
    all.map(({ spent }) => spent),
    currency,
  ),
  spentBefore: sum(
    all.map(({ spentBefore }) => spentBefore),
    currency,
  ),
})

/** Categories as kinds of shops, and what was spent without a card; own transfers are apart. */
function toKinds({ categories, kinds, currency }: Insight): Row[] {
  const t = texts().insight
  const byKind = Map.groupBy(categories, ({ category }) => shopKindOf(category))
  const ofShops = [...byKind].map(([kind, all]) => {
    return { name: t.shopKinds[kind], ...add(all, currency) }
  })
  const others = kinds.flatMap(({ kind, ...sums }) =>
    kind === 'own_transfer' ? [] : { name: t.kinds[kind], ...sums },
  )
  return [...ofShops, ...others].toSorted(byLargest)
}

/** A shop may have several categories. */
function toShops({ shops, otherShops: { count, ...rest }, currency }: Insight): Row[] {
  const t = texts().insight
  const named = [...Map.groupBy(shops, ({ name }) => name)].map(([name, all]) => ({
    name: name ?? t.shopKinds.erased,
    isOfUser: name !== null,
    ...add(all, currency),
  }))
  named.sort(byLargest)
  return count === 0 ? named : [...named, { name: t.moreShops(count), ...rest }]
}

type PartProps = { of: Insight; rows: readonly Row[]; title: string }

/** A negative sum, of what came back of an earlier month, has no bar. */
const Bars = ({ of: { currency, month, monthBefore }, rows, title }: PartProps) => {
  const shown = rows.slice(0, barsMax)
  const max = Math.max(0, ...shown.map(larger))
  return (
    <figure class="column">
      <div role="img" aria-label={texts().insight.drawn(title)}>
        <dl class="bars">
          {shown.map(({ name, spent, spentBefore, isOfUser }) => (
            <div key={name}>
              <dt>{isOfUser ? <UserText>{name}</UserText> : name}</dt>
              <dd>
                <Money amount={spent} currency={currency} />
              </dd>
              <Bar value={Math.max(0, Number(spent))} max={max} />
              <Bar value={Math.max(0, Number(spentBefore))} max={max} kind="out" />
            </div>
          ))}
        </dl>
      </div>
      <figcaption>
        <ul class="legend small">
          {([month, monthBefore] as const).map((each, index) => (
            <li key={each}>
              <Bar value={1} max={1} kind={index === 0 ? 'in' : 'out'} />
              {formatMonth(each)}
            </li>
          ))}
        </ul>
      </figcaption>
    </figure>
  )
}

function Part({ of: insight, rows, title }: PartProps) {
  const t = texts().insight
  const { currency, month, monthBefore } = insight
  const money = (amount: string) => ({ amount, currency })
  const change = ({ spent, spentBefore }: Row) => sum([spent, negate(spentBefore)], currency)
  const table = (
    <Table
      caption={t.caption(bankZoneName)}
      rows={rows}
      keyOf={({ name }) => name}
      columns={[
        {
          name: t.what,
          isRowHeader: true,
          cell: ({ name, isOfUser }) => (isOfUser ? <UserText>{name}</UserText> : name),
        },
        moneyColumn<Row>(shortMonth(month), ({ spent }) => money(spent), 'end'),
        moneyColumn<Row>(shortMonth(monthBefore), ({ spentBefore }) => money(spentBefore)),
        moneyColumn<Row>(t.change, (row) => ({ ...money(change(row)), plus: true })),
      ]}
    />
  )
  return (
    <Section title={title}>
      <div class="pair">
        <Bars of={insight} rows={rows} title={title} />
        {rows.length > rowsMax ? <Scrolling name={title}>{table}</Scrolling> : table}
      </div>
    </Section>
  )
}

function Total({ of: insight }: { of: Insight }) {
  const t = texts().insight
  const { month, monthBefore, spent, spentBefore, currency, kinds } = insight
  const max = Math.max(0, larger(insight))
  const own = kinds.find(({ kind }) => kind === 'own_transfer')
  const isPresent = month === lastMonths(1)[0]
  return (
    <Section title={t.all}>
      <dl class="bars">
        <div>
          <dt>{isPresent ? t.soFar(formatMonth(month)) : formatMonth(month)}</dt>
          <dd>
            <Money amount={spent} currency={currency} />
          </dd>
          <Bar value={Math.max(0, Number(spent))} max={max} />
        </div>
        <div>
          <dt>{formatMonth(monthBefore)}</dt>
          <dd>
            <Money amount={spentBefore} currency={currency} />
          </dd>
          <Bar value={Math.max(0, Number(spentBefore))} max={max} kind="out" />
        </div>
      </dl>
      {own && <Own of={own} currency={currency} />}
      <p class="quiet small">{t.note}</p>
    </Section>
  )
}

const Own = ({ of: { spent, spentBefore }, currency }: { of: Sums; currency: Currency }) => (
  <p class="small">
    {texts().insight.own} <Money amount={spent} currency={currency} />
    {' · '}
    <Money amount={spentBefore} currency={currency} />
  </p>
)

/** Whether the bank refused months that have more entries than it sums up. */
const hasTooMany = ({ failure }: Loadable<Insight>): boolean =>
  failure?.code === 'invalid_request' && failure.fields.includes('month')

export function InsightScreen({ parameters }: { parameters: Record<string, string> }) {
  const t = texts().insight
  const accountId = parameters['accountId'] as string
  const months = lastMonths(monthsShown)
  const asked = readQuery().get('month')
  const month = months.find((each) => each === asked) ?? months[0]
  const own = useActedAccount(accountId)
  const insight = useRead<Insight>(`/accounts/${accountId}/insight?month=${month}`)
  return (
    <Screen title={texts().account.spending} actions={<PrintButton />}>
      {own.data && (
        <p class="quiet">
          <AccountLink account={own.data.account} /> · {groupIban(own.data.account.iban)}
        </p>
      )}
      <div class="choices no-print" role="group" aria-label={t.month}>
        {months.map((each) => (
          <button
            key={each}
            type="button"
            class="button"
            aria-pressed={each === month}
            onClick={() => changeQuery({ month: each })}
          >
            {shortMonth(each)}
          </button>
        ))}
      </div>
      {hasTooMany(insight) ? (
        <Empty>
          <p>{t.tooMany}</p>
        </Empty>
      ) : (
        <Loaded of={insight} lines={12}>
          {(data) =>
            data.shops.length + data.kinds.length === 0 ? (
              <Empty>
                <p>{t.nothing}</p>
              </Empty>
            ) : (
              <>
                <Total of={data} />
                <Part of={data} rows={toKinds(data)} title={t.byKind} />
                {data.shops.length > 0 && <Part of={data} rows={toShops(data)} title={t.byShop} />}
              </>
            )
          }
        </Loaded>
      )}
    </Screen>
  )
}
