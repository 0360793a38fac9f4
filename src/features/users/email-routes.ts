// Endpoints by which customers change their e-mail address. Links to set a password go there: who
// holds a stolen session must not be able to move it. So it takes the password and the second
// factor, the address before is told at once, and the new one counts once it is proved.
import { type Static, Type } from '../../domain/type.ts'
import { transaction } from '../../database/connections/transaction.ts'
import { rfc3339 } from '../../domain/clock.ts'
import { invalid, refuse } from '../../domain/errors.ts'
import { closed, named, Time } from '../../domain/schema.ts'
import { normaliseEmail } from '../../domain/usernames.ts'
import { sha256 } from '../../gate/opaque-secret.ts'
import { type Context, route } from '../../http/route.ts'
import { MailedToken } from '../auth/reset.ts'
import { requireOwnPassword } from '../credentials/own-hashes.ts'
import { Password } from '../credentials/passwords.ts'
import { credentialsByUser } from '../credentials/sql.ts'
import { lifetimeMs } from '../mail/kinds.ts'
import { queueEmailProof } from '../mail/sql.ts'
import { moveEmail } from './change.ts'
import { deleteNextEmail, nextEmail, useEmailToken, writeNextEmail } from '../auth/email-sql.ts'
import { Email } from './schemas.ts'
import { changeUser, lockedUser, userById } from './sql.ts'

const path = '/api/v1/me/email'
const access = { customer: 'self' } as const

const OwnEmail = named('OwnEmail', {
  email: Email,
  next: Type.Optional(
    closed(
      { email: Email, until: Time },
      { description: 'A new address that has not been proved yet, and until when it can be.' },
    ),
  ),
})

type Reading = Pick<Context, 'caller' | 'db' | 'now'>

async function readEmail({ caller, db, now }: Reading): Promise<Static<typeof OwnEmail>> {
  const { email } = (await userById(db, caller.userId)) ?? refuse('unauthenticated')
  const next = await nextEmail(db, caller.userId, now)
  return {
    email,
    ...(next && { next: { email: next.email, until: rfc3339(next.expiresAt.getTime()) } }),
  }
}

const toEmail = (text: string): string =>
  normaliseEmail(text) ?? invalid('/body/email', 'is not an e-mail address')

const read = route({
  method: 'GET',
  path,
  operation: 'getMyEmail',
  summary: 'Read your e-mail address, and a new one that has not been proved yet.',
  access,
  limit: 'read',
  reply: { 200: OwnEmail },
  handle: readEmail,
})

const ask = route({
  method: 'POST',
  path,
  operation: 'requestEmailChange',
  summary:
    'Ask for another e-mail address. A link that is mailed there proves it; until then ' +
    'everything goes to the address before, which is told at once. A newer request takes the ' +
    'place of an earlier one. It ends with all sessions, and if this one is revoked. At most ' +
    'three are sent in an hour.',
  access,
  confirm: async ({ body }) => ({ email: toEmail(body.email) }),
  limit: 'sensitive',
  body: closed({ email: Email, currentPassword: Password }),
  reply: { 202: OwnEmail },
  refusals: ['limit_exceeded'],
  example: { email: 'ada@example.org', currentPassword: 'a staple and a correct horse' },
  async handle(context) {
    const { body, caller, db, now, record } = context
    const { userId, sessionId } = caller
    const email = toEmail(body.email)
    const credentials = (await credentialsByUser(db, userId)) ?? refuse('unauthenticated')
    const current = { password: body.currentPassword, path: '/body/currentPassword' }
    await requireOwnPassword(context, credentials.passwordHash, current)
    // The same answer whether or not another person has the address, which a link alone tells.
    const expiresAt = now + lifetimeMs('email-proof')
    const before = await transaction(db, async (tx) => {
      const user = (await lockedUser(tx, userId)) ?? refuse('unauthenticated')
      if (user.email === email) invalid('/body/email', 'is your address already')
      await writeNextEmail(tx, { userId, sessionId, email, expiresAt })
      if (!(await queueEmailProof(tx, user, now))) refuse('limit_exceeded')
      await record(tx, { target: userId })
      return user.email
    })
    return { email: before, next: { email, until: rfc3339(expiresAt) } }
  },
})

const withdraw = route({
  method: 'DELETE',
  path: `${path}/next`,
  operation: 'withdrawEmailChange',
  summary: 'Withdraw a new e-mail address before it is proved. Its link is void.',
  access,
  limit: 'sensitive',
  reply: { 200: OwnEmail },
  refusals: ['illegal_transition'],
  async handle(context) {
    const { caller, db, record } = context
    await transaction(db, async (tx) => {
      const withdrawn = await deleteNextEmail(tx, caller.userId)
      if (!withdrawn) refuse('illegal_transition', { because: 'no address waits' })
      await record(tx, { target: caller.userId })
    })
    return readEmail(context)
  },
})

const prove = route({
  method: 'POST',
  path: `${path}/proof`,
  operation: 'proveEmail',
  summary:
    'Prove the new e-mail address with the token of the mailed link, which follows `#token=`, in ' +
    'any session of yours. It is your address then: all sessions are revoked, mailed links void.',
  access,
  limit: 'sensitive',
  body: closed({ token: MailedToken }),
  reply: { 200: OwnEmail },
  refusals: ['already_exists'],
  example: { token: 'n3PFGxTmoQQ0zYvdVvKUVaVqkcFTDKuoIXqDLXjzyCw' },
  async handle({ body, caller, db, now, record }) {
    const { userId } = caller
    return transaction(db, async (tx) => {
      const user = (await lockedUser(tx, userId)) ?? refuse('unauthenticated')
      const proved = await useEmailToken(tx, userId, sha256(body.token), now)
      if (!proved) invalid('/body/token', 'is not valid or no longer valid')
      await changeUser(tx, { ...user, email: proved.email }, now)
      await moveEmail(tx, user, { by: userId, now, record })
      await record(tx, { target: userId })
      return { email: proved.email }
    })
  },
})

export const emailRoutes = [read, ask, withdraw, prove]
