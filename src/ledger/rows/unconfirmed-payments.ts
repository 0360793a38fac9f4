// Payments out of an account without a confirmation, since the last confirmed one.
import { rowArrays } from '../../database/statements/arrays.ts'
import { type Db, select, sql, statement } from '../../database/statements/statement.ts'
import type { Unconfirmed } from '../rules/confirmation.ts'
import { ifAny } from './transfers.ts'

const unconfirmedColumns = { accountId: 'uuid', amount: 'int8', count: 'int4' } as const

const readUnconfirmedRows = statement(
  'ledger_read_unconfirmed',
  ['uuid[]'],
  { ...unconfirmedColumns, transferIds: 'text' },
  sql`select ${select(unconfirmedColumns)}, array_to_string(transfer_ids, ',') as "transferIds"
   from unconfirmed_payments where account_id = any($1)`,
)
/** Read behind the locks of the accounts, which every writer of them has. */
export async function readUnconfirmed(
  db: Db,
  accountIds: readonly string[],
): Promise<(Unconfirmed & { accountId: string })[]> {
  const rows = await ifAny(accountIds, () => db.run(readUnconfirmedRows, [[...accountIds]]))
  return rows.map((row) => ({
    ...row,
    transferIds: row.transferIds === '' ? [] : row.transferIds.split(','),
  }))
}

const payments = rowArrays<[accountId: string, Unconfirmed]>('p', {
  accountId: ['uuid', ([accountId]) => accountId],
  amount: ['int8', ([, { amount }]) => amount],
  count: ['int4', ([, { count }]) => count],
  transferIds: ['text', ([, { transferIds }]) => transferIds.join(',')],
})
const writeUnconfirmedRows = statement(
  'ledger_write_unconfirmed',
  payments.takes,
  sql`insert into unconfirmed_payments (account_id, amount, count, transfer_ids)
   select account_id, amount, count, string_to_array(transfer_ids, ',')::uuid[]
   from ${payments.unnest}
   on conflict (account_id) do update
     set amount = excluded.amount, count = excluded.count, transfer_ids = excluded.transfer_ids`,
)
export const writeUnconfirmed = (db: Db, rows: Map<string, Unconfirmed>) =>
  db.run(writeUnconfirmedRows, payments.values([...rows]))
