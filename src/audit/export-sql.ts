// Statements of the export of the trail, and of the removal of what was exported.
import { type RowOf, select, sql, statement } from '../database/statements/statement.ts'
import { rfc3339 } from '../domain/clock.ts'
import { eventColumns } from './sql.ts'

/** Events after one and before another identifier, oldest first. */
export const readEvents = statement(
  'audit_export',
  ['uuid', 'uuid', 'int8'],
  eventColumns,
  sql`select ${select(eventColumns)} from audit_events
   where id > $1 and id < $2 order by id limit $3`,
)

/** Readers of lines take these for line ends, and JSON leaves them as they are. */
const separators = /[\u2028\u2029]/g

/** An event as a line of JSON. The same event gives the same line. */
export const eventLine = ({ at, ...event }: RowOf<typeof eventColumns>): string =>
  JSON.stringify({ at: rfc3339(at.getTime()), ...event }).replace(
    separators,
    (character) => `\\u${character.charCodeAt(0).toString(16)}`,
  )

/** How the last removal named its export. */
export const lastDrop = statement(
  'audit_last_drop',
  [],
  { detail: 'text?' },
  `select detail from audit_events where action = 'dropAudit' order by id desc limit 1`,
)

/** Whether the trail was exported with that detail. */
export const findExport = statement(
  'audit_find_export',
  ['text'],
  { is: 'bool' },
  `select exists (
     select from audit_events where action = 'exportAudit' and detail = $1
   ) as is`,
)

/** How the last removal that was not undone named its export. */
export const lastMissing = statement(
  'audit_last_missing',
  [],
  { detail: 'text?' },
  `select d.detail from audit_events d
   where d.action = 'dropAudit' and not exists (
     select from audit_events r
     where r.action = 'restoreAudit' and r.id > d.id and r.detail = d.detail)
   order by d.id desc limit 1`,
)

/** Lets the rest of this transaction remove events, if its role may. */
export const allowDrop = statement(
  'audit_allow_drop',
  [],
  { is: 'text' },
  `select set_config('strongroom.drop_audit', 'on', true) as is`,
)

/** The parts of years that ended by a time. */
export const readEndedYears = statement(
  'audit_read_ended_years',
  ['timestamptz'],
  { part: 'text' },
  `select part from years() where whole = 'audit_events' and ends <= $1 order by ends`,
)

export const dropEvents = statement(
  'audit_drop',
  ['uuid[]'],
  'delete from audit_events where id = any($1)',
)
