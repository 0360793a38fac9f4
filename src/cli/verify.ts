// `strongroom verify`: proves the books, beside a running service or without one.
import type { Config } from '../config/config.ts'
import { openDatabase } from '../database/connect.ts'
import { type Progress, type Verified, verifyLedger, type VerifyOptions } from '../ledger/verify.ts'
import { withDatabase } from './database.ts'
import { createHeads, openHeads } from './heads-file.ts'

const barWidth = 40
/** Sums over all accounts of a large bank take longer than a request may. */
const statementTimeoutMs = 60_000

/**
 * Verifies the whole ledger and says what was proven, with a bar where a terminal shows one.
 * Throws an Error that names the first mismatch: exit code 1. A file that cannot be used is told
 * before anything is read: exit code 2.
 */
export async function verifyCommand(
  config: Config,
  files: { heads?: string; since?: string },
  say: (text: string) => void,
): Promise<void> {
  const isTerminal = process.stderr.isTTY
  const bar: Progress = (done, total) => {
    const part = total === 0 ? 1 : Math.min(1, done / total)
    const filled = Math.round(part * barWidth)
    const drawn = '█'.repeat(filled) + '░'.repeat(barWidth - filled)
    say(`\r${drawn} ${Math.floor(part * 100)} % of ${total} entries `)
  }
  const earlier = files.since === undefined ? undefined : await openHeads(files.since)
  const written = files.heads === undefined ? undefined : await createHeads(files.heads)
  try {
    const found = await verified(config, {
      ...(isTerminal && { progress: bar }),
      ...(earlier && { since: earlier.heads() }),
      ...(written && { onHead: (line) => written.add(line) }),
    })
    if (isTerminal) say('\n')
    if (found.mismatch !== undefined) throw new Error(`The books are not sound. ${found.mismatch}.`)
    await written?.finish(found.digest)
    say(
      `The books are sound: ${found.accounts} accounts, ${found.transfers} transfers, ` +
        `${found.entries} entries. The texts of ${found.erased} transfers are erased.\n`,
    )
    if (earlier) say(`The heads with the digest ${earlier.digest} are on their chains.\n`)
    say(`Digest of all heads: ${found.digest}\n`)
  } finally {
    await written?.discard()
  }
}

const verified = (config: Config, options: VerifyOptions): Promise<Verified> =>
  withDatabase(config, async (address) => {
    const db = openDatabase(address, { readMs: statementTimeoutMs })
    try {
      return await verifyLedger(db, options)
    } finally {
      await db.close()
    }
  })
