// The endpoint of the audit trail. Reading the trail is recorded in it, as each read by staff is.
import { type Static, Type } from 'typebox'
import { rfc3339 } from '../../domain/clock.ts'
import { listSchema, pageQuery } from '../../http/pagination.ts'
import type { RowOf } from '../../database/statement.ts'
import { invalid } from '../../domain/errors.ts'
import { firstId, idAt, lastId, RequestId, uuidPattern, UserId } from '../../domain/ids.ts'
import { periodStart, periodEnd, When } from '../../domain/date-range.ts'
import { route } from '../../http/route.ts'
import { closed, named, nullable, oneOf, Time } from '../../domain/schema.ts'
import { type Outcome, eventColumns, events, outcomes } from '../../audit/sql.ts'

const identifier = (description: string) =>
  Type.String({
    pattern: uuidPattern,
    minLength: 36,
    maxLength: 36,
    description,
    examples: ['01981f7e-4c00-7000-8000-6576656e7400'],
  })

const Action = Type.String({
  pattern: '^[A-Za-z0-9]+$',
  minLength: 1,
  maxLength: 80,
  description: 'The operation, by its name in the API reference.',
  examples: ['postCardFreeze'],
})

const Target = identifier('The account, person, session, transfer or card that the event is about.')

export const AuditEvent = named('AuditEvent', {
  id: identifier('Sorts by time.'),
  at: Time,
  actorId: nullable(UserId),
  action: Action,
  target: nullable(Target),
  outcome: oneOf(outcomes),
  requestId: RequestId,
  address: Type.String({ maxLength: 45, examples: ['192.0.2.7'] }),
  detail: nullable(
    Type.String({
      maxLength: 140,
      description: 'The reason that was given, or the names of the fields that were changed.',
    }),
  ),
})

const list = route({
  method: 'GET',
  path: '/api/v1/admin/audit-events',
  operation: 'listAdminAuditEvents',
  summary: 'List audit events, newest first. An event has to match every filter.',
  access: { admin: 'any' },
  limit: 'read',
  query: closed({
    actorId: Type.Optional(UserId),
    action: Type.Optional(Action),
    target: Type.Optional(Target),
    outcome: Type.Optional(oneOf(outcomes)),
    from: Type.Optional(When),
    to: Type.Optional(When),
    requestId: Type.Optional(RequestId),
    ...pageQuery,
  }),
  reply: { 200: listSchema(AuditEvent) },
  async handle({ query, db, service, page }) {
    const { actorId, action, target, outcome, from, to, requestId } = query
    const least = from === undefined ? firstId : idAt(periodStart(from, '/query/from'))
    const end = to === undefined ? lastId : idAt(periodEnd(to, '/query/to'))
    if (least >= end) invalid('/query/to', 'is before from')
    // Events of this instance that are not written yet belong in the list.
    await service.audit.flush()
    return page({
      fetch: (before = end, count) => {
        const filter = { actorId, action, target, outcome, requestId }
        return events(db, filter, { least, before }, count)
      },
      toItem: toEvent,
    })
  },
})

const toEvent = (row: RowOf<typeof eventColumns>): Static<typeof AuditEvent> => ({
  ...row,
  at: rfc3339(row.at.getTime()),
  outcome: row.outcome as Outcome,
})

export const auditRoutes = [list]
