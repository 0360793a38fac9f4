// Transfers with the details that few of them have: those of payments from other banks, and why a
// payment came back.
import { type Db, statement } from '../../database/statement.ts'
import { readDetails } from '../../ledger/details.ts'
import { bankAccount } from '../../ledger/internal-accounts.ts'
import type { Transfer, TransferDetails } from '../../ledger/order.ts'

type Payer = { name: string; iban: string }
export type DetailedTransfer = Transfer & {
  details?: TransferDetails
  payer?: Payer
  /** Of what came in and lies in suspense: the IBAN of the account that it was for. */
  creditorIban?: string
}

/** The transfer that has the details: for a returned payment, the return. */
function detailedId({ id, kind, status, reversedBy }: Transfer): string | null {
  if (kind === 'incoming' || kind === 'return') return id
  return status === 'returned' ? reversedBy : null
}

const readRefunded = statement(
  'transfers_read_refunded',
  ['uuid[]'],
  { id: 'uuid', iban: 'text' },
  `select r.transfer_id as id, a.iban
   from card_refunds r join holds h on h.id = r.payment_id join accounts a on a.id = h.account_id
   where r.transfer_id = any($1)`,
)

const isInSuspense = ({ toAccountId, currency }: Transfer): boolean =>
  toAccountId === bankAccount('suspense', currency)

/** The route of incoming payments keeps the IBAN among the texts as they came. */
function findCreditorIban(row: Transfer, { original }: TransferDetails): string | undefined {
  if (row.kind !== 'incoming' || original === null || !isInSuspense(row)) return undefined
  return (JSON.parse(original) as { creditorIban?: string }).creditorIban
}

/** With their details. Nothing is read if none can have any. */
export async function addDetails(db: Db, rows: readonly Transfer[]): Promise<DetailedTransfer[]> {
  const ids = rows.flatMap((row) => detailedId(row) ?? [])
  const refunds = rows.filter((row) => row.kind === 'refund' && isInSuspense(row))
  if (ids.length === 0 && refunds.length === 0) return [...rows]
  const found = new Map((await readDetails(db, ids)).map((row) => [row.transferId, row]))
  const refunded = refunds.length === 0 ? [] : await db.run(readRefunded, [refunds.map(toId)])
  const ibans = new Map(refunded.map(({ id, iban }) => [id, iban]))
  return rows.map((row) => {
    const details = found.get(detailedId(row) ?? '')
    const creditorIban = ibans.get(row.id) ?? (details && findCreditorIban(row, details))
    return {
      ...row,
      ...(details && { details }),
      ...(creditorIban !== undefined && { creditorIban }),
    }
  })
}

const toId = ({ id }: Transfer): string => id

const readPayers = statement(
  'transfers_read_payers',
  ['uuid[]'],
  { id: 'uuid', iban: 'text', givenName: 'text', familyName: 'text' },
  `select a.id, a.iban, u.given_name as "givenName", u.family_name as "familyName"
   from accounts a join users u on u.id = a.owner_id
   where a.id = any($1) and a.kind = 'customer'`,
)

/** With the present names of the holders of the accounts that they left, in one read. */
export async function addPayers(
  db: Db,
  rows: readonly DetailedTransfer[],
): Promise<DetailedTransfer[]> {
  const ids = [...new Set(rows.map(({ fromAccountId }) => fromAccountId))]
  if (ids.length === 0) return []
  const found = await db.run(readPayers, [ids])
  const payers = new Map(
    found.map(({ id, iban, givenName, familyName }) => [
      id,
      { name: `${givenName} ${familyName}`, iban },
    ]),
  )
  return rows.map((row) => {
    const payer = payers.get(row.fromAccountId)
    return payer ? { ...row, payer } : row
  })
}
