// The feed of events: what happened, in the order of commit.
import { type Static, Type } from '../../domain/type.ts'
import { rfc3339 } from '../../domain/clock.ts'
import { invalid } from '../../domain/errors.ts'
import { AccountId, uuidPattern } from '../../domain/ids.ts'
import { closed, named, nullable, oneOf, Time } from '../../domain/schema.ts'
import { pageQuery, pageSize } from '../../http/pagination.ts'
import { route } from '../../http/route.ts'
import {
  type EventRow,
  eventsBetween,
  eventsOfOwner,
  eventTypes,
  type EventType,
  holdersOf,
} from './sql.ts'

export const EventNumber = Type.String({
  title: 'EventNumber',
  pattern: '^[0-9]+$',
  minLength: 1,
  maxLength: 18,
  description:
    'The place of an event in the order of commit: 1, 2, 3 … without gaps, but for a great one ' +
    'after a restore of the bank or another end of all sessions.',
  examples: ['1042'],
})

export const EventTypeName = oneOf(eventTypes, {
  title: 'EventType',
  examples: ['transfer.completed'],
})

export const ResourceId = nullable(
  Type.String({
    pattern: uuidPattern,
    minLength: 36,
    maxLength: 36,
    description:
      'The identifier of what its type names: of `card.payment.captured` a card payment. Null ' +
      'for `session.revoked` when all sessions of the bank ended.',
    examples: ['01981f7e-4c00-7000-8000-7472616e7366'],
  }),
)

const Event = named('Event', {
  number: EventNumber,
  type: EventTypeName,
  at: Time,
  resourceId: ResourceId,
  accountIds: Type.Array(AccountId, {
    maxItems: 2,
    description: 'The accounts that it concerns: of a transfer its source and its destination.',
  }),
  holders: Type.Optional(
    Type.Array(Type.String({ maxLength: 141, examples: ['Ada Okafor'] }), {
      maxItems: 2,
      description: 'With `names`: who holds these accounts, in their order, without the bank.',
    }),
  ),
})

const list = route({
  method: 'GET',
  path: '/api/v1/events',
  operation: 'listEvents',
  summary:
    'Read events in the order of commit, without gaps: those with a number greater than `after`. ' +
    'Ask again with `after` set to `nextAfter`. With `wait`, an answer without events is given ' +
    'only when that time is over. A service account that reads the accounts of one customer gets ' +
    'the events of these alone: `nextAfter` moves on also where none of them is.',
  access: { 'support-agent': 'any', admin: 'any' },
  service: 'read',
  limit: 'read',
  query: closed({
    after: Type.Optional(
      Type.String({
        pattern: '^([0-9]+|last)$',
        minLength: 1,
        maxLength: 18,
        description: 'A number, or `last`: that of the newest event there is.',
        examples: ['1042'],
      }),
    ),
    types: Type.Optional(
      Type.String({
        pattern: '^[a-z.,]+$',
        minLength: 1,
        maxLength: 1500,
        description: 'Only events of these types, separated by commas.',
        examples: ['transfer.completed,transfer.pending'],
      }),
    ),
    wait: Type.Optional(
      Type.String({
        pattern: '^([0-9]|1[0-9]|2[0-5])$',
        maxLength: 2,
        description: 'For how many seconds to wait for an event, at most 25.',
        examples: ['0'],
      }),
    ),
    names: Type.Optional(
      oneOf(['true'], { description: 'With the names of the holders, for people.' }),
    ),
    limit: pageQuery.limit,
  }),
  reply: {
    200: closed(
      { items: Type.Array(Event, { maxItems: 1000 }), nextAfter: EventNumber },
      { title: 'EventList' },
    ),
  },
  refusals: ['unavailable'],
  async handle({ query, caller, db, service, requireStill, gone }) {
    const { feed, clock, config } = service
    const types = readTypes(query.types)
    const count = pageSize(query.limit, config.maxPage)
    const until = clock.monotonic() + Number.parseInt(query.wait ?? '0', 10) * 1000
    const signal = gone()
    let acting = caller
    let after = query.after === 'last' ? await feed.last() : BigInt(query.after ?? '0')
    // Ends after the time that the caller waits, or with an event, the connection or the service.
    for (;;) {
      const last = await feed.last()
      if (after > last) invalid('/query/after', 'is a number that no event has')
      const rows = await eventsBetween(db, { after, last, types }, count)
      const waitMs = until - clock.monotonic()
      const shown = acting.grant === 'any' ? rows : await eventsOfOwner(db, rows, acting.ownerId)
      const isWhole = rows.length < count
      after = isWhole ? last : (rows.at(-1)?.number ?? last)
      if (shown.length > 0 || waitMs <= 0 || signal.aborted || feed.isEnding()) {
        const isNamed = query.names !== undefined && caller.service === undefined
        const holders = isNamed ? await holdersOf(db, shown) : undefined
        return { items: shown.map((row) => toEvent(row, holders)), nextAfter: `${after}` }
      }
      if (isWhole) await feed.waitForNewer(caller.userId, { types, after, waitMs, signal })
      acting = (await requireStill()) ?? caller
    }
  },
})

function readTypes(list: string | undefined): readonly EventType[] {
  if (list === undefined) return eventTypes
  const types = [...new Set(list.split(','))]
  const isKnown = (type: string): type is EventType => eventTypes.some((known) => known === type)
  return types.every(isKnown) ? types : invalid('/query/types', 'names an unknown type')
}

const toEvent = (
  { number, at, ...row }: EventRow,
  holders: ReadonlyMap<unknown, string> | undefined,
): Static<typeof Event> => ({
  ...row,
  number: `${number}`,
  at: rfc3339(at.getTime()),
  accountIds: row.accountIds as string[],
  ...(holders && { holders: row.accountIds.flatMap((id) => holders.get(id) ?? []) }),
})

export const eventRoutes = [list]
