// The verification of standing orders: a run that was made names its payment and no other one, and
// each run is of a day on which its order was due, and is due no more.
import {
  fragment,
  type RowOf,
  sql,
  statement,
  wordOf,
} from '../../database/statements/statement.ts'
import { type BankCalendar, holidayRules } from '../../domain/calendar/business-days.ts'
import type { Days } from '../../domain/days.ts'
import { addDays, dueAfter, type Rhythm } from '../../domain/calendar/rhythm.ts'
import { chooseOf } from './verify-pages.ts'

/** Those that wait, and those that are new since `$4` and `$5`. */
const chosenRuns = chooseOf(
  {
    columns: fragment`order_id, due_on, on_holiday, moved_to, outcome, transfer_id, refusal,
         amount, at`,
    from: fragment`standing_order_runs where (order_id, due_on) > ($1, $2::text::date)`,
    key: fragment`order_id, due_on`,
    count: fragment`$3`,
  },
  fragment`(outcome = 'waiting' or at >= $5 or due_on >= $5::timestamptz::date
       or transfer_id >= $4)`,
)

/**
 * Runs after one, in the order of their primary key, with their orders and payments: those that
 * wait, and those that are new since `$4` and `$5`.
 */
export const readRunPage = statement(
  'verify_read_run_page',
  ['uuid', 'text', 'int8', 'uuid', 'timestamptz'],
  {
    orderId: 'uuid',
    dueOn: 'text',
    outcome: 'text',
    at: 'timestamptz',
    onHoliday: wordOf(holidayRules),
    movedTo: 'text?',
    isOfOrder: 'bool',
    rhythm: 'text?',
    firstOn: 'text?',
    nextOn: 'text?',
    isRightlyPaid: 'bool',
    isWhole: 'bool',
  },
  sql`select r.order_id as "orderId", r.due_on::text as "dueOn", r.outcome, r.at,
     r.on_holiday as "onHoliday", r.moved_to::text as "movedTo", coalesce((
       select bool_or(coalesce(c.terms ->> 'onHoliday', 'pay') = r.on_holiday)
       from standing_order_changes c where c.order_id = r.order_id), true) as "isOfOrder", o.rhythm,
     o.first_on::text as "firstOn", o.next_on::text as "nextOn",
     r.outcome <> 'made' or coalesce(
       t.kind = 'transfer' and t.amount = r.amount and t.from_account_id = o.account_id
         and t.created_at = r.at, false) as "isRightlyPaid",
     (r.outcome in ('refused', 'waiting')) = (r.refusal is not null)
       and num_nonnulls(r.transfer_id, r.amount) = case when r.outcome = 'made' then 2 else 0 end
       as "isWhole"
   from ${chosenRuns} r
   left join standing_orders o on o.id = r.order_id
   left join transfers t on t.id = r.transfer_id
   order by r.order_id, r.due_on`,
)

type Run = RowOf<typeof readRunPage.gives>

/** What is wrong with a run; undefined: nothing. */
export function findFlaw(run: Run, bank: { days: Days; calendar: BankCalendar }) {
  const { dueOn, outcome, rhythm, firstOn, nextOn, isRightlyPaid } = run
  if (rhythm === null || firstOn === null) return 'there is no such order'
  if (!run.isWhole) return 'it has what no run of its outcome has, or lacks it'
  if (!isRightlyPaid) return 'the transfer that it names is missing, or is not its payment'
  const series = { rhythm: rhythm as Rhythm, firstOn, lastOn: null }
  if (dueAfter(series, addDays(dueOn, -1)) !== dueOn) return 'its order is not due on that day'
  const moved = findMoveFlaw(run, bank)
  if (moved !== undefined) return moved
  const isNext = outcome === 'waiting' ? nextOn === dueOn : nextOn === null || nextOn > dueOn
  return isNext ? undefined : 'it is not the outcome that its order knows of'
}

/** The day is moved anew, by the calendar that held when the run was tried. */
function findMoveFlaw(
  { at, dueOn, outcome, movedTo, onHoliday, isOfOrder }: Run,
  { days, calendar }: { days: Days; calendar: BankCalendar },
): string | undefined {
  // A day is left out as the due day that it is.
  if (outcome === 'skipped') return movedTo === null ? undefined : 'it is left out, and moved'
  if (!isOfOrder) return 'its order never had that rule for holidays'
  const then = calendar.at(at.getTime())
  const payDay = then.payDay(dueOn, onHoliday)
  if (movedTo !== (payDay === dueOn ? null : payDay))
    return `its day of payment is ${payDay} by the calendar`
  const isDue = dueOn <= then.dueUntil(days.dayOf(at.getTime()), onHoliday)
  return isDue ? undefined : 'it was tried before its day'
}
