// Connections to PostgreSQL: shared pipelined lanes for single statements, a pool for transactions.
import pg from 'pg'
import { refuse } from '../errors.ts'
import { translate } from './failure.ts'
import { openSnapshots, type Snapshot } from './snapshot.ts'
import type { ColumnType, Db, ParameterType, RowOf, Statement, ValuesOf } from './statement.ts'
import { queryOf, types } from './values.ts'

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

/** The role the service works as: it can neither change the schema nor rewrite the ledger. */
export const serviceRole = 'strongroom_service'

/** The schema all tables live in. */
export const schemaName = 'strongroom'

/**
 * The server gives up on a statement a little before the client gives up on the server, and both
 * early enough that a request is refused within three seconds of the database falling silent.
 */
const lockTimeout = 1500
const statementTimeout = 2000
const answerTimeout = 2400
const connectTimeout = 2000

/**
 * Connection options of one purpose. Settings travel in the start-up packet: no extra round trip.
 */
export function clientOptions(address: Address, role: string | undefined): pg.ClientConfig {
  const settings = [
    `-c search_path=${schemaName}`,
    `-c statement_timeout=${statementTimeout}`,
    `-c lock_timeout=${lockTimeout}`,
    '-c idle_in_transaction_session_timeout=5000',
    '-c timezone=UTC',
    ...(role === undefined ? [] : [`-c role=${role}`]),
  ]
  return {
    ...address,
    types,
    options: settings.join(' '),
    application_name: 'strongroom',
    connectionTimeoutMillis: connectTimeout,
    query_timeout: answerTimeout,
    keepAlive: true,
  }
}

/**
 * One connection, held for a transaction. Once it is lost, whatever is run on it is refused: no
 * statement of a transaction ever lands on another connection, outside of it.
 */
export type Held = Db & {
  /** A statement without parameters or rows. Gives the command tag, such as `COMMIT`. */
  command(text: 'begin' | 'commit' | 'rollback'): Promise<string>
  /**
   * All that `send` runs before it returns leaves in one write. A batch costs a sixth less with it.
   */
  together<R>(send: () => R): R
}

/** One connection on which statements follow each other without waiting for answers. */
export type Lane = Db & {
  /** The connection as it is now, for `begin` … `commit`. */
  hold(): Promise<Held>
  close(): Promise<void>
}

const failFastFor = 100

/**
 * Opens a lane. It connects when first used and again after a loss; while the database is out of
 * reach its statements are refused as `unavailable`, quickly. An error in one statement does not
 * touch its neighbours.
 */
export function openLane(options: pg.ClientConfig): Lane {
  let current: Promise<pg.Client> | undefined
  let failedAt = -Infinity
  let isClosed = false

  async function hold(): Promise<Held> {
    return heldOf(await client())
  }

  function client(): Promise<pg.Client> {
    if (current) return current
    if (isClosed || performance.now() - failedAt < failFastFor) refuse('unavailable')
    const connecting = new pg.Client({ ...options, pipeline: true })
    const forget = () => {
      if (current === attempt) current = undefined
    }
    connecting.on('error', forget)
    connecting.on('end', forget)
    const attempt = connecting.connect().then(
      () => connecting,
      (thrown: unknown) => {
        failedAt = performance.now()
        forget()
        throw translate(thrown)
      },
    )
    current = attempt
    return attempt
  }

  return {
    run: async (statement, values) => (await hold()).run(statement, values),
    hold,
    async close() {
      isClosed = true
      const ending = current
      current = undefined
      await ending?.then((connected) => connected.end()).catch(() => {})
    },
  }
}

const heldOf = (client: pg.Client): Held => ({
  async run<T extends readonly ParameterType[], G extends Record<string, ColumnType>>(
    statement: Statement<T, G>,
    values: ValuesOf<T>,
  ) {
    try {
      const { rows } = await client.query<RowOf<G> & pg.QueryResultRow>(queryOf(statement, values))
      return rows
    } catch (thrown) {
      throw translate(thrown)
    }
  },
  async command(text) {
    try {
      const result = await client.query(text)
      return result.command
    } catch (thrown) {
      throw translate(thrown)
    }
  },
  together(send) {
    const { stream } = client.connection
    stream.cork()
    try {
      return send()
    } finally {
      stream.uncork()
    }
  },
})

/** The database as features see it: a {@link Db} of its own, and the way to open transactions. */
export interface Database extends Db {
  /** For `transaction()` only. */
  readonly pool: pg.Pool
  /**
   * Run by `transaction()` as the last thing before COMMIT, with what its work gave; when it fails,
   * nothing was done. The audit trail of staff's changes is written here.
   */
  readonly beforeCommit?: (tx: Db, made: unknown) => Promise<void>
  /** A lane of one's own, for the ledger's batch writer. */
  openLane(): Lane
  /** The database as it is now, for a long read of that user; on connections of its own. */
  openSnapshot(holder: string): Promise<Snapshot>
  /** Resolves when the database answers; refuses with `unavailable` otherwise. */
  ping(): Promise<void>
  close(): Promise<void>
}

const laneCount = 2
const poolSize = 8

/** Connects (lazily) to the database as the service role. */
export function openDatabase(address: Address): Database {
  const options = clientOptions(address, serviceRole)
  // A lane asks for rows by their keys. While a table is new PostgreSQL believes it to be empty,
  // and keeps reading all of it for a prepared statement planned then.
  const byKeys = { ...options, options: `${options.options} -c enable_seqscan=off` }
  const lanes = Array.from({ length: laneCount }, () => openLane(byKeys))
  const pool = new pg.Pool({ ...options, max: poolSize, idleTimeoutMillis: 30_000 })
  // Without both listeners a backend that PostgreSQL ends takes the process with it.
  pool.on('error', () => {})
  pool.on('connect', (client) => client.on('error', () => {}))
  const snapshots = openSnapshots(options)
  let turn = 0
  const nextLane = (): Lane => {
    turn = (turn + 1) % lanes.length
    return lanes[turn] as Lane
  }
  return {
    pool,
    run: (statement, values) => nextLane().run(statement, values),
    openLane: () => openLane(byKeys),
    openSnapshot: (holder) => snapshots.open(holder),
    async ping() {
      const client = await pool.connect().catch((thrown: unknown) => {
        throw translate(thrown)
      })
      try {
        await client.query('select 1')
        client.release()
      } catch (thrown) {
        client.release(true)
        throw translate(thrown)
      }
    },
    async close() {
      await Promise.all(lanes.map((lane) => lane.close()))
      await Promise.all([pool.end(), snapshots.close()])
    },
  }
}
