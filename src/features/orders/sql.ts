// Data of standing orders and their runs. A write locks the account first, as the ledger does for
// a run: neither changes the order while the other is under way.
import { insertInto, updateIn } from '../../database/statements/rows.ts'
import {
  currencyText,
  type Db,
  fragment,
  listOf,
  one,
  type RowOf,
  select,
  sql,
  statement,
  wordOf,
} from '../../database/statements/statement.ts'
import {
  type Calendar,
  type HolidayRule,
  holidayRules,
} from '../../domain/calendar/business-days.ts'
import { rhythms } from '../../domain/calendar/rhythm.ts'
import { refuse } from '../../domain/errors.ts'
import { ownLimitColumns } from '../../ledger/rules/own-limits.ts'
import { lockAccount, requireActive, requireOpen } from '../accounts/sql.ts'

export const statuses = ['active', 'paused', 'ended'] as const
export const pauseReasons = ['owner', 'missed', 'member'] as const
export const outcomes = ['made', 'refused', 'skipped', 'waiting'] as const

const terms = {
  id: 'uuid',
  accountId: 'uuid',
  callerId: 'uuid',
  sessionId: 'uuid',
  isProgram: 'bool',
  beneficiaryId: 'uuid?',
  toAccountId: 'uuid?',
  amount: 'int8',
  reference: 'text',
  rhythm: wordOf(rhythms),
  retryDays: 'int2',
  onHoliday: wordOf(holidayRules),
  payeeResult: 'text?',
  payeeAccepted: 'bool?',
  createdAt: 'timestamptz',
} as const
const state = { status: wordOf(statuses), pausedBecause: 'text?' } as const
const plain = { ...terms, ...state, makerId: 'uuid', version: 'int4', attempts: 'int4' } as const
const days = { firstOn: 'text', lastOn: 'text?' } as const
const order = {
  ...plain,
  ...days,
  nextOn: 'text?',
  ownerId: 'uuid',
  currency: currencyText,
  dailyTransferLimit: 'int8?',
  ...ownLimitColumns,
} as const
export type OrderRow = RowOf<typeof order>
/** With the target of its payments: a read for each order costs as much as its part of a batch. */
const due = { ...order, payeeName: 'text?', payeeIban: 'text?', payeeAccountId: 'uuid?' } as const
export type DueRow = RowOf<typeof due>

const columns = fragment`${select(plain, 'o')}, o.first_on::text as "firstOn",
   o.last_on::text as "lastOn", o.next_on::text as "nextOn", a.owner_id as "ownerId",
   a.currency,
   a.daily_transfer_limit as "dailyTransferLimit", ${select(ownLimitColumns, 'a')}`
const joined = fragment`standing_orders o join accounts a on a.id = o.account_id`

const readOrder = statement(
  'orders_read',
  ['uuid'],
  order,
  sql`select ${columns} from ${joined} where o.id = $1`,
)
/** Refuses with `not_found`. */
export const orderById = async (db: Db, id: string): Promise<OrderRow> =>
  (await one(db, readOrder, [id])) ?? refuse('not_found')

export const shownOrder = {
  ...order,
  payeeName: 'text?',
  payeeIban: 'text?',
  changedAt: 'timestamptz?',
} as const
/** Name and IBAN are null of a payee that was deleted. */
export type ShownOrderRow = RowOf<typeof shownOrder>

export const orderColumns = fragment`${columns},
   coalesce(b.name, u.given_name || ' ' || u.family_name) as "payeeName",
   coalesce(b.iban, p.iban) as "payeeIban",
   (select at from standing_order_changes where order_id = o.id
    order by version desc limit 1) as "changedAt"`
// Another account is shown only of the same holder: an order names no customer to another one.
export const orderJoins = fragment`${joined} left join beneficiaries b on b.id = o.beneficiary_id
   left join accounts p on p.id = o.to_account_id and p.owner_id = a.owner_id
   left join users u on u.id = p.owner_id`
const shown = fragment`select ${orderColumns} from ${orderJoins}`

const showOrder = statement('orders_show', ['uuid'], shownOrder, sql`${shown} where o.id = $1`)
/** With its payee. Refuses with `not_found`. */
export const shownOrderById = async (db: Db, id: string): Promise<ShownOrderRow> =>
  (await one(db, showOrder, [id])) ?? refuse('not_found')

/** Orders of an account with their payees, ended ones included, newest first. */
export const ordersByAccount = listOf(
  'orders_list',
  shownOrder,
  fragment`${shown} where o.account_id = $1`,
  'o.id',
)

const readPayeeCurrency = statement(
  'orders_read_payee_currency',
  ['uuid?', 'uuid?'],
  { currency: currencyText },
  `select currency from accounts where id = coalesce($1, (
     select a.id from beneficiaries b join accounts a on a.iban = b.iban where b.id = $2
   ))`,
)
/** The currency of the payee's account at this bank; undefined of one elsewhere. */
export const currencyOfPayee = async (
  db: Db,
  { toAccountId, beneficiaryId }: { toAccountId?: string; beneficiaryId?: string },
): Promise<string | undefined> =>
  (await one(db, readPayeeCurrency, [toAccountId ?? null, beneficiaryId ?? null]))?.currency

/** Active and paused ones of an account. */
export const ordersMax = 100

const made = { ...terms, ...days } as const
const insertOrder = insertInto('orders_insert', 'standing_orders', made, {
  gives: { id: 'uuid' },
  more: { ordersMax: 'int4' },
  as: {
    makerId: ':callerId',
    firstOn: ':firstOn::text::date',
    lastOn: ':lastOn::text::date',
    nextOn: ':firstOn::text::date',
  },
  where: `(
     select count(*) from standing_orders where account_id = :accountId and status <> 'ended'
   ) < :ordersMax::int4`,
})
const usual = { payeeResult: null, payeeAccepted: null, onHoliday: 'pay' } as const
type MadeRow = RowOf<typeof made>
export type NewOrder = Omit<MadeRow, keyof typeof usual> &
  Partial<Pick<MadeRow, keyof typeof usual>>
/** False when the account has {@link ordersMax} orders. Lock the account first. */
export const addOrder = async (tx: Db, row: NewOrder): Promise<boolean> =>
  (await insertOrder(tx, { ...usual, ...row, ordersMax })) !== undefined

/**
 * Locks the order's account. Refuses with `not_found`, `account_frozen`.
 *
 * @param alsoFrozen also of a frozen account
 */
export async function lockOrder(tx: Db, id: string, alsoFrozen = false): Promise<OrderRow> {
  const { accountId } = await orderById(tx, id)
  const account = await lockAccount(tx, accountId)
  if (alsoFrozen) requireOpen(account)
  else requireActive(account)
  // A run may have ended while the lock was waited for.
  return orderById(tx, id)
}

const { accountId: _, rhythm: __, createdAt: ___, ...changed } = terms
/**
 * Writes the order, behind the lock of its account. The new version refuses a run that was read
 * before. A run that waits for money is refused for good when its day is no longer the next one.
 */
export const changeOrder = updateIn(
  'orders_write',
  'standing_orders',
  { ...changed, ...state, lastOn: 'text?', nextOn: 'text?' },
  {
    first: `with over as (
     update standing_order_runs set outcome = 'refused'
     where order_id = :id and outcome = 'waiting' and due_on is distinct from :nextOn::text::date
   )`,
    as: {
      lastOn: ':lastOn::text::date',
      nextOn: ':nextOn::text::date',
      version: 'version + 1',
      triedOn: 'null',
      lateCount: '0',
      attempts: '0',
      leasedUntil: 'null',
    },
  },
)

const insertSkipped = statement(
  'orders_skip_run',
  ['uuid', 'text', 'timestamptz'],
  `insert into standing_order_runs (order_id, due_on, outcome, at)
   values ($1, $2::text::date, 'skipped', $3)
   on conflict (order_id, due_on) do update
     set outcome = 'skipped', refusal = null, on_holiday = 'pay', moved_to = null, at = $3`,
)
export const skipRun = (tx: Db, id: string, dueOn: string, now: number) =>
  tx.run(insertSkipped, [id, dueOn, new Date(now)])

const undoSkipped = statement(
  'orders_undo_skip',
  ['uuid', 'text'],
  { isUndone: 'bool' },
  `select undo_skip($1, $2::text::date) as "isUndone"`,
)
/** False where the day was not skipped, or a later one has an outcome. Lock the account first. */
export const undoSkip = async (tx: Db, id: string, dueOn: string): Promise<boolean> =>
  (await one(tx, undoSkipped, [id, dueOn]))?.isUndone ?? false

const readLastRun = statement(
  'orders_read_last_run',
  ['uuid'],
  { dueOn: 'text' },
  `select due_on::text as "dueOn" from standing_order_runs
   where order_id = $1 and outcome <> 'waiting' order by due_on desc limit 1`,
)
/** The last day that has an outcome. */
export const lastRunOn = async (db: Db, id: string): Promise<string | undefined> =>
  (await one(db, readLastRun, [id]))?.dueOn

const run = {
  outcome: wordOf(outcomes),
  transferId: 'uuid?',
  refusal: 'text?',
  at: 'timestamptz',
} as const
const runRead = { ...run, dueOn: 'text', movedTo: 'text?' } as const
export type RunRow = RowOf<typeof runRead>

const listRuns = statement(
  'orders_list_runs',
  ['uuid', 'text?', 'int4'],
  runRead,
  sql`select ${select(run)}, due_on::text as "dueOn", moved_to::text as "movedTo"
   from standing_order_runs
   where order_id = $1 and ($2::text is null or due_on < $2::text::date)
   order by due_on desc limit $3::int4`,
)
/** The last due day first. */
export const runsOf = (db: Db, id: string, after: string | undefined, count: number) =>
  db.run(listRuns, [id, after ?? null, count])

/**
 * The end of a statement that leases the orders named `due` until `$2`. Each attempt without an
 * outcome doubles the lease, up to about an hour: orders that cannot be run take few turns of the
 * others.
 */
const take = fragment`
   update standing_orders o
   set attempts = o.attempts + 1,
     leased_until = $1::timestamptz + ($2::timestamptz - $1) * power(2, least(o.attempts, 7))
   from due where o.id = due.id returning o.id`

/** Behind the lease: what takes a row has looked for it before another run of it had committed. */
const readDue = statement(
  'orders_read_due',
  ['uuid[]'],
  due,
  sql`select ${columns}, b.name as "payeeName", b.iban as "payeeIban", p.id as "payeeAccountId"
   from ${joined}
   left join beneficiaries b on b.id = o.beneficiary_id and b.status <> 'deleted'
   left join accounts p on p.iban = b.iban
   where o.id = any($1)
   order by o.next_on, o.id`,
)
const rowsOf = async (tx: Db, taken: readonly { id: string }[]): Promise<DueRow[]> =>
  taken.length > 0 ? tx.run(readDue, [taken.map(({ id }) => id)]) : []

/** `$1` is now, and `by` a rule for holidays with its last due day: {@link dueDays}. */
const isDueByRule = fragment`status = 'active' and tried_on is null
             and on_holiday = by.rule and next_on <= by.day::date
             and (leased_until is null or leased_until <= $1)`

/** Whether the worker finds any: `$3` are the rules, `$4` their last due days. */
export const areOrdersDue = fragment`exists (
     select from unnest($3::text[], $4::text[]) as by (rule, day) cross join lateral (
       select from standing_orders where ${isDueByRule} order by next_on, id limit 1
     ) found
   ) or exists (
     select from standing_orders where status = 'active' and tried_on is not null
   )`

const takeDue = statement(
  'orders_take_due',
  ['timestamptz', 'timestamptz', 'text[]', 'text[]', 'int4', 'text', 'uuid'],
  { id: 'uuid' },
  sql`with due as materialized (
     select id from standing_orders
     where status = 'active' and tried_on is null
       and (leased_until is null or leased_until <= $1)
       and id in (
         select found.id from unnest($3::text[], $4::text[]) as by (rule, day) cross join lateral (
           select id from standing_orders
           where ${isDueByRule} and (next_on, id) > ($6::text::date, $7)
           order by next_on, id limit $5::int4
         ) found
       )
     order by next_on, id limit $5::int4
     for update skip locked
   )${take}`,
)

/** The last due day that an order pays by a day, for each rule. */
export const dueDays = (calendar: Calendar, day: string): Record<HolidayRule, string> => ({
  pay: calendar.dueUntil(day, 'pay'),
  before: calendar.dueUntil(day, 'before'),
  after: calendar.dueUntil(day, 'after'),
})

const takeAgain = statement(
  'orders_take_again',
  ['timestamptz', 'timestamptz', 'uuid[]'],
  { id: 'uuid' },
  sql`with due as materialized (
     select id from standing_orders
     where id = any($3) and (leased_until is null or leased_until <= $1)
     for update skip locked
   )${take}`,
)

/** How many waiting orders are looked at in one call: 100,000 would take a second. */
const waitingMax = 5000
const firstOrder = '00000000-0000-0000-0000-000000000000'

const findWaiting = statement(
  'orders_find_waiting',
  ['uuid', 'int4', 'text', 'timestamptz'],
  { id: 'uuid', isDue: 'bool', isLast: 'bool' },
  `select id, "isDue", "isLast" from (
     select id, row_number() over (order by id) = $2::int4 as "isLast",
       (leased_until is null or leased_until <= $4) and (tried_on < $3::text::date or exists (
         select from accounts a
         where a.id = account_id and a.balance - a.held >= amount - a.overdraft_limit)) as "isDue"
     from (
       select id, account_id, amount, tried_on, leased_until from standing_orders
       where status = 'active' and tried_on is not null and id > $1
       order by id limit $2::int4
     ) looked
   ) waiting
   where "isDue" or "isLast" order by id`,
)

type Due = { now: number; leaseEnd: number; count: number }

/** The due day and the identifier of an order: those that are due are taken in this order. */
export type DuePlace = Pick<OrderRow, 'nextOn' | 'id'>
const firstPlace: DuePlace = { nextOn: '-infinity', id: firstOrder }

/**
 * Takes orders that are due by those days, the oldest due day first. No other instance takes them
 * until `leaseEnd`.
 *
 * @param after the last one that was taken: the index keeps those that were run before it until it
 *   is vacuumed, and each call would pass all of them
 */
export const takeDueOrders = async (
  tx: Db,
  { now, leaseEnd, due: days, count }: Due & { due: Record<HolidayRule, string> },
  { nextOn, id }: DuePlace = firstPlace,
) =>
  rowsOf(
    tx,
    await tx.run(takeDue, [
      new Date(now),
      new Date(leaseEnd),
      [...holidayRules],
      holidayRules.map((rule) => days[rule]),
      count,
      nextOn as string,
      id,
    ]),
  )

/**
 * Takes orders that wait for money: when their account has the amount, and once on each later day.
 * A call looks at {@link waitingMax} of them, the next call goes on behind these.
 *
 * @param after the `after` that the last call returned
 */
export async function takeWaitingOrders(
  tx: Db,
  { now, leaseEnd, day, count }: Due & { day: string },
  after = firstOrder,
): Promise<{ due: DueRow[]; after: string | undefined }> {
  const found = await tx.run(findWaiting, [after, waitingMax, day, new Date(now)])
  const ids = found.flatMap(({ id, isDue }) => (isDue ? id : [])).slice(0, count)
  const next = ids.length === count ? ids.at(-1) : found.find(({ isLast }) => isLast)?.id
  if (ids.length === 0) return { due: [], after: next }
  const taken = await tx.run(takeAgain, [new Date(now), new Date(leaseEnd), ids])
  return { due: await rowsOf(tx, taken), after: next }
}
