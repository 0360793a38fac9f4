// The mails that tell owners of accounts of movements, queued in their transaction.
import { rowArrays } from '../../database/statements/arrays.ts'
import { type Db, sql, statement } from '../../database/statements/statement.ts'

/** A mail that tells the owner of an account of a movement. */
export type Alert = {
  id: string
  kind: 'payment' | 'money-arrived' | 'balance-below' | 'account-overdrawn'
  ownerId: string
  /** The transfer; of `balance-below` and `account-overdrawn` the account. */
  aboutId: string
  at: Date
}

const alerts = rowArrays<Alert>('m', {
  id: ['uuid', ({ id }) => id],
  kind: ['text', ({ kind }) => kind],
  ownerId: ['uuid', ({ ownerId }) => ownerId],
  aboutId: ['uuid', ({ aboutId }) => aboutId],
  at: ['timestamptz', ({ at }) => at],
})
const writeAlertRows = statement(
  'ledger_write_alerts',
  alerts.takes,
  sql`insert into mails (
     id, kind, transfer_id, user_id, arrival_id, account_id, created_at, due_at, expires_at
   )
   select id, kind, case kind when 'payment' then about_id end,
     case when kind <> 'payment' then owner_id end,
     case kind when 'money-arrived' then about_id end,
     case when kind in ('balance-below', 'account-overdrawn') then about_id end, at, at,
     at + interval '1 day'
   from ${alerts.unnest}
   where not mail_is_unwanted(owner_id, kind, at)`,
)
/** Queues the mails. It locks no row of others: see `mails.transfer_id`. */
export const writeAlerts = (db: Db, rows: readonly Alert[]) =>
  db.run(writeAlertRows, alerts.values(rows))

/** An account whose balance came below what its owner has chosen, or has reached it again. */
export type BelowTold = { id: string; isBelowTold: boolean }

const told = rowArrays<BelowTold>('t', {
  id: ['uuid', ({ id }) => id],
  isBelowTold: ['bool', ({ isBelowTold }) => isBelowTold],
})
const writeBelowRows = statement(
  'ledger_write_below_told',
  told.takes,
  sql`update accounts a set is_below_told = t.is_below_told from ${told.unnest} where a.id = t.id`,
)
/** The batch has locked the accounts. */
export const writeBelowTold = (db: Db, rows: readonly BelowTold[]) =>
  db.run(writeBelowRows, told.values(rows))
