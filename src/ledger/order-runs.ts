// Runs of standing orders: judged and written in the transaction of their transfers. The run of a
// day is a row with the day in its primary key, so it is made once, whoever tries it again.
import { rowArrays } from '../database/arrays.ts'
import { type Db, type RowOf, select, sql, statement } from '../database/statement.ts'
import type { Code, PlainCode } from '../domain/errors.ts'
import { newId } from '../domain/ids.ts'
import { addDays, dueAfter, type Rhythm } from '../domain/rhythm.ts'

/**
 * The run of a standing order that an order of the ledger makes: the terms that were read, and the
 * due day.
 */
export type OrderRun = {
  orderId: string
  dueOn: string
  version: number
  /** Why it cannot be paid: the payee, or the payee's account, is gone for good. */
  refusal?: PlainCode
}

/** So many late runs in a row pause the order, with a mail. */
export const lateRunsMax = 31

const standing = {
  id: 'uuid',
  status: 'text',
  version: 'int4',
  retryDays: 'int2',
  rhythm: 'text',
  lateCount: 'int4',
  amount: 'int8',
} as const
const read = {
  ...standing,
  firstOn: 'text',
  lastOn: 'text?',
  nextOn: 'text?',
  ownerId: 'uuid',
  isProgram: 'bool',
  programEndsAt: 'timestamptz?',
  isAllowed: 'bool',
  outcome: 'text?',
} as const

/** Behind the lock of its account, which every writer of it has. */
export type StandingOrder = {
  -readonly [Name in keyof RowOf<typeof read>]: RowOf<typeof read>[Name]
}

const readStandingOrders = statement(
  'ledger_read_standing_orders',
  ['uuid[]'],
  read,
  sql`select ${select(standing, 'o')}, o.first_on::text as "firstOn", o.last_on::text as "lastOn",
     o.next_on::text as "nextOn", a.owner_id as "ownerId", o.is_program as "isProgram",
     s.expires_at as "programEndsAt",
     u.status = 'active' and 'customer' = any (u.roles)
       and (not o.is_program or s.status = 'active' and o.account_id = any (s.pay_from)
         and exists (
           select from service_keys k
           where k.service_account_id = s.id and k.revoked_at is null))
       as "isAllowed",
     r.outcome
   from standing_orders o
   join accounts a on a.id = o.account_id
   join users u on u.id = a.owner_id
   left join service_accounts s on o.is_program and s.id = o.caller_id
   left join standing_order_runs r on r.order_id = o.id and r.due_on = o.next_on
   where o.id = any($1)`,
)
export const readOrders = (db: Db, ids: string[]) => db.run(readStandingOrders, [ids])

/**
 * Why a run is not tried. `illegal_transition`: the order is not due with the terms that were read;
 * the day gets no outcome. Any other code is the outcome of the day.
 */
export function refuseRun(
  { dueOn, version, refusal }: OrderRun,
  order: StandingOrder | undefined,
  { now, day }: { now: number; day: string },
): PlainCode | undefined {
  const isDue = order?.status === 'active' && order.nextOn === dueOn && dueOn <= day
  if (!isDue || order.version !== version) return 'illegal_transition'
  const { isAllowed, programEndsAt, outcome } = order
  if (!isAllowed || (programEndsAt !== null && now >= programEndsAt.getTime())) return 'forbidden'
  // It has waited for money until its last day was over.
  return outcome === 'waiting' && isOver(order, day) ? 'insufficient_funds' : refusal
}

const isOver = ({ nextOn, retryDays }: StandingOrder, day: string): boolean =>
  day > addDays(nextOn as string, retryDays)

/** What is written of a run that was tried. */
export type RunOutcome = {
  orderId: string
  dueOn: string
  at: Date
  outcome: 'made' | 'refused' | 'waiting'
  transferId: string | null
  /** Of the transfer: what the order says behind the lock. */
  amount: bigint | null
  refusal: Code | null
  status: string
  pausedBecause: 'missed' | null
  nextOn: string | null
  triedOn: string | null
  lateCount: number
  /** Of the mails that tell of a refusal and of a pause: the last late day may bring both. */
  refusedMailId: string | null
  pausedMailId: string | null
}

type Tried = {
  /** Milliseconds since the epoch. */
  at: number
  day: string
  /** The transfer, or why there is none. */
  result: { transferId: string } | { refusal: Code }
}

/** Changes the order in memory too: a later run of the same batch is judged by the new state. */
export function toOutcome(order: StandingOrder, { at, day, result }: Tried): RunOutcome {
  const dueOn = order.nextOn as string
  const refusal = 'refusal' in result ? result.refusal : null
  const about = {
    orderId: order.id,
    dueOn,
    at: new Date(at),
    transferId: 'transferId' in result ? result.transferId : null,
    amount: refusal === null ? order.amount : null,
    refusal,
  }
  // A day is late if its first attempt was late. Waiting for money does not make it late.
  if (order.outcome !== 'waiting') order.lateCount = dueOn < day ? order.lateCount + 1 : 0
  if (refusal === 'insufficient_funds' && order.retryDays > 0 && !isOver(order, day)) {
    order.outcome = 'waiting'
    const { status, lateCount } = order
    const told = { pausedBecause: null, refusedMailId: null, pausedMailId: null }
    const kept = { outcome: 'waiting', status, nextOn: dueOn, triedOn: day, lateCount } as const
    return { ...about, ...kept, ...told }
  }
  const rhythm = order.rhythm as Rhythm
  order.nextOn = dueAfter({ ...order, rhythm }, dueOn) ?? null
  order.outcome = null
  const isMissed = order.lateCount >= lateRunsMax && order.nextOn !== null && order.nextOn <= day
  if (order.nextOn === null) order.status = 'ended'
  else if (isMissed) [order.status, order.lateCount] = ['paused', 0]
  return {
    ...about,
    outcome: refusal === null ? 'made' : 'refused',
    status: order.status,
    pausedBecause: isMissed ? 'missed' : null,
    nextOn: order.nextOn,
    triedOn: null,
    lateCount: order.lateCount,
    refusedMailId: refusal === null ? null : newId(at),
    pausedMailId: isMissed ? newId(at) : null,
  }
}

const outcomes = rowArrays<RunOutcome>('r', {
  orderId: ['uuid', ({ orderId }) => orderId],
  dueOn: ['text', ({ dueOn }) => dueOn],
  at: ['timestamptz', ({ at }) => at],
  outcome: ['text', ({ outcome }) => outcome],
  transferId: ['uuid', ({ transferId }) => transferId],
  amount: ['int8', ({ amount }) => amount],
  refusal: ['text', ({ refusal }) => refusal],
  status: ['text', ({ status }) => status],
  pausedBecause: ['text', ({ pausedBecause }) => pausedBecause],
  nextOn: ['text', ({ nextOn }) => nextOn],
  triedOn: ['text', ({ triedOn }) => triedOn],
  lateCount: ['int4', ({ lateCount }) => lateCount],
  refusedMailId: ['uuid', ({ refusedMailId }) => refusedMailId],
  pausedMailId: ['uuid', ({ pausedMailId }) => pausedMailId],
})

const writeOutcomes = statement(
  'ledger_write_order_runs',
  outcomes.takes,
  {},
  sql`with tried as materialized (
     select order_id, due_on::date as due_on, at, outcome, transfer_id, amount, refusal, status,
       paused_because, next_on::date as next_on, tried_on::date as tried_on, late_count,
       refused_mail_id, paused_mail_id
     from ${outcomes.unnest}
   ), ran as (
     insert into standing_order_runs (order_id, due_on, outcome, transfer_id, amount, refusal, at)
     select order_id, due_on, outcome, transfer_id, amount, refusal, at from tried
     on conflict (order_id, due_on) do update
       set outcome = excluded.outcome, transfer_id = excluded.transfer_id,
         amount = excluded.amount, refusal = excluded.refusal, at = excluded.at
   ), told as (
     insert into events (type, at, ids)
     select 'order.refused', max(at), array_agg(order_id) from tried where outcome = 'refused'
     having count(*) > 0
   ), mailed as (
     insert into mails (id, kind, order_id, due_on, created_at, due_at, expires_at)
     select m.id, m.kind, order_id, due_on, at, at, at + interval '1 day'
     from tried cross join lateral (values
       (refused_mail_id, 'order-refused'), (paused_mail_id, 'order-paused')
     ) as m (id, kind)
     where m.id is not null and not alerts_paused(
       (select a.owner_id from standing_orders s join accounts a on a.id = s.account_id
        where s.id = order_id), m.kind, at)
   )
   update standing_orders o
   set status = t.status, paused_because = t.paused_because, next_on = t.next_on,
     -- A pause is a change of the order: its trail gets the terms.
     version = o.version + case when t.paused_because is null then 0 else 1 end,
     tried_on = t.tried_on, late_count = t.late_count, leased_until = null, attempts = 0
   from tried t where o.id = t.order_id`,
)
/** In the transaction of the transfers. It waits for no lock: each writer has the account's. */
export const writeRuns = (db: Db, runs: readonly RunOutcome[]) =>
  db.run(writeOutcomes, outcomes.values(runs))
