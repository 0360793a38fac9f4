// Endpoints of the audit trail. Reading the trail is recorded in it, as each read by staff is.
import { type Static, Type } from '../../domain/type.ts'
import { rfc3339 } from '../../domain/clock.ts'
import { listSchema, pageQuery } from '../../http/pagination.ts'
import { one } from '../../database/statements/statement.ts'
import { invalid, refuse } from '../../domain/errors.ts'
import { EventId, firstId, idAt, lastId, RequestId, uuidPattern, UserId } from '../../domain/ids.ts'
import { periodStart, periodEnd, When } from '../../domain/date-range.ts'
import { isStaff } from '../../gate/roles.ts'
import { type Context, route } from '../../http/route.ts'
import { closed, named, nullable, oneOf, Time } from '../../domain/schema.ts'
import { changes, events, outcomes, readEvent, type ShownEventRow } from '../../audit/sql.ts'
import { Actor } from '../accounts/schemas.ts'
import { ChangedOrder, toChangedOrder } from '../orders/schemas.ts'
import { OwnTransaction, toOwnTransaction } from '../transfers/history-routes.ts'
import { listOwnEntries } from '../transfers/history-sql.ts'
import { userById } from '../users/sql.ts'
import { keptEvents } from '../../audit/kept-reasons.ts'
import { namesOf } from '../../audit/names.ts'
import { lastEventsMax, lastEventsOf, lookedThroughMax } from './sql.ts'

const Action = Type.String({
  pattern: '^[A-Za-z0-9]+$',
  minLength: 1,
  maxLength: 80,
  description:
    'The operation, by its name in the API reference; or the act of a command, such as `backup`.',
  examples: ['freezeCard'],
})

const Target = Type.String({
  pattern: uuidPattern,
  minLength: 36,
  maxLength: 36,
  description: 'The identifier of what the event is about, such as an account or a person.',
  examples: ['01981f7e-4c00-7000-8000-6576656e7400'],
})

const ShownName = Type.String({
  maxLength: 141,
  description:
    'With `names`: of the person, of the holder of the account or card, or of the program. The ' +
    'trail itself has no names, and a program that keeps it gets none.',
  examples: ['Robin Ortiz'],
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
        'Such as the reason that was given, the transfer that was made, or the names of the ' +
        'fields that were changed or of the query parameters.',
      examples: ['Reported stolen'],
    }),
  ),
  order: Type.Optional(ChangedOrder),
  actorName: Type.Optional(ShownName),
  targetName: Type.Optional(ShownName),
})

const withNames = {
  names: Type.Optional(oneOf(['true'], { description: 'With names, for people.' })),
}

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
    changes: Type.Optional(
      oneOf(['true'], { description: 'Without what was only read, and without renewed sessions.' }),
    ),
    ...withNames,
    ...pageQuery,
  }),
  reply: { 200: listSchema(AuditEvent) },
  async handle({ query, caller, db, service, page }) {
    const { actorId, action, target, outcome, from, to, requestId, changes: isOfChanges } = query
    const days = service.clocks.days()
    const least = from === undefined ? firstId : idAt(periodStart(from, '/query/from', days))
    const end = to === undefined ? lastId : idAt(periodEnd(to, '/query/to', days))
    if (least >= end) invalid('/query/to', 'is before from')
    // Events of this instance that are not written yet belong in the list.
    await service.audit.flush()
    const readRows = isOfChanges ? changes : events
    const filter = { actorId, action, target, outcome, requestId }
    const { items, nextCursor } = await page({
      fetch: (before = end, count) => readRows(db, filter, { least, before }, count),
      toItem: (row) => row,
    })
    return { items: await toEvents(items, { query, caller, db, service }), nextCursor }
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
  query: closed(withNames),
  reply: { 200: AuditEvent },
  refusals: ['not_found'],
  async handle({ params, query, caller, db, service }) {
    await service.audit.flush()
    const row = (await one(db, readEvent, [params.eventId])) ?? refuse('not_found')
    const [event] = await toEvents([row], { query, caller, db, service })
    return event as Static<typeof AuditEvent>
  },
})

type Reading = Pick<Context<unknown, { names?: 'true' }>, 'query' | 'caller' | 'db' | 'service'>

/** Without the reasons that are kept from the reader. */
async function withoutKept<R extends Pick<ShownEventRow, 'action' | 'target' | 'detail'>>(
  rows: readonly R[],
  { caller: { userId }, db, service: { members } }: Omit<Reading, 'query'>,
): Promise<R[]> {
  const isKept = await keptEvents(db, { userId, areMembersOn: members !== undefined }, rows)
  return rows.map((row) => (isKept(row) ? { ...row, detail: null } : row))
}

/** A program that keeps the trail gets no personal data with it. */
async function toEvents(all: readonly ShownEventRow[], reading: Reading) {
  const { query, caller, db } = reading
  const rows = await withoutKept(all, reading)
  const isShown = query.names !== undefined && caller.service === undefined
  const ids = !isShown ? [] : rows.flatMap(({ actorId, target }) => [actorId, target])
  const names = await namesOf(db, ids)
  return rows.map((row): Static<typeof AuditEvent> => {
    const { orderBefore, orderAfter, ...event } = row
    const actorName = names.get(event.actorId ?? '')
    const targetName = names.get(event.target ?? '')
    return {
      ...event,
      ...(orderAfter !== null && { order: toChangedOrder(orderBefore, orderAfter) }),
      ...(actorName !== undefined && { actorName }),
      ...(targetName !== undefined && { targetName }),
      at: rfc3339(event.at.getTime()),
    }
  })
}

/** An event as those read it who do not read the trail: without address and request. */
const UserEvent = named('UserEvent', {
  id: EventId,
  at: Time,
  by: nullable(Actor),
  action: Action,
  outcome: oneOf(outcomes),
  detail: AuditEvent.properties.detail,
})

const ofUser = route({
  method: 'GET',
  path: '/api/v1/admin/users/:userId/audit-events',
  operation: 'listUserEvents',
  summary:
    `The last ${lastEventsMax} changes and sign-ins of a person, and changes to the person, the ` +
    `accounts and the cards, newest first, among the last ${lookedThroughMax} events of each; and ` +
    `the last ${lastEventsMax} entries of the open accounts, which are no events. ` +
    'Support agents read those of customers who are no staff.',
  access: { 'support-agent': 'any', admin: 'any' },
  limit: 'read',
  params: closed({ userId: UserId }),
  reply: {
    200: named('UserEvents', {
      events: Type.Array(UserEvent, { maxItems: lastEventsMax }),
      payments: Type.Array(OwnTransaction, { maxItems: lastEventsMax }),
    }),
  },
  refusals: ['not_found'],
  async handle({ params: { userId }, caller, db, service }) {
    const user = (await userById(db, userId)) ?? refuse('not_found')
    if (isStaff(user.roles) && !caller.roles.includes('admin')) {
      refuse('forbidden', { because: 'events of staff' })
    }
    await service.audit.flush()
    const rows = await withoutKept(await lastEventsOf(db, userId), { caller, db, service })
    const entries = await db.run(listOwnEntries, [userId, null, null, BigInt(lastEventsMax)])
    const names = await namesOf(
      db,
      rows.map(({ actorId }) => actorId),
    )
    return {
      events: rows.map(({ id, at, actorId, action, outcome, detail }) => ({
        id,
        at: rfc3339(at.getTime()),
        by: actorId === null ? null : { id: actorId, name: names.get(actorId) ?? null },
        action,
        outcome,
        detail,
      })),
      payments: entries.map(toOwnTransaction),
    }
  },
})

export const auditRoutes = [list, read, ofUser]
