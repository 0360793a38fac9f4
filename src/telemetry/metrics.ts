// What the service measures of itself, for Prometheus. Labels are patterns of routes, classes and
// words of this program: nothing a client sent and nobody's identifier can become one, so there is
// nothing private in them and their number is bounded.
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client'
import type { LimitClass } from '../config/config.ts'
import type { ServiceDatabase } from '../database/connect.ts'
import type { LookupCounts } from '../database/lookup.ts'
import { answersIn } from './metrics-answers.ts'

export type Metrics = {
  registry: Registry
  /** @param route the pattern; undefined when no route answers */
  answered(method: string, route: string | undefined, status: number, seconds: number): void
  limited(limit: LimitClass): void
  batch(size: number): void
  /** The same parts, with what waits in them to be seen. */
  ledger<L extends { submit: Work }>(ledger: L): L
  passwords<P extends { hash: Work; verify: Work; renewed: Work }>(passwords: P): P
  /** Measured whenever somebody looks. */
  watch(parts: Watched): void
  /** Adds what Node.js tells of the process: memory, processor time, event-loop lag. */
  watchProcess(): void
}

type Work = (...given: never[]) => Promise<unknown>

export type Watched = {
  pool: ServiceDatabase['pool']
  /** Sessions looked up, and the statements those look-ups shared. */
  sessionChecks(): LookupCounts
  trail: { counts(): { waiting: number; lost: number } }
  /** The store on another machine that instances count limits in. */
  limitStore: { isReachable(): boolean } | undefined
}

const prefix = 'strongroom_'
const sizes = [1, 2, 4, 8, 16, 32, 64, 128, 256, 512]

export function createMetrics(): Metrics {
  const registry = new Registry()
  const registers = [registry]
  /** Counted elsewhere, and only read here. */
  const counter = (name: string, help: string, read: () => number) =>
    new Counter({
      name: prefix + name,
      help,
      registers,
      collect() {
        this.reset()
        this.inc(read())
      },
    })
  const gauge = (name: string, help: string, read: () => number) =>
    new Gauge({
      name: prefix + name,
      help,
      registers,
      collect() {
        this.set(read())
      },
    })
  const answered = answersIn(registry, prefix)
  const limited = new Counter({
    name: `${prefix}rate_limited_total`,
    help: 'Requests refused by a limit, by class.',
    labelNames: ['class'],
    registers,
  })
  const batches = new Histogram({
    name: `${prefix}transfer_batch_size`,
    help: 'Transfers that share one database transaction.',
    buckets: sizes,
    registers,
  })

  return {
    registry,
    answered,
    limited: (limit) => limited.inc({ class: limit }),
    batch: (size) => batches.observe(size),
    ledger(ledger) {
      const waiting = underWay()
      gauge('transfers_under_way', 'Transfers waiting or being committed.', waiting.count)
      return { ...ledger, submit: waiting.counted(ledger.submit) }
    },
    passwords(passwords) {
      const waiting = underWay()
      gauge('hashes_under_way', 'Passwords waiting or being hashed.', waiting.count)
      return {
        ...passwords,
        hash: waiting.counted(passwords.hash),
        verify: waiting.counted(passwords.verify),
        renewed: waiting.counted(passwords.renewed),
      }
    },
    watch({ pool, sessionChecks: checks, trail, limitStore }) {
      const shared = 'Statements those checks shared.'
      counter('session_checks_total', 'Sessions looked up in the database.', () => checks().asked)
      counter('session_check_statements_total', shared, () => checks().sent)
      gauge('database_pool_connections', 'Open connections of the pool.', () => pool.totalCount)
      gauge('database_pool_idle', 'Those that are not in use.', () => pool.idleCount)
      gauge('database_pool_waiting', 'Who waits for a connection.', () => pool.waitingCount)
      gauge('audit_waiting', 'Audit events not yet written.', () => trail.counts().waiting)
      gauge('audit_lost', 'Audit events that went to the log.', () => trail.counts().lost)
      if (limitStore) {
        const help = 'Whether the store that instances count limits in answers: 1 or 0.'
        gauge('limit_store_reachable', help, () => (limitStore.isReachable() ? 1 : 0))
      }
    },
    watchProcess: () => collectDefaultMetrics({ register: registry }),
  }
}

/** How many calls have begun and not ended. */
function underWay() {
  let count = 0
  return {
    count: () => count,
    counted:
      <A extends unknown[], R>(work: (...given: A) => Promise<R>) =>
      async (...given: A): Promise<R> => {
        count++
        try {
          return await work(...given)
        } finally {
          count--
        }
      },
  }
}
