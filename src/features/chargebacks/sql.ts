// Data of chargebacks: each with the credit that it is, and how it has ended.
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
} from '../../database/statements/statement.ts'
import { databaseNow } from '../../database/background/clocks.ts'
import { refuse } from '../../domain/errors.ts'
import { newId } from '../../domain/ids.ts'
import type { Clock } from '../../domain/clock.ts'

export const chargebackStatuses = ['open', 'won', 'lost', 'withdrawn'] as const
export type ChargebackStatus = (typeof chargebackStatuses)[number]

const chargeback = {
  id: 'uuid',
  paymentId: 'uuid',
  accountId: 'uuid',
  amount: 'int8',
  currency: currencyText,
  reason: 'text',
  status: wordOf(chargebackStatuses),
  takenBackBy: 'uuid?',
  createdAt: 'timestamptz',
  endedAt: 'timestamptz?',
  placedBy: 'uuid',
  merchantName: 'text?',
} as const
/** `placedBy`: who authorised the payment. */
export type ChargebackRow = RowOf<typeof chargeback>

const from = fragment`select x.id, x.payment_id as "paymentId", x.account_id as "accountId",
     x.amount, x.currency, x.reason, x.status, x.taken_back_by as "takenBackBy",
     x.created_at as "createdAt", x.ended_at as "endedAt", x.placed_by as "placedBy",
     x.merchant_name as "merchantName"
   from (
     select b.transfer_id as id, b.payment_id, b.reason, t.amount, t.currency, t.created_at,
       p.account_id, p.caller_id as placed_by, p.merchant_name,
       coalesce(e.outcome, 'open') as status, e.ended_at, e.transfer_id as taken_back_by
     from card_chargebacks b
     join transfers t on t.id = b.transfer_id
     join card_authorizations p on p.id = b.payment_id
     left join chargeback_ends e on e.chargeback_id = b.transfer_id
   ) x`

export const chargebacksOfPayment = listOf(
  'chargebacks_list',
  chargeback,
  fragment`${from} where x.payment_id = $1`,
  'x.id',
)

const listAll = statement(
  'chargebacks_list_all',
  ['text?', 'uuid?', 'int4'],
  chargeback,
  sql`${from} where ($1::text is null or x.status = $1) and ${pageBefore(2, 'x.id')}`,
)
/** Null: in any state. */
export const chargebacksIn = (
  db: Db,
  status: ChargebackStatus | null,
  after: string | undefined,
  count: number,
) => db.run(listAll, [status, after ?? null, count])

const readOne = statement('chargebacks_read', ['uuid'], chargeback, sql`${from} where x.id = $1`)
/** Refuses with `not_found`. */
export const chargebackById = async (db: Db, id: string): Promise<ChargebackRow> =>
  (await one(db, readOne, [id])) ?? refuse('not_found')

const lockOne = statement(
  'chargebacks_lock',
  ['uuid'],
  { id: 'uuid' },
  `select id from accounts
   where id = (select to_account_id from transfers where id = $1) for no key update`,
)
const insertWon = statement(
  'chargebacks_win',
  ['uuid', 'timestamptz', 'uuid', 'uuid'],
  `with told as (
     insert into events (type, at, ids) values ('chargeback.won', $2::timestamptz, array[$1::uuid])
   ), mailed as (
     insert into mails (
       id, kind, user_id, authorization_id, dispute_step, chargeback_id, created_at, due_at,
       expires_at
     )
     select $4::uuid, 'card-dispute', a.owner_id, b.payment_id, 'won', $1::uuid, $2::timestamptz,
       $2::timestamptz, $2::timestamptz + interval '1 day'
     from card_chargebacks b join transfers t on t.id = b.transfer_id
     join accounts a on a.id = t.to_account_id
     where b.transfer_id = $1 and a.owner_id is not null
   )
   insert into chargeback_ends (chargeback_id, outcome, ended_at, caller_id)
   values ($1, 'won', $2, $3)`,
)
/**
 * Behind the lock of the account that was credited, which what takes the money back needs, too.
 * Does nothing to one that has ended.
 */
export async function win(
  tx: Db,
  id: string,
  { clock, callerId }: { clock: Clock; callerId: string },
): Promise<void> {
  await tx.run(lockOne, [id])
  const { status } = await chargebackById(tx, id)
  if (status !== 'open') return
  const now = await databaseNow(tx, clock)
  await tx.run(insertWon, [id, new Date(now), callerId, newId(now)])
}
