// The entries of an account with the balance after each, and filters that are kept in the address.
import type { ComponentChildren } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import { Empty, FailureNotice, Skeleton } from '../../parts/basic.tsx'
import { Entries, type ToEntry } from '../../parts/entries.tsx'
import { Later } from '../../parts/later.tsx'
import { More } from '../../parts/list.tsx'
import { FilterForm, type Filters, useFilters } from '../../parts/filters.tsx'
import { Field } from '../../parts/field.tsx'
import { bindFields, type Errors, signError, useTyped } from '../../parts/form.tsx'
import { type Pages, usePages } from '../../calls/call.ts'
import { loadTexts, texts } from '../../texts/language.ts'
import { amountError, type Currency, parseTyped, toTyped } from '../../texts/money.tsx'
import { dayOf, dayStart, isDay, localDay, timeZoneName } from '../../texts/time.tsx'
import type { Account, Transaction } from '../../state/types.ts'
import type { FilterName } from './account/found-sum.tsx'

const names = ['from', 'to', 'text', 'minAmount', 'maxAmount'] as const

/** Days in the person's time zone; an end that is left out is open. */
function quickRanges(): Record<
  'thisMonth' | 'lastMonth' | 'days90' | 'thisYear',
  [string, string]
> {
  const [year = 0, month = 0, date = 0] = localDay().split('-').map(Number)
  return {
    thisMonth: [dayOf(year, month, 1), ''],
    lastMonth: [dayOf(year, month - 1, 1), dayOf(year, month, 0)],
    days90: [dayOf(year, month, date - 89), ''],
    thisYear: [dayOf(year, 1, 1), ''],
  }
}

/** The API takes instants. Something else than a day is left to it to refuse. */
function toPath(
  accountId: string,
  { from, to, text, ...others }: Record<FilterName, string>,
): string {
  const query = Object.entries({
    from: isDay(from) ? dayStart(from) : from,
    to: isDay(to) ? new Date(Date.parse(dayStart(to, 1)) - 1).toISOString() : to,
    ...others,
    // An amount is searched without the sign of its currency.
    text: text.replace(/\p{Sc}/gu, '').trim() || text,
  }).filter(([, value]) => value !== '')
  return `/accounts/${accountId}/transactions?${new URLSearchParams([['limit', '25'], ...query])}`
}

function QuickRanges({ of: filters }: { of: Filters<FilterName> }) {
  const t = texts().account
  const { from, to } = filters.applied
  const ranges = [['all', ['', '']], ...Object.entries(quickRanges())] as [
    'all' | keyof ReturnType<typeof quickRanges>,
    [string, string],
  ][]
  return (
    <div class="choices" role="group" aria-label={t.period}>
      {ranges.map(([name, [first, last]]) => (
        <button
          key={name}
          type="button"
          class="button"
          aria-pressed={first === from && last === to}
          onClick={() => filters.apply({ from: first, to: last })}
        >
          {t.ranges[name]}
        </button>
      ))}
    </div>
  )
}

type FieldsProps = { filters: Filters<FilterName>; currency: Currency; refused: Errors }

/** Amounts are in the address as the API takes them, and are typed as the person writes them. */
function FilterFields({ filters, currency, refused }: FieldsProps) {
  const t = texts().account
  const { minAmount, maxAmount } = filters.applied
  const [amounts, setAmounts] = useTyped({ minAmount: '', maxAmount: '' })
  const [own, setOwn] = useState<Errors>({})
  useEffect(() => {
    setAmounts({ minAmount: toTyped(minAmount, currency), maxAmount: toTyped(maxAmount, currency) })
    setOwn({})
  }, [minAmount, maxAmount])
  useEffect(() => {
    if (Object.keys(own).length === 0) return
    document.querySelector<HTMLElement>('.filters [aria-invalid=true]')?.focus()
  }, [own])
  function apply(): void {
    const parse = (typed: string) => (typed.trim() === '' ? '' : parseTyped(typed, currency))
    const [min, max] = [parse(amounts.minAmount), parse(amounts.maxAmount)]
    setOwn({
      ...(min === undefined && { minAmount: amountError(amounts.minAmount, currency) }),
      ...(max === undefined && { maxAmount: amountError(amounts.maxAmount, currency) }),
    })
    if (min !== undefined && max !== undefined) {
      filters.apply({ minAmount: min, maxAmount: max })
    }
  }
  const errors = { ...refused, ...own }
  const field = bindFields(filters.typed, filters.type, errors)
  const day = (name: 'from' | 'to') => (
    <Field
      {...field(name)}
      label={t[name]}
      type="date"
      value={isDay(filters.typed[name]) ? filters.typed[name] : ''}
    />
  )
  const amount = (name: 'minAmount' | 'maxAmount') => (
    <Field {...bindFields(amounts, setAmounts, errors)(name)} label={t[name]} inputMode="decimal" />
  )
  return (
    <FilterForm
      of={filters}
      onApply={apply}
      isUnfolded={Object.values(errors).some((error) => error !== undefined)}
      search={<Field {...field('text')} label={t.text} type="search" maxLength={140} isBare />}
    >
      <QuickRanges of={filters} />
      {day('from')}
      {day('to')}
      {amount('minAmount')}
      {amount('maxAmount')}
    </FilterForm>
  )
}

async function loadSum() {
  const [{ FoundSum }] = await Promise.all([
    import('./account/found-sum.tsx'),
    loadTexts('filtered'),
  ])
  return FoundSum
}

type DayTops = ReadonlyMap<string, ComponentChildren>
const nothing: DayTops = new Map()
const useNothing = () => nothing

type FoundProps = {
  path: string
  pages: Pages<Transaction>
  account: Account
  accounts: readonly Account[]
  applied: Record<FilterName, string>
  pendingIds?: readonly string[]
  toEntry?: ToEntry
  /** What to say while there is no entry. */
  none?: string
  /** What stands on top of days besides, where all entries are shown; `oldest`: the last day. */
  useTops?: (isWanted: boolean, oldest: string | undefined) => DayTops
}

function Found({
  path,
  pages,
  account,
  applied,
  none,
  useTops = useNothing,
  ...shown
}: FoundProps) {
  const t = texts()
  const { data: items } = pages
  const isFiltered = Object.values(applied).some((value) => value !== '')
  const last = pages.more && localDay(items?.at(-1)?.createdAt)
  const tops = useTops(!isFiltered, last)
  if (!items) return <Skeleton lines={8} />
  const { text, minAmount, maxAmount } = applied
  const oldest = items.at(-1)?.createdAt
  // More of the oldest day may follow.
  const isWholeDay = (day: string) =>
    text + minAmount + maxAmount === '' && (!pages.more || day !== localDay(oldest))
  if (items.length === 0 && tops.size === 0 && !isFiltered) {
    return (
      <Empty>
        <p>{none ?? t.account.noEntry}</p>
      </Empty>
    )
  }
  return (
    <>
      {isFiltered ? (
        <Later
          load={loadSum}
          with={{ path, pages, account, accounts: shown.accounts, applied }}
          isQuiet
          key={path}
        />
      ) : (
        <p class="unseen" role="status">
          {t.account.shown(items.length, pages.more !== undefined)}
        </p>
      )}
      <Entries
        entries={items.map((entry) => ({ ...entry, accountId: account.id }))}
        isOneAccount
        isWholeDay={isWholeDay}
        onTop={tops}
        {...shown}
      />
      {items.length > 0 && <p class="quiet small pad">{t.account.caption(timeZoneName())}</p>}
    </>
  )
}

export function History({ account, ...shown }: Omit<FoundProps, 'path' | 'pages' | 'applied'>) {
  const t = texts().account
  const filters = useFilters(names)
  const path = toPath(account.id, filters.applied)
  const pages = usePages<Transaction>(path)
  const { failure } = pages
  const isRefused = failure?.code === 'invalid_request'
  const wrong: Errors = {
    from: t.wrongDay,
    to: t.wrongDay,
    text: signError(filters.applied.text) ?? texts().form.badText,
    minAmount: amountError(filters.applied.minAmount, account.currency),
    maxAmount: amountError(filters.applied.maxAmount, account.currency),
  }
  const refused = Object.fromEntries(
    (isRefused ? failure.fields : []).map((field) => [field, wrong[field]]),
  )
  return (
    <section class="card list wide">
      <h2 class="unseen">{t.history}</h2>
      <FilterFields filters={filters} currency={account.currency} refused={refused} />
      {failure && <FailureNotice failure={failure} {...(!isRefused && { again: pages.again })} />}
      {!(failure && pages.data === undefined) && (
        <Found path={path} pages={pages} account={account} applied={filters.applied} {...shown} />
      )}
      <More of={pages} />
    </section>
  )
}
