// Setting a password with a link from a mail. The token in the link is created when the mail is
// written and leaves the service only in that mail; the database has its hash.
import { Type } from '../../domain/type.ts'
import { lockCallers } from '../../gate/lock-callers.ts'
import type { Db } from '../../database/statements/statement.ts'
import { transaction } from '../../database/connections/transaction.ts'
import { invalid } from '../../domain/errors.ts'
import { closed, named, Nothing, secretKey } from '../../domain/schema.ts'
import { normaliseEmail } from '../../domain/usernames.ts'
import { route } from '../../http/route.ts'
import { endAllSessions } from '../members/end-all-sessions.ts'
import { replaceEmailToken } from './email-sql.ts'
import { replaceReset, userByResetLink } from '../factors/sql.ts'
import type { LinkKind } from '../mail/outbox.ts'
import { queueMail, queueReset } from '../mail/sql.ts'
import { Password } from '../credentials/passwords.ts'
import { newSecret, sha256 } from '../../gate/opaque-secret.ts'
import { forgetDevices, replaceToken, usePasswordToken, userByToken } from './reset-sql.ts'
import { dayMs } from '../../domain/clock.ts'

/** How long a link is valid after its mail was written. */
const linkLifetimesMs: Record<LinkKind, number> = {
  reset: 30 * 60_000,
  invitation: dayMs,
  'factor-reset': dayMs,
  'email-proof': 30 * 60_000,
}

/**
 * Creates the token of a link, which replaces the previous one of that kind and user.
 *
 * @returns the token, the address to send it to and its expiry; undefined for a disabled user, or
 *   where no new address waits
 */
export async function issueToken(
  tx: Db,
  userId: string,
  kind: LinkKind,
  now: number,
): Promise<{ token: string; email: string; expiresAt: number } | undefined> {
  const token = newSecret()
  const expiresAt = now + linkLifetimesMs[kind]
  const hash = sha256(token)
  const replaced = await (kind === 'email-proof'
    ? replaceEmailToken(tx, userId, hash, { now, expiresAt })
    : (kind === 'factor-reset' ? replaceReset : replaceToken)(tx, userId, hash, expiresAt))
  return replaced && { token, email: replaced.email, expiresAt }
}

const sent = 'If a person has this e-mail address, a link is on its way there.'

const askForReset = route({
  method: 'POST',
  path: '/api/v1/auth/password-reset',
  operation: 'requestPasswordReset',
  summary: 'Ask for a link to set a new password; it is mailed if the address is known.',
  access: 'public',
  limit: 'reset',
  body: closed({ email: Type.String({ minLength: 1, maxLength: 254 }) }),
  reply: {
    202: named('PasswordReset', { message: Type.String({ maxLength: 140, examples: [sent] }) }),
  },
  example: { email: 'ada@example.com' },
  async handle({ body, db, now, chargeMore }) {
    const email = normaliseEmail(body.email) ?? invalid('/body/email', 'is not an e-mail address')
    await chargeMore({ email })
    // One insert for every address. The outbox looks the address up later, so neither the answer
    // nor its time tells whether the address is known.
    await transaction(db, (tx) => queueReset(tx, email, now))
    return { message: sent }
  },
})

/** Any text: one that cannot be a token gets the same answer as an unknown token. */
export const MailedToken = Type.String({ minLength: 1, maxLength: 128, [secretKey]: true })
const exampleToken = 'n3PFGxTmoQQ0zYvdVvKUVaVqkcFTDKuoIXqDLXjzyCw'

/** The same answer for a token that is unknown, used, expired or void. */
const refuseToken = (): never => invalid('/body/token', 'is not valid or no longer valid')

const LinkOwner = Type.String({ maxLength: 64, examples: ['ada'] })

const checkReset = route({
  method: 'POST',
  path: '/api/v1/auth/password-reset/check',
  operation: 'checkPasswordReset',
  summary: 'Tell whose password a mailed link sets, before it is used; the link stays as it is.',
  access: 'public',
  limit: 'confirm',
  body: closed({ token: MailedToken }),
  reply: {
    200: named('PasswordResetLink', { username: LinkOwner }),
  },
  example: { token: exampleToken },
  async handle({ body: { token }, db, now }) {
    const { username } = (await userByToken(db, sha256(token), now)) ?? refuseToken()
    return { username }
  },
})

const checkFactorReset = route({
  method: 'POST',
  path: '/api/v1/auth/factor-reset/check',
  operation: 'checkFactorReset',
  summary:
    'Tell whose second factors a mailed link replaces, before it is used; the link stays as it is.',
  access: 'public',
  limit: 'confirm',
  body: closed({ token: MailedToken }),
  reply: { 200: named('FactorResetLink', { username: LinkOwner }) },
  example: { token: exampleToken },
  handle: async ({ body: { token }, db, now }) =>
    (await userByResetLink(db, sha256(token), now)) ?? refuseToken(),
})

const confirmReset = route({
  method: 'POST',
  path: '/api/v1/auth/password-reset/confirm',
  operation: 'resetPassword',
  summary:
    'Set a new password with the token of a mailed link, which follows `#token=`; ' +
    'all sessions are revoked. Ordered payment lists go on, and so do standing orders ' +
    '(`GET /api/v1/orders?status=open`). Waiting payment drafts that were made or signed in ' +
    'those sessions become void, and unanswered invitations that you sent are taken back.',
  access: 'public',
  limit: 'confirm',
  body: closed({
    token: MailedToken,
    newPassword: Password,
  }),
  reply: { 204: Nothing },
  example: {
    token: exampleToken,
    newPassword: 'a staple and a correct horse',
  },
  async handle({ body: { token, newPassword }, db, now, service: { passwords }, record }) {
    const tokenHash = sha256(token)
    // Before the password is judged or hashed: without a valid token a request costs no hash and
    // learns nothing about the password policy.
    const { id, username } = (await userByToken(db, tokenHash, now)) ?? refuseToken()
    passwords.check(newPassword, username, '/body/newPassword')
    const passwordHash = await passwords.hash(newPassword)
    await transaction(db, async (tx) => {
      await lockCallers(tx, { people: [id] })
      if (!(await usePasswordToken(tx, tokenHash, passwordHash, now))) refuseToken()
      await endAllSessions(tx, id, { by: id, now, record })
      // A separate statement after the one that waited for a login in progress: its snapshot
      // includes the device which that login has added.
      await forgetDevices(tx, id)
      await queueMail(tx, 'password-changed', id, now)
      await record(tx, { actorId: id, target: id })
    })
  },
})

export const resetRoutes = [askForReset, checkReset, checkFactorReset, confirmReset]
