// What the metrics show of the parts of a service: each value is one that its part has at hand, or
// was read in the background. A scrape sends no statement.
import type { Config } from '../config/config.ts'
import type { Renewal } from '../http/listeners/tls.ts'
import type { Exporter } from '../telemetry/otlp.ts'
import { type Backlog, readWaiting, toReadings } from './backlog.ts'
import type { Core, Foundation } from './core.ts'

const readIntervalMs = 15_000

/** With less free, PostgreSQL may not get the next segment of its log (16 MB), and ends. */
const freeBytesMin = 16 * 1024 * 1024

/** Whether the disk of a database that the service runs itself is too full for it. */
export const lacksRoom = (
  { databaseUrl }: Pick<Config, 'databaseUrl'>,
  disk: Pick<NonNullable<Backlog['disk']>, 'freeBytes'> | undefined,
): boolean => databaseUrl === undefined && disk !== undefined && disk.freeBytes < freeBytesMin

type Measured = Foundation & {
  core: Core
  renewal: Pick<Renewal, 'expiresAt'>
  spans: Exporter | undefined
}

export type Measuring = {
  /** Reads what waits once more. Never rejects. */
  read(): Promise<void>
  stop(): void
}

/** Hands all readings to the metrics, and tells the log when faults begin and end. */
export function measure(parts: Measured): Measuring {
  const { db, clocks, log, metrics, episodes, core, renewal, spans } = parts
  const { issuer, limitStore, orders, outbox, payeeResponder, paymentLists } = core
  let errorCount = 0
  log.onFault((level) => {
    if (level === 'error') errorCount++
  })
  const watched = watchBacklog(parts)
  metrics.watchOutages(episodes.isOpen)
  metrics.watchByCurrency({ suspense_balance: watched.suspenseBalance })
  metrics.watch({
    ...watched.readings,
    database_reachable: () => Number(clocks.isReachable()),
    database_pool_connections: () => db.pool.totalCount,
    database_pool_idle: () => db.pool.idleCount,
    database_pool_waiting: () => db.pool.waitingCount,
    writes_refused: () => Number(db.standby.isAway()),
    clock_difference_seconds: () => clocks.differenceMs() / 1000,
    disk_full: () => Number(episodes.isOpen('disk')),
    certificate_expires_timestamp_seconds: renewal.expiresAt,
    log_errors_total: () => errorCount,
    mails_given_up_total: outbox.givenUpCount,
    order_runs_failed_total: orders.failedCount,
    list_lines_failed_total: paymentLists.failedCount,
    payee_checks_failed_total: payeeResponder.failedCount,
    ...(db.readStandby && {
      read_standby_used: () => Number(db.readStandby?.isUsed()),
      standby_reads_total: () => db.readStandby?.counts().answered,
      standby_reads_failed_total: () => db.readStandby?.counts().handedOver,
    }),
    ...(limitStore && {
      limit_store_reachable: () => Number(limitStore.isReachable()),
      limit_store_may_forget: () => Number(limitStore.mayForget()),
    }),
    ...(issuer && {
      issuer_reachable: () => Number(issuer.isReachable()),
      issuer_refused_total: issuer.refusedCount,
      staff_password_logins_total: issuer.byPasswordCount,
    }),
    ...(spans && { spans_dropped_total: spans.droppedCount }),
  })
  const timer = setInterval(() => void watched.read(), readIntervalMs).unref()
  void watched.read()
  return {
    read: watched.read,
    stop() {
      clearInterval(timer)
    },
  }
}

function watchBacklog(parts: Measured) {
  const { config, clock, log, episodes } = parts
  let backlog: Backlog = {}
  let wasDisabled = false
  return {
    ...toReadings(() => backlog, clock, config),
    async read(): Promise<void> {
      backlog = await readWaiting(parts)
      const { waiting, disk } = backlog
      if (lacksRoom(config, disk)) episodes.note('disk')
      const isDisabled = waiting ? (waiting.get('disabled')?.count ?? 0) > 0 : wasDisabled
      if (wasDisabled && !isDisabled) log.over('warn', {}, 'no webhook is disabled any more')
      wasDisabled = isDisabled
    },
  }
}
