// The mails that tell payers of large payments, queued in the transaction of the payment.
import { rowArrays } from '../../database/statements/arrays.ts'
import { type Db, sql, statement } from '../../database/statements/statement.ts'
import type { Transfer } from '../rules/movement.ts'

/** A mail that tells a payer of a payment. */
export type Alert = { id: string; ownerId: string; transfer: Pick<Transfer, 'id' | 'createdAt'> }

const alerts = rowArrays<Alert>('m', {
  id: ['uuid', ({ id }) => id],
  ownerId: ['uuid', ({ ownerId }) => ownerId],
  transferId: ['uuid', ({ transfer }) => transfer.id],
  at: ['timestamptz', ({ transfer }) => transfer.createdAt],
})
const writeAlertRows = statement(
  'ledger_write_alerts',
  alerts.takes,
  sql`insert into mails (id, kind, transfer_id, created_at, due_at, expires_at)
   select id, 'payment', transfer_id, at, at, at + interval '1 day' from ${alerts.unnest}
   where not alerts_paused(owner_id, 'payment', at)`,
)
/** Queues the mails. It locks no row of others: see `mails.transfer_id`. */
export const writeAlerts = (db: Db, rows: readonly Alert[]) =>
  db.run(writeAlertRows, alerts.values(rows))
