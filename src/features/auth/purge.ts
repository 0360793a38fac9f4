// Removes sessions, refresh tokens, links, devices and challenges that are past their time.
import type { Config } from '../../config/config.ts'
import { challengeLifetimeMs } from '../../gate/challenges.ts'
import type { PurgeBatch } from '../../database/purge.ts'
import { type ParameterType, statement } from '../../database/statement.ts'

const batchSize = 500n
const tokenBatchSize = 5000n

/** A statement that counts what a deletion removed. */
const purge = <const T extends readonly ParameterType[]>(name: string, takes: T, text: string) =>
  statement(
    name,
    takes,
    { count: 'int8' },
    ['with deleted as (', text, 'returning 1) select count(*) as count from deleted'].join(' '),
  )

// Each batch is an array found by an index, and then deleted by key. A join would be planned by
// estimates, which are wrong after an hour of an attack.

/** A session may have a thousand tokens, so tokens are deleted first and in their own batches. */
const purgeTokens = purge(
  'purge_refresh_tokens',
  ['timestamptz', 'int8', 'int8'],
  `delete from refresh_tokens where token_hash = any(array(
     select token_hash from refresh_tokens where session_id = any(array(
       select id from sessions where ends_at <= $1 order by ends_at limit $2
     )) limit $3
   ))`,
)

const purgeSessions = purge(
  'purge_sessions',
  ['timestamptz', 'int8'],
  `delete from sessions s where id = any(array(
     select id from sessions where ends_at <= $1
     order by ends_at limit $2 for update skip locked
   )) and not exists (select from refresh_tokens r where r.session_id = s.id)`,
)

const purgeLinks = purge(
  'purge_links',
  ['timestamptz', 'int8'],
  `delete from password_tokens where user_id = any(array(
     select user_id from password_tokens where expires_at <= $1
     order by expires_at limit $2 for update skip locked
   ))`,
)

const purgeDevices = purge(
  'purge_devices',
  ['timestamptz', 'int8'],
  `delete from devices where id = any(array(
     select id from devices where last_used_at <= $1
     order by last_used_at limit $2 for update skip locked
   ))`,
)

const purgeChallenges = purge(
  'purge_challenges',
  ['timestamptz', 'int8'],
  `delete from challenges where id = any(array(
     select id from challenges where expires_at <= $1
     order by expires_at limit $2 for update skip locked
   ))`,
)

/** Enrolments that were not finished. */
const purgePending = purge(
  'purge_pending_factors',
  ['timestamptz', 'int8'],
  `delete from factors where activated_at is null and id = any(array(
     select id from factors where activated_at is null and created_at <= $1
     order by created_at limit $2 for update skip locked
   ))`,
)

const purgeResets = purge(
  'purge_factor_resets',
  ['timestamptz', 'int8'],
  `delete from factor_resets where user_id = any(array(
     select user_id from factor_resets where expires_at <= $1
     order by expires_at limit $2 for update skip locked
   ))`,
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
      await db.run(purgeChallenges, [new Date(now), batchSize]),
      await db.run(purgePending, [new Date(now - challengeLifetimeMs), batchSize]),
      await db.run(purgeResets, [new Date(now), batchSize]),
      await db.run(purgeDevices, [new Date(now - deviceIdle), batchSize]),
    ]
    return tokens?.count === tokenBatchSize || others.some(([row]) => row?.count === batchSize)
  }
