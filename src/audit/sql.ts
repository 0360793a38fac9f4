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

const filters = ['uuid?', 'uuid?', 'uuid?', 'text?', 'text?', 'uuid', 'uuid', 'int4'] as const
const filterBy = (lead: keyof typeof leads): string =>
  `${leads[lead]}
   and ($1::uuid is null or request_id = $1)
   and ($2::uuid is null or target = $2)
   and ($3::uuid is null or actor_id = $3)
   and ($4::text is null or outcome = $4)
   and ($5::text is null or action = $5)
   and id >= $6 and id < $7
   order by id desc limit $8::int4`

const listBy = (lead: keyof typeof leads) =>
  statement(
    `audit_list_by_${lead}`,
    filters,
    shownEvent,
    [sql`select ${shown} from audit_events e where`, filterBy(lead)].join(' '),
  )

const leadNames = Object.keys(leads) as (keyof typeof leads)[]
const byLead = <S>(make: (lead: keyof typeof leads) => S) =>
  Object.fromEntries(leadNames.map((lead) => [lead, make(lead)])) as Record<keyof typeof leads, S>
const lists = byLead(listBy)

/** Neither a look nor a renewed session: something was changed, or somebody signed in or out. */
export const isChange = fragment`action !~ '^(get|list|find|inspect|refresh|checkPayee)'`
const marksBy = (lead: keyof typeof leads) =>
  statement(
    `audit_mark_by_${lead}`,
    filters,
    { id: 'uuid', isChange: 'bool' },
    [sql`select id, ${isChange} as "isChange" from audit_events where`, filterBy(lead)].join(' '),
  )
const marks = byLead(marksBy)

const readMany = statement(
  'audit_read_many',
  ['uuid[]'],
  shownEvent,
  sql`select ${shown} from audit_events e where e.id = any($1) order by e.id desc`,
)

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

type Span = { least: string; before: string }

const valuesOf = (filter: EventFilter, { least, before }: Span, count: number) =>
  [
    filter.requestId ?? null,
    filter.target ?? null,
    filter.actorId ?? null,
    filter.outcome ?? null,
    filter.action ?? null,
    least,
    before,
    count,
  ] as const

/** Newest first, with `least` <= id < `before`. */
export const events = (db: Db, filter: EventFilter, span: Span, count: number) =>
  db.run(lists[chooseLead(filter)], [...valuesOf(filter, span, count)])

/** The most events that a request looks through for changes. */
const lookedThroughMax = 2000

/** Those that changed something. `next` is where a reading that stopped goes on. */
export async function changes(db: Db, filter: EventFilter, span: Span, count: number) {
  const values = valuesOf(filter, span, lookedThroughMax)
  const found = await db.run(marks[chooseLead(filter)], [...values])
  const ids = found.flatMap(({ id, isChange: isOne }) => (isOne ? [id] : [])).slice(0, count)
  const isWhole = found.length < lookedThroughMax || ids.length === count
  return {
    rows: await db.run(readMany, [ids]),
    next: isWhole ? undefined : found.at(-1)?.id,
  }
}
