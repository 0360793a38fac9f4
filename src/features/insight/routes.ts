// The endpoint of what an account has spent in a month, beside the month before.
import { type Static, Type } from '../../domain/type.ts'
import { invalid, refuse } from '../../domain/errors.ts'
import { AccountId } from '../../domain/ids.ts'
import { type Currency as CurrencyCode, formatAmount } from '../../domain/money.ts'
import { addDays } from '../../domain/calendar/rhythm.ts'
import {
  closed,
  Count,
  Currency,
  named,
  nullable,
  oneOf,
  SignedAmount,
} from '../../domain/schema.ts'
import type { RowOf } from '../../database/statements/statement.ts'
import { requireStillInBooks } from '../../gate/archived.ts'
import { route } from '../../http/route.ts'
import { Category, ShownMerchantName } from '../card-payments/schemas.ts'
import { readCustomersAccount } from '../movements/sql.ts'
import { findSpan } from '../statements/rows.ts'
import { spendingKinds, sumSpending } from './sql.ts'

/**
 * The most entries of both months. 20,000 of them, of which 13,000 are by card, take the database
 * 0.2 s: two look-ups for each.
 */
const entriesMax = 25_000
/** So many shops are named; the rest is one sum. */
const shopsMax = 100

const month = { minLength: 7, maxLength: 7, examples: ['2026-01'] }
const Month = Type.String({
  title: 'Month',
  pattern: '^[0-9]{4}-[0-9]{2}$',
  ...month,
  description: 'A month of the bank.',
})
const AskedMonth = Type.String({
  pattern: '^(19[7-9][0-9]|2[0-9]{3})-(0[1-9]|1[0-2])$',
  ...month,
  description: 'A month of the bank, since 1970.',
})

const spending = { spent: SignedAmount, spentBefore: SignedAmount }

const Insight = named('Insight', {
  month: Month,
  monthBefore: Month,
  currency: Currency,
  ...spending,
  shops: Type.Array(
    closed({ name: ShownMerchantName, category: nullable(Category), ...spending }),
    {
      maxItems: shopsMax,
      description: 'By shop, the largest of either month first. Null: its name was erased.',
    },
  ),
  otherShops: closed({ count: Count, ...spending }, { description: 'All other shops together.' }),
  categories: Type.Array(closed({ category: nullable(Category), ...spending }), {
    maxItems: entriesMax,
    description: 'By category of all shops, the largest of either month first.',
  }),
  kinds: Type.Array(closed({ kind: oneOf(spendingKinds), ...spending }), {
    maxItems: spendingKinds.length,
    description:
      'What was spent without a card, by kind. `own_transfer`: to an account of the same owner, ' +
      'which no sum has.',
  }),
})

type Sums = { spent: bigint; spentBefore: bigint }

const add = (all: readonly Sums[]): Sums => ({
  spent: all.reduce((sum, { spent }) => sum + spent, 0n),
  spentBefore: all.reduce((sum, { spentBefore }) => sum + spentBefore, 0n),
})

const larger = ({ spent, spentBefore }: Sums): bigint => (spent > spentBefore ? spent : spentBefore)
const byLargest = (one: Sums, other: Sums): number => {
  const difference = larger(other) - larger(one)
  return difference > 0n ? 1 : difference < 0n ? -1 : 0
}

function toInsight(
  rows: readonly RowOf<typeof sumSpending.gives>[],
  currency: CurrencyCode,
): Omit<Static<typeof Insight>, 'month' | 'monthBefore'> {
  const format = ({ spent, spentBefore }: Sums) => ({
    spent: formatAmount(spent, currency),
    spentBefore: formatAmount(spentBefore, currency),
  })
  const lines = rows
    .map((row) => ({ ...row, spent: BigInt(row.spent), spentBefore: BigInt(row.spentBefore) }))
    .toSorted(byLargest)
  const shops = lines.filter(({ kind }) => kind === 'shop')
  const categories = [...Map.groupBy(shops, ({ category }) => category)]
    .map(([category, all]) => ({ category, ...add(all) }))
    .toSorted(byLargest)
  const others = shops.slice(shopsMax)
  return {
    currency,
    ...format(add(lines.filter(({ kind }) => kind !== 'own_transfer'))),
    shops: shops
      .slice(0, shopsMax)
      .map(({ name, category, ...sums }) => ({ name, category, ...format(sums) })),
    otherShops: { count: others.length, ...format(add(others)) },
    categories: categories.map(({ category, ...sums }) => ({ category, ...format(sums) })),
    kinds: lines.flatMap(({ kind, ...sums }) => (kind === 'shop' ? [] : { kind, ...format(sums) })),
  }
}

const read = route({
  method: 'GET',
  path: '/api/v1/accounts/:accountId/insight',
  operation: 'getInsight',
  summary:
    'Read what an account has spent in a month of the bank and in the month before, from its ' +
    'entries: by shop and by merchant category, and by kind where no card was used. What came ' +
    'back of it is deducted in the month of that entry. By default this month; both have ' +
    `${entriesMax} entries at most.`,
  // Not staff: sums by shop are a profile of a person.
  access: { customer: 'own' },
  member: 'view',
  // Twenty thousand entries take the database as long as a statement.
  limit: 'export',
  atStandby: true,
  params: closed({ accountId: AccountId }),
  query: closed({ month: Type.Optional(AskedMonth) }),
  reply: { 200: Insight },
  refusals: ['archived'],
  row: readCustomersAccount,
  async handle({ params: { accountId }, query, row, db, now, service }) {
    const { currency } = row ?? refuse('not_found')
    const days = service.clocks.days()
    const present = days.dayOf(now).slice(0, 7)
    const month = query.month ?? present
    if (month > present) invalid('/query/month', 'is in the future')
    const monthBefore = addDays(`${month}-01`, -1).slice(0, 7)
    const startOf = (of: string): number => days.startOf(`${of}-01`)
    // The first day of the next month is at most 31 days after that of this one.
    const end = startOf(addDays(`${month}-01`, 31).slice(0, 7))
    const from = startOf(monthBefore)
    const { first, endSeq } = await findSpan(db, accountId, { from, end })
    if (endSeq - first > BigInt(entriesMax)) {
      invalid('/query/month', `has more than ${entriesMax} entries, with the month before`)
    }
    const start = new Date(startOf(month))
    const rows = await db.run(sumSpending, [accountId, first, endSeq, start])
    await requireStillInBooks(db, accountId, from)
    return { month, monthBefore, ...toInsight(rows, currency) }
  },
})

export const insightRoutes = [read]
