// The plan of a batch as the columns of its one writing statement.
import type { ValuesOf } from '../database/statement.ts'
import type { Plan } from './plan.ts'
import type { writeBatch } from './sql.ts'

/** The parameters of {@link writeBatch}, in its order. */
export function rowsOf({ made, touched }: Plan): ValuesOf<typeof writeBatch.takes> {
  const accounts = [...touched]
  return [
    made.map(({ id }) => id),
    made.map(({ fromAccountId }) => fromAccountId),
    made.map(({ toAccountId }) => toAccountId),
    made.map(({ fromSeq }) => fromSeq),
    made.map(({ toSeq }) => toSeq),
    made.map(({ amount }) => amount),
    made.map(({ createdAt }) => new Date(createdAt)),
    made.map(({ callerId }) => callerId),
    made.map(({ kind }) => kind),
    made.map(({ status }) => status),
    made.map(({ currency }) => currency),
    made.map(({ reference }) => reference),
    made.map(({ beneficiaryId }) => beneficiaryId),
    made.map(({ counterpartyName }) => counterpartyName),
    made.map(({ counterpartyIban }) => counterpartyIban),
    made.map(({ reversalOf }) => reversalOf),
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
