// Statements of an account: what a period holds, and its files.
import { useState } from 'preact/hooks'
import { Facts, FailureNotice, Loaded, Notice, Screen, Section } from '../../parts/basic.tsx'
import { Field } from '../../parts/field.tsx'
import { apiBase, useRead } from '../../calls/call.ts'
import type { Failure } from '../../state/failure.ts'
import { download, formatQuery } from '../../calls/download.ts'
import { texts } from '../../texts/language.ts'
import { Money } from '../../texts/money.tsx'
import {
  bankDay,
  bankZoneName,
  dayMs,
  dayOf,
  formatDay,
  formatMonth,
  lastMonths,
} from '../../texts/time.tsx'
import { changeQuery, readQuery } from '../../state/router.ts'
import type { Account, AccountBalances } from '../../state/types.ts'
import { WithAccount } from './account-choice.tsx'
import { hasTooMany } from './charts.tsx'

const formats = { pdf: 'pdf', csv: 'csv', camt053: 'xml', json: 'json' } as const
type Format = keyof typeof formats
/** JSON has pages: a file of one page would not hold them all. The bank refuses a longer PDF. */
const entriesMax = { pdf: 10_000, csv: Infinity, camt053: Infinity, json: 1000 } as const
const periodDaysMax = 366

/** From this month back to that of the account's opening, at most two years. */
function monthsOf({ createdAt }: Account): [string, ...string[]] {
  const [last = '', ...before] = lastMonths(24)
  return [last, ...before.filter((month) => month >= bankDay(0, Date.parse(createdAt)).slice(0, 7))]
}

const lastDay = (month: string): string => {
  const [year, number] = month.split('-').map(Number) as [number, number]
  return dayOf(year, number + 1, 0)
}

type Range = { from: string; to: string }

/** What is wrong with a range, as a key of the texts. */
function findProblem({ from, to }: Range): 'noDay' | 'backwards' | 'tooLong' | undefined {
  if (!from || !to) return 'noDay'
  const days = (Date.parse(to) - Date.parse(from)) / dayMs + 1
  if (days < 1) return 'backwards'
  return days > periodDaysMax ? 'tooLong' : undefined
}

function Period({ account }: { account: Account }) {
  const t = texts().statements
  const months = monthsOf(account)
  const query = readQuery()
  const isOwn = query.get('period') === 'own'
  const month = months.find((one) => one === query.get('period')) ?? months[0]
  const own = {
    from: query.get('from') ?? `${bankDay().slice(0, 7)}-01`,
    to: query.get('to') ?? bankDay(),
  }
  const range = isOwn ? own : { from: `${month}-01`, to: lastDay(month) }
  const problem = findProblem(range)
  const day = (name: 'from' | 'to') => (
    <Field
      name={name}
      label={t[name]}
      type="date"
      value={own[name]}
      error={name === 'to' && problem ? t.problems[problem] : undefined}
      onInput={(value) => changeQuery({ ...own, [name]: value })}
    />
  )
  return (
    <>
      <Section title={t.choose}>
        <div class="filters">
          <Field
            name="period"
            label={t.period}
            value={isOwn ? 'own' : month}
            onInput={(period) => changeQuery({ period })}
            options={[
              ...months.map((one) => [one, formatMonth(one)] as const),
              ['own', t.ownRange],
            ]}
          />
          {isOwn && day('from')}
          {isOwn && day('to')}
        </div>
        <p class="quiet">{t.midnight(bankZoneName)}</p>
      </Section>
      {!problem && <Preview account={account} range={range} />}
    </>
  )
}

type FilesProps = { account: Account; range: Range }

function Files({ account, range: { from, to }, entryCount }: FilesProps & { entryCount: number }) {
  const t = texts().statements
  const path = `/accounts/${account.id}`
  const period = `from=${from}&to=${to}`
  const [loading, setLoading] = useState<Format>()
  const [failed, setFailed] = useState<{ failure: Failure; again: () => void }>()
  const [saved, setSaved] = useState('')
  async function save(format: Format, at: string, name: string): Promise<void> {
    if (loading) return
    setLoading(format)
    setFailed(undefined)
    setSaved('')
    try {
      await download(at, name)
      setSaved(t.saved(name))
    } catch (thrown) {
      const again = () => void save(format, at, name)
      setFailed({ failure: thrown as Failure, again })
    }
    setLoading(undefined)
  }
  return (
    <>
      {failed && <FailureNotice key={failed.failure.requestId} {...failed} />}
      <div class="actions">
        {(Object.keys(formats) as Format[])
          .filter((format) => entryCount <= entriesMax[format])
          .map((format) => {
            const at = `${path}/statement?${period}&${formatQuery(format)}`
            const end = account.iban.slice(-4)
            const name = `statement-${end}-${from}-${to}.${formats[format]}`
            return (
              <a
                key={format}
                class="button"
                href={apiBase + at}
                download={name}
                onClick={(event) => {
                  event.preventDefault()
                  void save(format, at, name)
                }}
              >
                {t.formats[format]}
              </a>
            )
          })}
      </div>
      {entryCount > entriesMax.json && <p class="quiet">{t.noJson}</p>}
      {entryCount > entriesMax.pdf && <p class="quiet">{t.noPdf}</p>}
      <div role="status">
        {loading && <p>{t.loading}</p>}
        {saved && <Notice kind="good">{saved}</Notice>}
      </div>
    </>
  )
}

function Preview({ account, range }: FilesProps) {
  const t = texts().statements
  const { from, to } = range
  const balances = useRead<AccountBalances>(
    `/accounts/${account.id}/balances?from=${from}&to=${to}`,
  )
  return (
    <Section title={t.holds}>
      {hasTooMany(balances) ? (
        <>
          <p>{t.tooMany}</p>
          <Files account={account} range={range} entryCount={Infinity} />
        </>
      ) : (
        <Loaded of={balances} lines={4}>
          {({ currency, openingBalance, closingBalance, entryCount }) => (
            <>
              <Facts
                rows={[
                  [t.period, t.days(formatDay(from), formatDay(to), bankZoneName)],
                  [t.entries, entryCount],
                  [t.opening, <Money amount={openingBalance} currency={currency} />],
                  [t.closing, <Money amount={closingBalance} currency={currency} />],
                ]}
              />
              <Files account={account} range={range} entryCount={entryCount} />
            </>
          )}
        </Loaded>
      )}
    </Section>
  )
}

export const Statements = () => (
  <Screen title={texts().statements.title}>
    <WithAccount>{(account) => <Period key={account.id} account={account} />}</WithAccount>
  </Screen>
)
