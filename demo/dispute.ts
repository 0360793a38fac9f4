// A dispute of the demo: a resident did not receive what was paid for by card, and staff have to
// look at it.
import type { Database } from '../src/database/connections/connect.ts'
import { transaction } from '../src/database/connections/transaction.ts'
import { one, statement } from '../src/database/statements/statement.ts'
import { newId } from '../src/domain/ids.ts'
import { insertDispute } from '../src/features/disputes/sql.ts'
import type { People } from './people.ts'

const readLastPayment = statement(
  'demo_read_last_card_payment',
  ['uuid'],
  { id: 'uuid' },
  `select p.id from card_authorizations p
   join hold_captures c on c.hold_id = p.id join transfers t on t.id = c.transfer_id
   where p.account_id = $1 and p.payment_id = p.id
     and not exists (select from card_refunds r where r.payment_id = p.id)
   order by t.created_at desc, p.id desc limit 1`,
)

/** The first resident that has paid by card disputes its last payment. */
export async function addOpenDispute(
  db: Database,
  { residents }: People,
  end: number,
): Promise<void> {
  for (const { current } of residents) {
    const payment = await one(db, readLastPayment, [current.id])
    if (!payment) continue
    await transaction(db, (tx) =>
      insertDispute(tx, {
        id: newId(end),
        paymentId: payment.id,
        accountId: current.id,
        userId: current.owner.userId,
        reason: 'not_received',
        text: 'The parcel has never arrived.',
        createdAt: new Date(end),
      }),
    )
    return
  }
}
