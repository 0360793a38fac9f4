// The endpoint by which staff look payments up over the whole bank, by one thing that they know.
import { isValidIBAN } from 'ibantools'
import { type Static, Type } from '../../domain/type.ts'
import { isDay } from '../../domain/date-range.ts'
import { invalid, refuse } from '../../domain/errors.ts'
import { searchPattern, textRule } from '../../domain/free-text.ts'
import { Iban, maskIban } from '../../domain/iban.ts'
import { foreignKey, idAt, isIdentifier, TransferId, UserId } from '../../domain/ids.ts'
import { Amount, closed, Currency, Day } from '../../domain/schema.ts'
import type { Days } from '../../domain/days.ts'
import { requireTimeInBooks } from '../../gate/archived.ts'
import { listSchema, pageQuery, type PartOfList } from '../../http/pagination.ts'
import { type Context, route } from '../../http/route.ts'
import { parsePositiveAmount } from '../movements/schemas.ts'
import { ExternalId } from '../rail/schemas.ts'
import { userById } from '../users/sql.ts'
import { readFound } from './find.ts'
import { FoundPayment, type ShownPayment } from './schemas.ts'
import {
  findByWords,
  lookUpAmount,
  lookUpIban,
  lookUpNumber,
  lookUpRefused,
  lookUpTerm,
  type LookUp,
} from './search-sql.ts'
import { amountTerm, endToEndTerm, wordTerms } from './terms.ts'

const query = closed({
  ...pageQuery,
  id: Type.Optional(TransferId),
  externalId: Type.Optional(ExternalId),
  endToEndId: Type.Optional(
    Type.String({
      pattern: searchPattern,
      minLength: 1,
      maxLength: 35,
      description: `ISO 20022 EndToEndId. ${textRule}`,
      examples: ['INV-4711'],
      [foreignKey]: true,
    }),
  ),
  iban: Type.Optional(Iban),
  amount: Type.Optional(Amount),
  currency: Type.Optional(Currency),
  day: Type.Optional(Day),
  reference: Type.Optional(
    Type.String({
      pattern: searchPattern,
      minLength: 1,
      maxLength: 140,
      description: `Whole words, all of which are in it. ${textRule}`,
      examples: ['rent february'],
    }),
  ),
})
type Query = Static<typeof query>

/** What one can look by. An amount needs its currency and a day. */
const criteria = ['id', 'externalId', 'endToEndId', 'iban', 'amount', 'reference'] as const
type Criterion = (typeof criteria)[number]

/** The one that the request has. Refuses none and several. */
function criterionOf(asked: Query): Criterion {
  const [one, more] = criteria.filter((name) => asked[name] !== undefined)
  if (one === undefined) invalid('/query/id', 'is missing, or another criterion')
  if (more !== undefined) invalid(`/query/${more}`, 'is a second criterion')
  for (const name of ['currency', 'day'] as const) {
    const isNeeded = one === 'amount'
    if (isNeeded && asked[name] === undefined) invalid(`/query/${name}`, 'is missing')
    if (!isNeeded && asked[name] !== undefined) invalid(`/query/${name}`, 'is without an amount')
  }
  return one
}

type LookRequest = { query: Query; days: Days }

const onlyOne =
  (id: string): LookUp =>
  async (_, after) =>
    after === undefined || id < after ? [id] : []

const withOne =
  (id: string, lookUp: LookUp): LookUp =>
  async (db, after, count) => {
    const ids = [...(await onlyOne(id)(db, after, count)), ...(await lookUp(db, after, count))]
    return [...new Set(ids)].toSorted().toReversed().slice(0, count)
  }

/** How each is looked up. */
const lookUps = {
  id: ({ query: { id = '' } }) => onlyOne(id),
  externalId: ({ query: { externalId = '' } }) => lookUpNumber(externalId),
  // A payment to another bank has its identifier there, without hyphens. That of a payment from
  // another bank may have the same form.
  endToEndId({ query: { endToEndId = '' } }) {
    const id = endToEndId
      .toLowerCase()
      .replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5')
    const lookUp = lookUpTerm(endToEndTerm(endToEndId))
    return isIdentifier(id) ? withOne(id, lookUp) : lookUp
  },
  iban({ query: { iban = '' } }) {
    if (!isValidIBAN(iban)) invalid('/query/iban', 'is not an IBAN')
    return lookUpIban(iban)
  },
  amount({ query: { amount: text = '', currency = 'EUR', day: typed = '' }, days }) {
    const amount = parsePositiveAmount({ amount: text, currency }, '/query')
    const day = isDay(typed) ? typed : invalid('/query/day', 'is not a day')
    const [from, to] = [idAt(days.startOf(day)), idAt(days.endOf(day))]
    return lookUpAmount(amountTerm(amount, currency, day), { amount, currency, from, to })
  },
} as const satisfies Record<Exclude<Criterion, 'reference'>, (asked: LookRequest) => LookUp>

function readWords({ reference = '' }: Query): bigint[] {
  const terms = wordTerms(reference)
  return terms.length > 0 ? terms : invalid('/query/reference', 'has no word of two letters')
}

async function readPage(
  context: Pick<Context, 'db' | 'service'>,
  ids: readonly string[],
  count: number,
): Promise<PartOfList<ShownPayment>> {
  // What was erased or removed since has no row: the page goes on behind it.
  const shown = ids.slice(0, count - 1)
  const next = ids.length === count ? shown.at(-1) : undefined
  return { rows: await readFound(context, shown), next }
}

/**
 * What the audit trail keeps of a look: the ends of an IBAN, and no word of a reference, since the
 * trail is never erased.
 */
function tellLook(asked: Query): string {
  const { amount, currency, day, iban, externalId, endToEndId } = asked
  if (iban !== undefined) return `iban ${maskIban(iban)}`
  if (amount !== undefined) return `amount ${amount} ${currency} ${day}`
  if (externalId !== undefined) return `externalId ${externalId}`
  if (endToEndId !== undefined) return `endToEndId ${endToEndId}`
  return asked.id === undefined ? 'reference' : 'id'
}

export const paymentRoutes = [
  route({
    method: 'GET',
    path: '/api/v1/admin/payments',
    operation: 'findPayments',
    summary:
      'Find payments, payments by card, holds and refused payments (of 90 days) over the whole ' +
      'bank, newest first, by one of: identifier, external id, end-to-end id, IBAN of either ' +
      'side, amount with currency and day, or words of the reference. They are found some ' +
      'seconds after they were made.',
    access: { 'support-agent': 'any', admin: 'any' },
    service: 'operation',
    limit: 'read',
    atStandby: true,
    query,
    reply: { 200: listSchema(FoundPayment) },
    tells: tellLook,
    async handle({ query: asked, db, page, service }) {
      const reads = { db, service }
      const criterion = criterionOf(asked)
      if (criterion === 'reference') {
        const terms = readWords(asked)
        return page({
          async fetch(after, count) {
            const { ids, next } = await findByWords(db, terms, after, count)
            const found = await readPage(reads, ids, count)
            return next === undefined ? found : { rows: await readFound(reads, ids), next }
          },
          toItem: (found) => found,
        })
      }
      const days = service.clocks.days()
      const lookUp = lookUps[criterion]({ query: asked, days })
      return page({
        async fetch(after, count) {
          const found = await readPage(reads, await lookUp(db, after, count), count)
          // What stays in the books of a day whose rest has left is shown.
          if (asked.day !== undefined && after === undefined && found.rows.length === 0) {
            await requireTimeInBooks(db, days.startOf(asked.day))
          }
          return found
        },
        toItem: (found) => found,
      })
    },
  }),
  route({
    method: 'GET',
    path: '/api/v1/admin/users/:userId/refused-payments',
    operation: 'listUserRefusedPayments',
    summary:
      'List what was refused on the accounts of a person, and why, newest first: payments of the ' +
      'last 90 days, and payments by card.',
    access: { 'support-agent': 'any', admin: 'any' },
    limit: 'read',
    atStandby: true,
    params: closed({ userId: UserId }),
    query: closed(pageQuery),
    reply: { 200: listSchema(FoundPayment) },
    refusals: ['not_found'],
    async handle({ params: { userId }, db, page, service }) {
      if (!(await userById(db, userId))) refuse('not_found')
      const lookUp = lookUpRefused(userId)
      return page({
        fetch: async (after, count) =>
          readPage({ db, service }, await lookUp(db, after, count), count),
        toItem: (found) => found,
      })
    },
  }),
]
