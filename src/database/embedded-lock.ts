// The lock by which a service owns the embedded database: a session of its own that holds an
// advisory lock from the start of the service to its end, whatever ends it.
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { type Cluster, ownerRole, port } from './embedded-cluster.ts'
import { StartupError } from '../domain/startup-error.ts'

/** A connection to the database `postgres`: the one that is always there, and holds the locks. */
export type Session = {
  query<R extends pg.QueryResultRow>(text: string, values?: unknown[]): Promise<R[]>
  /** Resolves when the connection has ended, by us or not. */
  ended: Promise<void>
  close(): void
  /** From now on the session keeps no process alive. */
  unref(): void
}

/** Nobody listens there; or somebody does, but does not let us in yet or any longer. */
export type NoSession = 'nobody' | 'unclear'

export async function connect(
  cluster: Cluster,
  socketFolder: string,
): Promise<Session | NoSession> {
  const client = new pg.Client({
    host: socketFolder,
    port,
    user: ownerRole,
    password: cluster.password,
    database: 'postgres',
    application_name: `strongroom ${process.pid}`,
    connectionTimeoutMillis: 2000,
    query_timeout: 30_000,
  })
  const ended = new Promise<void>((resolve) => client.once('end', resolve))
  client.on('error', () => {})
  try {
    await client.connect()
  } catch (thrown) {
    const { code } = thrown as { code?: string }
    if (code === 'ENOENT' || code === 'ECONNREFUSED') return 'nobody'
    if (code !== wrongPassword) return 'unclear'
    throw new StartupError(
      `${cluster.folder}/postgres.json does not hold the password of the database: ` +
        'restore the one that belongs to it.',
      { cause: thrown },
    )
  }
  return {
    query: async <R extends pg.QueryResultRow>(text: string, values?: unknown[]) =>
      (await client.query<R>(text, values)).rows,
    ended,
    close: () => void client.end().catch(() => {}),
    // In the library, but not in its types.
    unref: () => (client as pg.Client & { unref(): void }).unref(),
  }
}

const wrongPassword = '28P01'

/** Two arbitrary numbers; nothing else takes locks in the database `postgres`. */
const lockKey = [7867, 1]

/** Takes the lock for as long as the session lives. False when another holds it, or it is over. */
export async function takeLock(session: Session): Promise<boolean> {
  return ask(session, 'select pg_try_advisory_lock($1, $2) as answer')
}

/** Looks without taking: a lock taken to see would be in the way of the one it belongs to. */
export async function isHeld(session: Session): Promise<boolean> {
  return ask(
    session,
    `select exists (
      select from pg_locks
      where locktype = 'advisory' and classid = $1 and objid = $2 and objsubid = 2 and granted
        and database = (select oid from pg_database where datname = current_database())
    ) as answer`,
  )
}

async function ask(session: Session, text: string): Promise<boolean> {
  try {
    const [row] = await session.query<{ answer: boolean }>(text, lockKey)
    return row?.answer === true
  } catch {
    return false
  }
}

/**
 * Takes the lock again at once when its session is lost and the server is not: one backend that is
 * killed takes all others with it. The server holds its doors shut to rivals for a moment then.
 */
export async function keepLock(
  cluster: Cluster,
  socketFolder: string,
  first: Session,
  isOver: () => boolean,
): Promise<void> {
  let session: Session | NoSession = first
  for (;;) {
    if (typeof session === 'object') {
      session.unref()
      await session.ended
    }
    if (isOver()) return
    await sleep(50, undefined, { ref: false })
    session = await connect(cluster, socketFolder).catch(() => 'unclear' as const)
    if (typeof session !== 'object' || (await takeLock(session))) continue
    session.close()
    session = 'unclear'
  }
}
