// Statements of the audit trail: events are added and read, never changed or removed.
import {
  bareColumns,
  type Db,
  type Fragment,
  fragment,
  type RowOf,
  select,
  sql,
  statement,
  type ValuesOf,
  wordOf,
} from '../database/statements/statement.ts'
import { newId } from '../domain/ids.ts'
import type { Action } from './actions.ts'

export const outcomes = ['success', 'failure', 'limited', 'forbidden'] as const
export type Outcome = (typeof outcomes)[number]

/** Users and resources by identifier, without personal data. */
export type AuditEvent = {
  id: string
  /** Milliseconds since the epoch. */
  at: number
  /** Null if the caller was not authenticated. */
  actorId: string | null
  action: Action
  target: string | null
  outcome: Outcome
  requestId: string
  address: string
  detail: string | null
}

/**
 * The event of a command, or of what the service does on its own (address `service`). Its actor is
 * unknown; the address of a command is `operator`.
 */
export const commandEvent = (
  now: number,
  about: Pick<AuditEvent, 'action'> & Partial<AuditEvent>,
): AuditEvent => ({
  id: newId(now),
  at: now,
  actorId: null,
  target: null,
  outcome: 'success',
  requestId: newId(now),
  address: 'operator',
  detail: null,
  ...about,
})

export const eventColumns = {
  id: 'uuid',
  at: 'timestamptz',
  actorId: 'uuid?',
  action: 'text',
  target: 'uuid?',
  outcome: wordOf(outcomes),
  requestId: 'uuid',
  address: 'text',
  detail: 'text?',
} as const

/** An existing event is not written again: the answer to its COMMIT was lost. */
export const insertEvents = statement(
  'audit_insert',
  ['uuid[]', 'timestamptz[]', 'uuid[]', 'text[]', 'uuid[]', 'text[]', 'uuid[]', 'text[]', 'text[]'],
  sql`insert into audit_events (${bareColumns(eventColumns)})
   select ${bareColumns(eventColumns)}
   from unnest($1::uuid[], $2::timestamptz[], $3::uuid[], $4::text[], $5::uuid[], $6::text[],
               $7::uuid[], $8::text[], $9::text[])
     as e (${bareColumns(eventColumns)})
   on conflict (id) do nothing`,
)

/** The parameters of {@link insertEvents}, in its order. */
export const toColumns = (events: readonly AuditEvent[]): ValuesOf<typeof insertEvents.takes> => [
  events.map(({ id }) => id),
  events.map(({ at }) => new Date(at)),
  events.map(({ actorId }) => actorId),
  events.map(({ action }) => action),
  events.map(({ target }) => target),
  events.map(({ outcome }) => outcome),
  events.map(({ requestId }) => requestId),
  events.map(({ address }) => address),
  events.map(({ detail }) => detail),
]

/** Any number of events in one statement. */
export const addEvents = (db: Db, events: readonly AuditEvent[]) =>
  db.run(insertEvents, toColumns(events))

/** The events that exist: whether a COMMIT whose answer was lost took effect. */
export const findEvents = statement(
  'audit_find',
  ['uuid[]'],
  { id: 'uuid' },
  'select id from audit_events where id = any($1)',
)

/**
 * With the terms of the standing order that it changed, which are no column of the trail: an
 * exported line of it holds no personal data.
 */
const shownEvent = { ...eventColumns, orderBefore: 'jsonb?', orderAfter: 'jsonb?' } as const
export type ShownEventRow = RowOf<typeof shownEvent>

const termsOf = (change: Fragment) => fragment`${change}.terms || jsonb_build_object(
     'reference', ${change}.reference, 'payeeName', ${change}.payee_name,
     'payeeIban', ${change}.payee_iban)`
const changeOf = fragment`from standing_order_changes c
     left join standing_order_changes p
       on p.order_id = c.order_id and p.version = c.version - 1
     where c.request_id = e.request_id and c.order_id = e.target and e.outcome = 'success'`
const shown = fragment`${select(eventColumns, 'e')},
   (select ${termsOf(fragment`p`)} ${changeOf}) as "orderBefore",
   (select ${termsOf(fragment`c`)} ${changeOf}) as "orderAfter"`

export const readEvent = statement(
  'audit_read',
  ['uuid'],
  shownEvent,
  sql`select ${shown} from audit_events e where e.id = $1`,
)

/**
 * The leading filter of a list, unconditional in its statement, has an index in the order of the
 * list. A generic plan for every combination of filters would read the whole trail.
 */
const leads = {
  request: 'request_id = $1',
  target: 'target = $2',
  actor: 'actor_id = $3',
  outcome: `outcome = $4 and outcome <> 'success'`,
  action: 'action = $5',
  time: 'true',
} as const

const listBy = (lead: keyof typeof leads) =>
  statement(
    `audit_list_by_${lead}`,
    ['uuid?', 'uuid?', 'uuid?', 'text?', 'text?', 'uuid', 'uuid', 'int4'],
    shownEvent,
    [
      sql`select ${shown} from audit_events e where`,
      leads[lead],
      `and ($1::uuid is null or request_id = $1)
       and ($2::uuid is null or target = $2)
       and ($3::uuid is null or actor_id = $3)
       and ($4::text is null or outcome = $4)
       and ($5::text is null or action = $5)
       and id >= $6 and id < $7
       order by id desc limit $8::int4`,
    ].join(' '),
  )

const lists = {
  request: listBy('request'),
  target: listBy('target'),
  actor: listBy('actor'),
  outcome: listBy('outcome'),
  action: listBy('action'),
  time: listBy('time'),
}

export type EventFilter = {
  requestId?: string | undefined
  target?: string | undefined
  actorId?: string | undefined
  outcome?: Outcome | undefined
  action?: string | undefined
}

function chooseLead(filter: EventFilter): keyof typeof lists {
  if (filter.requestId !== undefined) return 'request'
  if (filter.target !== undefined) return 'target'
  if (filter.actorId !== undefined) return 'actor'
  if (filter.outcome !== undefined && filter.outcome !== 'success') return 'outcome'
  return filter.action === undefined ? 'time' : 'action'
}

/** Newest first, with `least` <= id < `before`. */
export const events = (
  db: Db,
  filter: EventFilter,
  { least, before }: { least: string; before: string },
  count: number,
) =>
  db.run(lists[chooseLead(filter)], [
    filter.requestId ?? null,
    filter.target ?? null,
    filter.actorId ?? null,
    filter.outcome ?? null,
    filter.action ?? null,
    least,
    before,
    count,
  ])
