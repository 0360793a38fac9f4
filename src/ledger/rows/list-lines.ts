// Lines of payment lists: read and written in the transaction of their transfers. A line is a row
// with its number in the primary key, and its outcome stays, so it is paid once.
import { rowArrays } from '../../database/statements/arrays.ts'
import { type Db, sql, statement } from '../../database/statements/statement.ts'
import { type LineOutcome, type ListLine, standingLineColumns } from '../rules/list-lines.ts'

const readStandingLines = statement(
  'ledger_read_list_lines',
  ['uuid[]', 'int4[]'],
  standingLineColumns,
  sql`select l.list_id as "listId", l.place, l.amount, l.outcome, p.status,
     p.execute_on::text as "executeOn", p.is_program as "isProgram",
     s.expires_at as "programEndsAt",
     u.status = 'active' and 'customer' = any (u.roles)
       and (not p.is_program or s.status = 'active' and p.account_id = any (s.pay_from)
         and exists (
           select from service_keys k
           where k.service_account_id = s.id and k.revoked_at is null))
       as "isAllowed"
   from unnest($1::uuid[], $2::int4[]) as asked (list_id, place)
   join payment_list_lines l on l.list_id = asked.list_id and l.place = asked.place
   join payment_lists p on p.id = l.list_id
   join accounts a on a.id = p.account_id
   join users u on u.id = a.owner_id
   left join service_accounts s on p.is_program and s.id = p.caller_id`,
)
export const readLines = (db: Db, lines: readonly ListLine[]) =>
  db.run(readStandingLines, [lines.map(({ listId }) => listId), lines.map(({ place }) => place)])

const outcomes = rowArrays<LineOutcome>('r', {
  listId: ['uuid', ({ listId }) => listId],
  place: ['int4', ({ place }) => place],
  at: ['timestamptz', ({ at }) => at],
  outcome: ['text', ({ outcome }) => outcome],
  transferId: ['uuid', ({ transferId }) => transferId],
  refusal: ['text', ({ refusal }) => refusal],
  mailId: ['uuid', ({ mailId }) => mailId],
})

const writeOutcomes = statement(
  'ledger_write_list_lines',
  outcomes.takes,
  {},
  sql`with tried as materialized (
     select list_id, place, at, outcome, transfer_id, refusal, mail_id from ${outcomes.unnest}
   ), written as (
     update payment_list_lines l
     set outcome = t.outcome, transfer_id = t.transfer_id, refusal = t.refusal, at = t.at
     from tried t where l.list_id = t.list_id and l.place = t.place
     returning l.list_id, l.outcome, l.amount
   ), counted as (
     select list_id, count(*) filter (where outcome = 'made')::int as made,
       coalesce(sum(amount) filter (where outcome = 'made'), 0)::bigint as total,
       count(*) filter (where outcome = 'refused')::int as refused
     from written group by list_id
   ), last as (
     select list_id, max(at) as at, (array_agg(mail_id order by place))[1] as mail_id
     from tried group by list_id
   ), moved as (
     update payment_lists p
     set made_count = p.made_count + c.made, made_total = p.made_total + c.total,
       refused_count = p.refused_count + c.refused, attempts = 0,
       status = case when p.made_count + c.made + p.refused_count + c.refused = p.line_count
         then 'executed' else p.status end,
       ended_at = case when p.made_count + c.made + p.refused_count + c.refused = p.line_count
         then last.at end
     from counted c join last on last.list_id = c.list_id
     where p.id = c.list_id
     returning p.id, p.account_id, p.status, p.ended_at, last.mail_id,
       p.refused_count > p.line_count - p.ready_count as has_refused
   )
   insert into mails (id, kind, user_id, list_id, created_at, due_at, expires_at)
   select m.mail_id, 'list-refused', a.owner_id, m.id, m.ended_at, m.ended_at,
     m.ended_at + interval '1 day'
   from moved m join accounts a on a.id = m.account_id
   where m.status = 'executed' and m.has_refused
     and not mail_is_unwanted(a.owner_id, 'list-refused', m.ended_at)`,
)
/** In the transaction of the transfers. It waits for no lock: each writer has the account's. */
export const writeLines = (db: Db, lines: readonly LineOutcome[]) =>
  db.run(writeOutcomes, outcomes.values(lines))
