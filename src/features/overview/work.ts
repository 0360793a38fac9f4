// The work of staff: what waits for them, with since when, and what was refused today.
import { type Static, Type } from '../../domain/type.ts'
import type { Db } from '../../database/statements/statement.ts'
import { dayMs, rfc3339 } from '../../domain/clock.ts'
import { idAt } from '../../domain/ids.ts'
import { currencies, formatAmount } from '../../domain/money.ts'
import { Amount, closed, Count, Currency, nullable, Time } from '../../domain/schema.ts'
import { bankAccount } from '../../ledger/rules/internal-accounts.ts'
import { refusedByIds } from '../payments/refused-sql.ts'
import { RefusedPayment, toRefusedPayment } from '../payments/schemas.ts'
import { readSuspense } from './backlog-sql.ts'
import { readRefusedOrders, readWaiting } from './work-sql.ts'

const countedMax = 10_000n
const shownMax = 20
/** Entries of an account of suspense among which its oldest money is sought. */
const suspenseEntriesMax = 1000n
const suspenseAccounts = currencies.map((currency) => bankAccount('suspense', currency))

export const Work = closed(
  {
    pending: closed(
      { day: Count, threeDays: Count, older: Count, oldestSince: nullable(Time) },
      { description: 'Pending payments: of the last 24 hours, of the two days before, and older.' },
    ),
    approvals: closed({ waiting: Count, oldestSince: nullable(Time) }),
    suspense: Type.Array(closed({ currency: Currency, amount: Amount, since: nullable(Time) }), {
      maxItems: currencies.length,
      description: 'Money that belongs to no account yet.',
    }),
    refusedOrders: closed(
      { count: Count, latest: Type.Array(RefusedPayment, { maxItems: shownMax }) },
      { description: 'Runs of standing orders that were refused on this day of the bank.' },
    ),
  },
  { description: `What waits for staff; each is counted up to ${countedMax}.` },
)

const toTime = (at: Date | null): string | null => at && rfc3339(at.getTime())

/** @param dayStart when the day of the bank began */
export async function readWork(
  db: Db,
  now: number,
  dayStart: number,
): Promise<Static<typeof Work>> {
  const [waiting, suspense, refused] = await Promise.all([
    db.run(readWaiting, [new Date(now), idAt(now - dayMs), idAt(now - 3 * dayMs), countedMax]),
    db.run(readSuspense, [suspenseAccounts, suspenseEntriesMax]),
    db.run(readRefusedOrders, [idAt(dayStart), countedMax]),
  ])
  const find = (what: string) => waiting.find((row) => row.what === what)
  const count = (what: string) => find(what)?.count ?? 0
  const latest = await refusedByIds(
    db,
    refused.slice(0, shownMax).map(({ id }) => id),
  )
  const oldest = ['older', 'days', 'day'].flatMap((what) => find(what)?.at ?? [])[0] ?? null
  return {
    pending: {
      day: count('day'),
      threeDays: count('days'),
      older: count('older'),
      oldestSince: toTime(oldest),
    },
    approvals: { waiting: count('approvals'), oldestSince: toTime(find('approvals')?.at ?? null) },
    suspense: suspense.map(({ currency, balance, at }) => ({
      currency,
      amount: formatAmount(balance, currency),
      since: toTime(at),
    })),
    refusedOrders: {
      count: refused.length,
      latest: latest.toSorted((one, other) => (one.id < other.id ? 1 : -1)).map(toRefusedPayment),
    },
  }
}
