// What the entries that match the filters come to, and a file of them: of all of them, also of
// those that the list does not show yet.
import { useEffect, useMemo, useState } from 'preact/hooks'
import { csvForm } from '../../../../../languages/csv.ts'
import { counterpartyName } from '../../../parts/entries.tsx'
import { Button, Empty, FailureNotice } from '../../../parts/basic.tsx'
import { type Pages, readOnce } from '../../../calls/call.ts'
import { saveFile } from '../../../calls/download.ts'
import type { Failure } from '../../../state/failure.ts'
import type { Account, List, Transaction } from '../../../state/types.ts'
import { colon, texts } from '../../../texts/language.ts'
import { formatCount, formatMoney, Money, sum, toTyped } from '../../../texts/money.tsx'
import { formatDay, localDay } from '../../../texts/time.tsx'

export type FilterName = 'from' | 'to' | 'text' | 'minAmount' | 'maxAmount'

type Entries = readonly Transaction[]

/** What a person waits for, and a twentieth of the reads of an hour. */
const pagesMax = 50
const pageMax = 100

/** Reads all pages of a list, each as long as the API gives it; undefined: they are too many. */
async function readPages(
  path: string,
  signal: AbortSignal,
  onRead: (count: number) => void,
): Promise<Entries | undefined> {
  const longest = path.replace('limit=25', `limit=${pageMax}`)
  const items: Transaction[] = []
  let cursor: string | null = ''
  // The last page has no cursor.
  for (let turn = 0; cursor !== null; turn++) {
    if (turn === pagesMax) return undefined
    const next = cursor && `&cursor=${encodeURIComponent(cursor)}`
    const page: List<Transaction> = await readOnce(longest + next, signal)
    items.push(...page.items)
    onRead(items.length)
    cursor = page.nextCursor
  }
  return items
}

/** In the order of the list, for a spreadsheet in the language of the page. */
function toCsv(entries: Entries, { currency }: Account, accounts: readonly Account[]): string {
  const { filtered: t, entry } = texts()
  const decimal = toTyped('0.0', currency).charAt(1)
  const separator = decimal === ',' ? ';' : ','
  const { mark, text, amount, row } = csvForm({ mark: '\ufeff', separator, decimal })
  const head = [t.day, entry.time, t.kind, t.name, 'IBAN', entry.reference, entry.note]
  const names = [...head, entry.amount, t.currency, entry.balanceAfter, entry.id]
  const rows = entries.map((one) => [
    localDay(one.createdAt),
    one.createdAt,
    text(entry.kinds[one.kind]),
    text(counterpartyName(one, accounts) ?? ''),
    text(one.counterparty?.iban ?? ''),
    text(one.reference),
    text(one.note ?? ''),
    amount(one.amount),
    one.currency,
    amount(one.balanceAfter),
    one.id,
  ])
  return mark + [names, ...rows].map(row).join('')
}

/** `From 1 Jan 2026 · At least €5.00`: what is shown is also told on paper. */
function describe(
  { from, to, text, minAmount, maxAmount }: Record<FilterName, string>,
  code: string,
) {
  const { account: t, filtered } = texts()
  const parts: [string, string][] = [
    [t.from, from && formatDay(from)],
    [t.to, to && formatDay(to)],
    ['', text && filtered.quoted(text)],
    [t.minAmount, minAmount && formatMoney(minAmount, code)],
    [t.maxAmount, maxAmount && formatMoney(maxAmount, code)],
  ]
  return parts
    .flatMap(([name, value]) => (value === '' ? [] : `${name} ${value}`.trim()))
    .join(' · ')
}

type Props = {
  path: string
  pages: Pages<Transaction>
  account: Account
  accounts: readonly Account[]
  applied: Record<FilterName, string>
}

export function FoundSum({ path, pages, account, accounts, applied }: Props) {
  const { account: texted, filtered: t } = texts()
  const { currency, iban } = account
  const [read, setRead] = useState<Entries>()
  const [readCount, setReadCount] = useState<number>()
  const [failure, setFailure] = useState<Failure>()
  const [isTooLong, setTooLong] = useState(false)
  const leaving = useMemo(() => new AbortController(), [])
  useEffect(() => () => leaving.abort(), [])
  const all = pages.more ? read : pages.data
  async function readAll(): Promise<Entries | undefined> {
    if (all) return all
    setFailure(undefined)
    setReadCount(0)
    try {
      const found = await readPages(path, leaving.signal, setReadCount)
      setRead(found)
      setTooLong(!found)
      return found
    } catch (thrown) {
      if (!leaving.signal.aborted) setFailure(thrown as Failure)
      return undefined
    } finally {
      setReadCount(undefined)
    }
  }
  async function save(): Promise<void> {
    const found = await readAll()
    if (!found) return
    const file = new Blob([toCsv(found, account, accounts)], { type: 'text/csv' })
    saveFile(file, `entries-${iban.slice(-4)}-${localDay()}.csv`)
  }
  const amounts = (all ?? []).map(({ amount }) => amount)
  if (pages.data?.length === 0) {
    return (
      <Empty>
        <p>{t.noneFound(pages.more !== undefined)}</p>
      </Empty>
    )
  }
  const isBusy = readCount !== undefined
  return (
    <>
      <p class="quiet small pad" role="status">
        {texted.shown(pages.data?.length ?? 0, pages.more !== undefined)}{' '}
        <bdi dir="auto">{describe(applied, currency)}</bdi>
      </p>
      <div class="heading">
        <p role="status">
          {isBusy && t.reading(readCount)}
          {isTooLong && !isBusy && t.tooMany(formatCount(pagesMax * pageMax))}
          {all && (
            <>
              {t.sum(all.length)}
              {colon()}
              <strong>
                <Money amount={sum(amounts, currency)} currency={currency} plus />
              </strong>
            </>
          )}
        </p>
        <div class="actions no-print">
          {!all && (
            <Button isBusy={isBusy} onClick={() => void readAll()}>
              {t.addUp}
            </Button>
          )}
          <Button isBusy={isBusy} onClick={() => void save()}>
            {t.download}
          </Button>
        </div>
        {failure && <FailureNotice failure={failure} />}
      </div>
    </>
  )
}
