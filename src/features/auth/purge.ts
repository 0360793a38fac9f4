// Removes sessions, refresh tokens, links, devices and challenges that are past their time.
import type { Config } from '../../config/config.ts'
import { challengeLifetimeMs } from '../../gate/challenges.ts'
import { type PurgeBatch, purging } from '../../database/background/purge.ts'

const timed = { by: 'timestamptz', size: 500n } as const

/** A session may have a thousand tokens, so tokens are deleted first and in their own batches. */
const purgeTokens = purging('purge_refresh_tokens', 'refresh_tokens', {
  by: 'timestamptz',
  past: `session_id = any(array(
    select id from sessions where ends_at <= $1
      and exists (select from refresh_tokens r where r.session_id = sessions.id)
    order by ends_at limit 500
  ))`,
  size: 5000n,
})

/** One of a draft or an invitation that waits stays: whether it was revoked is asked. */
const purgeSessions = purging('purge_sessions', 'sessions', {
  ...timed,
  past: `ends_at <= $1 and id not in (
    select maker_session_id from payment_drafts
    where status = 'waiting' and maker_session_id is not null
    union all
    select g.session_id from payment_drafts d join draft_signatures g on g.draft_id = d.id
    where d.status = 'waiting' and g.session_id is not null
    union all
    select s.id from account_members m
    cross join lateral unnest(array[m.inviter_session_id, m.changer_session_id]) as s (id)
    where m.ended_at is null and m.accepted_at is null and s.id is not null
  ) order by ends_at`,
  and: 'not exists (select from refresh_tokens r where r.session_id = sessions.id)',
})

const purgeLinks = purging('purge_links', 'password_tokens', {
  ...timed,
  past: 'expires_at <= $1 order by expires_at',
})

const purgeEmailChanges = purging('purge_email_changes', 'email_changes', {
  ...timed,
  past: 'expires_at <= $1 order by expires_at',
})

const purgeDevices = purging('purge_devices', 'devices', {
  ...timed,
  past: 'last_used_at <= $1 order by last_used_at',
})

const purgeChallenges = purging('purge_challenges', 'challenges', {
  ...timed,
  past: 'expires_at <= $1 order by expires_at',
})

const purgeVisits = purging('purge_issuer_visits', 'issuer_visits', {
  ...timed,
  past: 'expires_at <= $1 order by expires_at',
})

const purgeLogouts = purging('purge_issuer_logouts', 'issuer_logouts', {
  ...timed,
  past: 'expires_at <= $1 order by expires_at',
})

/** Enrolments that were not finished. */
const purgePending = purging('purge_pending_factors', 'factors', {
  ...timed,
  past: 'activated_at is null and created_at <= $1 order by created_at',
})

const purgeResets = purging('purge_factor_resets', 'factor_resets', {
  ...timed,
  past: 'expires_at <= $1 order by expires_at',
})

type Ages = Pick<Config, 'sessionKeep' | 'deviceIdle'>

export const purgeAuth =
  ({ sessionKeep, deviceIdle }: Ages): PurgeBatch =>
  async (db, now) => {
    const ended = new Date(now - sessionKeep)
    const more = [
      await purgeTokens(db, ended),
      await purgeSessions(db, ended),
      await purgeLinks(db, new Date(now)),
      await purgeEmailChanges(db, new Date(now)),
      await purgeChallenges(db, new Date(now)),
      await purgePending(db, new Date(now - challengeLifetimeMs)),
      await purgeResets(db, new Date(now)),
      await purgeVisits(db, new Date(now)),
      await purgeLogouts(db, new Date(now)),
      await purgeDevices(db, new Date(now - deviceIdle)),
    ]
    return more.includes(true)
  }
