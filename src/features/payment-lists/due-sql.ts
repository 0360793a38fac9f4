// The lines of payment lists that are to be paid now, and the leases of their lists.
import {
  currencyText,
  type Db,
  fragment,
  type RowOf,
  sql,
  statement,
} from '../../database/statements/statement.ts'

const work = {
  listId: 'uuid',
  place: 'int4',
  accountId: 'uuid',
  ownerId: 'uuid',
  currency: currencyText,
  callerId: 'uuid',
  sessionId: 'uuid',
  isProgram: 'bool',
  attempts: 'int4',
  amount: 'int8',
  reference: 'text',
  endToEndId: 'text?',
  toAccountId: 'uuid?',
  beneficiaryId: 'uuid?',
  payeeName: 'text?',
  payeeIban: 'text?',
  payeeAccountId: 'uuid?',
  payeeResult: 'text?',
} as const
export type DueLine = RowOf<typeof work>

const isFree = fragment`(leased_until is null or leased_until <= $1)`
/** `$1` is now, `$2` the day of the bank. */
const isListDue = fragment`status = 'ordered'
       and (execute_on is null or execute_on <= $2::text::date) and ${isFree}`

/**
 * Whether the worker finds any. In the order of their index, and those of no day alone: otherwise
 * all that wait for a later day are read.
 */
export const areListsDue = fragment`exists (
     select from (
       select from payment_lists
       where status = 'ordered' and execute_on <= $2::text::date and ${isFree}
       order by execute_on, id limit 1
     ) of_days
   ) or exists (
     select from payment_lists where status = 'ordered' and execute_on is null and ${isFree}
   )`

const takeLists = statement(
  'lists_take_due',
  ['timestamptz', 'text', 'timestamptz', 'int4'],
  { id: 'uuid' },
  sql`with due as materialized (
     select id from payment_lists
     where ${isListDue}
     order by leased_until nulls first, execute_on nulls first, id limit $4::int4
     for update skip locked
   )
   update payment_lists p
   set attempts = p.attempts + 1,
     leased_until = $1::timestamptz + ($3::timestamptz - $1) * power(2, least(p.attempts, 7))
   from due where p.id = due.id returning p.id`,
)
const readDue = statement(
  'lists_read_due',
  ['uuid[]', 'int4'],
  work,
  sql`select l.list_id as "listId", l.place, p.account_id as "accountId", a.owner_id as "ownerId",
     a.currency,
     p.caller_id as "callerId", p.session_id as "sessionId", p.is_program as "isProgram",
     p.attempts, l.amount, l.reference, l.end_to_end_id as "endToEndId",
     l.to_account_id as "toAccountId", l.beneficiary_id as "beneficiaryId",
     b.name as "payeeName", b.iban as "payeeIban", t.id as "payeeAccountId",
     b.payee_result as "payeeResult"
   from unnest($1::uuid[]) as asked (id)
   join payment_lists p on p.id = asked.id
   join accounts a on a.id = p.account_id
   cross join lateral (
     select list_id, place, amount, reference, end_to_end_id, to_account_id, beneficiary_id
     from payment_list_lines
     where list_id = p.id and outcome is null order by place limit $2::int4
   ) l
   left join beneficiaries b on b.id = l.beneficiary_id and b.status <> 'deleted'
   left join accounts t on t.iban = b.iban
   order by p.id, l.place`,
)
type Due = { now: number; leaseEnd: number; day: string; lists: number; lines: number }
/** Takes due lists, and some lines of each. No other instance takes them until `leaseEnd`. */
export async function takeDueLines(tx: Db, due: Due): Promise<DueLine[]> {
  const { now, leaseEnd, day, lists, lines: count } = due
  const taken = await tx.run(takeLists, [new Date(now), day, new Date(leaseEnd), lists])
  if (taken.length === 0) return []
  return tx.run(readDue, [taken.map(({ id }) => id), Math.ceil(count / taken.length)])
}

const releaseLists = statement(
  'lists_release',
  ['uuid[]'],
  {},
  `update payment_lists set leased_until = null where id = any($1) and attempts = 0`,
)
/** Gives lists back whose lines have had outcomes: their next lines are taken at once. */
export const releaseDue = (tx: Db, ids: readonly string[]) => tx.run(releaseLists, [[...ids]])
