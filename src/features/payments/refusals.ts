// Notes payments that were refused, beside the refusal: it is answered as before, whether or not
// the note can be written. Notes wait in memory for a second and are written together.
import type { Database } from '../../database/connections/connect.ts'
import { transaction } from '../../database/connections/transaction.ts'
import { type Code, type CodeOf, errorStatus, Refusal } from '../../domain/errors.ts'
import { type Currency, parseAmount } from '../../domain/money.ts'
import type { Context } from '../../http/route.ts'
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

/** Whether such a refusal of a payment is kept: not of what a program or a page sends again. */
export const keptRefusals = {
  account_closed: true,
  account_frozen: true,
  account_not_empty: false,
  already_exists: false,
  already_reversed: false,
  beneficiary_cooling: true,
  beneficiary_inactive: true,
  card_cancelled: false,
  credits_blocked: true,
  currency_mismatch: true,
  debits_blocked: true,
  duplicate_transfer: true,
  illegal_transition: false,
  insufficient_funds: true,
  limit_exceeded: true,
  payee_check_required: false,
  payee_not_accepted: true,
  request_in_progress: false,
} as const satisfies Record<CodeOf<409>, boolean>

const isKept = (code: Code): boolean =>
  errorStatus(code) === 409 && keptRefusals[code as CodeOf<409>]

type RefusedRequest = {
  accountId: string
  amount: string
  currency: Currency
  beneficiaryId?: string
  toAccountId?: string
}

/**
 * Handles a payment of a customer's account, and notes why it is refused.
 *
 * @param find what was asked for
 */
export const notingRefusals =
  <C extends Pick<Context, 'now' | 'service'>, R>(
    find: (context: C) => RefusedRequest,
    handle: (context: C) => Promise<R>,
  ) =>
  async (context: C): Promise<R> => {
    try {
      return await handle(context)
    } catch (thrown) {
      if (thrown instanceof Refusal && isKept(thrown.code)) {
        const { accountId, amount: text, currency, beneficiaryId = null, ...more } = find(context)
        const amount = parseAmount(text, currency)
        const { toAccountId = null } = more
        const attempt = { accountId, currency, beneficiaryId, toAccountId, at: context.now }
        if (amount)
          context.service.refusedPayments.note({ ...attempt, amount, reason: thrown.code })
      }
      throw thrown
    }
  }
