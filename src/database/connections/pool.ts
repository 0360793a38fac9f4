// A pool of connections that asks for the database's address anew for each of them: an embedded
// database may have moved to another socket since.
import pg from 'pg'
import { Client, type ClientOptions } from './client.ts'
import { execute } from '../statements/query.ts'
import { translate } from './failure.ts'
import { Refusal } from '../../domain/errors.ts'
import { toPostgres, runTraced } from '../../domain/trace.ts'
import type { Db } from '../statements/statement.ts'

export function openPool(options: () => ClientOptions, settings: pg.PoolConfig): pg.Pool {
  class PoolClient extends Client {
    constructor() {
      super(options())
    }
  }
  const pool = new pg.Pool({ ...options(), ...settings, Client: PoolClient })
  // Without both listeners a backend that PostgreSQL ends takes the process with it.
  pool.on('error', () => {})
  pool.on('connect', (client) => client.on('error', () => {}))
  return pool
}

/** Takes a connection of the pool. Refuses with `unavailable`, also when all stay in use. */
export async function connect(pool: pg.Pool): Promise<pg.PoolClient> {
  const isFull = (): boolean => pool.totalCount >= pool.options.max
  const wasFull = isFull()
  try {
    return await pool.connect()
  } catch (thrown) {
    // The driver has no other sign of it: an error of its own, while each connection is in use. One
    // may have ended in the moment of the time-out.
    const isInUse = !hasCode(thrown) && (isFull() || (wasFull && isOfWait(thrown)))
    throw isInUse
      ? new Refusal('unavailable', { outage: 'pool', because: thrown })
      : translate(thrown)
  }
}

/** As `pg-pool` says that none became free. */
const isOfWait = (thrown: unknown): boolean =>
  (thrown as Error).message === 'timeout exceeded when trying to connect'

const hasCode = (thrown: unknown): boolean => (thrown as { code?: unknown }).code !== undefined

/** Statements on one connection, with a transaction open or not. */
export const toDb = (client: pg.ClientBase): Db => {
  const run: Db['run'] = async (statement, values) => {
    try {
      return await execute(client, statement, values)
    } catch (thrown) {
      // The stack of the driver's error leads to its socket, this one to what asked.
      if (thrown instanceof Error) Error.captureStackTrace(thrown)
      throw translate(thrown)
    }
  }
  return {
    run: (statement, values) => runTraced(statement.name, () => run(statement, values), toPostgres),
  }
}
