// What the gate asks and writes of sessions, on every request.
import { statement } from './statement.ts'

export const readSessions = statement(
  'gate_read_sessions',
  ['uuid[]'],
  {
    id: 'uuid',
    user_id: 'uuid',
    username: 'text',
    roles: 'text[]',
    status: 'text',
    last_used_at: 'timestamptz',
    ends_at: 'timestamptz',
    ended_because: 'text?',
    revoked_kids: 'text[]?',
  },
  `select s.id, s.user_id, u.username, u.roles, u.status, s.last_used_at, s.ends_at, s.ended_because,
          (select array_agg(kid) from signing_keys where revoked_at is not null) as revoked_kids
   from sessions s join users u on u.id = s.user_id
   where s.id = any($1)`,
)

/** Written only forward, and never into a session that has ended meanwhile. */
export const writeActivity = statement(
  'gate_write_activity',
  ['uuid[]', 'timestamptz[]'],
  {},
  `update sessions s set last_used_at = a.at
   from unnest($1::uuid[], $2::timestamptz[]) as a (id, at)
   where s.id = a.id and s.ended_at is null and s.last_used_at < a.at`,
)

/** An end that was seen is written down, so no later clock can take it back. */
export const writeExpiry = statement(
  'gate_write_expiry',
  ['uuid', 'timestamptz', 'timestamptz'],
  { id: 'uuid' },
  `update sessions set ended_at = $2, ended_because = 'expired'
   where id = $1 and ended_at is null and (last_used_at <= $3 or ends_at <= $2)
   returning id`,
)
