// Entries of accounts by day, newest first: sign, ground and a word tell the direction.
import type { ComponentChildren } from 'preact'
import { locale, texts } from '../texts/language.ts'
import { to } from '../state/paths.ts'
import { dayMs, localDay, Time } from '../texts/time.tsx'
import { Money, sum } from '../texts/money.tsx'
import type { Account, OwnTransaction, Transaction } from '../state/types.ts'
import { accountName, UserText } from './accounts.tsx'
import { Icon } from './icon.tsx'
import { initialsOf, Row } from './row.tsx'

export const isOut = ({ amount }: Pick<Transaction, 'amount'>): boolean => amount.startsWith('-')

export const direction = (entry: Transaction): string =>
  isOut(entry) ? texts().entry.paid : texts().entry.received

/** The other side: an own account by its name; undefined where there is none to name. */
export function counterpartyName(
  { counterparty }: Transaction,
  accounts: readonly Account[],
): string | undefined {
  const own = accounts.find(({ iban }) => iban === counterparty?.iban)
  return own ? accountName(own) : (counterparty?.name ?? counterparty?.iban ?? undefined)
}

type Props = {
  entries: readonly OwnTransaction[]
  accounts: readonly Account[]
  /** The entries of one account have the balance after each. Others have the account's name. */
  isOneAccount?: boolean
  /** Days whose entries are all here: above them stands their sum. */
  isWholeDay?: (day: string) => boolean
  /** Payments that the other bank has not confirmed, by their identifiers. */
  pendingIds?: readonly string[]
  /** Where an entry leads, if anywhere; left out: to the customer's own page of it. */
  toEntry?: ToEntry
  /** What stands on top of a day, before its entries: those days are shown without entries too. */
  onTop?: ReadonlyMap<string, ComponentChildren>
}

export type ToEntry = (entry: OwnTransaction) => string | undefined

const toOwn: ToEntry = ({ accountId, id }) => to('entry', { accountId, transactionId: id })

type EntryProps = Omit<Props, 'entries' | 'isWholeDay' | 'onTop'> & { entry: OwnTransaction }

function Entry({ entry, accounts, isOneAccount, pendingIds, toEntry = toOwn }: EntryProps) {
  const t = texts().entry
  const { id, kind, reference, amount, balanceAfter, currency, createdAt, accountId } = entry
  const name = counterpartyName(entry, accounts)
  const own = isOneAccount ? undefined : accounts.find((account) => account.id === accountId)
  const notes = [
    own && accountName(own),
    name !== undefined && kind !== 'transfer' && t.kinds[kind],
    reference,
    entry.note,
  ]
  const isPending = pendingIds?.includes(id)
  const href = toEntry(entry)
  const shownName = <UserText>{name ?? t.kinds[kind]}</UserText>
  return (
    <Row
      mark={(name && initialsOf(name)) || <Icon name={isOut(entry) ? 'out' : 'in'} />}
      name={href ? <a href={href}>{shownName}</a> : shownName}
      note={
        <>
          {isPending && <strong>{t.statuses.pending} · </strong>}
          <Time at={createdAt} style="clock" />
          {notes.map((note) => (note ? [' · ', <UserText>{note}</UserText>] : null))}
        </>
      }
      end={
        <>
          <span class="unseen">{direction(entry)}</span>
          <Money amount={amount} currency={currency} signed />
        </>
      }
      endNote={
        isOneAccount && (
          <>
            <span class="unseen">{t.balanceAfter}</span>
            <Money amount={balanceAfter} currency={currency} />
          </>
        )
      }
    />
  )
}

/** `today`, `yesterday`, `Friday 20 November`; with the year where it is another one. */
function formatDayName(day: string): string {
  const today = localDay()
  const ago = (Date.parse(today) - Date.parse(day)) / dayMs
  if (ago === 0 || ago === 1) {
    return new Intl.RelativeTimeFormat(locale(), { numeric: 'auto' }).format(0 - ago, 'day')
  }
  return new Intl.DateTimeFormat(locale(), {
    weekday: 'long',
    day: 'numeric',
    month: 'long',
    ...(day.slice(0, 4) !== today.slice(0, 4) && { year: 'numeric' }),
    timeZone: 'UTC',
  }).format(new Date(day))
}

export function Entries({ entries, isWholeDay = () => false, onTop, ...shown }: Props) {
  const byDay = Map.groupBy(entries, ({ createdAt }) => localDay(createdAt))
  const extra = onTop ? [...onTop.keys()].filter((day) => !byDay.has(day)) : []
  const days = [...byDay.keys(), ...extra].toSorted().toReversed()
  return (
    <>
      {days.map((day) => {
        const ofDay = byDay.get(day) ?? []
        const currency = ofDay[0]?.currency
        const amounts = ofDay.map(({ amount }) => amount)
        return (
          <section key={day}>
            <h3 class="day">
              <span>{formatDayName(day)}</span>
              {currency && isWholeDay(day) && (
                <Money amount={sum(amounts, currency)} currency={currency} plus />
              )}
            </h3>
            <ul>
              {onTop?.get(day)}
              {ofDay.map((entry) => (
                <li key={`${entry.accountId} ${entry.id}`}>
                  <Entry entry={entry} {...shown} />
                </li>
              ))}
            </ul>
          </section>
        )
      })}
    </>
  )
}
