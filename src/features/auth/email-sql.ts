// Data of e-mail addresses that people have asked for and not proved yet.
import { type Db, fragment, one, sql, statement } from '../../database/statements/statement.ts'

/**
 * The requests that may still be proved: not once the session that asked is revoked, which a thief
 * may have had.
 */
const open = fragment`e.expires_at > $2 and not exists (
     select from sessions s
     where s.id = e.session_id and s.ended_because in ('revoked', 'reuse')
   ) and exists (select from users u where u.id = e.user_id and u.status = 'active')`

const next = { email: 'text', expiresAt: 'timestamptz' } as const
const selectNext = statement(
  'email_read_next',
  ['uuid', 'timestamptz'],
  next,
  sql`select e.email, e.expires_at as "expiresAt" from email_changes e
   where e.user_id = $1 and ${open}`,
)
/** The address that waits for its proof; undefined if none does. */
export const nextEmail = (db: Db, userId: string, now: number) =>
  one(db, selectNext, [userId, new Date(now)])

const writeChange = statement(
  'email_write_next',
  ['uuid', 'uuid', 'text', 'timestamptz'],
  `insert into email_changes (user_id, session_id, email, expires_at) values ($1, $2, $3, $4)
   on conflict (user_id) do update
   set session_id = excluded.session_id, email = excluded.email, token_hash = null,
       expires_at = excluded.expires_at`,
)
/** Takes the place of an earlier request, whose link proves nothing from then on. */
export const writeNextEmail = (
  tx: Db,
  row: { userId: string; sessionId: string; email: string; expiresAt: number },
) => tx.run(writeChange, [row.userId, row.sessionId, row.email, new Date(row.expiresAt)])

const writeToken = statement(
  'email_write_token',
  ['uuid', 'timestamptz', 'bytea', 'timestamptz'],
  { email: 'text' },
  sql`update email_changes e set token_hash = $3, expires_at = $4
   where e.user_id = $1 and ${open}
   returning e.email`,
)
/** Gives the request a link; undefined where none waits. */
export const replaceEmailToken = (
  tx: Db,
  userId: string,
  tokenHash: Buffer,
  { now, expiresAt }: { now: number; expiresAt: number },
) => one(tx, writeToken, [userId, new Date(now), tokenHash, new Date(expiresAt)])

const useToken = statement(
  'email_use_token',
  ['uuid', 'timestamptz', 'bytea'],
  { email: 'text' },
  sql`delete from email_changes e
   where e.user_id = $1 and ${open} and e.token_hash = $3
   returning e.email`,
)
/** Uses a link up. Lock the person before: what ends the request does so, too. */
export const useEmailToken = (tx: Db, userId: string, tokenHash: Buffer, now: number) =>
  one(tx, useToken, [userId, new Date(now), tokenHash])

const deleteChange = statement(
  'email_delete_next',
  ['uuid'],
  { email: 'text' },
  'delete from email_changes where user_id = $1 returning email',
)
/** Undefined if there was no request. */
export const deleteNextEmail = (tx: Db, userId: string) => one(tx, deleteChange, [userId])
