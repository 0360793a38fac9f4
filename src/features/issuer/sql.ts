// Data of staff who sign in at the issuer: links, visits of browsers there, and obeyed logouts.
import { createHash } from 'node:crypto'
import { violates } from '../../database/connections/failure.ts'
import { insertInto } from '../../database/statements/rows.ts'
import {
  type Db,
  one,
  type RowOf,
  select,
  sql,
  statement,
} from '../../database/statements/statement.ts'
import { refuse } from '../../domain/errors.ts'

const link = {
  userId: 'uuid',
  issuer: 'text',
  subject: 'text',
  linkedAt: 'timestamptz',
  linkedBy: 'uuid',
} as const
export type Link = RowOf<typeof link>

const findOfUser = statement(
  'issuer_link_of_user',
  ['uuid'],
  link,
  sql`select ${select(link)} from issuer_links where user_id = $1`,
)
/** Behind the lock of the person, as it is now. */
export const linkOf = (db: Db, userId: string) => one(db, findOfUser, [userId])

const linkedUser = { ...link, hasFactor: 'bool', passwordVersion: 'int4', roles: 'text[]' } as const
const findBySubject = statement(
  'issuer_link_by_subject',
  ['text', 'text'],
  linkedUser,
  sql`select ${select(link, 'l')}, u.has_factor as "hasFactor",
     u.password_version as "passwordVersion", u.roles
   from issuer_links l join users u on u.id = l.user_id
   where l.issuer = $1 and l.subject = $2`,
)
/** The one person whom an administrator linked to that subject of that issuer. */
export const userBySubject = (db: Db, { issuer, subject }: { issuer: string; subject: string }) =>
  one(db, findBySubject, [issuer, subject])

const insertLink = insertInto('issuer_insert_link', 'issuer_links', link)
/** Refuses with `already_exists` when the subject, or the person, has a link. */
export async function addLink(tx: Db, row: Link): Promise<void> {
  try {
    await insertLink(tx, row)
  } catch (thrown) {
    const isTaken = ['issuer_links_subject', 'issuer_links_pkey'].some((name) =>
      violates(thrown, name),
    )
    throw isTaken ? refuse('already_exists') : thrown
  }
}

const deleteLink = statement(
  'issuer_delete_link',
  ['uuid'],
  { userId: 'uuid' },
  'delete from issuer_links where user_id = $1 returning user_id as "userId"',
)
/** False when there is none. */
export const removeLink = async (tx: Db, userId: string): Promise<boolean> =>
  (await one(tx, deleteLink, [userId])) !== undefined

const visit = {
  handleHash: 'bytea',
  challengeId: 'uuid?',
  sessionId: 'uuid?',
  begunAt: 'timestamptz',
  expiresAt: 'timestamptz',
} as const
export type StoredVisit = RowOf<typeof visit>

/** Stores a visit; of a challenge there is one at a time, which begins anew. */
export const putVisit = insertInto('issuer_put_visit', 'issuer_visits', visit, {
  conflict: `on conflict (handle_hash) do update
    set begun_at = excluded.begun_at, expires_at = excluded.expires_at`,
})

const deleteVisit = statement(
  'issuer_take_visit',
  ['bytea', 'timestamptz'],
  visit,
  sql`delete from issuer_visits where handle_hash = $1 and expires_at > $2
   returning ${select(visit)}`,
)
/** Ends a visit. Of any number of simultaneous answers exactly one is not undefined. */
export const takeVisit = (tx: Db, handleHash: Buffer, now: number) =>
  one(tx, deleteVisit, [handleHash, new Date(now)])

/** The hash of a text of the issuer, which need not be stored then. */
export const hashOf = (issuer: string, text: string): Buffer =>
  createHash('sha256').update(`${issuer}\n${text}`).digest()

const logout = {
  tokenHash: 'bytea',
  sidHash: 'bytea?',
  subjectHash: 'bytea?',
  issuedAt: 'timestamptz',
  expiresAt: 'timestamptz',
} as const

const insertLogout = insertInto('issuer_insert_logout', 'issuer_logouts', logout, {
  gives: { tokenHash: 'bytea' },
  conflict: 'on conflict do nothing',
})
/** False for a token that was obeyed before. */
export const addLogout = async (tx: Db, row: RowOf<typeof logout>): Promise<boolean> =>
  (await insertLogout(tx, row)) !== undefined

const findLogout = statement(
  'issuer_find_logout',
  ['bytea?', 'bytea', 'timestamptz'],
  { tokenHash: 'bytea' },
  `select token_hash as "tokenHash" from issuer_logouts
   where sid_hash = $1
     or (subject_hash = $2 and issued_at >= $3 and (sid_hash is null or $1 is null)) limit 1`,
)
/**
 * Whether a logout token ended, before it began, what is to begin now: that session at the issuer,
 * or, after the ID token was made, all sessions of that subject or those that name none there.
 */
export const isLoggedOut = async (
  tx: Db,
  { issuer, subject, sidHash, issuedAt }: Origin,
): Promise<boolean> => {
  const subjectHash = hashOf(issuer, subject)
  return (await one(tx, findLogout, [sidHash, subjectHash, new Date(issuedAt)])) !== undefined
}

const lockSid = statement(
  'issuer_lock_sid',
  ['int4'],
  { lockCount: 'int8' },
  `with locked as materialized (select pg_advisory_xact_lock(7869, $1))
   select count(*) as "lockCount" from locked`,
)
/**
 * Until the end of the transaction no sign-in of that session at the issuer, and no logout of it,
 * is under way beside this one. Comes before the lock of a person.
 */
export const lockIssuerSession = (tx: Db, sidHash: Buffer) =>
  tx.run(lockSid, [sidHash.readInt32BE()])

const usersOfSid = statement(
  'issuer_users_of_sid',
  ['bytea'],
  { userId: 'uuid' },
  `select distinct user_id as "userId" from sessions
   where issuer_sid_hash = $1 and ended_at is null limit 100`,
)
export const peopleOfSid = async (tx: Db, sidHash: Buffer): Promise<string[]> =>
  (await tx.run(usersOfSid, [sidHash])).map(({ userId }) => userId)

const endOfIssuer = statement(
  'issuer_end_sessions',
  ['uuid[]', 'text', 'bytea?', 'timestamptz', 'uuid[]'],
  { id: 'uuid' },
  `with locked as materialized (
     select id from sessions
     where user_id = any($1) and issuer = $2 and ended_at is null
       and ($3::bytea is null or issuer_sid_hash = $3
         or (issuer_sid_hash is null and user_id = any($5)))
     order by id for no key update
   ), ended as (
     update sessions set ended_at = $4,
       ended_because = case when $3::bytea is null then 'revoked' else 'logout' end
     where id = any(array(select id from locked)) and ended_at is null
     returning id
   ), told as (
     insert into events (type, at, ids)
     select 'session.revoked', $4, array_agg(id order by id) from ended having count(*) > 0
   )
   select id from ended`,
)
type Logout = {
  issuer: string
  sidHash: Buffer | null
  /** The people whom the token names by its `sub`: one, or none. */
  subjects: readonly string[]
  now: number
}
/**
 * Sessions of people who are locked that began at the issuer, which are revoked, or at one session
 * there: its end is a logout, and what was asked for in it stays. Those of its person that name no
 * session there may have begun at that one, and end with it.
 */
export const endSessionsOfIssuer = (
  tx: Db,
  people: readonly string[],
  { issuer, sidHash, subjects, now }: Logout,
) => tx.run(endOfIssuer, [[...people], issuer, sidHash, new Date(now), [...subjects]])

/** Where a session began that did not begin with a password or passkey of this bank. */
export type Origin = {
  issuer: string
  subject: string
  sidHash: Buffer | null
  /** The issuer has asked for a second factor. */
  hasFactor: boolean
  /** When the ID token was issued, in milliseconds since the epoch. */
  issuedAt: number
}

/** As JSON of a challenge that waits for the second factor of this bank. */
export const fromOrigin = (origin: Origin) => ({
  ...origin,
  sidHash: origin.sidHash?.toString('hex') ?? null,
})
export const toOrigin = (stored: unknown): Origin => {
  const { sidHash, ...rest } = stored as ReturnType<typeof fromOrigin>
  return { ...rest, sidHash: sidHash === null ? null : Buffer.from(sidHash, 'hex') }
}
