// Long reads of one state of the database: a REPEATABLE READ transaction on a connection of a
// separate small pool, so no export takes a connection from the gate, the handlers or the ledger.
import type pg from 'pg'
import { refuse } from '../../domain/errors.ts'
import type { ClientOptions } from './client.ts'
import { throwTranslated } from './failure.ts'
import { toDb, openPool } from './pool.ts'
import { runCommand } from '../statements/query.ts'
import type { Db } from '../statements/statement.ts'
import { LoggedError } from '../../domain/logged-error.ts'

/** The database as it was at the first statement, until `close()` or the time-out. */
export type Snapshot = Db & {
  /** Aborted at the time-out; the connection ends then, too. */
  signal: AbortSignal
  close(): void
}

export type Snapshots = {
  /**
   * Opens one for each holder, so that one user cannot take all of them. Refuses with `unavailable`
   * at once when none is free.
   */
  open(holder: string): Promise<Snapshot>
  close(): Promise<void>
}

/** Snapshots open at the same time, one connection each. */
const snapshotsMax = 4

/** A snapshot holds back the removal of dead rows (VACUUM) as long as it is open. */
const snapshotTimeoutMs = 20_000

type SnapshotOptions = {
  max?: number
  timeoutMs?: number
  /** Asked on the connection before the snapshot is taken. Throws where none may be. */
  before?: ((db: Db) => Promise<void>) | undefined
}

export function openSnapshots(
  options: () => ClientOptions,
  { max = snapshotsMax, timeoutMs = snapshotTimeoutMs, before }: SnapshotOptions = {},
): Snapshots {
  // The server ends it as well, in case this process hangs.
  const idle = `-c idle_in_transaction_session_timeout=${timeoutMs}`
  const settings = () => {
    const client = options()
    return { ...client, options: `${client.options ?? ''} ${idle}` }
  }
  const pool = openPool(settings, { max, idleTimeoutMillis: 10_000 })
  const holders = new Set<string>()

  async function begin(): Promise<pg.PoolClient> {
    const client = await pool.connect()
    try {
      await before?.(toDb(client))
      await runCommand(client, 'begin isolation level repeatable read, read only')
      return client
    } catch (thrown) {
      client.release(true)
      throw thrown
    }
  }

  return {
    async open(holder) {
      if (holders.size >= max || holders.has(holder)) {
        refuse('unavailable', { outage: 'capacity', because: 'no snapshot is free' })
      }
      holders.add(holder)
      const client = await begin().catch((thrown: unknown) => {
        holders.delete(holder)
        throwTranslated(thrown)
      })
      return snapshotOn(client, timeoutMs, () => holders.delete(holder))
    },
    close: () => pool.end(),
  }
}

function snapshotOn(client: pg.PoolClient, timeoutMs: number, onEnd: () => unknown): Snapshot {
  const db = toDb(client)
  const timeout = new AbortController()
  let runningCount = 0
  let isOpen = true

  function end(isCut: boolean): void {
    if (!isOpen) return
    isOpen = false
    clearTimeout(timer)
    onEnd()
    // A statement that is running ends with its connection.
    if (isCut || runningCount > 0) client.release(true)
    else {
      void runCommand(client, 'commit').then(
        () => client.release(),
        () => client.release(true),
      )
    }
  }
  const timer = setTimeout(() => {
    end(true)
    timeout.abort(new LoggedError('the snapshot was open for too long'))
  }, timeoutMs).unref()

  return {
    signal: timeout.signal,
    async run(statement, values) {
      if (!isOpen) refuse('unavailable', { outage: 'capacity', because: 'the snapshot is closed' })
      runningCount++
      try {
        return await db.run(statement, values)
      } finally {
        runningCount--
      }
    },
    close: () => end(false),
  }
}
