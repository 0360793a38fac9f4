// Connections on which statements follow each other without waiting for answers.
import type pg from 'pg'
import { refuse } from '../../domain/errors.ts'
import { Client, type ClientOptions } from './client.ts'
import { commit } from './commit.ts'
import { together } from './cork.ts'
import { throwTranslated, translate } from './failure.ts'
import { toDb } from './pool.ts'
import { runCommand } from '../statements/query.ts'
import type { Db } from '../statements/statement.ts'

/**
 * One connection for the length of a transaction. Once it is lost, all statements on it are
 * refused: none runs on another connection, outside the transaction.
 */
export type Transaction = Db & {
  /** Gives the command tag, such as `COMMIT`. */
  command(text: 'begin' | 'commit' | 'rollback'): Promise<string>
  /** What `send` runs before it returns is one write. A batch costs a sixth less with it. */
  together<R>(send: () => R): R
}

/** One such connection. */
export type Lane = Db & {
  /** The connection as it is now, for `begin` … `commit`. */
  forTransaction(): Promise<Transaction>
  close(): Promise<void>
}

const failFastMs = 100

/**
 * Statements are planned anew after that. A plan that was made while a table was empty may read all
 * of it, and PostgreSQL keeps it until the table is analyzed, a minute later.
 */
const planAgeMsByDefault = 2000

/**
 * Opens a lane. It connects when first used and again after a loss. While the database is out of
 * reach, statements are refused as `unavailable` at once. A failed statement affects no others.
 *
 * @param onDoubt called when a COMMIT was not confirmed: see {@link commit}
 */
export function openLane(
  options: () => ClientOptions,
  onDoubt = () => {},
  planAgeMsMax = planAgeMsByDefault,
): Lane {
  let current: Promise<pg.Client> | undefined
  let failedAt = -Infinity
  let failure: unknown
  let plannedAt = -Infinity
  let isClosed = false

  function connect(): Promise<pg.Client> {
    if (current) return current
    if (isClosed) refuse('unavailable', { outage: 'closing', because: 'the connection is closed' })
    if (performance.now() - failedAt < failFastMs) throw failure
    const client = new Client({ ...options(), pipeline: true })
    const forget = () => {
      if (current === attempt) current = undefined
    }
    client.on('error', forget)
    client.on('end', forget)
    const attempt = client.connect().then(
      () => client,
      (thrown: unknown) => {
        failedAt = performance.now()
        failure = translate(thrown)
        forget()
        throw failure
      },
    )
    current = attempt
    plannedAt = performance.now()
    return attempt
  }

  async function connectWithFreshPlans(): Promise<pg.Client> {
    const client = await connect()
    if (performance.now() - plannedAt > planAgeMsMax) {
      plannedAt = performance.now()
      runCommand(client, 'discard plans').catch(() => {})
    }
    return client
  }

  return {
    run: async (statement, values) => toDb(await connectWithFreshPlans()).run(statement, values),
    forTransaction: async () => toTransaction(await connectWithFreshPlans(), onDoubt),
    async close() {
      isClosed = true
      const ending = current
      current = undefined
      await ending?.then((connected) => connected.end()).catch(() => {})
    },
  }
}

const toTransaction = (client: pg.Client, onDoubt: () => void): Transaction => ({
  ...toDb(client),
  command: (text) =>
    (text === 'commit' ? commit(client, onDoubt) : runCommand(client, text)).catch(throwTranslated),
  together: (send) => together(client, send),
})
