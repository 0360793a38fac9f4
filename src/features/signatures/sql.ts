// Data of the amount from which on two people sign what leaves an account.
import { updateIn } from '../../database/statements/rows.ts'
import {
  type Db,
  one,
  type RowOf,
  select,
  sql,
  statement,
} from '../../database/statements/statement.ts'
import { signatureColumns } from '../../ledger/rules/signatures.ts'

const columns = { id: 'uuid', iban: 'text', currency: 'text', ...signatureColumns } as const
export type SignaturesRow = RowOf<typeof columns>

const read = statement(
  'signatures_read',
  ['uuid'],
  columns,
  sql`select ${select(columns)} from accounts
   where id = $1 and kind = 'customer' and status <> 'closed'`,
)
/** Undefined when the account is closed or does not exist. */
export const signaturesOf = (db: Db, accountId: string) => one(db, read, [accountId])

const lock = statement(
  'signatures_lock',
  ['uuid'],
  columns,
  sql`select ${select(columns)} from accounts
   where id = $1 and kind = 'customer' and status <> 'closed' for no key update`,
)
/** The same behind the lock of the account: no transfer is decided meanwhile. */
export const lockedSignatures = (tx: Db, accountId: string) => one(tx, lock, [accountId])

export const writeSignatures = updateIn('signatures_write', 'accounts', {
  id: 'uuid',
  ...signatureColumns,
})
