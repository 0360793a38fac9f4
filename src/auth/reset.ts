// Setting a password by a link from a mail. The token in the link is made when the mail is written
// and handed to nobody else; the database only ever holds its hash.
import type { Database } from '../database/connect.ts'
import type { Db } from '../database/statement.ts'
import { transaction } from '../database/transaction.ts'
import { invalid } from '../errors.ts'
import { queueMail } from '../mail/sql.ts'
import type { Passwords } from './passwords.ts'
import { newSecret, sha256 } from './refresh.ts'
import { forgetDevices, personBehind, replaceToken, usePasswordToken } from './reset-sql.ts'
import { endSessionsOf } from './sql.ts'

/** How long a link opens something, in milliseconds from the writing of its mail. */
export const linkLife = { reset: 30 * 60_000, invitation: 24 * 60 * 60_000 } as const

/** A link's token, whom it may be sent to, and until when it is good. */
export type Issued = { token: string; email: string; expiresAt: number }

/** A new token for a person; the one before opens nothing from now on. Undefined if disabled. */
export async function issueToken(
  tx: Db,
  userId: string,
  kind: keyof typeof linkLife,
  now: number,
): Promise<Issued | undefined> {
  const token = newSecret()
  const expiresAt = now + linkLife[kind]
  const replaced = await replaceToken(tx, userId, sha256(token), expiresAt)
  return replaced && { token, email: replaced.email, expiresAt }
}

/** One answer for a token that is unknown, used, expired, or voided by a newer one or a change. */
const unusable = (): never => invalid('/body/token', 'is not good, or not good any more')

/**
 * Sets the password of the person behind a token, once: all sessions of that person end, all
 * devices are forgotten and the person is told, in the same transaction. Refuses with
 * `invalid_request`. The token is looked at before the password is judged or hashed: without a good
 * one there is nothing to learn from the policy, and no work to be had.
 */
export async function resetPassword(
  db: Database,
  passwords: Passwords,
  { token, newPassword }: { token: string; newPassword: string },
  now: number,
): Promise<void> {
  const tokenHash = sha256(token)
  const { username } = (await personBehind(db, tokenHash, now)) ?? unusable()
  passwords.check(newPassword, username, '/body/newPassword')
  const passwordHash = await passwords.hash(newPassword)
  await transaction(db, async (tx) => {
    const { id } = (await usePasswordToken(tx, tokenHash, passwordHash, now)) ?? unusable()
    // Statements of their own, after the one that waited for a login under way: they see what
    // that login has added.
    await endSessionsOf(tx, id, null, now)
    await forgetDevices(tx, id)
    await queueMail(tx, 'password-changed', id, now)
  })
}
