// The names of the temporary tables, and what their lines are called in the bank's own table.
import { Fragment } from '../../database/statements/statement.ts'
import { type LineFile, lineFiles } from './format.ts'

export const stagedTables = Object.fromEntries(
  lineFiles.map((file) => [file, new Fragment(`pg_temp.staged_${file}`)]),
) as Record<LineFile, Fragment>

/** `imported.kind`, quoted. */
export const kinds = {
  people: new Fragment(`'person'`),
  accounts: new Fragment(`'account'`),
  blocks: new Fragment(`'block'`),
  balances: new Fragment(`'balance'`),
  beneficiaries: new Fragment(`'beneficiary'`),
  orders: new Fragment(`'order'`),
} as const satisfies Record<LineFile, Fragment>
