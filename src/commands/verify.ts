// `strongroom verify`: proves the books, beside a running service or without one.
import type { Config } from '../config.ts'
import { openDatabase } from '../database/connect.ts'
import { type Progress, verifyLedger } from '../ledger/verify.ts'
import { withDatabase } from './database.ts'

const barWidth = 40
/** Sums over all accounts of a large bank take longer than a request may. */
const statementTimeoutMs = 60_000

/**
 * Verifies the whole ledger and says what was proven, with a bar where a terminal shows one.
 * Throws an Error that names the first mismatch: exit code 1.
 */
export async function verifyCommand(config: Config, say: (text: string) => void): Promise<void> {
  const isTerminal = process.stderr.isTTY
  const bar: Progress = (done, total) => {
    const part = total === 0 ? 1 : Math.min(1, done / total)
    const filled = Math.round(part * barWidth)
    const drawn = '█'.repeat(filled) + '░'.repeat(barWidth - filled)
    say(`\r${drawn} ${Math.floor(part * 100)} % of ${total} entries `)
  }
  const found = await withDatabase(config, async (address) => {
    const db = openDatabase(address, statementTimeoutMs)
    try {
      return await verifyLedger(db, isTerminal ? bar : undefined)
    } finally {
      await db.close()
    }
  })
  if (isTerminal) say('\n')
  if (found.mismatch !== undefined) throw new Error(`The books are not sound. ${found.mismatch}.`)
  say(
    `The books are sound: ${found.accounts} accounts, ${found.transfers} transfers, ` +
      `${found.entries} entries.\n`,
  )
}
