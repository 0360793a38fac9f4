// The verification of standing orders: a run that was made names its payment and no other one, and
// each run is of a day on which its order was due, and is due no more.
import { type RowOf, sql, statement } from '../../database/statements/statement.ts'
import { addDays, dueAfter, type Rhythm } from '../../domain/rhythm.ts'

/** Runs after one, in the order of their primary key, with their orders and payments. */
export const readRunPage = statement(
  'verify_read_run_page',
  ['uuid', 'text', 'int8'],
  {
    orderId: 'uuid',
    dueOn: 'text',
    outcome: 'text',
    rhythm: 'text?',
    firstOn: 'text?',
    nextOn: 'text?',
    isRightlyPaid: 'bool',
    isWhole: 'bool',
  },
  sql`select r.order_id as "orderId", r.due_on::text as "dueOn", r.outcome, o.rhythm,
     o.first_on::text as "firstOn", o.next_on::text as "nextOn",
     r.outcome <> 'made' or coalesce(
       t.kind = 'transfer' and t.amount = r.amount and t.from_account_id = o.account_id
         and t.created_at = r.at, false) as "isRightlyPaid",
     (r.outcome in ('refused', 'waiting')) = (r.refusal is not null)
       and num_nonnulls(r.transfer_id, r.amount) = case when r.outcome = 'made' then 2 else 0 end
       as "isWhole"
   from (
     select order_id, due_on, outcome, transfer_id, refusal, amount, at from standing_order_runs
     where (order_id, due_on) > ($1, $2::text::date) order by order_id, due_on limit $3
   ) r
   left join standing_orders o on o.id = r.order_id
   left join transfers t on t.id = r.transfer_id
   order by r.order_id, r.due_on`,
)

/** What is wrong with a run; undefined: nothing. */
export function findFlaw(run: RowOf<typeof readRunPage.gives>): string | undefined {
  const { dueOn, outcome, rhythm, firstOn, nextOn, isRightlyPaid } = run
  if (rhythm === null || firstOn === null) return 'there is no such order'
  if (!run.isWhole) return 'it has what no run of its outcome has, or lacks it'
  if (!isRightlyPaid) return 'the transfer that it names is missing, or is not its payment'
  const series = { rhythm: rhythm as Rhythm, firstOn, lastOn: null }
  if (dueAfter(series, addDays(dueOn, -1)) !== dueOn) return 'its order is not due on that day'
  const isNext = outcome === 'waiting' ? nextOn === dueOn : nextOn === null || nextOn > dueOn
  return isNext ? undefined : 'it is not the outcome that its order knows of'
}
