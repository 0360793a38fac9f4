// Data of disputes: what a holder says about a card payment, and what has come of it.
import { insertInto } from '../../database/statements/rows.ts'
import {
  currencyText,
  type Db,
  fragment,
  listOf,
  one,
  pageBefore,
  type RowOf,
  sql,
  statement,
  wordOf,
  wordOrNullOf,
} from '../../database/statements/statement.ts'
import { newId } from '../../domain/ids.ts'
import { chargebackStatuses } from '../chargebacks/sql.ts'

export const disputeStatuses = [
  'open',
  'charged_back',
  'won',
  'lost',
  'withdrawn',
  'closed',
] as const
export type DisputeStatus = (typeof disputeStatuses)[number]

export const disputeReasons = [
  'not_authorized',
  'not_received',
  'not_as_described',
  'duplicate',
  'wrong_amount',
  'cancelled',
  'other',
] as const

const given = {
  id: 'uuid',
  paymentId: 'uuid',
  accountId: 'uuid',
  userId: 'uuid',
  reason: wordOf(disputeReasons),
  text: 'text?',
  createdAt: 'timestamptz',
} as const
const dispute = {
  ...given,
  captured: 'int8',
  currency: currencyText,
  merchantName: 'text?',
  chargebackId: 'uuid?',
  outcome: wordOrNullOf(chargebackStatuses),
  closedAt: 'timestamptz?',
  closedReason: 'text?',
} as const
/** `captured`, `currency` and `merchantName` of its payment, `outcome` of its chargeback. */
export type DisputeRow = RowOf<typeof dispute>

const from = fragment`select d.id, d.payment_id as "paymentId", d.account_id as "accountId",
     d.user_id as "userId", d.reason, d.text, d.created_at as "createdAt", h.captured, h.currency,
     p.merchant_name as "merchantName",
     d.chargeback_id as "chargebackId",
     case when d.chargeback_id is not null then coalesce(e.outcome, 'open') end as outcome,
     d.closed_at as "closedAt", d.closed_reason as "closedReason"
   from card_disputes d
   join holds h on h.id = d.payment_id join card_authorizations p on p.id = d.payment_id
   left join chargeback_ends e on e.chargeback_id = d.chargeback_id`

export const insertDispute = insertInto('disputes_insert', 'card_disputes', given)

const readOne = statement('disputes_read', ['uuid'], dispute, sql`${from} where d.id = $1`)
export const disputeById = (db: Db, id: string) => one(db, readOne, [id])

export const disputesOfPayment = listOf(
  'disputes_list_of_payment',
  dispute,
  fragment`${from} where d.payment_id = $1`,
  'd.id',
)

export const disputesOfUser = listOf(
  'disputes_list_of_user',
  dispute,
  fragment`${from} where d.user_id = $1`,
  'd.id',
)

const listWaiting = statement(
  'disputes_list_waiting',
  ['uuid?', 'int4'],
  dispute,
  sql`${from}
   where d.chargeback_id is null and d.closed_at is null
     and d.id > coalesce($1::uuid, '00000000-0000-0000-0000-000000000000')
   order by d.id limit $2::int4`,
)
/** Those that neither staff nor a processor has answered, the oldest first. */
export const waitingDisputes = (db: Db, after: string | undefined, count: number) =>
  db.run(listWaiting, [after ?? null, count])

const listInState = statement(
  'disputes_list_in_state',
  ['text', 'uuid?', 'int4'],
  dispute,
  sql`${from}
   where case $1
       when 'closed' then d.closed_at is not null
       when 'charged_back' then d.chargeback_id is not null and e.outcome is null
       else e.outcome = $1
     end and ${pageBefore(2, 'd.id')}`,
)
/** Those that were answered, and stand so. */
export const disputesInState = (
  db: Db,
  status: Exclude<DisputeStatus, 'open'>,
  after: string | undefined,
  count: number,
) => db.run(listInState, [status, after ?? null, count])

const countOpen = statement(
  'disputes_count_open',
  ['uuid'],
  { count: 'int4' },
  `select count(*)::int4 as count from card_disputes d
   left join chargeback_ends e on e.chargeback_id = d.chargeback_id
   where d.payment_id = $1 and d.closed_at is null
     and (d.chargeback_id is null or e.outcome is null)`,
)
/** Whether something of the payment is disputed. The account of the payment is locked. */
export const isDisputed = async (tx: Db, paymentId: string): Promise<boolean> =>
  ((await one(tx, countOpen, [paymentId]))?.count ?? 0) > 0

const tellStep = statement(
  'disputes_tell',
  ['uuid', 'text', 'uuid', 'timestamptz'],
  `with told as (
     insert into events (type, at, ids)
     values ('dispute.' || $2::text, $4::timestamptz, array[$1::uuid])
   )
   insert into mails (
     id, kind, user_id, authorization_id, dispute_step, created_at, due_at, expires_at
   )
   select $3::uuid, 'card-dispute', user_id, payment_id, $2::text, $4::timestamptz, $4::timestamptz,
     $4::timestamptz + interval '1 day'
   from card_disputes where id = $1`,
)
const tell = (tx: Db, id: string, step: 'opened' | 'closed', at: Date) =>
  tx.run(tellStep, [id, step, newId(at.getTime()), at])

export async function addDispute(tx: Db, row: RowOf<typeof given>): Promise<DisputeRow> {
  await insertDispute(tx, row)
  await tell(tx, row.id, 'opened', row.createdAt)
  return (await disputeById(tx, row.id)) as DisputeRow
}

const close = statement(
  'disputes_close',
  ['uuid', 'timestamptz', 'uuid', 'text'],
  { id: 'uuid' },
  `update card_disputes set closed_at = $2, closed_by = $3, closed_reason = $4
   where id = $1 and chargeback_id is null and closed_at is null returning id`,
)
/** False: it was answered before. */
export async function closeDispute(
  tx: Db,
  { id, at, callerId, reason }: { id: string; at: Date; callerId: string; reason: string },
): Promise<boolean> {
  if ((await tx.run(close, [id, at, callerId, reason])).length === 0) return false
  await tell(tx, id, 'closed', at)
  return true
}
