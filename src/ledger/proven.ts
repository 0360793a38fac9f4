// The terms of a transfer as its row proves them: by its texts, or by what is left of erased ones.
import type { RowOf } from '../database/statement.ts'
import type { Currency } from '../money.ts'
import { commitTexts, joinTerms } from './chain.ts'
import type { Kind } from './order.ts'
import type { provenColumns } from './verify-sql.ts'

type Row = RowOf<typeof provenColumns>

/** The commitment of a transfer's row, hexadecimal. */
export const provenCommitment = (row: Row): string =>
  row.salt === null
    ? (row.commitment ?? '')
    : commitTexts(row.salt, {
        reference: row.reference,
        counterpartyName: row.counterparty_name,
        counterpartyIban: row.counterparty_iban,
      })

/** What the two entries of a transfer hash of it. */
export const provenTerms = (id: string, row: Row, createdAt: number): string =>
  joinTerms(
    {
      id,
      kind: row.kind as Kind,
      fromAccountId: row.from_account_id,
      toAccountId: row.to_account_id,
      amount: row.amount,
      currency: row.currency as Currency,
      beneficiaryId: row.beneficiary_id,
      reversalOf: row.reversal_of,
      callerId: row.caller_id,
      createdAt,
    },
    row.session_id,
    provenCommitment(row),
  )
