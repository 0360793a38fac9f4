// How fast money moves: one transfer per transaction straight in SQL, beside the whole product over
// HTTPS, in the same PostgreSQL with fsync and synchronous_commit on. The books are proven at the
// end.
import { openDatabase } from '../src/database/connect.ts'
import { verifyLedger } from '../src/ledger/verify.ts'
import { type Bank, openBank } from './bank.ts'
import { withCost } from './cost.ts'
import type { Case, Goal, Variant } from './harness.ts'
import { load } from './load.ts'
import { numberMark, type Plan, toRequest } from './plan.ts'
import { type Customer, standard } from './seed.ts'
import { greetAll } from './sockets.ts'
import { findPgbench, prepareStraight, runPgbench, runStraight } from './baseline-sql.ts'

export const open: Case = async ({ seconds, connections, profile, isTiny }) => {
  const population = isTiny ? { customers: 4, accountsEach: 3, sessionsEach: 2 } : standard
  const bank = await openBank({ population, profile })
  await prepareStraight(bank.address)
  const { customers, target } = bank
  await greetAll(target, customers)
  await bank.watch(() => load(target, uniform(customers), 16, 1))
  const product = (count: number, label: string, plan: Plan, more: Partial<Variant>): Variant => ({
    name: `${label}, ${count} connections`,
    main: 'perSecond',
    measure: () => bank.watch(() => load(target, plan, count, seconds)),
    ...more,
  })
  const middle = connections.length === 1 ? (connections[0] as number) : 64
  return {
    variants: [
      ...(await straight(bank, seconds)),
      ...connections.flatMap((count) => [
        product(count, 'uniform', uniform(customers), besideUniform(3)),
        product(count, 'hot account', hot(customers), besideHot(10)),
      ]),
      product(middle, 'uniform, with keys', uniform(customers, { isKeyed: true }), besideUniform()),
      product(middle, 'hot account, with keys', hot(customers, true), besideHot()),
      product(middle, 'uniform, 1 % refused', withRefusals(customers), besideUniform()),
      product(middle, 'uniform, with keys, 1 % repeated', withRepeats(customers), besideUniform()),
    ],
    async close() {
      await proveBooks(bank)
      await bank.stop()
    },
  }
}

const straightConnections = 16

async function straight({ address, databasePid }: Bank, seconds: number): Promise<Variant[]> {
  const pgbench = await findPgbench()
  const watch = (work: Variant['measure']) => () => withCost({ database: databasePid }, work)
  return [false, true].flatMap((isHot) => {
    const which = isHot ? 'hot account' : 'uniform'
    const rows: Variant[] = [
      {
        name: `driver, one each, ${which}`,
        main: 'perSecond',
        measure: watch(() => runStraight(address, isHot, straightConnections, seconds)),
      },
    ]
    if (pgbench === undefined) return rows
    return [
      ...rows,
      {
        name: `pgbench, one each, ${which}`,
        main: 'perSecond',
        measure: watch(() => runPgbench(pgbench, address, isHot, straightConnections, seconds)),
      },
    ]
  })
}

const beside = (which: string) => [`driver, one each, ${which}`, `pgbench, one each, ${which}`]
const lag: Goal = { of: 'lagMilliseconds', atMost: 20 }
const besideUniform = (atLeast = 0): Partial<Variant> => toGoals('uniform', atLeast)
const besideHot = (atLeast = 0): Partial<Variant> => toGoals('hot account', atLeast)
const toGoals = (which: string, atLeast: number): Partial<Variant> => ({
  against: beside(which),
  goals: atLeast > 0 ? [{ of: 'ratio', atLeast }, lag] : [lag],
})

async function proveBooks({ address }: Bank): Promise<void> {
  const db = openDatabase(address)
  const { mismatch } = await verifyLedger(db)
  await db.close()
  if (mismatch !== undefined) throw new Error(`The books are not sound: ${mismatch}`)
}

type Terms = { from: string; to: string; token: string; amount?: string; isKeyed?: boolean }

/** Each with a reference of its own: an identical one within ten seconds would be refused. */
const transfer = ({ from, to, token, amount = '0.01', isKeyed = false }: Terms): string =>
  toRequest({
    method: 'POST',
    path: '/api/v1/transfers',
    token,
    headers: isKeyed ? { 'idempotency-key': `bench-${numberMark}` } : {},
    body: {
      fromAccountId: from,
      toAccountId: to,
      amount,
      currency: 'EUR',
      reference: `Bench ${numberMark}`,
    },
  })

/** Every pair of accounts of one customer, in every session. */
export const uniform = (
  customers: readonly Customer[],
  more: { amount?: string; isKeyed?: boolean } = {},
): Plan => ({
  templates: customers.flatMap(({ accounts, sessions }) =>
    sessions.flatMap(({ token }) =>
      accounts.flatMap((from) =>
        accounts.filter((to) => to !== from).map((to) => transfer({ from, to, token, ...more })),
      ),
    ),
  ),
})

/** Everything leaves one account, so every transfer waits for the same lock. */
function hot([customer]: readonly Customer[], isKeyed = false): Plan {
  const { accounts, sessions } = customer as Customer
  const [from = '', ...others] = accounts
  const pairs = sessions.flatMap(({ token }) => others.map((to) => ({ from, to, token, isKeyed })))
  return { templates: pairs.map(transfer) }
}

/** One in a hundred asks for more than there is. */
function withRefusals(customers: readonly Customer[]): Plan {
  const { templates } = uniform(customers)
  const refused = uniform(customers, { amount: '99999999999.00' }).templates
  return { templates: templates.map((each, at) => (at % 100 === 50 ? (refused[at] ?? '') : each)) }
}

/** One in a hundred comes again with its key, and is answered again. */
const withRepeats = (customers: readonly Customer[]): Plan => ({
  ...uniform(customers, { isKeyed: true }),
  repeatPercent: 1,
})
