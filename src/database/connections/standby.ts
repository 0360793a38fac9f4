// What the service does when a COMMIT is not confirmed. With synchronous standbys PostgreSQL
// commits first and then waits for one of them. A wait that is cancelled answers COMMIT with a
// warning, and one that is not ended lasts until a standby is back, with the locks of its
// transaction. Writes are therefore refused after the first such COMMIT, until another one is
// confirmed.
import { scheduler } from 'node:timers/promises'
import type pg from 'pg'
import { refuse } from '../../domain/errors.ts'
import { Client, type ClientOptions } from './client.ts'
import { commit } from './commit.ts'
import { toDb } from './pool.ts'
import { runCommand } from '../statements/query.ts'
import { type Db, one, statement } from '../statements/statement.ts'

export type Standby = {
  /** A COMMIT was not confirmed: writes are refused until another one is. */
  doubt(): void
  /** Whether writes are refused. */
  isAway(): boolean
  /** Refuses with `unavailable` while no COMMIT is confirmed. Sends no statement. */
  require(): void
  /** Calls the listener when writes begin to be refused, and when they are accepted again. */
  onChange(listener: (isAway: boolean) => void): void
  close(): void
}

/**
 * Makes the COMMIT of the transaction wait for a standby, and so for everything that the
 * transaction has seen: PostgreSQL lets no transaction wait that has written nothing. Without a
 * synchronous standby it writes nothing. On a standby it fails, as every write does.
 */
export const awaitStandby = statement(
  'standby_await',
  [],
  { pid: 'int4', at: 'text?' },
  `select pg_backend_pid() as pid, case
     when pg_is_in_recovery() then pg_current_xact_id()::text
     when current_setting('synchronous_standby_names') <> ''
       then pg_logical_emit_message(true, 'strongroom', '')::text
   end as at`,
)

/** Whether that back end is within a transaction, as one is whose COMMIT waits for a standby. */
export const isTransactionOpen = statement(
  'standby_is_open',
  ['int4'],
  { is: 'bool' },
  `select exists (
     select from pg_locks where pid = $1 and locktype = 'virtualxid'
   ) as is`,
)

const retryMs = 200
/** How often the server is asked whether a probe still waits there. */
const checkIntervalMs = 1000

/** @param reads where the server can be asked while a probe waits */
export function watchStandby(options: () => ClientOptions, reads: Db): Standby {
  let isAway = false
  const closing = new AbortController()
  let probe: pg.Client | undefined
  const listeners: ((isAway: boolean) => void)[] = []

  function change(isNow: boolean): void {
    isAway = isNow
    for (const listener of listeners) listener(isNow)
  }

  /** One probe at a time: each that is given up may leave a waiting back end behind. */
  async function probeUntilConfirmed(): Promise<void> {
    while (!closing.signal.aborted) {
      // As long as the standby is away the answer to COMMIT is too.
      probe = new Client({ ...options(), query_timeout: 0 })
      const isConfirmed = await tryCommit(probe, reads).catch(() => false)
      void probe.end().catch(() => {})
      if (isConfirmed) return change(false)
      await scheduler.wait(retryMs)
    }
  }

  return {
    doubt() {
      if (isAway || closing.signal.aborted) return
      change(true)
      void probeUntilConfirmed()
    },
    isAway: () => isAway,
    require() {
      if (isAway) refuse('unavailable', { outage: 'standby', because: 'no COMMIT is confirmed' })
    },
    onChange: (listener) => void listeners.push(listener),
    close() {
      closing.abort()
      void probe?.end().catch(() => {})
    },
  }
}

/**
 * Commits an empty transaction, which ends when a standby confirms it, however long that takes.
 * False when the connection is lost, even without a sign.
 */
async function tryCommit(client: pg.Client, reads: Db): Promise<boolean> {
  client.on('error', () => {})
  let pid: number | undefined
  async function run(): Promise<boolean> {
    await client.connect()
    await runCommand(client, 'begin')
    pid = (await one(toDb(client), awaitStandby, []))?.pid
    return (await commit(client)) === 'COMMIT'
  }
  const done = run()
  for (let missing = 0; missing < 2;) {
    const isDone = await Promise.race([done, scheduler.wait(checkIntervalMs)])
    if (isDone !== undefined) return isDone
    const found =
      pid === undefined ? undefined : await one(reads, isTransactionOpen, [pid]).catch(() => {})
    // When the answer is on its way the transaction is over: it is looked for twice.
    missing = found?.is ? 0 : missing + 1
  }
  void done.catch(() => {})
  return false
}
