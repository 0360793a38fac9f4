// What waits in the bank, in its database and on its disk: read in the background for the metrics.
import { statfs } from 'node:fs/promises'
import type { Config } from '../config/config.ts'
import { one, type RowOf } from '../database/statements/statement.ts'
import { type Clock, rfc3339 } from '../domain/clock.ts'
import { type Currency, currencies, formatAmount } from '../domain/money.ts'
import { ownPatterns } from '../features/accounts/ibans.ts'
import { holidayRules } from '../domain/calendar/business-days.ts'
import { dueDays } from '../features/orders/sql.ts'
import { readBacklog, readServer, readSuspense } from '../features/overview/backlog-sql.ts'
import { indexedEvents } from '../features/payments/indexing.ts'
import { bankAccount } from '../ledger/rules/internal-accounts.ts'
import type { Readings } from '../telemetry/metrics.ts'
import type { Foundation } from './core.ts'

const countedMax = 10_000n

/** Entries of an account of suspense among which its oldest money is sought. */
const suspenseEntriesMax = 1000n
const suspenseAccounts = currencies.map((currency) => bankAccount('suspense', currency))

type Waiting = ReadonlyMap<string, { count: number; at: Date | null }>
type Suspense = { balances: ReadonlyMap<Currency, number>; at: Date | null }

/** A part that did not answer is undefined: nothing is known of it. */
export type Backlog = {
  waiting?: Waiting | undefined
  suspense?: Suspense | undefined
  server?: RowOf<(typeof readServer)['gives']> | undefined
  disk?: { freeBytes: number; sizeBytes: number } | undefined
}

/** Never rejects. */
export async function readWaiting({ config, db, clock, clocks }: Foundation): Promise<Backlog> {
  const now = clock.now()
  const days = clocks.days()
  const calendar = clocks.calendar().at(now)

  async function readRows(): Promise<Waiting> {
    const times = [new Date(now), new Date(now - config.sessionIdle)] as const
    const patterns = ownPatterns(config)
    const day = days.dayOf(now)
    const due = dueDays(calendar, day)
    const untilDays = holidayRules.map((rule) => due[rule])
    const about = [...times, countedMax, patterns, day, indexedEvents] as const
    const rows = await db.run(readBacklog, [...about, [...holidayRules], untilDays])
    const read: Waiting = new Map(rows.map(({ what, count, at }) => [what, { count, at }]))
    return new Map([...read, ['orders', toOrdersDue(read)]])
  }

  /** Those of each rule. A day of payment begins at its midnight in the bank's time zone. */
  function toOrdersDue(read: Waiting): { count: number; at: Date | null } {
    const parts = holidayRules.map((rule) => ({ rule, ...read.get(`orders ${rule}`) }))
    const begins = parts.flatMap(({ rule, at }) => {
      if (!at) return []
      return days.startOf(calendar.payDay(rfc3339(at.getTime()).slice(0, 10), rule))
    })
    return {
      count: parts.reduce((sum, { count = 0 }) => sum + count, 0),
      at: begins.length > 0 ? new Date(Math.min(...begins)) : null,
    }
  }

  async function readMoneyInSuspense(): Promise<Suspense> {
    const rows = await db.run(readSuspense, [suspenseAccounts, suspenseEntriesMax])
    const balances = rows.map(({ currency, balance }): [Currency, number] => [
      currency,
      Number(formatAmount(balance, currency)),
    ])
    const times = rows.flatMap(({ at }) => at?.getTime() ?? [])
    return {
      balances: new Map(balances),
      at: times.length > 0 ? new Date(Math.min(...times)) : null,
    }
  }

  async function readDisk() {
    const { bsize, bavail, blocks } = await statfs(config.dataDir)
    return { freeBytes: bavail * bsize, sizeBytes: blocks * bsize }
  }

  const [waiting, suspense, server, disk] = await Promise.all([
    readRows().catch(() => undefined),
    readMoneyInSuspense().catch(() => undefined),
    one(db, readServer, []).catch(() => undefined),
    readDisk().catch(() => undefined),
  ])
  return { waiting, suspense, server, disk }
}

/** What the metrics read of the last backlog. */
export function toReadings(backlog: () => Backlog, clock: Clock, config: Config) {
  const lastHoliday = config.holidays.dates.at(-1)
  const count = (what: string) => () => backlog().waiting?.get(what)?.count
  const at = (what: string) => () => toSeconds(backlog().waiting?.get(what)?.at)
  /** 0 where nothing waits. */
  const ageOf = (since: number | undefined): number =>
    since === undefined ? 0 : Math.max(0, clock.now() / 1000 - since)
  const age = (what: string) => () => backlog().waiting && ageOf(at(what)())
  const readings: Readings = {
    data_disk_free_bytes: () => backlog().disk?.freeBytes,
    data_disk_size_bytes: () => backlog().disk?.sizeBytes,
    mails_waiting: count('mails'),
    mail_oldest_age_seconds: age('mails'),
    webhook_deliveries_waiting: count('deliveries'),
    webhook_oldest_age_seconds: age('deliveries'),
    webhooks_disabled: count('disabled'),
    events_not_numbered: count('events'),
    sessions_live: count('sessions'),
    orders_due: count('orders'),
    order_oldest_age_seconds: age('orders'),
    lists_due: count('lists'),
    list_oldest_age_seconds: age('lists'),
    drafts_waiting: count('drafts'),
    draft_oldest_age_seconds: age('drafts'),
    payments_pending: count('pending'),
    payment_pending_oldest_age_seconds: age('pending'),
    payments_sent: count('sent'),
    payment_sent_oldest_age_seconds: age('sent'),
    suspense_oldest_age_seconds() {
      const { suspense } = backlog()
      return suspense && ageOf(toSeconds(suspense.at))
    },
    accounts_overdrawn: count('overdrawn'),
    account_overdrawn_oldest_age_seconds: age('overdrawn'),
    disputes_waiting: count('disputes'),
    dispute_oldest_age_seconds: age('disputes'),
    approvals_waiting: count('approvals'),
    approval_oldest_age_seconds: age('approvals'),
    invitations_waiting: count('invitations'),
    invitation_idle_seconds: age('invitations'),
    payment_search_oldest_age_seconds: age('search'),
    entries_without_texts: count('texts'),
    ...(lastHoliday !== undefined && {
      holidays_end_timestamp_seconds: () => Date.parse(lastHoliday) / 1000,
    }),
    years_end_timestamp_seconds: at('years'),
    ...(config.ibans === 'pool' && { ibans_left: count('ibans') }),
    verify_success_timestamp_seconds: at('verify success'),
    verify_failure_timestamp_seconds: at('verify failure'),
    verify_new_success_timestamp_seconds: at('verifyNew success'),
    verify_new_failure_timestamp_seconds: at('verifyNew failure'),
    backup_timestamp_seconds: at('finishBackup success'),
    close_day_success_timestamp_seconds: at('closeDay success'),
    close_day_failure_timestamp_seconds: at('closeDay failure'),
    archive_timestamp_seconds: () => toSeconds(backlog().server?.archivedAt),
    archive_failing: () => toNumber(backlog().server?.isArchiveFailing),
    archive_waiting_bytes: () => toNumber(backlog().server?.archiveWaiting),
    replication_slots_inactive: () => backlog().server?.slotsInactive,
    replication_slot_behind_bytes: () => toNumber(backlog().server?.slotsBehind),
    transaction_id_age: () => toNumber(backlog().server?.transactionIds),
  }
  const suspenseBalance = () => backlog().suspense?.balances ?? new Map<Currency, number>()
  return { readings, suspenseBalance }
}

const toSeconds = (at: Date | null | undefined): number | undefined =>
  at ? at.getTime() / 1000 : undefined

const toNumber = (value: bigint | boolean | null | undefined): number | undefined =>
  value === null || value === undefined ? undefined : Number(value)
