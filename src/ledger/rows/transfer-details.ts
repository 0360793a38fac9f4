// The details of the transfers that have any: of payments from other banks, of returns, and of
// payments whose payee was checked.
import { rowArrays, sameColumns } from '../../database/statements/arrays.ts'
import {
  bareColumns,
  type Db,
  select,
  sql,
  statement,
} from '../../database/statements/statement.ts'
import { storedDetailColumns, type TransferDetails } from '../rules/movement.ts'
import { ifAny } from './transfers.ts'

const columns = { transferId: 'uuid', ...storedDetailColumns } as const
export type DetailsRow = TransferDetails & { transferId: string }

const rows = rowArrays<DetailsRow>(
  'd',
  sameColumns(columns, (row: DetailsRow) => ({
    ...row,
    payeeResult: row.payeeResult ?? null,
    payeeName: row.payeeName ?? null,
    payeeAccepted: row.payeeAccepted ?? null,
  })),
)
const writeDetailRows = statement(
  'ledger_write_details',
  rows.takes,
  sql`insert into transfer_details (${bareColumns(columns)})
  select ${bareColumns(columns)} from ${rows.unnest}`,
)
export const writeDetails = (db: Db, made: readonly DetailsRow[]) =>
  db.run(writeDetailRows, rows.values(made))

const readDetailRows = statement(
  'ledger_read_details',
  ['uuid[]'],
  columns,
  sql`select ${select(columns)} from transfer_details where transfer_id = any($1)`,
)
export const readDetails = (db: Db, ids: string[]): Promise<DetailsRow[]> =>
  ifAny(ids, () => db.run(readDetailRows, [ids]))
