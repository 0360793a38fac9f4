// Notes a payment that was refused, so that staff can say why. It is answered as before, whether or
// not the note can be written.
import { type Code, type CodeOf, errorStatus, Refusal } from '../../domain/errors.ts'
import { type Currency, parseAmount } from '../../domain/money.ts'
import type { Context } from '../../http/route.ts'

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
  signature_required: true,
} as const satisfies Record<CodeOf<409>, boolean>

const isKept = (code: Code): boolean =>
  errorStatus(code) === 409 && keptRefusals[code as CodeOf<409>]

type RefusedRequest = {
  accountId: string
  amount: string
  currency: Currency
  beneficiaryId?: string
  toAccountId?: string
  cameFrom?: { iban: string | null }
}

/** Notes what was asked for, if what was thrown is a refusal that is kept. */
export function noteRefusal(
  { now, service }: Pick<Context, 'now' | 'service'>,
  thrown: unknown,
  { accountId, amount: text, currency, beneficiaryId, toAccountId, cameFrom }: RefusedRequest,
): void {
  if (!(thrown instanceof Refusal) || !isKept(thrown.code)) return
  const amount = parseAmount(text, currency)
  if (!amount) return
  const sides = { beneficiaryId: beneficiaryId ?? null, toAccountId: toAccountId ?? null }
  const about = { accountId, amount, currency, ...sides, ...(cameFrom && { cameFrom }) }
  service.refusedPayments.note({ ...about, reason: thrown.code, at: now })
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
      noteRefusal(context, thrown, find(context))
      throw thrown
    }
  }
