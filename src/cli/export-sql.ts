// What an export reads of a person beyond what the API shows.
import { eventColumns } from '../audit/sql.ts'
import {
  type Db,
  fragment,
  listOf,
  select,
  sql,
  statement,
} from '../database/statements/statement.ts'
import { entryNotesOf } from '../features/transfers/note-sql.ts'

export const findPerson = statement(
  'export_find_person',
  ['text'],
  { id: 'uuid' },
  'select id from users where id::text = $1 or username = $1',
)

const session = {
  id: 'uuid',
  device: 'text?',
  createdAt: 'timestamptz',
  lastUsedAt: 'timestamptz',
  endedAt: 'timestamptz?',
} as const

/** All sessions of a person, ended ones too, newest first. */
export const listSessions = listOf(
  'export_list_sessions',
  { ...session, endedBecause: 'text?' },
  // A session that ended with all others of its user, or of the bank, has no `ended_because`.
  fragment`select ${select(session, 's')},
     coalesce(s.ended_because, case when c.id is null then 'revoked' end) as "endedBecause"
   from sessions s left join current_sessions c on c.id = s.id
   where s.user_id = $1`,
  's.id',
)

/** The names that a person had before, with the time at which each ended, oldest first. */
export const listFormerNames = statement(
  'export_list_former_names',
  ['uuid'],
  { name: 'text', until: 'timestamptz' },
  'select name, until from holder_names where user_id = $1 order by until',
)

/** What the person and what is theirs were called in the bank that they were imported from. */
export const listImported = statement(
  'export_list_imported',
  ['uuid'],
  { kind: 'text', sourceId: 'text' },
  `with theirs as materialized (select id from accounts where owner_id = $1)
   select i.kind, i.source_id as "sourceId"
   from (
     select $1 as id
     union all select id from theirs
     union all select b.id from theirs a join beneficiaries b on b.account_id = a.id
     union all select o.id from theirs a join standing_orders o on o.account_id = a.id
   ) of join imported i on i.id = of.id
   order by i.kind, i.source_id`,
)

const device = { id: 'uuid', createdAt: 'timestamptz' } as const

/** Known devices of a person, newest first, without their tokens. */
export const listDevices = listOf(
  'export_list_devices',
  device,
  fragment`select ${select(device)} from devices where user_id = $1`,
)

/** A service account, or a user by the roles of now. */
export const readActor = statement(
  'export_read_actor',
  ['uuid'],
  { by: 'text' },
  `select 'service account' as by from service_accounts where id = $1
   union all
   select case when roles <@ '{customer}' then 'another customer' else 'staff' end
   from users where id = $1`,
)

/** The events whose target is one of those, newest first. */
export const listEventsAbout = statement(
  'export_list_events_about',
  ['uuid[]', 'uuid', 'int8'],
  eventColumns,
  sql`select ${select(eventColumns)} from audit_events
   where target = any($1) and id < $2 order by id desc limit $3`,
)

/** The changes of the standing orders of an account behind one, in the order of their key. */
export const listOrderChanges = statement(
  'export_list_order_changes',
  ['uuid', 'uuid', 'int4', 'int8'],
  {
    orderId: 'uuid',
    version: 'int4',
    at: 'timestamptz',
    callerId: 'uuid?',
    terms: 'jsonb',
    reference: 'text?',
    payeeName: 'text?',
    payeeIban: 'text?',
  },
  `select c.order_id as "orderId", c.version, c.at, c.caller_id as "callerId",
     c.terms - '{makerId,callerId,sessionId,createdAt}'::text[] as terms,
     c.reference, c.payee_name as "payeeName", c.payee_iban as "payeeIban"
   from standing_orders o join standing_order_changes c on c.order_id = o.id
   where o.account_id = $1 and (c.order_id, c.version) > ($2, $3)
   order by c.order_id, c.version limit $4`,
)

export const rowsPerPage = 500

/** All items of a list, fetched in pages. */
export async function* paged<Row extends { id: string }, Item = Row>(
  fetch: (after: string | undefined, count: number) => Promise<Row[]>,
  toItem: (row: Row) => Item = (row) => row as never,
): AsyncGenerator<Item> {
  // Ends at an empty page: each begins behind the last row of the one before.
  for (let after: string | undefined; ;) {
    const rows: Row[] = await fetch(after, rowsPerPage)
    for (const row of rows) yield toItem(row)
    after = rows.at(-1)?.id
    if (after === undefined) return
  }
}

/** The person's own notes on entries of an account. */
export async function* entryNotesOfAccount(db: Db, accountId: string): AsyncGenerator<object> {
  // Ends at an empty page, as above.
  for (let after: bigint | undefined = 0n; after !== undefined;) {
    const rows = await entryNotesOf(db, accountId, after, rowsPerPage)
    for (const { seq: _, ...row } of rows) yield { accountId, ...row }
    after = rows.at(-1)?.seq
  }
}
