// Setting a password by a link from a mail. The token in the link is made when the mail is written
// and handed to nobody else; the database only ever holds its hash.
import type { Database } from '../../database/connect.ts'
import { endSessionsOfUser } from '../../gate/live-sessions.ts'
import type { Db } from '../../database/statement.ts'
import { transaction } from '../../database/transaction.ts'
import { invalid } from '../../domain/errors.ts'
import { queueMail } from '../mail/sql.ts'
import type { Context } from '../../http/route.ts'
import type { Passwords } from '../../http/services.ts'
import { newSecret, sha256 } from './refresh.ts'
import { forgetDevices, personBehind, replaceToken, usePasswordToken } from './reset-sql.ts'

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

type Reset = { token: string; newPassword: string; now: number } & Pick<Context, 'record'>

/**
 * Sets the password of the person behind a token, once: all sessions of that person end, all
 * devices are forgotten and the person is told, in the same transaction. Refuses with
 * `invalid_request`. The token is looked at before the password is judged or hashed: without a good
 * one there is nothing to learn from the policy, and no work to be had.
 */
export async function resetPassword(
  db: Database,
  passwords: Passwords,
  { token, newPassword, now, record }: Reset,
): Promise<void> {
  const tokenHash = sha256(token)
  const { username } = (await personBehind(db, tokenHash, now)) ?? unusable()
  passwords.check(newPassword, username, '/body/newPassword')
  const passwordHash = await passwords.hash(newPassword)
  await transaction(db, async (tx) => {
    const { id } = (await usePasswordToken(tx, tokenHash, passwordHash, now)) ?? unusable()
    await endSessionsOfUser(tx, id)
    // A statement of its own, after the one that waited for a login under way: it sees the device
    // which that login has added.
    await forgetDevices(tx, id)
    await queueMail(tx, 'password-changed', id, now)
    await record(tx, { actorId: id, target: id })
  })
}
