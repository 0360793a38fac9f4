// What a person confirms with a second factor, and how its confirmation is used up: once, in the
// transaction of the change, by the session that asked for it, and for the very same terms.
import { hash } from 'node:crypto'
import type { TermName } from '../domain/errors.ts'
import { type Db, type RowOf, select, sql, statement } from '../database/statements/statement.ts'

/** What a person is shown of what is confirmed. */
export type ShownTerms = { readonly [Name in TermName]?: string }

/** All that is confirmed: also what names the request, such as the identifiers of its path. */
export type ConfirmedTerms = Readonly<Record<string, string>>

/** SHA-256 over the terms as canonical JSON (RFC 8785): names in ascending order, no spaces. */
export const digestTerms = (terms: ConfirmedTerms): Buffer =>
  hash('sha256', JSON.stringify(terms, Object.keys(terms).toSorted()), 'buffer')

/** A request that needs a confirmation, with the one that it names. */
export type Confirmation = {
  userId: string
  sessionId: string
  digest: Buffer
  /** The confirmed challenge; undefined if the request names none. */
  challengeId: string | undefined
}

const confirmed = {
  id: 'uuid',
  userId: 'uuid',
  sessionId: 'uuid',
  digest: 'bytea',
  expiresAt: 'timestamptz',
} as const
export type Confirmed = RowOf<typeof confirmed>

/** Locked in the order of their identifiers: two batches can wait in one direction only. */
export const lockConfirmed = statement(
  'confirmations_lock',
  ['uuid[]'],
  confirmed,
  sql`select ${select(confirmed)} from challenges
   where id = any($1) and purpose = 'confirmation'
     and confirmed_at is not null and used_at is null
   order by id
   for no key update`,
)

/** Only rows that this transaction has locked as {@link Confirmed}. */
export const writeUsed = statement(
  'confirmations_write_used',
  ['uuid[]', 'timestamptz'],
  'update challenges set used_at = $2 where id = any($1)',
)

/** Whether the challenge confirms exactly this request, and still does. */
export const isConfirmed = (
  challenge: Confirmed | undefined,
  { userId, sessionId, digest }: Confirmation,
  now: number,
): challenge is Confirmed =>
  challenge !== undefined &&
  challenge.userId === userId &&
  challenge.sessionId === sessionId &&
  challenge.digest.equals(digest) &&
  challenge.expiresAt.getTime() > now

/** Uses the confirmation up, or gives false and changes nothing. */
export async function useUp(tx: Db, confirmation: Confirmation, now: number): Promise<boolean> {
  const { challengeId } = confirmation
  if (challengeId === undefined) return false
  const [challenge] = await tx.run(lockConfirmed, [[challengeId]])
  if (!isConfirmed(challenge, confirmation, now)) return false
  await tx.run(writeUsed, [[challenge.id], new Date(now)])
  return true
}
