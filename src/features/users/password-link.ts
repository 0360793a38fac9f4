// Staff send a person a link to set a password. They learn no password and no link: it is in the
// mail alone, and a person has one link at a time.
import { transaction } from '../../database/connections/transaction.ts'
import { refuse } from '../../domain/errors.ts'
import { UserId } from '../../domain/ids.ts'
import { closed, Nothing } from '../../domain/schema.ts'
import { route } from '../../http/route.ts'
import { vouchFor } from '../../ledger/rows/made-resources.ts'
import { queuePasswordLink } from '../mail/sql.ts'
import { userById } from './sql.ts'

export const mailPasswordLink = route({
  method: 'POST',
  path: '/api/v1/admin/users/:userId/password-link',
  operation: 'mailPasswordLink',
  summary:
    'Mail a person a link to set a password: the invitation once more, or a reset. Nothing ' +
    'changes until it is used; earlier links are void. A person is sent three in an hour at most.',
  access: { admin: 'any' },
  confirm: true,
  limit: 'admin',
  params: closed({ userId: UserId }),
  reply: { 204: Nothing },
  refusals: ['not_found', 'illegal_transition', 'limit_exceeded'],
  async handle({ params: { userId }, db, now }) {
    await transaction(db, async (tx) => {
      const user = (await userById(tx, userId)) ?? refuse('not_found')
      if (user.status !== 'active') refuse('illegal_transition', { because: 'disabled' })
      if (!user.hasPassword) await vouchFor(tx, userId)
      if (!(await queuePasswordLink(tx, user, now))) refuse('limit_exceeded')
    })
  },
})
