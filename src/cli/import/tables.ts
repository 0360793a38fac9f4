// The names of the temporary tables, and what their lines are called in the bank's own table.
import { Fragment } from '../../database/statements/statement.ts'
import { type LineFile, lineFiles } from './format.ts'

export const stagedTables = Object.fromEntries(
  lineFiles.map((file) => [file, new Fragment(`pg_temp.staged_${file}`)]),
) as Record<LineFile, Fragment>

/** `imported.kind` of the lines of each file. */
export const importedKinds = {
  people: 'person',
  accounts: 'account',
  blocks: 'block',
  balances: 'balance',
  beneficiaries: 'beneficiary',
  orders: 'order',
  history: 'former_entry',
} as const satisfies Record<LineFile, string>

export const quotedKind = (file: LineFile): Fragment => new Fragment(`'${importedKinds[file]}'`)
