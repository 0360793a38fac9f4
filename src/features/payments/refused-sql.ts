// Data of payments that were refused. They are added, read, and removed after 90 days.
import { type PurgeBatch, purging } from '../../database/background/purge.ts'
import { rowArrays } from '../../database/statements/arrays.ts'
import {
  currencyText,
  type Db,
  listOf,
  fragment,
  type RowOf,
  select,
  sql,
  statement,
  wordOf,
} from '../../database/statements/statement.ts'
import { dayMs } from '../../domain/clock.ts'
import { codes } from '../../domain/errors.ts'
import { idAt, newId } from '../../domain/ids.ts'
import type { RefusedAttempt } from '../../http/services.ts'

const keptMs = 90 * dayMs
/** The most that are kept of one account and day: who is refused again and again fills no disk. */
export const refusedPerDay = 100

const plain = {
  id: 'uuid',
  accountId: 'uuid',
  reason: wordOf(codes),
  amount: 'int8',
  currency: currencyText,
  target: 'text?',
  isIncoming: 'bool',
  orderId: 'uuid?',
} as const
const columns = { ...plain, dueOn: 'text?', createdAt: 'timestamptz' } as const
export type RefusedRow = RowOf<typeof columns>

const selectRefused = fragment`select ${select(plain, 'r')}, r.due_on::text as "dueOn",
     r.created_at as "createdAt"
   from refused_payments r`

const readRows = statement(
  'payments_read_refused',
  ['uuid[]'],
  columns,
  sql`${selectRefused} where r.id = any($1)`,
)
export const refusedByIds = (db: Db, ids: readonly string[]) => db.run(readRows, [[...ids]])

export const refusedByAccount = listOf(
  'payments_list_refused',
  columns,
  fragment`${selectRefused} where r.account_id = $1`,
  'r.id',
)

const attempts = rowArrays<RefusedAttempt>('x', {
  id: ['uuid', ({ at }) => newId(at)],
  accountId: ['uuid', ({ accountId }) => accountId],
  reason: ['text', ({ reason }) => reason],
  amount: ['int8', ({ amount }) => amount],
  currency: ['text', ({ currency }) => currency],
  beneficiaryId: ['uuid', ({ beneficiaryId }) => beneficiaryId],
  toAccountId: ['uuid', ({ toAccountId }) => toAccountId],
  isIncoming: ['bool', ({ cameFrom }) => cameFrom !== undefined],
  iban: ['text', ({ cameFrom }) => cameFrom?.iban ?? null],
  createdAt: ['timestamptz', ({ at }) => new Date(at)],
})

/** An IBAN without its middle: a person that knows it finds it again. */
const masked = fragment`left(iban, 4) || '…' || right(iban, 4)`

const insertAttempts = statement(
  'payments_insert_refused',
  [...attempts.takes, 'uuid', 'int4'],
  {},
  sql`insert into refused_payments
     (id, account_id, reason, amount, currency, target, is_incoming, created_at)
   select x.id, a.id, x.reason, x.amount, x.currency, coalesce(
       (select ${masked} from beneficiaries where id = x.beneficiary_id),
       (select ${masked} from accounts where id = x.to_account_id and kind = 'customer'),
       (select ${masked} from (values (x.iban)) as other (iban))
     ), x.is_incoming, x.created_at
   from ${attempts.unnest}
   join accounts a on a.id = x.account_id and a.kind = 'customer'
   where (
     select count(*) from (
       select from refused_payments where account_id = x.account_id and id >= $11 limit $12::int4
     ) of_day
   ) < $12::int4
   on conflict do nothing`,
)
/** Adds those of accounts of customers that have less than a day's number of them. */
export const addRefused = (tx: Db, rows: readonly RefusedAttempt[], now: number) =>
  tx.run(insertAttempts, [...attempts.values(rows), idAt(now - dayMs), refusedPerDay])

const readRuns = statement(
  'payments_read_refused_runs',
  ['uuid[]', 'timestamptz'],
  { orderId: 'uuid', dueOn: 'text', at: 'timestamptz' },
  `select r.order_id as "orderId", r.due_on::text as "dueOn", r.at
   from standing_order_runs r
   where r.order_id = any($1) and r.outcome = 'refused' and r.at > $2
     and not exists (
       select from refused_payments p where p.order_id = r.order_id and p.due_on = r.due_on
     )`,
)
type RefusedRun = RowOf<typeof readRuns.gives>
const runs = rowArrays<RefusedRun>('x', {
  id: ['uuid', ({ at }) => newId(at.getTime())],
  orderId: ['uuid', ({ orderId }) => orderId],
  dueOn: ['text', ({ dueOn }) => dueOn],
})
const insertRuns = statement(
  'payments_insert_refused_runs',
  runs.takes,
  {},
  sql`insert into refused_payments
     (id, account_id, reason, amount, currency, target, order_id, due_on, created_at)
   select x.id, o.account_id, r.refusal, coalesce(r.amount, o.amount), a.currency, (
       select ${masked} from (
         select iban from beneficiaries where id = o.beneficiary_id
         union all
         select iban from accounts where id = o.to_account_id
       ) payee limit 1
     ), r.order_id, r.due_on, r.at
   from ${runs.unnest}
   join standing_order_runs r on r.order_id = x.order_id and r.due_on = x.due_on::date
   join standing_orders o on o.id = r.order_id
   join accounts a on a.id = o.account_id
   on conflict do nothing`,
)
/** Adds the refused runs of these standing orders that are not there yet. */
export async function addRefusedRuns(tx: Db, orderIds: readonly string[], now: number) {
  if (orderIds.length === 0) return
  const found = await tx.run(readRuns, [[...orderIds], new Date(now - keptMs)])
  if (found.length > 0) await tx.run(insertRuns, runs.values(found))
}

const purgeRefused = purging('payments_purge_refused', 'refused_payments', {
  past: 'id < $1 order by id',
  by: 'uuid',
  size: 1000n,
})
export const purgeRefusedPayments: PurgeBatch = (db, now) => purgeRefused(db, idAt(now - keptMs))
