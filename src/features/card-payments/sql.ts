// Data of card payments as they are shown: each with what its hold and its refunds are now.
import {
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
import { refuse } from '../../domain/errors.ts'
import { authorizationColumns } from '../../ledger/rules/authorizations.ts'

export const paymentStatuses = [
  'authorized',
  'captured',
  'released',
  'expired',
  'declined',
] as const

const { amount: _, expiresAt: __, ...asked } = authorizationColumns
const payment = {
  ...asked,
  amount: 'int8',
  expiresAt: 'timestamptz?',
  status: wordOf(paymentStatuses),
  held: 'int8',
  captured: 'int8',
  refunded: 'int8',
  chargedBack: 'int8',
  isReleased: 'bool',
  isGone: 'bool',
} as const
/**
 * `isReleased`: the rest was released, on request or by expiry. `isGone`: its account is closed.
 */
export type PaymentRow = RowOf<typeof payment>

/**
 * Payments and declined attempts. Increments are no rows of their own: they are in the amount of
 * the hold.
 */
const from = fragment`select ${select(asked, 'a')}, coalesce(h.amount, a.amount) as amount,
     h.expires_at as "expiresAt",
     case
       when h.id is null then 'declined'
       when h.status = 'active' then 'authorized'
       when h.captured > 0 then 'captured'
       else h.status
     end as status,
     coalesce(h.remaining, 0) as held, coalesce(h.captured, 0) as captured,
     coalesce((
       select sum(t.amount) from card_refunds r join transfers t on t.id = r.transfer_id
       where r.payment_id = h.id
     ), 0)::int8 as refunded,
     coalesce((
       select sum(t.amount) from card_chargebacks b join transfers t on t.id = b.transfer_id
       left join chargeback_ends e on e.chargeback_id = b.transfer_id
       where b.payment_id = h.id and (e.outcome is null or e.outcome = 'won')
     ), 0)::int8 as "chargedBack",
     coalesce(h.status in ('released', 'expired'), false) as "isReleased",
     exists (select from accounts where id = a.account_id and status = 'closed') as "isGone"
   from card_authorizations a
   left join holds h on h.id = a.payment_id and a.reason is null
   where (a.reason is not null or a.id = a.payment_id)`

export const paymentsByAccount = listOf(
  'card_payments_list',
  payment,
  fragment`${from} and a.account_id = $1`,
  'a.id',
)

const readPayment = statement('card_payments_read', ['uuid'], payment, sql`${from} and a.id = $1`)
const readPayments = statement(
  'card_payments_read_many',
  ['uuid[]'],
  payment,
  sql`${from} and a.id = any(array(
     select case when reason is null then payment_id else id end
     from card_authorizations where id = any($1)
   ))`,
)
/** The payments with these authorisations, and declined ones. */
export const paymentsOf = (db: Db, ids: readonly string[]) => db.run(readPayments, [[...ids]])
export const paymentById = (db: Db, id: string) => one(db, readPayment, [id])

/** The approved payment. Refuses with `not_found`, also for a declined attempt. */
export async function approvedById(db: Db, id: string): Promise<PaymentRow> {
  const row = await paymentById(db, id)
  return row === undefined || row.reason !== null ? refuse('not_found') : row
}

const readAccountOf = statement(
  'card_payments_read_account',
  ['uuid'],
  { accountId: 'uuid' },
  `select account_id as "accountId" from cards where id = $1`,
)
/** The account of a card, in any state of both. Refuses with `not_found`. */
export const accountOf = async (db: Db, cardId: string): Promise<string> =>
  (await one(db, readAccountOf, [cardId]))?.accountId ?? refuse('not_found')
