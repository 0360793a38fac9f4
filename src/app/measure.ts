// What the metrics show of the parts of a service: each value is one that its part has at hand, or
// was read in the background. A scrape sends no statement.
import { statfs } from 'node:fs/promises'
import { ownPatterns } from '../features/accounts/ibans.ts'
import { readBacklog } from '../features/overview/sql.ts'
import type { Renewal } from '../http/listeners/tls.ts'
import { type Episodes, watchEpisodes } from '../telemetry/episodes.ts'
import type { Exporter } from '../telemetry/otlp.ts'
import type { Readings } from '../telemetry/metrics.ts'
import type { Core, Foundation } from './core.ts'

const readIntervalMs = 15_000
const countedMax = 10_000n

/** With less free, PostgreSQL may not get the next segment of its log (16 MB), and ends. */
const freeBytesMin = 16 * 1024 * 1024

type Backlog = ReadonlyMap<string, { count: number; at: Date | null }>
type Disk = { freeBytes: number; sizeBytes: number }

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
  const { db, clock, clocks, log, metrics, core, renewal, spans } = parts
  const { limitStore, orders, outbox } = core
  let errorCount = 0
  log.onFault((level) => {
    if (level === 'error') errorCount++
  })
  const episodes = watchEpisodes(log, clock)
  const watched = watchBacklog(parts, episodes)
  metrics.watch({
    ...watched.readings,
    database_reachable: () => Number(clocks.isReachable()),
    database_pool_connections: () => db.pool.totalCount,
    database_pool_idle: () => db.pool.idleCount,
    database_pool_waiting: () => db.pool.waitingCount,
    writes_refused: () => Number(db.standby.isAway()),
    clock_difference_seconds: () => clocks.differenceMs() / 1000,
    disk_full: () => Number(episodes.isOpen('diskFull')),
    certificate_expires_timestamp_seconds: renewal.expiresAt,
    log_errors_total: () => errorCount,
    mails_given_up_total: outbox.givenUpCount,
    order_runs_failed_total: orders.failedCount,
    ...(limitStore && {
      limit_store_reachable: () => Number(limitStore.isReachable()),
      limit_store_may_forget: () => Number(limitStore.mayForget()),
    }),
    ...(spans && { spans_dropped_total: spans.droppedCount }),
  })
  const timer = setInterval(() => void watched.read(), readIntervalMs).unref()
  void watched.read()
  return {
    read: watched.read,
    stop() {
      clearInterval(timer)
      episodes.stop()
    },
  }
}

function watchBacklog({ config, db, clock, log }: Measured, episodes: Episodes) {
  let backlog: Backlog | undefined
  let disk: Disk | undefined
  let wasDisabled = false

  async function readRows(): Promise<Backlog> {
    const now = clock.now()
    const times = [new Date(now), new Date(now - config.sessionIdle)] as const
    const rows = await db.run(readBacklog, [...times, countedMax, ownPatterns(config)])
    return new Map(rows.map(({ what, count, at }) => [what, { count, at }]))
  }

  async function readDisk(): Promise<Disk> {
    const { bsize, bavail, blocks } = await statfs(config.dataDir)
    return { freeBytes: bavail * bsize, sizeBytes: blocks * bsize }
  }

  async function read(): Promise<void> {
    // Of a database that is away nothing is known.
    backlog = await readRows().catch(() => undefined)
    disk = await readDisk().catch(() => undefined)
    const isEmbedded = config.databaseUrl === undefined
    if (isEmbedded && disk && disk.freeBytes < freeBytesMin) episodes.note('diskFull')
    const isDisabled = backlog ? (backlog.get('disabled')?.count ?? 0) > 0 : wasDisabled
    if (wasDisabled && !isDisabled) log.over('warn', {}, 'no webhook is disabled any more')
    wasDisabled = isDisabled
  }

  const count = (what: string) => () => backlog?.get(what)?.count
  const at = (what: string) => () => toSeconds(backlog?.get(what)?.at ?? undefined)
  const age = (what: string) => () => {
    if (!backlog) return undefined
    const since = at(what)()
    return since === undefined ? 0 : Math.max(0, clock.now() / 1000 - since)
  }
  const readings: Readings = {
    data_disk_free_bytes: () => disk?.freeBytes,
    data_disk_size_bytes: () => disk?.sizeBytes,
    mails_waiting: count('mails'),
    mail_oldest_age_seconds: age('mails'),
    webhook_deliveries_waiting: count('deliveries'),
    webhook_oldest_age_seconds: age('deliveries'),
    webhooks_disabled: count('disabled'),
    events_not_numbered: count('events'),
    sessions_live: count('sessions'),
    ...(config.ibans === 'pool' && { ibans_left: count('ibans') }),
    verify_success_timestamp_seconds: at('verify success'),
    verify_failure_timestamp_seconds: at('verify failure'),
    backup_timestamp_seconds: at('finishBackup success'),
  }
  return { readings, read }
}

const toSeconds = (at: Date | undefined): number | undefined => at && at.getTime() / 1000
