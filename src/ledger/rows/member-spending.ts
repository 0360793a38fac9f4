// How much a member has let leave an account on a day. It is no column: the payments say it, and
// the signatures of payments that others sign too.
import { type Db, fragment, sql, statement } from '../../database/statements/statement.ts'
import { idAt } from '../../domain/ids.ts'

/** A member of an account on a day of the bank, which begins and ends at these milliseconds. */
export type MemberDay = {
  accountId: string
  personId: string
  day: string
  start: number
  end: number
}

const cameBack = fragment`exists (select from brought_back r where r.transfer_id = t.id)`
/** Drafts that wait are bounded by no balance: their sum may be more than a column takes. */
const readSpent = statement(
  'ledger_read_member_spending',
  [
    'uuid[]',
    'uuid[]',
    'text[]',
    'uuid[]',
    'uuid[]',
    'timestamptz[]',
    'timestamptz[]',
    'timestamptz',
  ],
  { accountId: 'uuid', personId: 'uuid', day: 'text', spent: 'int8' },
  sql`select m.account_id as "accountId", m.person_id as "personId", m.day,
     least(coalesce(paid.amount, 0) + coalesce(signed.amount, 0), 9223372036854775807)::bigint
       as spent
   from unnest($1::uuid[], $2::uuid[], $3::text[], $4::uuid[], $5::uuid[], $6::timestamptz[],
       $7::timestamptz[])
     as m (account_id, person_id, day, first_id, end_id, starts_at, ends_at)
   cross join lateral (
     select sum(t.amount) as amount from transfers t
     where t.from_account_id = m.account_id and t.id >= m.first_id and t.id < m.end_id
       and t.kind = 'transfer' and t.caller_id = m.person_id and not ${cameBack}
   ) paid
   cross join lateral (
     select sum(d.amount) as amount from draft_signatures s
     join payment_drafts d on d.id = s.draft_id and d.account_id = m.account_id
     left join transfers t on t.id = d.transfer_id
     where s.person_id = m.person_id and s.signed_at >= m.starts_at and s.signed_at < m.ends_at
       and (d.status = 'waiting' and d.expires_at > $8
         or d.status = 'paid' and t.caller_id <> m.person_id and not ${cameBack})
   ) signed`,
)
/**
 * What the member has paid on the day, and what it has signed on it before the last signature,
 * which is the payment. Payments that came back count no more, nor drafts that ended unpaid by
 * `at`.
 */
export const readMemberSpending = (tx: Db, days: readonly MemberDay[], at: number) =>
  tx.run(readSpent, [
    days.map(({ accountId }) => accountId),
    days.map(({ personId }) => personId),
    days.map(({ day }) => day),
    days.map(({ start }) => idAt(start)),
    days.map(({ end }) => idAt(end)),
    days.map(({ start }) => new Date(start)),
    days.map(({ end }) => new Date(end)),
    new Date(at),
  ])

export const toSpendingName = (accountId: string, personId: string, day: string): string =>
  `${accountId} ${personId} ${day}`
