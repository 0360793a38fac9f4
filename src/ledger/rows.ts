// The plan of a batch as the columns of its writing statements.
import type { ValuesOf } from '../database/statement.ts'
import type { Plan } from './plan.ts'
import type { writeBatch, writeSettlements, writeStatuses } from './sql.ts'

/** The parameters of {@link writeBatch}, in its order. */
export function toRows({ made, touched }: Plan): ValuesOf<typeof writeBatch.takes> {
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
    transfers.map(({ currency }) => currency),
    transfers.map(({ reference }) => reference),
    transfers.map(({ beneficiaryId }) => beneficiaryId),
    transfers.map(({ counterpartyName }) => counterpartyName),
    transfers.map(({ counterpartyIban }) => counterpartyIban),
    transfers.map(({ reversalOf }) => reversalOf),
    made.map(({ fromBalance }) => fromBalance),
    made.map(({ toBalance }) => toBalance),
    made.map(({ fromHash, toHash, salt }) => Buffer.from(fromHash + toHash + salt, 'hex')),
    made.map(({ fingerprint }) => fingerprint),
    made.map(({ sessionId }) => sessionId),
    accounts.map(({ id }) => id),
    accounts.map(({ balance }) => balance),
    accounts.map(({ seq }) => seq),
    accounts.map(({ hash }) => Buffer.from(hash, 'hex')),
    accounts.map(({ lastEntryAt }) => new Date(lastEntryAt)),
    accounts.map(({ spentOn }) => spentOn),
    accounts.map(({ spentAmount }) => spentAmount),
  ]
}

/** The parameters of {@link writeSettlements}, in its order. */
export const settlementRows = ({ settlements }: Plan): ValuesOf<typeof writeSettlements.takes> => [
  settlements.map(({ accountId }) => accountId),
  settlements.map(({ transferId }) => transferId),
  settlements.map(({ seq }) => seq),
  settlements.map(({ balance }) => balance),
  settlements.map(({ createdAt }) => new Date(createdAt)),
  settlements.map(({ hash }) => Buffer.from(hash, 'hex')),
]

/** The parameters of {@link writeStatuses}, in its order. */
export function statusRows({ statuses, settlements }: Plan): ValuesOf<typeof writeStatuses.takes> {
  const seqs = new Map(settlements.map(({ transferId, seq }) => [transferId, seq]))
  const ids = [...statuses.keys()]
  return [ids, [...statuses.values()], ids.map((id) => seqs.get(id) ?? null)]
}
