// What the service measures of itself, for Prometheus. Labels are patterns of routes, limit classes
// and constants of this program, never a value that a client sent or an identifier: so metrics hold
// no personal data, and their number is bounded.
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client'
import { release } from '../domain/release.ts'
import type { LimitClass } from '../config/config.ts'
import type { ServiceDatabase } from '../database/connect.ts'
import type { LookupCounts } from '../database/lookup.ts'
import { createRequestMetrics, type Outcome } from './request-metrics.ts'

export type Metrics = {
  /** All values as they are now, in the text format of Prometheus. */
  text(): Promise<string>
  /** @param route the pattern; undefined when no route answers */
  answered(method: string, route: string | undefined, outcome: Outcome, seconds: number): void
  limited(limit: LimitClass): void
  batch(size: number): void
  transfersUnderWay: UnderWay
  hashesUnderWay: UnderWay
  /** Measured on each scrape. Called once for each part, when it is there. */
  watch(parts: Partial<Watched>): void
  /** Adds the metrics of the process: memory, processor time, event-loop lag. */
  watchProcess(): void
}

/** Work that has begun and not ended. */
export type UnderWay = { inc(): void; dec(): void }

export type Watched = {
  pool: ServiceDatabase['pool']
  standby: Pick<ServiceDatabase['standby'], 'isAway'>
  /** Sessions looked up, and the statements those look-ups shared. */
  sessionChecks(): LookupCounts
  trail: { counts(): { waiting: number; lost: number } }
  /** The store on another machine that instances count limits in. */
  limitStore: { isReachable(): boolean } | undefined
  /** Those of the exporter; undefined without tracing. */
  spans: { droppedCount(): number } | undefined
}

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

export function createMetrics(): Metrics {
  const registry = withBuildInfo(new Registry())
  const options = (name: string, help: string) => ({
    name: prefix + name,
    help,
    registers: [registry],
  })
  /** A counter that is kept elsewhere and read on each scrape. */
  const readCounter = (name: string, help: string, read: () => number) =>
    new Counter({
      ...options(name, help),
      collect() {
        this.reset()
        this.inc(read())
      },
    })
  const readGauge = (name: string, help: string, read: () => number) =>
    new Gauge({
      ...options(name, help),
      collect() {
        this.set(read())
      },
    })
  const countRequest = createRequestMetrics(registry, prefix)
  const limited = new Counter({
    ...options('rate_limited_total', 'Requests refused by a limit, by class.'),
    labelNames: ['class'],
  })
  const batches = new Histogram({
    ...options('transfer_batch_size', 'Transfers that share one database transaction.'),
    buckets: [1, 2, 4, 8, 16, 32, 64, 128, 256, 512],
  })

  return {
    text: () => registry.metrics(),
    answered(method, route, outcome, seconds) {
      // Unmatched requests get one fixed label set, so clients cannot grow cardinality.
      if (route === undefined) countRequest('none', 'none', outcome, seconds)
      else countRequest(method, route, outcome, seconds)
    },
    limited: (limit) => limited.inc({ class: limit }),
    batch: (size) => batches.observe(size),
    transfersUnderWay: new Gauge(
      options('transfers_under_way', 'Transfers waiting or being committed.'),
    ),
    hashesUnderWay: new Gauge(options('hashes_under_way', 'Passwords waiting or being hashed.')),
    watch({ pool, standby, sessionChecks: checks, trail, limitStore, spans }) {
      if (checks) {
        const asked = 'Sessions looked up in the database.'
        readCounter('session_checks_total', asked, () => checks().asked)
        const sent = 'Statements that those look-ups shared.'
        readCounter('session_check_statements_total', sent, () => checks().sent)
      }
      if (pool) {
        const open = 'Open connections of the pool.'
        readGauge('database_pool_connections', open, () => pool.totalCount)
        readGauge('database_pool_idle', 'Connections that are not in use.', () => pool.idleCount)
        readGauge('database_pool_waiting', 'Requests for a connection.', () => pool.waitingCount)
      }
      if (standby) {
        const refused = 'Whether writes are refused because no COMMIT is confirmed: 1 or 0.'
        readGauge('writes_refused', refused, () => (standby.isAway() ? 1 : 0))
      }
      if (spans) {
        const help = 'Spans that the collector did not get.'
        readCounter('spans_dropped_total', help, spans.droppedCount)
      }
      if (trail) {
        readGauge('audit_waiting', 'Audit events not yet written.', () => trail.counts().waiting)
        readGauge('audit_lost', 'Audit events that went to the log.', () => trail.counts().lost)
      }
      if (limitStore) {
        const help = 'Whether the store that instances count limits in answers: 1 or 0.'
        readGauge('limit_store_reachable', help, () => (limitStore.isReachable() ? 1 : 0))
      }
    },
    watchProcess() {
      collectDefaultMetrics({ register: registry })
      for (const name of misnamed) registry.removeSingleMetric(name)
    },
  }
}
