// The verification of payment drafts: a paid one names its one payment, with the same terms, and as
// many people have signed it as it needed, of whom one has not made it.
import { fragment, type RowOf, sql, statement } from '../../database/statements/statement.ts'
import { chooseOf } from './verify-pages.ts'

/** Those that wait, are new since `$3`, or have ended since `$4`. */
const chosenDrafts = chooseOf(
  {
    columns: fragment`id, account_id, maker_id, beneficiary_id, to_account_id, amount, reference,
         status, ended_at, ended_by, transfer_id, signatures_needed`,
    from: fragment`payment_drafts where id > $1`,
    key: fragment`id`,
  },
  fragment`(id >= $3 or ended_at is null or ended_at >= $4 or transfer_id >= $3)`,
)

/**
 * Drafts after one, each compared with its signatures and its payment: those that wait, are new
 * since `$3`, or have ended since `$4`.
 */
export const readDraftPage = statement(
  'verify_read_draft_page',
  ['uuid', 'int8', 'uuid', 'timestamptz'],
  { id: 'uuid', isWhole: 'bool', isSigned: 'bool', isRightlyPaid: 'bool' },
  sql`select d.id,
     (d.status = 'waiting') = (d.ended_at is null)
       and (d.status = 'cancelled') = (d.ended_by is not null)
       and (d.status = 'paid') = (d.transfer_id is not null)
       and (d.status = 'paid') = (d.signatures_needed is not null)
       and num_nonnulls(d.beneficiary_id, d.to_account_id) = 1
       and (d.status in ('waiting', 'paid') or d.reference = '') as "isWhole",
     case when d.status = 'paid' then coalesce(
       s.count >= d.signatures_needed and s.others > 0 and s.last = d.ended_at, false)
       else s.count <= 1 end as "isSigned",
     d.status <> 'paid' or coalesce(
       t.kind = 'transfer' and t.amount = d.amount and t.from_account_id = d.account_id
         and t.beneficiary_id is not distinct from d.beneficiary_id
         and (d.to_account_id is null or t.to_account_id = d.to_account_id)
         and (t.salt is null or d.reference in ('', t.reference))
         and t.created_at = d.ended_at
         and exists (
           select from draft_signatures g
           where g.draft_id = d.id and g.person_id = t.caller_id and g.session_id = t.session_id
             and g.signed_at = t.created_at), false) as "isRightlyPaid"
   from ${chosenDrafts} d
   cross join lateral (
     select count(*) as count, count(*) filter (where person_id <> d.maker_id) as others,
       max(signed_at) as last
     from draft_signatures where draft_id = d.id
   ) s
   left join transfers t on t.id = d.transfer_id
   order by d.id`,
)

/** What is wrong with a draft, in words; undefined: nothing. */
export function findDraftFlaw({
  id,
  isWhole,
  isSigned,
  isRightlyPaid,
}: RowOf<typeof readDraftPage.gives>): string | undefined {
  if (!isWhole) return `Draft ${id}: it has what no draft of its status has, or lacks it`
  if (!isSigned) return `Draft ${id}: it has more signatures than its status, or fewer`
  return isRightlyPaid
    ? undefined
    : `Draft ${id}: the transfer that it names is missing, or is not its payment`
}
