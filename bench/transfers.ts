// Transfers per second over HTTPS, beside one transfer per transaction in plain SQL in the same
// PostgreSQL with fsync and synchronous_commit on. The ledger is verified at the end.
import { openDatabase } from '../src/database/connections/connect.ts'
import { verifyLedger } from '../src/ledger/proof/verify.ts'
import { plainTransfers, startFastify } from './baseline-fastify.ts'
import { accountCount, prepareBaseline, runDriver, runPgbench } from './baseline-sql.ts'
import { toRequest, warmTokens } from './connection.ts'
import type { Case, Variant } from './harness.ts'
import { findProgram, load, numberMark, type Templates, warmUpSeconds } from './load.ts'
import { withCost } from './processes.ts'
import { chooseMiddle, openCrowds } from './crowds.ts'
import { asPrograms, choosePopulation, type Customer, withPairs } from './seed.ts'
import { openService, type Service } from './service.ts'

const baselineConnections = 16
const baselines = (which: string) => [`driver, one each, ${which}`, `pgbench, one each, ${which}`]

export const open: Case = async (settings) => {
  const { seconds, connections, profile, isTiny } = settings
  const service = await openService({ population: choosePopulation(isTiny), profile })
  await prepareBaseline(service.address)
  const { customers, target } = service
  const fastify = await startFastify(service)
  await warmTokens(target, customers)
  await load(target, uniform(customers), 64, isTiny ? 0.1 : warmUpSeconds)
  const variant = (
    count: number,
    name: string,
    templates: Templates,
    atLeast?: number,
    against = baselines(name.startsWith('hot') ? 'hot account' : 'uniform'),
  ): Variant => ({
    name: `${name}, ${count} connections`,
    main: 'perSecond',
    against,
    ...(atLeast !== undefined && { goal: { atLeast } }),
    measure: () => service.watch(() => load(target, templates, count, seconds)),
  })
  const middle = chooseMiddle(connections)
  const programs = uniform(await asPrograms(service.address, customers))
  const crowds = await openCrowds(settings, 'uniform', (crowd) => uniform(withPairs(crowd)))
  return {
    variants: [
      ...(await toBaselines(service, seconds)),
      ...connections.flatMap((count) => [
        variant(count, 'uniform', uniform(customers), 3),
        variant(count, 'hot account', hot(customers), 10),
      ]),
      ...connections.map((count) => toPlain(service, fastify, { count, seconds })),
      variant(middle, 'uniform, with keys', uniform(customers, { isKeyed: true })),
      variant(middle, 'hot account, with keys', hot(customers, true)),
      variant(middle, 'uniform, 1 % refused', withRefusals(customers)),
      variant(middle, 'service accounts, uniform', programs, 1, [`uniform, ${middle} connections`]),
      ...crowds.variants,
    ],
    async close() {
      fastify.stop()
      await crowds.close()
      await verify(service)
      await service.stop()
    },
  }
}

async function toBaselines({ address, databasePid }: Service, seconds: number): Promise<Variant[]> {
  const pgbench = await findProgram('pgbench')
  const terms = { address, connections: baselineConnections, seconds }
  const variant = (name: string, measure: Variant['measure']): Variant => ({
    name,
    main: 'perSecond',
    measure: () => withCost({ database: databasePid }, measure),
  })
  return ['uniform', 'hot account'].flatMap((which) => {
    const isHot = which === 'hot account'
    const [driver = '', tool = ''] = baselines(which)
    const all = [variant(driver, () => runDriver({ ...terms, isHot }))]
    if (pgbench) all.push(variant(tool, () => runPgbench(pgbench, { ...terms, isHot })))
    return all
  })
}

/** One request, one transaction: between as many accounts, over HTTPS. */
function toPlain(
  { target, databasePid }: Service,
  { port, pid }: { port: number; pid: number },
  { count, seconds }: { count: number; seconds: number },
): Variant {
  const templates = Array.from({ length: accountCount }, (_, at) =>
    toRequest({
      method: 'POST',
      path: plainTransfers,
      token: '',
      body: { from: at + 1, to: ((at * 7 + 3) % accountCount) + 1 },
    }),
  )
  return {
    name: `plain Fastify and pg, uniform, ${count} connections`,
    main: 'p50Ms',
    against: [`uniform, ${count} connections`],
    goal: { atLeast: 1.25 },
    measure: () =>
      withCost({ service: pid, database: databasePid }, () =>
        load({ ...target, port }, templates, count, seconds),
      ),
  }
}

export async function verify({ address }: Service): Promise<void> {
  const db = openDatabase(address, { readMs: 60_000 })
  const { mismatch } = await verifyLedger(db)
  await db.close()
  if (mismatch !== undefined) throw new Error(`The ledger does not verify: ${mismatch}`)
}

type Options = { amount?: string; isKeyed?: boolean }
type TransferDraft = Options & { from: string; to: string; token: string }

/** Each has its own reference, since an identical one within ten seconds would be refused. */
const transfer = ({ from, to, token, amount = '0.01', isKeyed = false }: TransferDraft): string =>
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
export const uniform = (customers: readonly Customer[], options: Options = {}): Templates =>
  customers.flatMap(({ accounts, sessions }) =>
    sessions.flatMap(({ token }) =>
      accounts.flatMap((from) =>
        accounts.filter((to) => to !== from).map((to) => transfer({ from, to, token, ...options })),
      ),
    ),
  )

/** All transfers leave one account, so each waits for the same lock. */
function hot([customer]: readonly Customer[], isKeyed = false): Templates {
  const { accounts, sessions } = customer as Customer
  const [from = '', ...others] = accounts
  return sessions.flatMap(({ token }) => others.map((to) => transfer({ from, to, token, isKeyed })))
}

/** One in a hundred exceeds the balance. */
function withRefusals(customers: readonly Customer[]): Templates {
  const refused = uniform(customers, { amount: '99999999999.00' })
  return uniform(customers).map((request, at) => (at % 100 === 50 ? (refused[at] ?? '') : request))
}
