// What the service measures of itself, for Prometheus. Labels are patterns of routes, limit classes
// and constants of this program, never a value that a client sent or an identifier: so metrics hold
// no personal data, and their number is bounded.
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client'
import { release } from '../domain/release.ts'
import type { LimitClass } from '../config/config.ts'
import type { Currency } from '../domain/money.ts'
import { type ToldCause, toldCauses } from './outages.ts'
import { createRequestMetrics, type Outcome } from './request-metrics.ts'

export type Metrics = {
  /** All values as they are now, in the text format of Prometheus. */
  text(): Promise<string>
  /** @param route the pattern; undefined when no route answers */
  answered(method: string, route: string | undefined, outcome: Outcome, seconds: number): void
  limited(limit: LimitClass): void
  batch(size: number): void
  /** Connections that were closed for want of a place. */
  connectionRefused(): void
  transfersUnderWay: UnderWay
  hashesUnderWay: UnderWay
  /** Values that are read on each scrape. Called once for each part, when it is there. */
  watch(readings: Readings): void
  watchByCurrency(readings: CurrencyReadings): void
  /** Whether requests are refused for each cause, read on each scrape. */
  watchOutages(isOpen: (cause: ToldCause) => boolean): void
  /** Adds the metrics of the process: memory, processor time, event-loop lag. */
  watchProcess(): void
}

/** Work that has begun and not ended. */
export type UnderWay = { inc(): void; dec(): void }

/** What is kept elsewhere. A name that ends in `_total` is a counter, any other a gauge. */
const readings = {
  session_checks_total: 'Sessions looked up in the database.',
  session_check_statements_total: 'Statements that those look-ups shared.',
  signature_checks_total: 'Signatures of access tokens checked, since none was in the cache.',
  cache_bytes: 'Memory of the caches of checked tokens and of address ranges.',
  database_reachable: 'Whether the database answers: 1 or 0.',
  database_pool_connections: 'Open connections of the pool.',
  database_pool_idle: 'Connections that are not in use.',
  database_pool_waiting: 'Requests for a connection.',
  writes_refused: 'Whether writes are refused because no COMMIT is confirmed: 1 or 0.',
  read_standby_used: 'Whether the standby for reads answers in place of the primary: 1 or 0.',
  standby_reads_total: 'Reads that the standby for reads has answered.',
  standby_reads_failed_total: 'Reads that were sent there and answered by the primary.',
  clock_difference_seconds: "By how much this machine's clock is ahead of the database's.",
  disk_full: 'Whether the database had no room on its disk within the last minute: 1 or 0.',
  data_disk_free_bytes: 'Free on the disk of the data folder.',
  data_disk_size_bytes: 'Size of the disk of the data folder.',
  certificate_expires_timestamp_seconds: 'When the certificate in use expires.',
  spans_dropped_total: 'Spans that the collector did not get.',
  audit_waiting: 'Audit events not yet written.',
  audit_lost: 'Audit events that went to the log.',
  limit_store_reachable: 'Whether the store that instances count limits in answers: 1 or 0.',
  limit_store_may_forget: 'Whether that store may evict live limits: 1 or 0.',
  issuer_reachable: 'Whether the issuer by which staff sign in answers: 1 or 0.',
  issuer_refused_total: 'Sign-ins at the issuer, and logout tokens of it, that were refused.',
  staff_password_logins_total: 'Sessions of staff that began beside the issuer, if one is set.',
  log_errors_total: 'Log lines of the level 50.',
  mails_given_up_total: 'Mails that were given up.',
  mails_waiting: 'Mails that wait to be sent, up to 10000.',
  mail_oldest_age_seconds: 'Age of the oldest mail that waits.',
  orders_due: 'Standing orders that are due and not tried, up to 10000.',
  order_oldest_age_seconds: 'Age of the beginning of the oldest due day whose order is not tried.',
  lists_due: 'Payment lists that are ordered, due and not executed, up to 10000.',
  list_oldest_age_seconds: 'Age of the oldest of these, since its order or its day.',
  drafts_waiting: 'Payment drafts that wait for a signature, up to 10000.',
  draft_oldest_age_seconds: 'Age of the oldest of these.',
  payments_pending: 'Payments to other banks that no rail has taken, up to 10000.',
  payment_pending_oldest_age_seconds: 'Age of the oldest of these.',
  payments_sent: 'Payments that a rail has taken and not settled or returned, up to 10000.',
  payment_sent_oldest_age_seconds: 'Age of the oldest of these, from its order on.',
  suspense_oldest_age_seconds: 'Age of the oldest money in suspense.',
  accounts_overdrawn: 'Accounts in unarranged overdraft, up to 10000.',
  account_overdrawn_oldest_age_seconds: 'For how long the oldest of these is.',
  disputes_waiting: 'Disputes of card payments that wait for staff or a processor, up to 10000.',
  dispute_oldest_age_seconds: 'Since when the oldest of these waits.',
  approvals_waiting: 'Changes that wait for a second person, up to 10000.',
  approval_oldest_age_seconds: 'Age of the oldest of these.',
  invitations_waiting: 'Imported people whom no invitation was sent, up to 10000.',
  invitation_idle_seconds:
    'Time since the last invitation, or since their import, while they wait.',
  payment_search_oldest_age_seconds: 'Age of the oldest payment that staff cannot find yet.',
  entries_without_texts: 'Entries of older releases whose texts are to be filled in, up to 10000.',
  order_runs_failed_total: 'Runs of standing orders that ended without an outcome.',
  list_lines_failed_total: 'Attempts at lines of payment lists that ended without an outcome.',
  payee_checks_failed_total:
    'Questions to the responder for payees of other banks without an answer.',
  webhook_deliveries_waiting: 'Deliveries of webhooks that wait, up to 10000.',
  webhook_oldest_age_seconds: 'Age of the event of the oldest delivery that waits.',
  webhooks_disabled: 'Webhooks that the service has disabled.',
  events_not_numbered: 'Events that are committed and have no number yet, up to 10000.',
  holidays_end_timestamp_seconds:
    'The last date of the file of holidays. After it only weekends are no business days.',
  years_end_timestamp_seconds:
    'Until when each year has its part of the audit trail and of the transfers.',
  ibans_left: 'Numbers of the pool that no account has taken yet, up to 10000.',
  sessions_live: 'Sessions that are not ended, of the 10000 newest.',
  verify_success_timestamp_seconds: 'When `strongroom verify` last proved all of the books.',
  verify_failure_timestamp_seconds: 'When `strongroom verify` last found them unsound.',
  verify_new_success_timestamp_seconds: 'When `verify --only-new` last proved what is new.',
  verify_new_failure_timestamp_seconds: 'When `verify --only-new` last found it unsound.',
  backup_timestamp_seconds: 'When `strongroom backup` last ended with a backup.',
  close_day_success_timestamp_seconds: 'When `strongroom close-day` last closed a day.',
  close_day_failure_timestamp_seconds: 'When it last found that the books are not zero.',
  archive_timestamp_seconds: 'When PostgreSQL last archived a file of its log.',
  archive_failing: 'Whether the last attempt to archive one failed: 1 or 0.',
  archive_waiting_bytes: 'Log that is written and not archived.',
  replication_slots_inactive: 'Replication slots that no standby reads.',
  replication_slot_behind_bytes: 'Log that PostgreSQL keeps for the slowest replication slot.',
  transaction_id_age: 'Transactions since the oldest that is not frozen; near 2^31 writes end.',
} as const

/** The same by currency. */
const readingsByCurrency = {
  suspense_balance: 'Money in suspense, in units of the currency.',
} as const

export const readingNames = Object.keys(readings) as (keyof typeof readings)[]

export const currencyReadingNames = Object.keys(
  readingsByCurrency,
) as (keyof typeof readingsByCurrency)[]

/** Undefined where nothing is known: the metric is left out. */
type ReadingName = keyof typeof readings
type CurrencyReadingName = keyof typeof readingsByCurrency
export type Readings = Partial<Record<ReadingName, () => number | undefined>>
export type CurrencyReadings = Partial<
  Record<CurrencyReadingName, () => ReadonlyMap<Currency, number>>
>

const prefix = 'strongroom_'

/** Gauges of the library that end like counters. Their sums by type are those without `_total`. */
const misnamed = ['resources', 'handles', 'requests'].map((what) => `nodejs_active_${what}_total`)

/** Always 1: its label says which release answers. */
function withBuildInfo(registry: Registry): Registry {
  const help = 'The release of this instance.'
  const registers = [registry]
  const name = `${prefix}build_info`
  new Gauge({ name, help, labelNames: ['version'], registers }).set({ version: release }, 1)
  return registry
}

function addOutages(registry: Registry, isOpen: (cause: ToldCause) => boolean): void {
  new Gauge({
    name: `${prefix}outage`,
    help: 'Whether requests were refused within the last minute, by cause.',
    labelNames: ['cause'],
    registers: [registry],
    collect() {
      for (const cause of toldCauses) this.set({ cause }, Number(isOpen(cause)))
    },
  })
}

export function createMetrics(): Metrics {
  const registry = withBuildInfo(new Registry())
  const options = (name: string, help: string) => ({
    name: prefix + name,
    help,
    registers: [registry],
  })
  function register(name: keyof typeof readings, read: () => number | undefined): void {
    const common = options(name, readings[name])
    if (name.endsWith('_total')) {
      new Counter({
        ...common,
        collect() {
          this.reset()
          this.inc(read() ?? 0)
        },
      })
    } else {
      new Gauge({
        ...common,
        collect() {
          const value = read()
          if (value === undefined) this.remove()
          else this.set(value)
        },
      })
    }
  }
  const countRequest = createRequestMetrics(registry, prefix)
  const limited = new Counter({
    ...options('rate_limited_total', 'Requests refused by a limit, by class.'),
    labelNames: ['class'],
  })
  const batches = new Histogram({
    ...options('transfer_batch_size', 'Transfers that share one database transaction.'),
    buckets: [1, 2, 4, 8, 16, 32, 64, 128, 256, 512],
  })
  const refusedHelp = 'Connections closed because there were too many.'
  const refusedConnections = new Counter(options('connections_refused_total', refusedHelp))

  return {
    text: () => registry.metrics(),
    answered(method, route, outcome, seconds) {
      // Unmatched requests get one fixed label set, so clients cannot grow cardinality.
      if (route === undefined) countRequest('none', 'none', outcome, seconds)
      else countRequest(method, route, outcome, seconds)
    },
    limited: (limit) => limited.inc({ class: limit }),
    batch: (size) => batches.observe(size),
    connectionRefused: () => refusedConnections.inc(),
    transfersUnderWay: new Gauge(
      options('transfers_under_way', 'Transfers waiting or being committed.'),
    ),
    hashesUnderWay: new Gauge(options('hashes_under_way', 'Passwords waiting or being hashed.')),
    watch(parts) {
      for (const [name, read] of Object.entries(parts)) register(name as ReadingName, read)
    },
    watchByCurrency(parts) {
      for (const [name, read] of Object.entries(parts)) {
        const help = readingsByCurrency[name as CurrencyReadingName]
        new Gauge({
          ...options(name, help),
          labelNames: ['currency'],
          collect() {
            this.reset()
            for (const [currency, value] of read()) this.set({ currency }, value)
          },
        })
      }
    },
    watchOutages: (isOpen) => addOutages(registry, isOpen),
    watchProcess() {
      collectDefaultMetrics({ register: registry })
      for (const name of misnamed) registry.removeSingleMetric(name)
    },
  }
}
