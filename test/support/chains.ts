// Rewrites the chains of all accounts, as a login with all rights over the database can.
import {
  entryHash,
  joinTerms,
  joinTexts,
  readCommitment,
  zeroHash,
} from '../../src/ledger/rules/hash-chain.ts'
import type { Bank } from './bank.ts'

/**
 * Writes all balances and chains anew from the amounts, so that only the change itself is wrong.
 */
export async function rewriteChains({ sql }: Bank): Promise<void> {
  const rows = await sql(
    `select e.account_id as "accountId", e.seq, e.kind, e.amount as "entryAmount",
       e.created_at as "createdAt", e.transfer_id as "transferId", t.kind as "termsKind",
       t.from_account_id as "fromAccountId",
       t.to_account_id as "toAccountId", t.amount as "termsAmount", t.currency, t.reference,
       t.beneficiary_id as "beneficiaryId", t.reversal_of as "reversalOf",
       t.caller_id as "callerId", t.session_id as "sessionId",
       t.counterparty_name as "counterpartyName",
       t.counterparty_iban as "counterpartyIban", encode(t.salt, 'hex') as salt,
       encode(t.commitment, 'hex') as commitment,
       t.created_at as "termsAt", e.texts_in_chain as "textsInChain",
       e.reference as "ownReference", e.counterparty_name as "ownName",
       e.counterparty_iban as "ownIban", encode(e.commitment, 'hex') as "ownCommitment"
     from entries e join transfers t on t.id = e.transfer_id order by e.account_id, e.seq`,
  )
  type Row = Parameters<typeof joinTerms>[0] &
    Parameters<typeof readCommitment>[0] & {
      accountId: string
      seq: string
      entryAmount: string
      transferId: string
      termsKind: string
      termsAmount: string
      termsAt: Date
      textsInChain: boolean
      ownReference: string
      ownName: string | null
      ownIban: string | null
      ownCommitment: string | null
    }
  for (const [accountId, entries] of Map.groupBy(rows as Row[], (row) => row.accountId)) {
    let [hash, balanceAfter] = [zeroHash, 0n]
    for (const row of entries) {
      const [seq, amount] = [BigInt(row.seq), BigInt(row.entryAmount)]
      balanceAfter += amount
      const terms = {
        ...row,
        id: row.transferId,
        kind: row.termsKind,
        amount: BigInt(row.termsAmount),
        createdAt: row.termsAt,
      }
      const own = {
        salt: row.salt,
        reference: row.ownReference,
        counterpartyName: row.ownName,
        counterpartyIban: row.ownIban,
        commitment: row.ownCommitment,
      }
      const joined = joinTerms(terms, readCommitment(row))
      const whole = row.textsInChain ? joinTexts(joined, readCommitment(own)) : joined
      const about = row.kind === 'settlement' ? row.transferId : whole
      const { kind, createdAt } = row
      hash = entryHash(hash, { accountId, seq, kind, amount, balanceAfter, createdAt }, about)
      await sql(
        `update entries set balance_after = $3, hash = decode($4, 'hex')
         where account_id = $1 and seq = $2`,
        [accountId, seq, balanceAfter, hash],
      )
      await sql(
        `update accounts set balance = $2, last_seq = $3, last_hash = decode($4, 'hex'),
           last_entry_at = $5
         where id = $1`,
        [accountId, balanceAfter, seq, hash, createdAt],
      )
    }
  }
}
