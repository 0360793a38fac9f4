// Connections to PostgreSQL, separate by purpose: pipelined lanes for look-ups by identifier, which
// every request waits for; lanes for handlers' reads, quick and slow; a pool for transactions.
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { release } from '../../domain/release.ts'
import type { ClientOptions } from './client.ts'
import { type Lane, openLane } from './lane.ts'
import { findHolder, type LockHolder } from './lock-holder.ts'
import { type LookupQueue, type Lookups, openLookups } from './lookup.ts'
import { connect, openPool, toDb } from './pool.ts'
import { quickFirst, quickTimeoutMs } from './quick-reads.ts'
import { openReaders } from './readers.ts'
import { sessionSettings } from './session-settings.ts'
import { openSnapshots, type Snapshot } from './snapshot.ts'
import { type Standby, watchStandby } from './standby.ts'
import { type Db, one, statement } from '../statements/statement.ts'
import { openTransactions, type Transactions } from './transaction.ts'

export type LocalAddress = {
  host: string
  port: number
  user: string
  password: string
  database: string
}

export type Address = { connectionString: string } | LocalAddress

/** An address, or a function that gives the present one: the embedded database may move. */
export type AddressSource = Address | (() => Address)

/** The role the service works as: it can neither change the schema nor rewrite the ledger. */
export const serviceRole = 'strongroom_service'

/** Tells an operator, and `strongroom migrate`, which release is connected. */
export const applicationName = `strongroom ${release}`

/** The schema all tables live in. */
export const schemaName = 'strongroom'

/**
 * The server cancels a statement shortly before the client gives up on the server. A request is
 * refused within three seconds after the database has fallen silent.
 */
const lockTimeoutMs = 1500
const statementTimeoutMs = 2000
const answerTimeoutMs = 2400
const connectTimeoutMs = 2000

/**
 * A handler's read is cut off sooner, and waits for a connection a little longer than a read may
 * take: a caller without slow reads gets a turn even while others keep all connections busy.
 */
const readTimeoutMs = 1000
const readMarginMs = 400

type Timeouts = { statementMs: number; answerMs: number }

/**
 * Connection options of one purpose. Settings travel in the start-up packet: no extra round trip.
 */
export function clientOptions(
  address: Address,
  role: string | undefined,
  timeouts: Timeouts = { statementMs: statementTimeoutMs, answerMs: answerTimeoutMs },
  more: readonly string[] = [],
): pg.ClientConfig {
  const settings = [
    `-c search_path=${schemaName}`,
    `-c statement_timeout=${timeouts.statementMs}`,
    `-c lock_timeout=${lockTimeoutMs}`,
    '-c idle_in_transaction_session_timeout=5000',
    ...sessionSettings,
    ...(role === undefined ? [] : [`-c role=${role}`]),
    ...more,
  ]
  return {
    ...address,
    options: settings.join(' '),
    application_name: applicationName,
    connectionTimeoutMillis: connectTimeoutMs,
    query_timeout: timeouts.answerMs,
    keepAlive: true,
  }
}

/**
 * One connection for a command or the start. Its end is told by the statement under way, so the
 * event of it is nothing more.
 */
export function createClient(...options: Parameters<typeof clientOptions>): pg.Client {
  const client = new pg.Client(clientOptions(...options))
  client.on('error', () => {})
  return client
}

/**
 * The database of a handler. `run` is for reads: PostgreSQL refuses there whatever writes or locks
 * rows. All changes go through `transaction()`.
 */
export interface Database extends Db, Lookups, Transactions {
  /** A look-up that finds many rows, and is cut off like a quick read: see {@link quickFirst}. */
  readonly lookupMany: Lookups['lookup']
  /** The database as it is now, for a long read of that user; on a connection of its own. */
  openSnapshot(holder: string): Promise<Snapshot>
  /**
   * Resolves with the number of migrations when the database answers; refuses with `unavailable`
   * otherwise.
   */
  ping(): Promise<number>
}

/** The database of the service itself. */
export interface ServiceDatabase extends Database {
  /** The connections of transactions, for the metrics. */
  readonly pool: pg.Pool
  /** Holds writes back while no COMMIT is confirmed. */
  readonly standby: Standby
  /** See {@link LookupQueue}. */
  readonly beforeSending: LookupQueue['beforeSending']
  /** A database for a handler, whose reads count as that caller's: see {@link quickFirst}. */
  onBehalfOf(caller: string): Database
  /**
   * The session whose lock holds up this service now. Asks on a connection that is opened for it:
   * one that is in use may itself wait for that lock. Refuses with `unavailable` within seconds.
   */
  findLockHolder(): Promise<LockHolder | undefined>
  /** A lane of the caller's own, such as for the ledger's batch writer. */
  openLane(): Lane
  close(): Promise<void>
}

const countMigrations = statement(
  'count_migrations',
  [],
  { count: 'int4' },
  'select count(*)::int4 as count from migrations',
)

/** A server that has fallen silent does not close its connections. */
const closeMsMax = 2000

const lookupLaneCount = 2
const quickLaneCount = 2
const slowLaneCount = 5
const poolSize = 8

// Lanes find rows by key. PostgreSQL takes a new table for empty, and a prepared statement that was
// planned then keeps reading all of it.
const byKeys = '-c enable_seqscan=off'
// For look-ups and batches: one generic plan serves any number of keys. PostgreSQL would plan a
// statement with few keys on each execution, which takes longer than the execution.
export const genericPlans = [
  byKeys,
  '-c plan_cache_mode=force_generic_plan',
  '-c enable_hashjoin=off',
  '-c enable_mergejoin=off',
]
const readOnly = '-c default_transaction_read_only=on'

/** Uses the lanes in turn. */
function inTurn(lanes: readonly Lane[]): Pick<Lane, 'run' | 'forTransaction'> {
  let turn = 0
  const next = () => lanes[(turn = (turn + 1) % lanes.length)] as Lane
  return {
    run: (statement, values) => next().run(statement, values),
    forTransaction: () => next().forTransaction(),
  }
}

type Options = {
  /** Null: with the rights of the login itself, for commands of the owner. */
  role?: string | null
  /** How long a statement of `run` may take. */
  readMs?: number
  /** False: a standby will do, for commands that only read. */
  needsPrimary?: boolean
}

/** Connects (lazily) to the database as the service role. */
export function openDatabase(
  source: AddressSource,
  { role = serviceRole, readMs = readTimeoutMs, needsPrimary = true }: Options = {},
): ServiceDatabase {
  const address = () => (typeof source === 'function' ? source() : source)
  const optionsFor =
    (settings: readonly string[] = [], timeouts?: Timeouts) =>
    (): ClientOptions => ({
      ...clientOptions(address(), role ?? undefined, timeouts, settings),
      needsPrimary,
    })
  const openReadLanes = (count: number, settings: readonly string[], timeouts?: Timeouts): Lane[] =>
    Array.from({ length: count }, () => openLane(optionsFor([...settings, readOnly], timeouts)))
  const longReads = { statementMs: readMs, answerMs: readMs + readMarginMs }
  const quickReads = { statementMs: quickTimeoutMs, answerMs: answerTimeoutMs }

  const lookupLanes = openReadLanes(lookupLaneCount, genericPlans)
  const quickLanes = openReadLanes(quickLaneCount, [byKeys], quickReads)
  const slowLanes = openReadLanes(slowLaneCount, [byKeys], longReads)
  // Sessions are looked up on the others: no page holds them up.
  const [pageLane] = openReadLanes(1, genericPlans, quickReads) as [Lane]
  const readers = quickFirst(inTurn(quickLanes), openReaders(slowLanes, longReads.answerMs))
  // Statements of a transaction that are sent together are one round trip.
  const pool = openPool(() => ({ ...optionsFor()(), pipeline: true }), {
    max: poolSize,
    idleTimeoutMillis: 30_000,
  })
  const snapshots = openSnapshots(optionsFor())
  const lookupLane = inTurn(lookupLanes)
  const standby = watchStandby(optionsFor(), lookupLane)
  const { beforeSending, ...lookups } = openLookups(lookupLane.forTransaction)
  const shared: Omit<Database, 'run'> = {
    ...lookups,
    lookupMany: openLookups(pageLane.forTransaction).lookup,
    ...openTransactions(pool, standby),
    openSnapshot: (holder) => snapshots.open(holder),
    async ping() {
      const client = await connect(pool)
      let isAnswered = false
      try {
        const counted = await one(toDb(client), countMigrations, [])
        isAnswered = true
        return counted?.count as number
      } finally {
        client.release(!isAnswered)
      }
    },
  }
  return {
    ...shared,
    ...readers.as('the service'),
    // Most requests read by look-ups alone: the caller's own reader is made when it is used.
    onBehalfOf: (caller) => ({
      ...shared,
      run: (statement, values) => readers.as(caller).run(statement, values),
    }),
    beforeSending,
    pool,
    standby,
    async findLockHolder() {
      const lane = openLane(optionsFor())
      try {
        return await one(lane, findHolder, [])
      } finally {
        void lane.close()
      }
    },
    openLane: () => openLane(optionsFor(genericPlans), standby.doubt),
    async close() {
      standby.close()
      const lanes = [...lookupLanes, ...quickLanes, ...slowLanes, pageLane]
      const closing = [...lanes.map((lane) => lane.close()), pool.end(), snapshots.close()]
      await Promise.race([Promise.all(closing), sleep(closeMsMax, undefined, { ref: false })])
    },
  }
}
