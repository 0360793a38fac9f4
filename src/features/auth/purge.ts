// Removes sessions, refresh tokens, links and devices that are past their time: in the background,
// in small batches, on a connection of its own, so that no request waits for it.
import { scheduler } from 'node:timers/promises'
import type { Clock } from '../../domain/clock.ts'
import type { Config } from '../../config/config.ts'
import { databaseNow } from '../../database/clocks.ts'
import type { ServiceDatabase } from '../../database/connect.ts'
import { type Db, statement } from '../../database/statement.ts'

const sweepIntervalMs = 10_000
const batchPauseMs = 50
const batchSize = 500
const tokenBatchSize = 5000

// Each batch is found by an index as an array first, and removed by key after that: a join would be
// planned by estimates, which are wrong after an hour of an attack.

/** A session may have a thousand of them, so they go first and in batches of their own. */
const purgeTokens = statement(
  'purge_refresh_tokens',
  ['timestamptz', 'int8', 'int8'],
  { gone: 'int8' },
  `with dropped as (
     delete from refresh_tokens where token_hash = any(array(
       select token_hash from refresh_tokens where session_id = any(array(
         select id from sessions where ends_at <= $1 order by ends_at limit $2
       )) limit $3
     )) returning 1
   )
   select count(*) as gone from dropped`,
)

const purgeSessions = statement(
  'purge_sessions',
  ['timestamptz', 'int8'],
  { gone: 'int8' },
  `with dropped as (
     delete from sessions s where id = any(array(
       select id from sessions where ends_at <= $1
       order by ends_at limit $2 for update skip locked
     )) and not exists (select from refresh_tokens r where r.session_id = s.id)
     returning 1
   )
   select count(*) as gone from dropped`,
)

const purgeLinks = statement(
  'purge_links',
  ['timestamptz', 'int8'],
  { gone: 'int8' },
  `with dropped as (
     delete from password_tokens where user_id = any(array(
       select user_id from password_tokens where expires_at <= $1
       order by expires_at limit $2 for update skip locked
     )) returning 1
   )
   select count(*) as gone from dropped`,
)

const purgeDevices = statement(
  'purge_devices',
  ['timestamptz', 'int8'],
  { gone: 'int8' },
  `with dropped as (
     delete from devices where id = any(array(
       select id from devices where last_used_at <= $1
       order by last_used_at limit $2 for update skip locked
     )) returning 1
   )
   select count(*) as gone from dropped`,
)

type Ages = Pick<Config, 'sessionKeep' | 'deviceIdle'>

/** Removes one batch of each kind. Gives whether there may be more. */
async function purgeBatch(
  db: Db,
  now: number,
  { sessionKeep, deviceIdle }: Ages,
): Promise<boolean> {
  const [size, tokenSize] = [BigInt(batchSize), BigInt(tokenBatchSize)]
  const ended = new Date(now - sessionKeep)
  const tokens = await db.run(purgeTokens, [ended, size, tokenSize])
  const others = [
    await db.run(purgeSessions, [ended, size]),
    await db.run(purgeLinks, [new Date(now), size]),
    await db.run(purgeDevices, [new Date(now - deviceIdle), size]),
  ]
  return tokens[0]?.gone === tokenSize || others.some(([row]) => row?.gone === size)
}

/** Removes everything past its time now, with pauses between the batches; rejects when stopped. */
export async function purgeOnce(
  db: Db,
  now: number,
  ages: Ages,
  signal = new AbortController().signal,
): Promise<void> {
  while (await purgeBatch(db, now, ages)) await scheduler.wait(batchPauseMs, { signal })
}

/**
 * Purges from time to time until stopped, by the database's clock. A database out of reach, or a
 * process whose clock differs from the database's, only means: later.
 */
export function startPurge(
  db: ServiceDatabase,
  clock: Clock,
  ages: Ages,
): { stop(): Promise<void> } {
  const lane = db.openLane()
  const stopping = new AbortController()
  let underWay: Promise<void> | undefined
  const sweep = () => {
    underWay ??= databaseNow(lane, clock)
      .then((now) => purgeOnce(lane, now, ages, stopping.signal))
      .catch(() => {})
      .finally(() => (underWay = undefined))
  }
  const timer = setInterval(sweep, sweepIntervalMs).unref()
  return {
    async stop() {
      clearInterval(timer)
      stopping.abort()
      await underWay
      await lane.close()
    },
  }
}
