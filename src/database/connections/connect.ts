// Connections to PostgreSQL, separate by purpose: pipelined lanes for look-ups by identifier, which
// every request waits for; those of handlers' reads, also at a standby; a pool for transactions.
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { release } from '../../domain/release.ts'
import type { ClientOptions } from './client.ts'
import { genericPlans } from './generic-plans.ts'
import { type Lane, openLane } from './lane.ts'
import { findHolder, type LockHolder } from './lock-holder.ts'
import {
  type HandlerReads,
  inTurn,
  openHandlerReads,
  openReadLanes,
  type Timeouts,
} from './handler-reads.ts'
import { type LookupQueue, type Lookups, openLookups } from './lookup.ts'
import { connect, openPool, toDb } from './pool.ts'
import { openReadStandby, type ReadStandby, type RequestReads } from './read-standby.ts'
import { sessionSettings } from './session-settings.ts'
import type { Snapshot } from './snapshot.ts'
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
  readonly lookupMany: HandlerReads['lookupMany']
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
  /** Answers reads in the place of the primary; undefined where none is set. */
  readonly readStandby: ReadStandby | undefined
  /**
   * A database for a handler, whose reads count as that caller's: see {@link quickFirst}.
   *
   * @param reads in place of the primary's; `lookup` and transactions are always the primary's
   */
  onBehalfOf(caller: string, reads?: RequestReads): Database
  /**
   * The session whose lock holds up this service now. Asks on a connection that is opened for it:
   * one that is in use may itself wait for that lock. Refuses with `unavailable` within seconds.
   */
  findLockHolder(): Promise<LockHolder | undefined>
  /** A lane of the caller's own, such as for the ledger's batch writer. */
  openLane(planAgeMsMax?: number): Lane
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
const poolSize = 8

type Options = {
  /** Null: with the rights of the login itself, for commands of the owner. */
  role?: string | null
  /** How long a statement of `run` may take. */
  readMs?: number
  /** False: a standby will do, for commands that only read. */
  needsPrimary?: boolean
  /** Where reads of handlers may be answered in the place of the primary. */
  standby?: AddressSource | undefined
}

const resolve = (source: AddressSource): Address =>
  typeof source === 'function' ? source() : source

/** Connects (lazily) to the database as the service role. */
export function openDatabase(
  source: AddressSource,
  { role = serviceRole, readMs = readTimeoutMs, needsPrimary = true, standby }: Options = {},
): ServiceDatabase {
  const toOptions =
    (from: AddressSource, mustBePrimary: boolean) =>
    (settings: readonly string[] = [], timeouts?: Timeouts) =>
    (): ClientOptions => ({
      ...clientOptions(resolve(from), role ?? undefined, timeouts, settings),
      needsPrimary: mustBePrimary,
    })
  const optionsFor = toOptions(source, needsPrimary)
  const slow = { statementMs: readMs, answerMs: readMs + readMarginMs }
  const lookupLanes = openReadLanes(optionsFor, lookupLaneCount, genericPlans)
  const reads = openHandlerReads(optionsFor, { slow, quickAnswerMs: answerTimeoutMs })
  // Statements of a transaction that are sent together are one round trip.
  const pool = openPool(() => ({ ...optionsFor()(), pipeline: true }), {
    max: poolSize,
    idleTimeoutMillis: 30_000,
  })
  const nextLookupLane = inTurn(lookupLanes)
  const commits = watchStandby(optionsFor(), {
    run: (statement, values) => nextLookupLane().run(statement, values),
  })
  const { beforeSending, ...lookups } = openLookups(() => nextLookupLane().forTransaction())
  const readStandby =
    standby && openReadStandby(toOptions(standby, false), { slow, lookups, primary: reads })
  const shared: Omit<Database, 'run'> = {
    ...lookups,
    lookupMany: reads.lookupMany,
    ...openTransactions(pool, commits),
    openSnapshot: reads.openSnapshot,
    ping: () => ping(pool),
  }
  return {
    ...shared,
    ...reads.as('the service'),
    // Most requests read by look-ups alone: the caller's own reader is made when it is used.
    onBehalfOf: (caller, ofRequest) => ({
      ...shared,
      ...(ofRequest && {
        lookupMany: ofRequest.lookupMany,
        openSnapshot: ofRequest.openSnapshot,
      }),
      run: (statement, values) => (ofRequest ?? reads).as(caller).run(statement, values),
    }),
    beforeSending,
    pool,
    standby: commits,
    readStandby,
    async findLockHolder() {
      const lane = openLane(optionsFor())
      try {
        return await one(lane, findHolder, [])
      } finally {
        void lane.close()
      }
    },
    openLane: (planAgeMsMax) => openLane(optionsFor(genericPlans), commits.doubt, planAgeMsMax),
    async close() {
      commits.close()
      const lanes = lookupLanes.map((lane) => lane.close())
      const closing = [...lanes, reads.close(), readStandby?.close(), pool.end()]
      await Promise.race([Promise.all(closing), sleep(closeMsMax, undefined, { ref: false })])
    },
  }
}

async function ping(pool: pg.Pool): Promise<number> {
  const client = await connect(pool)
  let isAnswered = false
  try {
    const counted = await one(toDb(client), countMigrations, [])
    isAnswered = true
    return counted?.count as number
  } finally {
    client.release(!isAnswered)
  }
}
