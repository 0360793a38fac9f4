// What a request makes of a standing order: its payee, its days, its next day.
import type { Static } from '../../domain/type.ts'
import type { Db } from '../../database/statements/statement.ts'
import type { HolidayRule } from '../../domain/calendar/business-days.ts'
import { isDay } from '../../domain/date-range.ts'
import { invalid, refuse } from '../../domain/errors.ts'
import type { ShownTerms } from '../../gate/confirmations.ts'
import type { Service } from '../../http/services.ts'
import { toPayeeColumns } from '../../ledger/rules/payee-check.ts'
import { type BeneficiaryRow, beneficiaryById } from '../beneficiaries/sql.ts'
import { readPayee } from '../movements/destination.ts'
import { parsePositiveAmount } from '../movements/schemas.ts'
import { type CarriedCheck, requireProven, requireSamePayee } from '../payee-checks/carried.ts'
import type { Order, OrderChange } from './schemas.ts'
import { currencyOfPayee, type OrderRow } from './sql.ts'

type OrderToConfirm = Pick<Static<typeof Order>, 'amount' | 'currency' | 'rhythm' | 'firstOn'> & {
  lastOn?: string | null | undefined
  retryDays?: number | null | undefined
  onHoliday?: HolidayRule | undefined
  reference?: string | undefined
}

type Target = { beneficiaryId?: string; toAccountId?: string }

/**
 * The payee as the owner confirms it. Nothing of a payee that is gone: the change itself refuses
 * it.
 */
export async function showPayee(
  db: Db,
  { beneficiaryId, toAccountId }: Target,
): Promise<ShownTerms> {
  if (beneficiaryId === undefined) return toAccountId === undefined ? {} : { toAccountId }
  const found = await beneficiaryById(db, beneficiaryId)
  return found ? { payee: found.name, iban: found.iban } : {}
}

/**
 * The terms of an order as the owner confirms them: all that an order pays by, also what a change
 * leaves as it is. What is not shown is not so: without `lastOn` it has no last day.
 */
export const showTerms = ({
  lastOn,
  retryDays,
  onHoliday = 'pay',
  reference,
  ...terms
}: OrderToConfirm): ShownTerms => ({
  amount: terms.amount,
  currency: terms.currency,
  rhythm: terms.rhythm,
  firstOn: terms.firstOn,
  ...(typeof lastOn === 'string' && { lastOn }),
  ...(typeof retryDays === 'number' && { retryDays: String(retryDays) }),
  ...(onHoliday !== 'pay' && { onHoliday }),
  ...(reference !== undefined && reference !== '' && { reference }),
})

/**
 * Refuses a body without exactly one payee, or with one that the account may not pay, or never can:
 * no account changes its currency. Gives the beneficiary, if it is one.
 */
export async function requireTarget(
  db: Db,
  { accountId, currency }: { accountId: string; currency: string },
  target: Target,
): Promise<BeneficiaryRow | undefined> {
  const payee = readPayee(accountId, target)
  const found =
    'beneficiaryId' in payee
      ? ((await beneficiaryById(db, payee.beneficiaryId)) ?? refuse('not_found'))
      : undefined
  if (found && found.accountId !== accountId) refuse('forbidden')
  if (((await currencyOfPayee(db, payee)) ?? currency) !== currency) refuse('currency_mismatch')
  return found
}

/** Refuses what is no day of the calendar. */
export function readDay(day: string, path: string): string {
  return isDay(day) ? day : invalid(path, 'is not a day of the calendar')
}

/** Refuses a last day before the first one. */
export function requireDays(firstOn: string, lastOn: string | null): void {
  if (lastOn !== null && lastOn < firstOn) invalid('/body/lastOn', 'is before the first day')
}

/** The order with that next day; ended when there is none. */
export const withNext = (row: OrderRow, nextOn: string | undefined): OrderRow =>
  nextOn === undefined
    ? { ...row, status: 'ended', pausedBecause: null, nextOn: null }
    : { ...row, nextOn }

/** The order with the changes of the body. It ends if the new last day is before its next day. */
export async function withTerms(
  tx: Db,
  row: OrderRow,
  body: Static<typeof OrderChange>,
  { check, service }: { check: CarriedCheck | undefined; service: Service },
): Promise<OrderRow> {
  const { amount, reference = row.reference, beneficiaryId = null, toAccountId = null } = body
  const currency = row.currency
  const isRetargeted = beneficiaryId !== null || toAccountId !== null
  const { beneficiaryId: presentId } = row
  const payee = isRetargeted
    ? await requireTarget(tx, row, body)
    : check && presentId !== null && (await beneficiaryById(tx, presentId))
  if (check || isRetargeted) {
    requireSamePayee(check, payee || undefined)
    if (payee) await requireProven(tx, check, service)
  }
  const { payeeResult, payeeAccepted } = toPayeeColumns(check)
  const lastOn =
    body.lastOn === undefined || body.lastOn === null
      ? body.lastOn
      : readDay(body.lastOn, '/body/lastOn')
  const next = {
    ...row,
    reference,
    ...(isRetargeted && { beneficiaryId, toAccountId }),
    ...((check || isRetargeted) && { payeeResult, payeeAccepted }),
    ...(amount !== undefined && { amount: parsePositiveAmount({ amount, currency }) }),
    ...(body.retryDays !== undefined && { retryDays: body.retryDays ?? 0 }),
    ...(body.onHoliday !== undefined && { onHoliday: body.onHoliday }),
    ...(lastOn !== undefined && { lastOn }),
  }
  requireDays(row.firstOn, next.lastOn)
  const isOver = next.lastOn !== null && (row.nextOn as string) > next.lastOn
  return isOver ? withNext(next, undefined) : next
}
