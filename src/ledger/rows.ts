// The plan of a batch as the columns of its one writing statement.
import type { ValuesOf } from '../database/statement.ts'
import type { Plan } from './plan.ts'
import type { writeBatch } from './sql.ts'

/** The parameters of {@link writeBatch}, in its order. */
export function rowsOf({ made, touched }: Plan): ValuesOf<typeof writeBatch.takes> {
  const transfers = made.map(({ transfer }) => transfer)
  const accounts = [...touched]
  return [
    transfers.map(({ id }) => id),
    transfers.map(({ fromAccountId }) => fromAccountId),
    transfers.map(({ toAccountId }) => toAccountId),
    transfers.map(({ fromSeq }) => fromSeq),
    transfers.map(({ toSeq }) => toSeq),
    transfers.map(({ amount }) => amount),
    transfers.map(({ createdAt }) => new Date(createdAt)),
    transfers.map(({ callerId }) => callerId),
    transfers.map(({ kind }) => kind),
    transfers.map(({ status }) => status),
    transfers.map(({ currency }) => currency),
    transfers.map(({ reference }) => reference),
    transfers.map(({ beneficiaryId }) => beneficiaryId),
    transfers.map(({ counterpartyName }) => counterpartyName),
    transfers.map(({ counterpartyIban }) => counterpartyIban),
    transfers.map(({ reversalOf }) => reversalOf),
    made.map(({ fromBalance }) => fromBalance),
    made.map(({ toBalance }) => toBalance),
    made.map(({ fromHash }) => Buffer.from(fromHash, 'hex')),
    made.map(({ toHash }) => Buffer.from(toHash, 'hex')),
    made.map(({ fingerprint }) => fingerprint),
    accounts.map(({ id }) => id),
    accounts.map(({ balance }) => balance),
    accounts.map(({ seq }) => seq),
    accounts.map(({ hash }) => Buffer.from(hash, 'hex')),
    accounts.map(({ lastEntryAt }) => new Date(lastEntryAt)),
    accounts.map(({ spentOn }) => spentOn),
    accounts.map(({ spentAmount }) => spentAmount),
  ]
}
