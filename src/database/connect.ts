// Connections to PostgreSQL, apart by purpose: pipelined lanes for look-ups by identifier, which
// every request waits for; lanes and connections for handlers' reads; a pool for transactions.
import pg from 'pg'
import { translate } from './failure.ts'
import { type Lane, openLane } from './lane.ts'
import { type Lookups, openLookups } from './lookup.ts'
import { openPool } from './pool.ts'
import { quickFirst, quickTimeoutMs } from './quick-reads.ts'
import { openReaders } from './readers.ts'
import { openSnapshots, type Snapshot } from './snapshot.ts'
import type { Db } from './statement.ts'
import { openTransactions, type Transactions } from './transaction.ts'
import { types } from './values.ts'

/** A database by the parts of its address. */
export type LocalAddress = {
  host: string
  port: number
  user: string
  password: string
  database: string
}

/** Where the database is: a URL, or the parts of one. */
export type Address = { connectionString: string } | LocalAddress

/** An address, or the way to it as it is now: the embedded database may come back elsewhere. */
export type AddressSource = Address | (() => Address)

/** The role the service works as: it can neither change the schema nor rewrite the ledger. */
export const serviceRole = 'strongroom_service'

/** The schema all tables live in. */
export const schemaName = 'strongroom'

/**
 * The server gives up on a statement a little before the client gives up on the server, and both
 * early enough that a request is refused within three seconds of the database falling silent.
 */
const lockTimeoutMs = 1500
const statementTimeoutMs = 2000
const answerTimeoutMs = 2400
const connectTimeoutMs = 2000

/**
 * A handler's read is cut off sooner, and waits for a connection a little longer than another may
 * take: a caller who does nothing slow gets a turn even while others keep all connections busy.
 */
const readTimeoutMs = 1000
const readMarginMs = 400

/**
 * Connection options of one purpose. Settings travel in the start-up packet: no extra round trip.
 */
export function clientOptions(
  address: Address,
  role: string | undefined,
  timeouts = { statementMs: statementTimeoutMs, answerMs: answerTimeoutMs },
  more: readonly string[] = [],
): pg.ClientConfig {
  const settings = [
    `-c search_path=${schemaName}`,
    `-c statement_timeout=${timeouts.statementMs}`,
    `-c lock_timeout=${lockTimeoutMs}`,
    '-c idle_in_transaction_session_timeout=5000',
    '-c timezone=UTC',
    ...(role === undefined ? [] : [`-c role=${role}`]),
    ...more,
  ]
  return {
    ...address,
    types,
    options: settings.join(' '),
    application_name: 'strongroom',
    connectionTimeoutMillis: connectTimeoutMs,
    query_timeout: timeouts.answerMs,
    keepAlive: true,
  }
}

/**
 * The database of a handler. `run` is for reads: PostgreSQL refuses there whatever writes or locks
 * rows. All changes go through `transaction()`.
 */
export interface Database extends Db, Lookups, Transactions {
  /** The database as it is now, for a long read of that user; on a connection of its own. */
  openSnapshot(holder: string): Promise<Snapshot>
  /** Resolves when the database answers; refuses with `unavailable` otherwise. */
  ping(): Promise<void>
}

/** The database of the service itself. */
export interface ServiceDatabase extends Database {
  /** The connections of transactions, for the metrics. */
  readonly pool: pg.Pool
  /** A database for a handler, whose reads count as that caller's: see {@link quickFirst}. */
  onBehalfOf(caller: string): Database
  /** A lane of the caller's own, such as for the ledger's batch writer. */
  openLane(): Lane
  close(): Promise<void>
}

const lookupLaneCount = 2
const quickLaneCount = 2
const readerCount = 6
const poolSize = 8

// A lane asks for rows by their keys. While a table is new PostgreSQL believes it to be empty, and
// keeps reading all of it for a prepared statement planned then.
const byKeys = '-c enable_seqscan=off'
const readOnly = '-c default_transaction_read_only=on'

const quickReads = { statementMs: quickTimeoutMs, answerMs: answerTimeoutMs }

const openLanes = (count: number, options: () => pg.ClientConfig): Lane[] =>
  Array.from({ length: count }, () => openLane(options))

/** Statements go to one lane after the other. */
function inTurn(lanes: readonly Lane[]): Db {
  let turn = 0
  return {
    run(statement, values) {
      turn = (turn + 1) % lanes.length
      return (lanes[turn] as Lane).run(statement, values)
    },
  }
}

/**
 * Connects (lazily) to the database as the service role.
 *
 * @param options.role null: with the rights of the login itself, for commands of the owner
 * @param options.readMs how long a statement of `run` may take
 */
export function openDatabase(
  source: AddressSource,
  { role = serviceRole, readMs = readTimeoutMs }: { role?: string | null; readMs?: number } = {},
): ServiceDatabase {
  const address = () => (typeof source === 'function' ? source() : source)
  const longReads = { statementMs: readMs, answerMs: readMs + readMarginMs }
  const as = role ?? undefined
  const options = () => clientOptions(address(), as)
  const writing = () => clientOptions(address(), as, undefined, [byKeys])
  const lookingUp = () => clientOptions(address(), as, undefined, [byKeys, readOnly])
  const quickly = () => clientOptions(address(), as, quickReads, [byKeys, readOnly])
  const reading = () => clientOptions(address(), as, longReads, [byKeys, readOnly])

  const lookupLanes = openLanes(lookupLaneCount, lookingUp)
  const quickLanes = openLanes(quickLaneCount, quickly)
  const readLanes = openLanes(readerCount, reading)
  const slowly = openReaders(readLanes, readMs + readMarginMs)
  const readers = quickFirst(inTurn(quickLanes), slowly)
  const pool = openPool(options, { max: poolSize, idleTimeoutMillis: 30_000 })
  const snapshots = openSnapshots(options)
  const shared: Omit<Database, 'run'> = {
    ...openLookups(inTurn(lookupLanes)),
    ...openTransactions(pool),
    openSnapshot: (holder) => snapshots.open(holder),
    async ping() {
      await pool.query('select 1').catch((thrown: unknown) => {
        throw translate(thrown)
      })
    },
  }
  return {
    ...shared,
    ...readers.as('the service'),
    onBehalfOf: (caller) => ({ ...shared, ...readers.as(caller) }),
    pool,
    openLane: () => openLane(writing),
    async close() {
      const lanes = [...lookupLanes, ...quickLanes, ...readLanes]
      await Promise.all(lanes.map((lane) => lane.close()))
      await Promise.all([pool.end(), snapshots.close()])
    },
  }
}
