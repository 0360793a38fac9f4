// Administrators link a person of staff to a subject of the OpenID Connect issuer, and undo it.
// Nothing else makes a link: the issuer's names and addresses are not read.
import { type Static, Type } from '../../domain/type.ts'
import { NothingMade } from '../../http/effects.ts'
import { isStaff } from '../../gate/roles.ts'
import { rfc3339 } from '../../domain/clock.ts'
import { refuse } from '../../domain/errors.ts'
import { UserId } from '../../domain/ids.ts'
import { closed, named, Nothing, nullable, Time } from '../../domain/schema.ts'
import { transaction } from '../../database/connections/transaction.ts'
import { route } from '../../http/route.ts'
import { endAllSessions } from '../members/end-all-sessions.ts'
import { addLink, type Link, linkOf, removeLink } from '../issuer/sql.ts'
import { requireIssuer } from '../issuer/visits.ts'
import { queueMail } from '../mail/sql.ts'
import { userById } from './sql.ts'

const issuerName = Type.String({
  maxLength: 255,
  description: 'As in `iss`.',
  examples: ['https://id.bank.example'],
})

/** OpenID Connect Core 1.0, 2: compared letter by letter. */
const Subject = Type.String({
  pattern: '^[!-~]([ -~]{0,253}[!-~])?$',
  minLength: 1,
  maxLength: 255,
  description: 'As in `sub`: what the issuer calls the person for this client, to the letter.',
  examples: ['248289761001'],
})

const IssuerLink = named('IssuerLink', {
  issuer: issuerName,
  subject: nullable(Subject),
  linkedAt: nullable(Time),
  linkedBy: nullable(UserId),
})

const toReply = (issuer: string, link: Link | undefined): Static<typeof IssuerLink> => ({
  issuer: link?.issuer ?? issuer,
  subject: link?.subject ?? null,
  linkedAt: link ? rfc3339(link.linkedAt.getTime()) : null,
  linkedBy: link?.linkedBy ?? null,
})

const path = '/api/v1/admin/users/:userId/issuer-link'
const params = closed({ userId: UserId })

const read = route({
  method: 'GET',
  path,
  operation: 'getIssuerLink',
  summary: 'Read whom the issuer means by a person of staff; its fields are null without a link.',
  access: { admin: 'any' },
  limit: 'read',
  params,
  reply: { 200: IssuerLink },
  refusals: ['not_found'],
  async handle({ params: { userId }, db, service }) {
    const { name } = requireIssuer(service)
    if (!(await userById(db, userId))) refuse('not_found')
    return toReply(name, await linkOf(db, userId))
  },
})

const link = route({
  method: 'PUT',
  path,
  operation: 'linkIssuer',
  summary:
    'Let a person of staff sign in as that subject of the issuer; their sessions are revoked. ' +
    'Another subject needs the former link undone first. No administrator does it for oneself.',
  access: { admin: 'any' },
  confirm: true,
  limit: 'admin',
  params,
  body: closed({ subject: Subject }),
  reply: { 200: IssuerLink },
  refusals: ['not_found', 'already_exists', 'illegal_transition'],
  async handle({ params: { userId }, body: { subject }, caller, db, now, record, service }) {
    const issuer = requireIssuer(service).name
    // With a session that was stolen, the way in would stay the thief's.
    if (userId === caller.userId) refuse('forbidden', { because: 'themselves' })
    const made = await transaction(db, async (tx) => {
      const user = (await userById(tx, userId)) ?? refuse('not_found')
      if (user.status !== 'active' || !isStaff(user.roles)) {
        refuse('illegal_transition', { because: 'no active staff' })
      }
      const before = await linkOf(tx, userId)
      if (before?.issuer === issuer && before.subject === subject) return new NothingMade(before)
      if (before) refuse('already_exists', { because: 'another link' })
      const row = { userId, issuer, subject, linkedAt: new Date(now), linkedBy: caller.userId }
      await addLink(tx, row)
      await endAllSessions(tx, userId, { by: caller.userId, now, record })
      await queueMail(tx, 'issuer-linked', userId, now)
      return row
    })
    return toReply(issuer, made instanceof NothingMade ? made.answer : made)
  },
})

const unlink = route({
  method: 'DELETE',
  path,
  operation: 'unlinkIssuer',
  summary:
    'Undo the link of a person to the issuer; their sessions are revoked, and they sign in with ' +
    'a password of this bank. An administrator cannot do it for themselves.',
  access: { admin: 'any' },
  confirm: true,
  limit: 'admin',
  params,
  reply: { 204: Nothing },
  refusals: ['not_found'],
  async handle({ params: { userId }, caller, db, now, record, service }) {
    requireIssuer(service)
    if (userId === caller.userId) refuse('forbidden', { because: 'themselves' })
    await transaction(db, async (tx) => {
      if (!(await removeLink(tx, userId))) refuse('not_found')
      await endAllSessions(tx, userId, { by: caller.userId, now, record })
      await queueMail(tx, 'issuer-unlinked', userId, now)
    })
  },
})

export const issuerLinkRoutes = [read, link, unlink]
