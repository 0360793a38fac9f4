// Removes sessions, refresh tokens, links and devices that are past their time.
import type { Config } from '../../config/config.ts'
import type { PurgeBatch } from '../../database/purge.ts'
import { statement } from '../../database/statement.ts'

const batchSize = 500n
const tokenBatchSize = 5000n

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

export const purgeAuth =
  ({ sessionKeep, deviceIdle }: Ages): PurgeBatch =>
  async (db, now) => {
    const ended = new Date(now - sessionKeep)
    const [tokens] = await db.run(purgeTokens, [ended, batchSize, tokenBatchSize])
    const others = [
      await db.run(purgeSessions, [ended, batchSize]),
      await db.run(purgeLinks, [new Date(now), batchSize]),
      await db.run(purgeDevices, [new Date(now - deviceIdle), batchSize]),
    ]
    return tokens?.gone === tokenBatchSize || others.some(([row]) => row?.gone === batchSize)
  }
