// Writes the notes of payments that were refused, beside the refusals. They wait in memory for a
// second and are written together.
import type { Database } from '../../database/connections/connect.ts'
import { transaction } from '../../database/connections/transaction.ts'
import type { RefusedAttempt, RefusedPayments } from '../../http/services.ts'
import { describeError, type Log } from '../../telemetry/log.ts'
import { addRefused } from './refused-sql.ts'

/** Notes that wait, in all and of one account: more are not kept. */
const waitingMax = 1000
const waitingOfAccountMax = 20
const flushIntervalMs = 1000

export type OpenRefusedPayments = RefusedPayments & {
  /** Resolves when all notes are written, or the database did not take them. */
  flush(): Promise<void>
  close(): Promise<void>
}

export function openRefusedPayments(db: Database, log: Pick<Log, 'warn'>): OpenRefusedPayments {
  let waiting: RefusedAttempt[] = []
  let underWay: Promise<void> | undefined
  let timer: NodeJS.Timeout | undefined

  async function write(): Promise<void> {
    const [batch, now] = [waiting, waiting.at(-1)?.at]
    waiting = []
    if (now === undefined) return
    try {
      await transaction(db, (tx) => addRefused(tx, batch, now))
    } catch (thrown) {
      log.warn({ error: describeError(thrown) }, 'refused payments not noted')
    }
  }

  async function flush(): Promise<void> {
    clearTimeout(timer)
    timer = undefined
    await underWay
    underWay = write().finally(() => (underWay = undefined))
    await underWay
  }

  return {
    note(attempt) {
      const ofAccount = waiting.filter(({ accountId }) => accountId === attempt.accountId)
      if (waiting.length >= waitingMax || ofAccount.length >= waitingOfAccountMax) return
      waiting.push(attempt)
      timer ??= setTimeout(() => void flush(), flushIntervalMs).unref()
    },
    flush,
    close: flush,
  }
}
