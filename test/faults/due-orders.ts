// Standing orders that are due, and their days by a calendar library of another author.
import type pg from 'pg'
import { Temporal } from 'temporal-polyfill'
import { newId } from '../../src/domain/ids.ts'
import type { Parties } from './instances.ts'

type Rhythm = 'once' | 'weekly' | 'monthly' | 'yearly'
export type Made = {
  id: string
  isPoor: boolean
  rhythm: Rhythm
  first: Temporal.PlainDate
  last: Temporal.PlainDate | undefined
  retryDays: number
}

const units = { weekly: 'weeks', monthly: 'months', yearly: 'years' } as const

/** The days of the order, the first one after `today` included. */
export function daysOf({ rhythm, first, last }: Made, today: Temporal.PlainDate): string[] {
  if (rhythm === 'once') return [first.toString()]
  const days: Temporal.PlainDate[] = []
  for (let number = 0; ; number++) {
    const day = first.add({ [units[rhythm]]: number })
    if (last && Temporal.PlainDate.compare(day, last) > 0) break
    days.push(day)
    if (Temporal.PlainDate.compare(day, today) > 0) break
  }
  return days.map((day) => day.toString())
}

/** Orders with one to five days that are due, as after a downtime. */
export async function addDueOrders(
  owner: pg.Client,
  accounts: Parties,
  today: Temporal.PlainDate,
): Promise<Made[]> {
  const about = (number: number): Omit<Made, 'id'> => {
    const isPoor = number % 5 === 4
    const plain = { isPoor, last: undefined, retryDays: 0 }
    const weeks = today.subtract({ weeks: number % 4 })
    if (number % 7 === 0) return { ...plain, rhythm: 'once', first: today }
    if (number % 7 === 1) return { ...plain, rhythm: 'weekly', first: weeks, last: today }
    if (number % 7 === 2) {
      const month = today.subtract({ months: 4 }).with({ day: 31 }, { overflow: 'constrain' })
      return { ...plain, rhythm: 'monthly', first: month }
    }
    if (number === 38)
      return { ...plain, isPoor: true, rhythm: 'yearly', first: today, retryDays: 5 }
    return { ...plain, rhythm: 'weekly', first: weeks }
  }
  const added = Array.from({ length: 40 }, (_, number): Made => {
    return { id: newId(Date.now()), ...about(number) }
  })
  const column = (read: (row: Made) => unknown) => added.map(read)
  await owner.query(
    `insert into standing_orders (id, account_id, caller_id, maker_id, session_id, is_program,
       beneficiary_id, to_account_id, amount, reference, rhythm, first_on, last_on, next_on,
       retry_days, created_at)
     select id, case when is_poor then $1::uuid else $2 end, $3, $3, $4, false,
       case when not is_poor and place % 2 = 0 then $5::uuid end,
       case when is_poor or place % 2 = 1 then $6::uuid end,
       100, 'Order', rhythm, first_on, last_on, first_on, retry_days, now()
     from unnest($7::uuid[], $8::bool[], $9::text[], $10::date[], $11::date[], $12::int2[])
       with ordinality as o (id, is_poor, rhythm, first_on, last_on, retry_days, place)`,
    [
      accounts.poor,
      accounts.from,
      accounts.holder,
      accounts.session,
      accounts.payee,
      accounts.to,
      column(({ id }) => id),
      column(({ isPoor }) => isPoor),
      column(({ rhythm }) => rhythm),
      column(({ first }) => first.toString()),
      column(({ last }) => last?.toString() ?? null),
      column(({ retryDays }) => retryDays),
    ],
  )
  return added
}
