// Heads of chains as a run of `verify` notes them, for the next one.
import assert from 'node:assert/strict'
import type { Db } from '../../src/database/statements/statement.ts'
import { type Head, readHeads } from '../../src/ledger/proof/heads.ts'
import { verifyLedger } from '../../src/ledger/proof/verify.ts'
import { zeroHash } from '../../src/ledger/rules/hash-chain.ts'

/** The heads of the books, as their file gives them. */
export async function noteHeads(db: Db): Promise<Head[]> {
  const lines: string[] = []
  const { digest, mismatch } = await verifyLedger(db, { onHead: (line) => void lines.push(line) })
  assert.equal(mismatch, undefined)
  async function* text() {
    yield `${lines.join('')}digest ${digest}\n`
  }
  const heads: Head[] = []
  for await (const head of readHeads(text())) heads.push(head)
  return heads
}

export async function* toStream(heads: readonly Head[]): AsyncGenerator<Head> {
  yield* heads
}

/** The heads of a bank without any entry. */
export const headsOfEmpty = (bankIds: readonly string[]): AsyncGenerator<Head> =>
  toStream(bankIds.map((accountId) => ({ accountId, seq: 0n, hash: zeroHash })))
