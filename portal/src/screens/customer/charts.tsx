// The balance over time, and money in and out per month: as charts, and as tables beside them.
import { AccountLink } from '../../parts/accounts.tsx'
import { useAccount } from '../../calls/own-accounts.ts'
import { Empty, groupIban, type Loadable, Loaded, Screen, Section } from '../../parts/basic.tsx'
import { Chart } from '../../parts/chart.tsx'
import { Scrolling } from '../../parts/scrolling.tsx'
import { moneyColumn, Table } from '../../parts/table.tsx'
import { useRead } from '../../calls/call.ts'
import { locale, texts } from '../../texts/language.ts'
import { formatMoney, negate, sum } from '../../texts/money.tsx'
import { shortMonth } from '../../texts/short-month.ts'
import { changeQuery, readQuery } from '../../state/router.ts'
import { bankDay, bankZoneName, formatDay, formatMonth, lastMonths } from '../../texts/time.tsx'
import type { AccountBalances } from '../../state/types.ts'
import { PrintButton } from './print.tsx'

type Month = { month: string; in: string; out: string; net: string }

/** Every month, also those without an entry. */
export const toMonths = ({ currency, days }: AccountBalances, months: readonly string[]): Month[] =>
  months.map((month) => {
    const ofMonth = days.filter(({ date }) => date.startsWith(month))
    const total = (pick: (day: (typeof days)[number]) => string) => sum(ofMonth.map(pick), currency)
    const [into, out] = [total((day) => day.in), total((day) => day.out)]
    return { month, in: into, out, net: sum([into, negate(out)], currency) }
  })

const shortAmount =
  (currency: string) =>
  (value: number): string =>
    new Intl.NumberFormat(locale(), {
      style: 'currency',
      currency,
      notation: 'compact',
      maximumFractionDigits: 1,
      minimumFractionDigits: 0,
    }).format(value)

type PartProps = { balances: AccountBalances; months: readonly string[] }

function BalanceChart({ balances, months }: PartProps) {
  const t = texts().charts
  const { currency, openingBalance, closingBalance, days } = balances
  const money = (amount: string) => formatMoney(amount, currency)
  const [start, end] = [Date.parse(`${months[0]}-01`), Date.parse(bankDay(1))]
  const share = (day: string) => (Date.parse(day) - start) / (end - start)
  const values = [openingBalance, ...days.map(({ balance }) => balance)]
  const numbers = values.map(Number)
  const at = (extreme: (...all: number[]) => number) =>
    money(values[numbers.indexOf(extreme(...numbers))] as string)
  const line = [...days.map(({ date }) => share(date)), 1]
  return (
    <Chart
      title={t.balance}
      description={t.balanceText(
        money(openingBalance),
        money(closingBalance),
        at(Math.min),
        at(Math.max),
      )}
      axes={{ x: t.day, y: t.balanceIn(currency) }}
      values={numbers}
      formatValue={shortAmount(currency)}
      labels={months.map((month) => ({ share: share(`${month}-01`), text: shortMonth(month) }))}
    >
      {({ x, y }) => (
        <path
          class="line"
          d={numbers
            .map((value, index) => {
              const begin = index === 0 ? `M${x(0)} ${y(value)}` : `V${y(value)}`
              return `${begin}H${x(line[index] as number)}`
            })
            .join('')}
        />
      )}
    </Chart>
  )
}

function MonthChart({ months, currency }: { months: readonly Month[]; currency: string }) {
  const t = texts().charts
  const width = 1 / months.length
  return (
    <Chart
      title={t.inAndOut}
      description={t.inAndOutText}
      axes={{ x: t.month, y: t.amountIn(currency) }}
      values={months.flatMap((month) => [Number(month.in), Number(month.out)])}
      formatValue={shortAmount(currency)}
      labels={months.map(({ month }, index) => ({
        share: (index + 0.5) * width,
        text: shortMonth(month),
      }))}
    >
      {({ x, y }) =>
        months.flatMap((month, index) =>
          (['in', 'out'] as const).map((side) => {
            const begin = x((index + (side === 'in' ? 0.15 : 0.52)) * width)
            const value = Number(month[side])
            return (
              <rect
                key={`${month.month} ${side}`}
                class={`bar-${side}`}
                x={begin}
                y={y(value)}
                width={0.33 * (x(width) - x(0))}
                height={y(0) - y(value)}
              />
            )
          }),
        )
      }
    </Chart>
  )
}

function Balance({ balances, months }: PartProps) {
  const t = texts().charts
  const { currency, days } = balances
  type Day = (typeof days)[number]
  return (
    <Section title={t.balance}>
      <div class="pair">
        <BalanceChart balances={balances} months={months} />
        <Scrolling name={t.days}>
          <Table
            caption={t.daysCaption(bankZoneName)}
            rows={days.toReversed()}
            keyOf={({ date }) => date}
            columns={[
              { name: t.day, isRowHeader: true, cell: ({ date }) => formatDay(date) },
              moneyColumn<Day>(t.in, ({ in: amount }) => ({ amount, currency })),
              moneyColumn<Day>(t.out, ({ out: amount }) => ({ amount, currency })),
              moneyColumn<Day>(
                t.balanceAfter,
                ({ balance: amount }) => ({ amount, currency }),
                'end',
              ),
            ]}
          />
        </Scrolling>
      </div>
    </Section>
  )
}

function InAndOut({ balances, months }: PartProps) {
  const t = texts().charts
  const { currency } = balances
  const rows = toMonths(balances, months)
  return (
    <Section title={t.inAndOut}>
      <div class="pair">
        <div>
          <MonthChart months={rows} currency={currency} />
          <ul class="legend">
            {(['in', 'out'] as const).map((side) => (
              <li key={side}>
                <svg viewBox="0 0 16 16" aria-hidden="true">
                  <rect class={`bar-${side}`} x="2" y="2" width="12" height="12" />
                </svg>
                {t[side]}
              </li>
            ))}
          </ul>
        </div>
        <Scrolling name={t.inAndOut}>
          <Table
            caption={t.monthsCaption(bankZoneName)}
            rows={rows.toReversed()}
            keyOf={({ month }) => month}
            columns={[
              { name: t.month, isRowHeader: true, cell: ({ month }) => formatMonth(month) },
              moneyColumn<Month>(t.in, ({ in: amount }) => ({ amount, currency })),
              moneyColumn<Month>(t.out, ({ out: amount }) => ({ amount, currency })),
              moneyColumn<Month>(t.net, ({ net: amount }) => ({ amount, currency }), 'end'),
            ]}
          />
        </Scrolling>
      </div>
    </Section>
  )
}

const spans = [3, 6, 12] as const

/** Whether the bank refused a period that has more entries than it sums up. */
export const hasTooMany = ({ failure }: Loadable<AccountBalances>): boolean =>
  failure?.code === 'invalid_request' && failure.fields.includes('to')

export function Charts({ parameters }: { parameters: Record<string, string> }) {
  const t = texts().charts
  const accountId = parameters['accountId'] as string
  const asked = Number(readQuery().get('months'))
  const span = spans.find((count) => count === asked) ?? 12
  const months = lastMonths(span).toReversed()
  const own = useAccount(accountId)
  const path = `/accounts/${accountId}/balances?from=${months[0]}-01&to=${bankDay()}`
  const balances = useRead<AccountBalances>(path)
  return (
    <Screen title={t.title} actions={<PrintButton />}>
      {own.data && (
        <p class="quiet">
          <AccountLink account={own.data.account} /> · {groupIban(own.data.account.iban)}
        </p>
      )}
      <div class="choices no-print" role="group" aria-label={t.period}>
        {spans.map((count) => (
          <button
            key={count}
            type="button"
            class="button"
            aria-pressed={count === span}
            onClick={() => changeQuery({ months: String(count) })}
          >
            {t.months(count)}
          </button>
        ))}
      </div>
      {hasTooMany(balances) ? (
        <Empty>
          <p>{t.tooMany}</p>
        </Empty>
      ) : (
        <Loaded of={balances} lines={12}>
          {(data) =>
            data.entryCount === 0 ? (
              <Section title={t.balance}>
                <Empty>
                  <p>{t.nothing(formatMoney(data.closingBalance, data.currency))}</p>
                </Empty>
              </Section>
            ) : (
              <>
                <Balance balances={data} months={months} />
                <InAndOut balances={data} months={months} />
              </>
            )
          }
        </Loaded>
      )}
    </Screen>
  )
}
