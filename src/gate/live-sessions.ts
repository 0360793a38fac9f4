// Statements and rules of sessions with more than one user: the gate on every request, the ledger
// and others inside their transactions, and every place that ends many sessions together.
import type { PlainCode } from '../domain/errors.ts'
import { answersOf } from '../database/connections/cork.ts'
import {
  type Db,
  type Fragment,
  fragment,
  type RowOf,
  sql,
  statement,
} from '../database/statements/statement.ts'
import { lockCallers, type CallersToLock } from './lock-callers.ts'

const state = {
  user_id: 'uuid',
  username: 'text',
  roles: 'text[]',
  status: 'text',
  last_used_at: 'timestamptz',
  ends_at: 'timestamptz',
  ended_because: 'text?',
  revoked_kids: 'text[]?',
  has_factor: 'bool',
  user_created_at: 'timestamptz',
  is_restricted: 'bool',
  issuer: 'text?',
  issuer_factor: 'bool',
} as const
export type SessionState = RowOf<typeof state>

/** The rule of the view current_sessions, but ended sessions are found too. */
const readState = fragment`
   s.user_id, u.username, u.roles, u.status, s.last_used_at, s.ends_at,
     case when s.generation = u.session_generation
            and s.bank_generation = (select number from bank_generation)
          then s.ended_because else coalesce(s.ended_because, 'revoked') end as ended_because,
     (select array_agg(kid) from signing_keys where revoked_at is not null) as revoked_kids,
     u.has_factor or s.issuer_factor as has_factor, u.created_at as user_created_at,
     s.is_restricted, s.issuer, s.issuer_factor
   from sessions s join users u on u.id = s.user_id`

export const readSessions = statement(
  'gate_read_sessions',
  ['uuid[]'],
  { id: 'uuid', ...state },
  sql`select s.id, ${readState} where s.id = any($1)`,
)

/** The same by the SHA-256 of handles, in hexadecimal digits. */
export const readSessionsByHandle = statement(
  'gate_read_sessions_by_handle',
  ['text[]'],
  { id: 'text', session_id: 'uuid', ...state },
  sql`select encode(s.handle_hash, 'hex') as id, s.id as session_id, ${readState}
   where s.handle_hash = any(array(select decode(hash, 'hex') from unnest($1::text[]) as hash))`,
)

/**
 * Whether the session of that identifier was revoked, alone or since then with all others of its
 * user or of the bank, or is missing, or the key that signed its token was revoked: what was asked
 * for with them may be the wish of a thief. Null, of an earlier release, is not judged.
 */
export const isRevoked = (id: Fragment, kid = fragment`null`): Fragment => fragment`(
     exists (select from signing_keys k where k.kid = ${kid} and k.revoked_at is not null)
     or ${id} is not null and not exists (
       select from sessions s join users u on u.id = s.user_id
       where s.id = ${id} and s.generation = u.session_generation
         and s.bank_generation = (select number from bank_generation)
         and coalesce(s.ended_because, '') not in ('revoked', 'reuse')))`

/** Why a session has ended, apart from its times; undefined if it has not. */
export function endedAs(session: SessionState): PlainCode | undefined {
  if (session.ended_because === 'expired') return 'session_expired'
  return session.ended_because !== null || session.status !== 'active'
    ? 'session_revoked'
    : undefined
}

/** The acting user, and the key that signed the token; null where none was sent. */
export type Acting = { userId: string; kid: string | null }

/**
 * Checked in a transaction that acts for the session. Its idle time is not: the request counted as
 * activity when the gate admitted it.
 */
export function endedAt(
  session: SessionState | undefined,
  { userId, kid }: Acting,
  now: number,
): PlainCode | undefined {
  if (!session || session.user_id !== userId) return 'unauthenticated'
  if (kid !== null && session.revoked_kids?.includes(kid)) return 'unauthenticated'
  return endedAs(session) ?? (now >= session.ends_at.getTime() ? 'session_expired' : undefined)
}

/** Its state under the lock of its person, and of the others. */
export async function readLockedSession(
  tx: Db,
  sessionId: string,
  toLock: CallersToLock,
): Promise<SessionState | undefined> {
  const sent = [lockCallers(tx, toLock), tx.run(readSessions, [[sessionId]])] as const
  const [, [session]] = await answersOf(sent)
  return session
}

/**
 * Never moves a time back, and never changes a session that has ended meanwhile. It locks them in
 * their order, as all do that change several: a join alone would lock them in that of its plan.
 */
export const writeActivity = statement(
  'gate_write_activity',
  ['uuid[]', 'timestamptz[]'],
  `with locked as materialized (
     select s.id, a.at from unnest($1::uuid[], $2::timestamptz[]) as a (id, at)
     join sessions s on s.id = a.id
     where s.ended_at is null and s.last_used_at < a.at
     order by s.id for no key update of s
   )
   update sessions s set last_used_at = l.at from locked l
   where s.id = l.id and s.ended_at is null and s.last_used_at < l.at`,
)

/** An observed end is written, so that no later clock undoes it. */
export const writeExpiry = statement(
  'gate_write_expiry',
  ['uuid', 'timestamptz', 'timestamptz'],
  { id: 'uuid' },
  `update sessions set ended_at = $2, ended_because = 'expired'
   where id = $1 and ended_at is null and (last_used_at <= $3 or ends_at <= $2)
   returning id`,
)

const raiseGeneration = statement(
  'sessions_raise_generation',
  ['uuid', 'uuid?', 'timestamptz'],
  `with raised as (
     update users set session_generation = session_generation + 1 where id = $1
     returning id, session_generation
   ), told as (
     insert into events (type, at, ids)
     select 'session.revoked', $3, array_agg(id order by id) from current_sessions
     where user_id = $1 and ends_at > $3 and id is distinct from $2
     having count(*) > 0
   ), voided as (
     update accounts set
       next_per_payment = case when next_limits_at > $3 then null else next_per_payment end,
       next_per_day = case when next_limits_at > $3 then null else next_per_day end,
       next_limits_at = case when next_limits_at > $3 then null else next_limits_at end,
       next_signatures_from =
         case when next_signatures_at > $3 then null else next_signatures_from end,
       next_signatures_at = case when next_signatures_at > $3 then null else next_signatures_at end
     where owner_id = $1 and (next_limits_at > $3 or next_signatures_at > $3)
   ), withdrawn as (
     delete from email_changes where user_id = $1
   )
   update sessions s set generation = raised.session_generation from raised
   where s.id = $2 and s.user_id = raised.id and s.ended_at is null`,
)
/** Ascending, as a batch of the ledger locks them, so that none waits in the other direction. */
const lockAskedOf = statement(
  'sessions_lock_accounts',
  ['uuid', 'timestamptz'],
  `select from accounts a where a.owner_id = $1 and (
     a.next_limits_at > $2 or a.next_signatures_at > $2 or exists (
       select from account_members m
       where m.account_id = a.id and m.ended_at is null and m.accepted_at is null))
   order by a.id for no key update`,
)

const withdrawInvitations = statement(
  'sessions_withdraw_invitations',
  ['uuid', 'timestamptz', 'text'],
  { id: 'uuid', accountId: 'uuid' },
  `update account_members m set ended_at = $2, ended_by = $3 from accounts a
   where a.owner_id = $1 and m.account_id = a.id and m.ended_at is null and m.accepted_at is null
   returning m.id, m.account_id as "accountId"`,
)
/** An invitation to act on an account that was not accepted. */
export type WithdrawnInvitation = RowOf<(typeof withdrawInvitations)['gives']>

type EndingAll = { now: number; keep?: string | null; by: 'owner' | 'staff' }

/**
 * Ends all sessions of a user except `keep`. Waits for a login under way and ends its session too.
 * Raised limits and fewer signatures that do not hold yet are undone. A new e-mail address that is
 * not proved yet is withdrawn, and so are invitations to act on an account that were not accepted:
 * a thief may have asked for them. Gives these: the trail has each, see `endAllSessions`.
 *
 * @param by whether the user or staff end them
 */
export async function endSessionsOfUser(
  tx: Db,
  userId: string,
  { now, keep = null, by }: EndingAll,
): Promise<WithdrawnInvitation[]> {
  // A statement of its own: the next one sees the session of the login that it waited for.
  await lockCallers(tx, { people: [userId] })
  const at = new Date(now)
  const [, , withdrawn] = await answersOf([
    tx.run(lockAskedOf, [userId, at]),
    tx.run(raiseGeneration, [userId, keep, at]),
    tx.run(withdrawInvitations, [userId, at, by]),
  ] as const)
  return withdrawn
}
