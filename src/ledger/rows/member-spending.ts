// How much a member has let leave an account on a day. It is no column: the payments say it.
import { type Db, sql, statement } from '../../database/statements/statement.ts'
import { idAt } from '../../domain/ids.ts'

/** A member of an account on a day of the bank, which begins and ends at these milliseconds. */
export type MemberDay = {
  accountId: string
  personId: string
  day: string
  start: number
  end: number
}

/** Payments that were cancelled, returned or reversed count no more. */
const readSpent = statement(
  'ledger_read_member_spending',
  ['uuid[]', 'uuid[]', 'text[]', 'uuid[]', 'uuid[]'],
  { accountId: 'uuid', personId: 'uuid', day: 'text', spent: 'int8' },
  sql`select m.account_id as "accountId", m.person_id as "personId", m.day,
     coalesce(spent.amount, 0)::bigint as spent
   from unnest($1::uuid[], $2::uuid[], $3::text[], $4::uuid[], $5::uuid[])
     as m (account_id, person_id, day, first_id, end_id)
   cross join lateral (
     select sum(t.amount) as amount from transfers t
     where t.from_account_id = m.account_id and t.id >= m.first_id and t.id < m.end_id
       and t.kind = 'transfer' and t.caller_id = m.person_id
       and not exists (select from transfers r where r.reversal_of = t.id)
   ) spent`,
)
export const readMemberSpending = (tx: Db, days: readonly MemberDay[]) =>
  tx.run(readSpent, [
    days.map(({ accountId }) => accountId),
    days.map(({ personId }) => personId),
    days.map(({ day }) => day),
    days.map(({ start }) => idAt(start)),
    days.map(({ end }) => idAt(end)),
  ])

export const toSpendingName = (accountId: string, personId: string, day: string): string =>
  `${accountId} ${personId} ${day}`
