// Endpoints of the forgotten password: asking for a link by mail, and setting a password with it.
import { Type } from 'typebox'
import { transaction } from '../../database/transaction.ts'
import { invalid } from '../../domain/errors.ts'
import { queueReset } from '../mail/sql.ts'
import { normaliseEmail } from '../../domain/usernames.ts'
import { route } from '../../http/route.ts'
import { closed, Nothing } from '../../domain/schema.ts'
import { Password } from './passwords.ts'
import { resetPassword } from './reset.ts'

const askForReset = route({
  method: 'POST',
  path: '/api/v1/auth/password-reset',
  operation: 'postAuthPasswordReset',
  summary: 'Ask for a link to set a new password; it is mailed if the address is known.',
  access: 'public',
  limit: 'reset',
  body: closed({ email: Type.String({ minLength: 1, maxLength: 254 }) }),
  reply: { 202: closed({ message: Type.String({ maxLength: 140 }) }) },
  example: { email: 'ada@example.com' },
  async handle({ body, db, now, chargeMore }) {
    const email = normaliseEmail(body.email) ?? invalid('/body/email', 'is not an e-mail address')
    await chargeMore({ email })
    // One insert for everybody. Whether somebody has the address is found out later, by whoever
    // sends the mail, so neither the answer nor its time can tell.
    await transaction(db, (tx) => queueReset(tx, email, now))
    return { message: 'If a person has this e-mail address, a link is on its way there.' }
  },
})

const confirmReset = route({
  method: 'POST',
  path: '/api/v1/auth/password-reset/confirm',
  operation: 'postAuthPasswordResetConfirm',
  summary: 'Set a new password with the token of a mailed link; all sessions are revoked.',
  access: 'public',
  limit: 'confirm',
  body: closed({
    // Any text: one that cannot be a token gets the same answer as one that is none.
    token: Type.String({ minLength: 1, maxLength: 128 }),
    newPassword: Password,
  }),
  reply: { 204: Nothing },
  example: {
    token: 'n3PFGxTmoQQ0zYvdVvKUVaVqkcFTDKuoIXqDLXjzyCw',
    newPassword: 'a staple and a correct horse',
  },
  async handle({ body, db, now, service, record }) {
    await resetPassword(db, service.passwords, { ...body, now, record })
  },
})

export const resetRoutes = [askForReset, confirmReset]
