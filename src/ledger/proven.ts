// The terms of a transfer as its row proves them: by its texts, or by what is left of erased ones.
import type { RowOf } from '../database/statement.ts'
import type { Currency } from '../domain/money.ts'
import { commitTexts, joinTerms, type Terms } from './hash-chain.ts'
import type { Kind } from './order.ts'
import type { provenColumns } from './verify-sql.ts'

type Row = RowOf<typeof provenColumns>

/** What the entries of a transfer hold of it themselves. */
type Shared = Pick<Terms, 'id' | 'fromAccountId' | 'toAccountId' | 'amount' | 'createdAt'> & {
  kind: string
}

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
export const provenTerms = (shared: Shared, row: Row): string =>
  joinTerms(
    {
      ...shared,
      kind: shared.kind as Kind,
      currency: row.currency as Currency,
      beneficiaryId: row.beneficiary_id,
      reversalOf: row.reversal_of,
      callerId: row.caller_id,
    },
    row.session_id,
    provenCommitment(row),
  )
