// The database of a storm: a PostgreSQL of its own that can be killed and started again, and the
// proxy through which the service reaches it.
import { scheduler } from 'node:timers/promises'
import pg from 'pg'
import type { LocalAddress } from '../../src/database/connections/connect.ts'
import { type Embedded, startEmbedded } from '../../src/database/embedded/embedded.ts'
import { type DatabaseProxy, databaseProxy } from './database-proxy.ts'

export type Base = {
  /** Straight to it, as the owner. */
  address: LocalAddress
  wire: DatabaseProxy
  /** The address that the service gets: that of the proxy. */
  url: string
  /**
   * Whether the database or its proxy has a fault, or had one a moment ago: a service may then fail
   * to start.
   */
  isDisturbed(): boolean
  disturb(ms: number): void
  /** Ends it at once, without a clean shutdown. */
  crash(signal: 'SIGQUIT' | 'SIGKILL'): Promise<void>
  start(): Promise<void>
  /** Ends that many backends of the service, by `pg_terminate_backend` or by SIGKILL. */
  endBackends(count: number, how: 'asked' | 'killed'): Promise<void>
  stop(): Promise<void>
}

export async function openBase(folder: string, database = 'strongroom'): Promise<Base> {
  let embedded: Embedded = await startEmbedded(folder)
  let isAway = false
  let disturbedUntil = 0
  const { host, port, user, password } = embedded.address
  const wire = await databaseProxy({ host, port })
  const address = { ...embedded.address, database }
  return {
    address,
    wire,
    url: `postgres://${user}:${password}@127.0.0.1:${wire.port}/${database}`,
    isDisturbed: () => isAway || performance.now() < disturbedUntil,
    disturb: (ms) => void (disturbedUntil = performance.now() + ms + 5000),
    async crash(signal) {
      isAway = true
      process.kill(embedded.pid, signal)
      await embedded.ended
    },
    async start() {
      embedded = await startEmbedded(folder)
      isAway = false
    },
    async endBackends(count, how) {
      const pids = await backends(address, count)
      for (const pid of how === 'killed' ? pids : []) process.kill(pid, 'SIGKILL')
      if (how === 'asked')
        await query(address, 'select pg_terminate_backend(unnest($1::int[]))', [pids])
    },
    async stop() {
      await wire.close()
      await embedded.stop()
    },
  }
}

/** The backends of the service, active ones first. */
async function backends(address: LocalAddress, count: number): Promise<number[]> {
  const rows = await query(
    address,
    `select pid from pg_stat_activity
     where application_name like 'strongroom %.%.%' and datname = current_database()
     order by state <> 'active', xact_start nulls last, random() limit $1`,
    [count],
  )
  return rows.map(({ pid }) => pid as number)
}

/** One statement straight to the database, as the owner. */
export async function query(
  address: LocalAddress,
  text: string,
  values: unknown[] = [],
): Promise<Record<string, unknown>[]> {
  const client = new pg.Client({ ...address, options: '-c search_path=strongroom' })
  client.on('error', () => {})
  await client.connect()
  try {
    const { rows } = await client.query<Record<string, unknown>>(text, values)
    return rows
  } finally {
    await client.end()
  }
}

const attemptsMax = 60

/**
 * The same for a judge: repeated until it is answered, since the last failover may interrupt it.
 */
export async function queryUntilAnswered(
  address: LocalAddress,
  text: string,
): Promise<Record<string, unknown>[]> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await query(address, text)
    } catch (thrown) {
      if (attempt === attemptsMax) throw thrown
      await scheduler.wait(1000)
    }
  }
}
