// Endpoints of the sessions of other users: staff read them, administrators revoke them.
import { listSchema, pageQuery } from '../../http/pagination.ts'
import { transaction } from '../../database/connections/transaction.ts'
import { refuse } from '../../domain/errors.ts'
import { SessionId, UserId } from '../../domain/ids.ts'
import { route } from '../../http/route.ts'
import { closed, Nothing } from '../../domain/schema.ts'
import { endAllSessions } from '../members/end-all-sessions.ts'
import { findSession, listSessions, Session } from '../auth/session-list.ts'
import { endSession } from '../auth/sql.ts'
import { userById } from './sql.ts'

const list = route({
  method: 'GET',
  path: '/api/v1/admin/users/:userId/sessions',
  operation: 'listUserSessions',
  summary: 'List the live sessions of a person, newest first.',
  access: { 'support-agent': 'any', admin: 'any' },
  limit: 'read',
  params: closed({ userId: UserId }),
  query: closed(pageQuery),
  reply: { 200: listSchema(Session) },
  refusals: ['not_found'],
  async handle(context) {
    const { userId } = context.params
    if (!(await userById(context.db, userId))) refuse('not_found')
    return listSessions(context, userId, (session) => session)
  },
})

const revokeAll = route({
  method: 'DELETE',
  path: '/api/v1/admin/users/:userId/sessions',
  operation: 'revokeUserSessions',
  summary:
    'Revoke all sessions of a person, on all devices, at once. Ordered payment lists go on, and ' +
    'so do standing orders (`GET /api/v1/orders?status=open&ownerId=<userId>`). Waiting payment ' +
    'drafts that were made or signed in them become void, and unanswered invitations that the ' +
    'person sent are taken back.',
  access: { admin: 'any' },
  limit: 'admin',
  params: closed({ userId: UserId }),
  reply: { 204: Nothing },
  refusals: ['not_found'],
  async handle({ params: { userId }, caller, db, now, record }) {
    await transaction(db, async (tx) => {
      if (!(await userById(tx, userId))) refuse('not_found')
      await endAllSessions(tx, userId, { by: caller.userId, now, record })
    })
  },
})

const read = route({
  method: 'GET',
  path: '/api/v1/admin/sessions/:sessionId',
  operation: 'getUserSession',
  summary: 'Read a live session: whose it is, and on which device.',
  access: { 'support-agent': 'any', admin: 'any' },
  limit: 'read',
  params: closed({ sessionId: SessionId }),
  reply: { 200: Session },
  refusals: ['not_found'],
  async handle(context) {
    return (await findSession(context, context.params.sessionId)) ?? refuse('not_found')
  },
})

const revokeOne = route({
  method: 'DELETE',
  path: '/api/v1/admin/sessions/:sessionId',
  operation: 'revokeUserSession',
  summary:
    'Revoke one session at once; other sessions of the same person go on, and so do ordered ' +
    'payment lists and standing orders ' +
    '(`GET /api/v1/orders?status=open&orderedBy=<sessionId>`). Waiting payment drafts that were ' +
    'made or signed in it become void, and unanswered invitations that were sent or changed last ' +
    'in it are taken back.',
  access: { admin: 'any' },
  limit: 'admin',
  params: closed({ sessionId: SessionId }),
  reply: { 204: Nothing },
  refusals: ['not_found'],
  async handle({ params, db, now }) {
    await transaction(db, async (tx) => {
      if (!(await endSession(tx, params.sessionId, 'revoked', now))) refuse('not_found')
    })
  },
})

export const sessionRoutes = [list, read, revokeAll, revokeOne]
