// Endpoints of the amount from which on two people sign what leaves an account.
import { type Static, Type } from '../../domain/type.ts'
import { databaseNow } from '../../database/background/clocks.ts'
import { transaction } from '../../database/connections/transaction.ts'
import { rfc3339 } from '../../domain/clock.ts'
import { invalid, refuse } from '../../domain/errors.ts'
import { AccountId } from '../../domain/ids.ts'
import { type Currency as CurrencyCode, formatAmount } from '../../domain/money.ts'
import { Amount, closed, Currency, named, nullable, Time } from '../../domain/schema.ts'
import { route } from '../../http/route.ts'
import {
  changeSignatures,
  signaturesFromAt,
  waitingSignatures,
} from '../../ledger/rules/signatures.ts'
import { toUnitsOf } from '../limits/routes.ts'
import { requireOn } from '../../gate/members.ts'
import { queueMail } from '../mail/sql.ts'
import { lockedSignatures, signaturesOf, type SignaturesRow, writeSignatures } from './sql.ts'

const path = '/api/v1/accounts/:accountId/signatures'
const params = closed({ accountId: AccountId })

const from = nullable(Amount)
const count = Type.Integer({
  minimum: 2,
  maximum: 2,
  description: 'How many people sign from that amount on.',
  examples: [2],
})

export const Signatures = named('AccountSignatures', {
  currency: Currency,
  from,
  count,
  next: Type.Optional(
    closed(
      { from, at: Time },
      { description: 'What was asked for with less protection, and when it holds.' },
    ),
  ),
})

const WantedSignatures = closed({ currency: Currency, from, count })

const textOf = (amount: bigint | null, currency: string): string =>
  amount === null ? 'none' : formatAmount(amount, currency as CurrencyCode)

function toSignatures(row: SignaturesRow, at: number): Static<typeof Signatures> {
  const currency = row.currency as CurrencyCode
  const show = (amount: bigint | null) => (amount === null ? null : formatAmount(amount, currency))
  const next = waitingSignatures(row, at)
  return {
    currency,
    from: show(signaturesFromAt(row, at)),
    count: 2,
    ...(next && { next: { from: show(next.amount), at: rfc3339(next.from.getTime()) } }),
  }
}

function readFrom(body: Static<typeof WantedSignatures>, row: SignaturesRow): bigint | null {
  const amount = toUnitsOf<'from'>(body, row)('from')
  return amount === 0n ? invalid('/body/from', 'is zero') : amount
}

const read = route({
  method: 'GET',
  path,
  operation: 'getAccountSignatures',
  summary: 'Read from which amount on two people sign what leaves an account.',
  access: { customer: 'own', 'support-agent': 'any', admin: 'any' },
  member: 'prepare',
  limit: 'read',
  params,
  reply: { 200: Signatures },
  refusals: ['not_found'],
  async handle({ params: { accountId }, db, now, service }) {
    requireOn(service)
    return toSignatures((await signaturesOf(db, accountId)) ?? refuse('not_found'), now)
  },
})

const change = route({
  method: 'PUT',
  path,
  operation: 'updateAccountSignatures',
  summary:
    'Set from which amount on two people sign what leaves an account; null: from none. A lower ' +
    'amount holds at once. A higher one, and null, holds 12 hours later; the present amount ' +
    'undoes that until then.',
  access: { customer: 'own' },
  confirm: async ({ params: { accountId }, body, db, service }) => {
    requireOn(service)
    const row = (await signaturesOf(db, accountId)) ?? refuse('not_found')
    const wanted = textOf(readFrom(body, row), row.currency)
    return { iban: row.iban, currency: body.currency, signaturesFrom: wanted }
  },
  limit: 'sensitive',
  params,
  body: WantedSignatures,
  reply: { 200: Signatures },
  refusals: ['not_found', 'currency_mismatch'],
  example: { currency: 'EUR', from: '1000.00', count: 2 },
  async handle({ params: { accountId }, body, caller, db, service, record }) {
    requireOn(service)
    return transaction(db, async (tx) => {
      const row = (await lockedSignatures(tx, accountId)) ?? refuse('not_found')
      const at = await databaseNow(tx, service.clock)
      const wanted = readFrom(body, row)
      const changed = { ...row, ...changeSignatures(row, wanted, at) }
      const { nextSignaturesAt: holdsAt } = changed
      if (holdsAt !== null && holdsAt.getTime() !== row.nextSignaturesAt?.getTime()) {
        await queueMail(tx, 'signatures-lowered', caller.userId, at)
      }
      await writeSignatures(tx, changed)
      const texts = [signaturesFromAt(row, at), wanted].map((each) => textOf(each, row.currency))
      const later = holdsAt === null ? '' : ` from ${rfc3339(holdsAt.getTime())}`
      await record(tx, { detail: `${texts.join(' > ')}${later}` })
      return toSignatures(changed, at)
    })
  },
})

export const signatureRoutes = [read, change]
