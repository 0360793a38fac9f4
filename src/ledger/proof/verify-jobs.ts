// The jobs of a verification. Each reads the books by itself, so that several run side by side.
import { readBankCalendar } from '../../database/background/bank-calendar.ts'
import { readDays } from '../../database/background/bank-days.ts'
import type { Db, RowOf } from '../../database/statements/statement.ts'
import { firstId } from '../../domain/ids.ts'
import { findFlawOfArchives, findFlawOfBacks } from './verify-archives.ts'
import { payersIn, verifyAccounts } from './verify-accounts.ts'
import { proveByTransfers } from './verify-ahead.ts'
import { findBlockFlaw, readBlockPage } from './verify-blocks.ts'
import { findDraftFlaw, readDraftPage } from './verify-drafts.ts'
import { findFreezeFlaw, readFreezePage } from './verify-freezes.ts'
import { findMismatchOfHolds } from './verify-holds.ts'
import { findMismatchOfLists } from './verify-lists.ts'
import { findNumberFlaw, readDetailsPage, readNumberPage } from './verify-numbers.ts'
import { findOrderFlaw, readOrderPage } from './verify-orders.ts'
import { allOf, findFirstFlaw, newOf, pagesOf, rowsPerPage } from './verify-pages.ts'
import { findFlaw, readRunPage } from './verify-runs.ts'
import { type Since, sinceEver } from './verify-since.ts'
import { readReach } from './verify-trail.ts'
import { findFlawOfThese, findFlawOfTransfers } from './verify-transfers.ts'

type Accounts = Parameters<typeof verifyAccounts>[1]
type Part = Parameters<typeof proveByTransfers>[1]
type Transfers = Parameters<typeof findFlawOfTransfers>[1]

/** What a job takes and gives can be sent to another thread and back. */
export function jobsOn(db: Db) {
  const isPayer = payersIn(db)
  return {
    chains: (part: Part, onProven: (count: number) => void) =>
      proveByTransfers(db, part, { isPayer, onProven }),
    accounts: (range: Accounts) => verifyAccounts(db, range, isPayer),
    transfers: (range: Transfers) => findFlawOfTransfers(db, range),
    these: (ids: readonly string[]) => findFlawOfThese(db, ids),
    rest: ({ name, since = sinceEver }: { name: keyof typeof rest; since?: Since | undefined }) =>
      rest[name](db, since),
  }
}
export type Jobs = ReturnType<typeof jobsOn>

/**
 * What else is proven, in the order in which flaws are named: the first one, in words. Freezes,
 * blocks, orders and what came back are few beside the books: all of them each time.
 */
const rest = {
  holds: async (db, since) => findMismatchOfHolds(db, await readReach(db), since),
  async freezes(db) {
    const hasEventsOf = await readReach(db)
    return findFirstFlaw(allOf(db, readFreezePage), (freeze) => findFreezeFlaw(freeze, hasEventsOf))
  },
  async blocks(db) {
    const hasEventsOf = await readReach(db)
    return findFirstFlaw(allOf(db, readBlockPage), (block) => findBlockFlaw(block, hasEventsOf))
  },
  backs: findFlawOfBacks,
  numbers: findFlawOfNumbers,
  details: findFlawOfDetails,
  runs: findFlawOfRuns,
  orders: (db) => findFirstFlaw(allOf(db, readOrderPage), findOrderFlaw),
  lists: findMismatchOfLists,
  drafts: (db, since) => findFirstFlaw(newOf(db, readDraftPage, since), findDraftFlaw),
  archives: (db) => findFlawOfArchives(db),
} satisfies Record<string, (db: Db, since: Since) => Promise<string | undefined>>
export const restNames = Object.keys(rest) as readonly (keyof typeof rest)[]

/**
 * Rows that name a transfer name an existing one: otherwise a program would believe that its
 * payment was made.
 */
async function findFlawOfNumbers(db: Db, { id }: Since): Promise<string | undefined> {
  for await (const page of pagesOf(db, readNumberPage, ({ transferId }) => transferId, id)) {
    for (const row of page) {
      const flaw = findNumberFlaw(row)
      if (flaw !== undefined) return flaw
    }
  }
  return undefined
}

async function findFlawOfDetails(db: Db, { id }: Since): Promise<string | undefined> {
  for await (const page of pagesOf(db, readDetailsPage, ({ transferId }) => transferId, id)) {
    const lost = page.find(({ isThere }) => !isThere)
    if (lost) return `The details of a transfer names transfer ${lost.transferId}, which is missing`
  }
  return undefined
}

/** Before every day that an order can be due on. */
const firstDay = '0001-01-01'

async function findFlawOfRuns(db: Db, since: Since): Promise<string | undefined> {
  const bank = { days: await readDays(db), calendar: await readBankCalendar(db) }
  let after: { orderId: string; dueOn: string } | undefined = { orderId: firstId, dueOn: firstDay }
  while (after !== undefined) {
    const place = [after.orderId, after.dueOn, rowsPerPage, since.id, since.at] as const
    const page: RowOf<typeof readRunPage.gives>[] = await db.run(readRunPage, [...place])
    for (const run of page) {
      const flaw = findFlaw(run, bank)
      if (flaw !== undefined) return `Run of ${run.dueOn} of order ${run.orderId}: ${flaw}`
    }
    after = page.at(-1)
  }
  return undefined
}
