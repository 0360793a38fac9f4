// Data of the limits that owners set.
import { updateIn } from '../../database/statements/rows.ts'
import {
  type Db,
  one,
  type RowOf,
  select,
  sql,
  statement,
} from '../../database/statements/statement.ts'
import { ownLimitColumns } from '../../ledger/rules/own-limits.ts'

const columns = {
  id: 'uuid',
  ownerId: 'uuid',
  iban: 'text',
  currency: 'text',
  status: 'text',
  spentAmount: 'int8',
  ...ownLimitColumns,
} as const
const limits = { ...columns, spentOn: 'text?' } as const
export type LimitsRow = RowOf<typeof limits>

const readLimits = statement(
  'limits_read',
  ['uuid'],
  limits,
  sql`select ${select(columns)}, spent_on::text as "spentOn"
   from accounts where id = $1 and kind = 'customer' and status <> 'closed'`,
)
/** Undefined when the account is closed or does not exist. */
export const limitsOf = (db: Db, accountId: string) => one(db, readLimits, [accountId])

const lockLimits = statement(
  'limits_lock',
  ['uuid'],
  limits,
  sql`select ${select(columns)}, spent_on::text as "spentOn"
   from accounts where id = $1 and kind = 'customer' and status <> 'closed' for no key update`,
)
/** The same behind the lock of the account: no transfer is decided meanwhile. */
export const lockedLimits = (tx: Db, accountId: string) => one(tx, lockLimits, [accountId])

export const writeLimits = updateIn('limits_write', 'accounts', { id: 'uuid', ...ownLimitColumns })
