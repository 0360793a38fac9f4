// Staff let a person who has lost all second factors enrol new ones. They start it and skip
// nothing: the link is mailed to the person, and opens nothing without the password.
import { transaction } from '../../database/connections/transaction.ts'
import { refuse } from '../../domain/errors.ts'
import { UserId } from '../../domain/ids.ts'
import { closed, Nothing } from '../../domain/schema.ts'
import { findFactorPolicy, type Role } from '../../gate/roles.ts'
import { route } from '../../http/route.ts'
import { endAllSessions } from '../members/end-all-sessions.ts'
import { activeFactors } from '../factors/sql.ts'
import { queueMail } from '../mail/sql.ts'
import { userById } from './sql.ts'

export const resetFactors = route({
  method: 'POST',
  path: '/api/v1/admin/users/:userId/factor-reset',
  operation: 'allowFactorReset',
  summary:
    'Mail a person a link that, with the password, lets them enrol a second factor in place of ' +
    'all others; their sessions are revoked, waiting payment drafts that were made or signed in ' +
    'them become void, and unanswered invitations that the person sent are taken back. An ' +
    'administrator cannot do it for themselves.',
  access: { admin: 'any' },
  confirm: true,
  limit: 'admin',
  params: closed({ userId: UserId }),
  reply: { 204: Nothing },
  refusals: ['not_found', 'illegal_transition'],
  async handle({ params: { userId }, caller, db, now, record, service }) {
    // With a session that was stolen, its factor could be replaced.
    if (userId === caller.userId) refuse('forbidden', { because: 'themselves' })
    await transaction(db, async (tx) => {
      const user = (await userById(tx, userId)) ?? refuse('not_found')
      const policy = findFactorPolicy(service.config.secondFactor, user.roles as Role[])
      const hasFactor = (await activeFactors(tx, userId)).length > 0
      const isPossible = hasFactor && user.status === 'active' && policy !== 'off'
      if (!isPossible) refuse('illegal_transition', { because: 'no factor to replace' })
      await endAllSessions(tx, userId, { by: caller.userId, now, record })
      await queueMail(tx, 'factor-reset', userId, now)
    })
  },
})
