// Endpoints of the audit trail. Reading the trail is recorded in it, as each read by staff is.
import { type Static, Type } from 'typebox'
import { rfc3339 } from '../../domain/clock.ts'
import { listSchema, pageQuery } from '../../http/pagination.ts'
import { one } from '../../database/statements/statement.ts'
import { invalid, refuse } from '../../domain/errors.ts'
import { EventId, firstId, idAt, lastId, RequestId, uuidPattern, UserId } from '../../domain/ids.ts'
import { periodStart, periodEnd, When } from '../../domain/date-range.ts'
import { route } from '../../http/route.ts'
import { closed, named, nullable, oneOf, Time } from '../../domain/schema.ts'
import { events, outcomes, readEvent, type ShownEventRow } from '../../audit/sql.ts'
import { ChangedOrder, toChangedOrder } from '../orders/schemas.ts'

const Action = Type.String({
  pattern: '^[A-Za-z0-9]+$',
  minLength: 1,
  maxLength: 80,
  description: 'The operation, by its name in the API reference.',
  examples: ['freezeCard'],
})

const Target = Type.String({
  pattern: uuidPattern,
  minLength: 36,
  maxLength: 36,
  description: 'The account, person, session, transfer, card or event that the event is about.',
  examples: ['01981f7e-4c00-7000-8000-6576656e7400'],
})

export const AuditEvent = named('AuditEvent', {
  id: EventId,
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
      description:
        'The reason that was given, the transfer that was made, or the names of the fields that ' +
        'were changed or of the query parameters.',
      examples: ['Reported stolen'],
    }),
  ),
  order: Type.Optional(ChangedOrder),
})

const list = route({
  method: 'GET',
  path: '/api/v1/admin/audit-events',
  operation: 'listAuditEvents',
  summary: 'List audit events, newest first. An event has to match every filter.',
  access: { admin: 'any' },
  service: 'operation',
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
    const days = service.clocks.days()
    const least = from === undefined ? firstId : idAt(periodStart(from, '/query/from', days))
    const end = to === undefined ? lastId : idAt(periodEnd(to, '/query/to', days))
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

const read = route({
  method: 'GET',
  path: '/api/v1/admin/audit-events/:eventId',
  operation: 'getAuditEvent',
  summary: 'Read one audit event.',
  access: { admin: 'any' },
  service: 'operation',
  limit: 'read',
  params: closed({ eventId: EventId }),
  reply: { 200: AuditEvent },
  refusals: ['not_found'],
  async handle({ params, db, service }) {
    await service.audit.flush()
    return toEvent((await one(db, readEvent, [params.eventId])) ?? refuse('not_found'))
  },
})

const toEvent = ({
  orderBefore,
  orderAfter,
  ...row
}: ShownEventRow): Static<typeof AuditEvent> => ({
  ...row,
  ...(orderAfter !== null && { order: toChangedOrder(orderBefore, orderAfter) }),
  at: rfc3339(row.at.getTime()),
})

export const auditRoutes = [list, read]
