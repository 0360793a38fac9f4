// Endpoints of the limits that the owner of an account sets for its transfers.
import { type Static, Type } from '../../domain/type.ts'
import { databaseNow } from '../../database/background/clocks.ts'
import { transaction } from '../../database/connections/transaction.ts'
import { rfc3339 } from '../../domain/clock.ts'
import { invalid, refuse } from '../../domain/errors.ts'
import { AccountId } from '../../domain/ids.ts'
import { type Currency as CurrencyCode, formatAmount, parseAmount } from '../../domain/money.ts'
import { Amount, closed, Currency, named, nullable, Time } from '../../domain/schema.ts'
import { route } from '../../http/route.ts'
import { spentOn } from '../../ledger/rules/holds.ts'
import {
  changeLimits,
  limitsAt,
  type OwnLimits,
  waitingLimits,
} from '../../ledger/rules/own-limits.ts'
import { queueMail } from '../mail/sql.ts'
import { type LimitsRow, limitsOf, lockedLimits, writeLimits } from './sql.ts'

const path = '/api/v1/accounts/:accountId/limits'
const params = closed({ accountId: AccountId })
const access = { customer: 'own' } as const

const pair = { perPayment: nullable(Amount), perDay: nullable(Amount) }

export const Limits = named('AccountLimits', {
  currency: Currency,
  ...pair,
  spentToday: Amount,
  next: Type.Optional(
    closed(
      { ...pair, from: Time },
      { description: 'Limits that were raised, and when they hold. Absent if none wait.' },
    ),
  ),
})

const WantedLimits = closed({ currency: Currency, ...pair })

function toLimits(row: LimitsRow, { at, day }: { at: number; day: string }): Static<typeof Limits> {
  const currency = row.currency as CurrencyCode
  const show = ({ perPayment, perDay }: OwnLimits) => ({
    perPayment: perPayment === null ? null : formatAmount(perPayment, currency),
    perDay: perDay === null ? null : formatAmount(perDay, currency),
  })
  const next = waitingLimits(row, at)
  return {
    currency,
    ...show(limitsAt(row, at)),
    spentToday: formatAmount(spentOn(row, day), currency),
    ...(next && { next: { ...show(next), from: rfc3339(next.from.getTime()) } }),
  }
}

/**
 * Reads the amounts of a body in minor units, by their names. Refuses with `currency_mismatch` when
 * its currency is not that of the account, and with `invalid_request` for too many minor digits.
 */
export function toUnitsOf<Name extends string>(
  body: { [N in Name]: string | null } & { currency: CurrencyCode },
  account: { currency: string },
): (name: Name) => bigint | null {
  const { currency } = body
  if (currency !== account.currency) refuse('currency_mismatch')
  const problem = `has more minor digits than ${currency}`
  return (name) => {
    const text: string | null = body[name]
    return text === null ? null : (parseAmount(text, currency) ?? invalid(`/body/${name}`, problem))
  }
}

function toOwnLimits(body: Static<typeof WantedLimits>, row: LimitsRow): OwnLimits {
  const toUnits = toUnitsOf<keyof OwnLimits>(body, row)
  return { perPayment: toUnits('perPayment'), perDay: toUnits('perDay') }
}

const textOf = (limit: bigint | null, currency: CurrencyCode): string =>
  limit === null ? 'none' : formatAmount(limit, currency)

/** For the audit trail: `perDay: 100.00 > none from 2026-01-02T22:00:00.000Z`. */
function describe(before: OwnLimits, wanted: OwnLimits, row: LimitsRow): string {
  const currency = row.currency as CurrencyCode
  const from = row.nextLimitsAt ? ` from ${rfc3339(row.nextLimitsAt.getTime())}` : ''
  return (['perPayment', 'perDay'] as const)
    .filter((name) => before[name] !== wanted[name])
    .map((name) => `${name}: ${textOf(before[name], currency)} > ${textOf(wanted[name], currency)}`)
    .join('; ')
    .concat(from)
}

const read = route({
  method: 'GET',
  path,
  operation: 'getAccountLimits',
  summary: 'Read the limits that its owner has set for the transfers of an account.',
  access: { customer: 'own', 'support-agent': 'any', admin: 'any' },
  service: 'read',
  limit: 'read',
  params,
  reply: { 200: Limits },
  refusals: ['not_found'],
  async handle({ params: { accountId }, db, now, service }) {
    const row = (await limitsOf(db, accountId)) ?? refuse('not_found')
    return toLimits(row, { at: now, day: service.clocks.days().dayOf(now) })
  },
})

const change = route({
  method: 'PUT',
  path,
  operation: 'updateAccountLimits',
  summary:
    'Set how much may leave an account by one transfer and by all of a day; null is no limit of ' +
    'yours. A lower limit holds at once. A higher one is confirmed, and holds 12 hours later.',
  access,
  confirm: async ({ params: { accountId }, body, db }) => {
    const row = (await limitsOf(db, accountId)) ?? refuse('not_found')
    const { perPayment, perDay } = toOwnLimits(body, row)
    return {
      iban: row.iban,
      currency: body.currency,
      perPayment: textOf(perPayment, body.currency),
      perDay: textOf(perDay, body.currency),
    }
  },
  confirmsSome: true,
  limit: 'sensitive',
  params,
  body: WantedLimits,
  reply: { 200: Limits },
  refusals: ['not_found', 'currency_mismatch'],
  example: { currency: 'EUR', perPayment: '500.00', perDay: '1000.00' },
  async handle({ params: { accountId }, body, caller, db, service, record, requireConfirmed }) {
    const { clock, clocks } = service
    return transaction(db, async (tx) => {
      const row = (await lockedLimits(tx, accountId)) ?? refuse('not_found')
      const at = await databaseNow(tx, clock)
      const wanted = toOwnLimits(body, row)
      const changed = { ...row, ...changeLimits(row, wanted, at) }
      const isNew = changed.nextLimitsAt?.getTime() !== row.nextLimitsAt?.getTime()
      if (changed.nextLimitsAt !== null && isNew) {
        requireConfirmed()
        await queueMail(tx, 'limits-raised', caller.userId, at)
      }
      await writeLimits(tx, changed)
      await record(tx, { detail: describe(limitsAt(row, at), wanted, changed) || null })
      return toLimits(changed, { at, day: clocks.days().dayOf(at) })
    })
  },
})

const undo = route({
  method: 'DELETE',
  path: '/api/v1/accounts/:accountId/limits/next',
  operation: 'undoLimitRaise',
  summary: 'Undo a raise of the limits of an account before it holds.',
  access,
  limit: 'sensitive',
  params,
  reply: { 200: Limits },
  refusals: ['not_found', 'illegal_transition'],
  async handle({ params: { accountId }, db, service }) {
    const { clock, clocks } = service
    return transaction(db, async (tx) => {
      const row = (await lockedLimits(tx, accountId)) ?? refuse('not_found')
      const at = await databaseNow(tx, clock)
      // It holds by now: lower limits are set by PUT.
      if (!waitingLimits(row, at)) refuse('illegal_transition', { because: 'no raise waits' })
      const { perPayment, perDay } = limitsAt(row, at)
      const changed = { ...row, ...changeLimits(row, { perPayment, perDay }, at) }
      await writeLimits(tx, changed)
      return toLimits(changed, { at, day: clocks.days().dayOf(at) })
    })
  },
})

export const limitRoutes = [read, change, undo]
