// Many standing orders that fall due at one midnight: how long they take, and what payments of
// people beside them wait. Every run is counted at the end, and the ledger verified.
import pg from 'pg'
import { newId } from '../src/domain/ids.ts'
import { warmTokens } from './connection.ts'
import type { Case, Figures, Variant } from './harness.ts'
import { load, warmUpSeconds } from './load.ts'
import { choosePopulation, type Customer } from './seed.ts'
import { openService } from './service.ts'
import { uniform, verify } from './transfers.ts'

const dueCount = (isTiny: boolean): number => (isTiny ? 200 : 100_000)
const rowsPerChunk = 5000
const warmUpCount = 1000

export const open: Case = async ({ seconds, connections, isTiny, profile }) => {
  const service = await openService({ population: choosePopulation(isTiny), profile })
  const { address, customers, target, watch } = service
  const count = dueCount(isTiny)
  const owner = new pg.Client({ ...address, options: '-c search_path=strongroom' })
  await owner.connect()
  const payees = await addPayees(owner, customers)
  const transfers = uniform(customers)
  await warmTokens(target, customers)
  await load(target, transfers, 64, isTiny ? 0.1 : warmUpSeconds)
  let fallen = 0
  const fall = (orders = count) => {
    fallen += orders
    return fallDue(owner, payees, orders)
  }
  // V8 compiles what runs orders, too, before anything is measured.
  await fall(Math.min(count, warmUpCount))
  await untilMade(owner)

  const alone = (each: number): Variant => ({
    name: `transfers alone, ${each} connections`,
    main: 'p99Ms',
    measure: () => watch(() => load(target, transfers, each, seconds)),
  })
  const beside = (each: number): Variant => ({
    name: `transfers beside ${count} orders, ${each} connections`,
    main: 'p99Ms',
    against: [`transfers alone, ${each} connections`],
    goal: { atMost: 1.5 },
    rounds: 1,
    measure: () => watch(() => besideOrders(() => load(target, transfers, each, seconds))),
  })

  /** Loads until every order was run. */
  async function besideOrders(measure: () => Promise<Figures>): Promise<Figures> {
    await fall()
    const startedAt = performance.now()
    const all: Figures[] = []
    do all.push(await measure())
    while (!(await isLastRun(owner)) || (await countDue(owner)) > 0)
    const took = (performance.now() - startedAt) / 1000
    // In the last of them nothing may have been due any more.
    return { ...toMedian(all.length > 1 ? all.slice(0, -1) : all), seconds: took }
  }

  return {
    variants: [
      {
        name: `${count} orders at one midnight, without payments`,
        main: 'seconds',
        rounds: 1,
        measure: () => watch(() => runAll(owner, fall, count)),
      },
      // Each midnight takes minutes.
      ...connections.slice(0, 2).flatMap((each) => [alone(each), beside(each)]),
    ],
    async close() {
      await requireRuns(owner, fallen)
      await owner.end()
      await verify(service)
      await service.stop()
    },
  }
}

async function runAll(
  owner: pg.Client,
  fall: () => Promise<void>,
  count: number,
): Promise<Figures> {
  await fall()
  const startedAt = performance.now()
  await untilMade(owner)
  const seconds = (performance.now() - startedAt) / 1000
  return { seconds, perSecond: count / seconds }
}

const toMedian = (all: readonly Figures[]): Figures => {
  const of = (figure: 'perSecond' | 'p50Ms' | 'p99Ms' | 'refusedPercent') =>
    all.map((each) => each[figure] ?? 0).toSorted((one, other) => one - other)[all.length >> 1] ?? 0
  return {
    perSecond: of('perSecond'),
    p50Ms: of('p50Ms'),
    p99Ms: of('p99Ms'),
    refusedPercent: of('refusedPercent'),
  }
}

type Payee = {
  accountId: string
  callerId: string
  sessionId: string
  toId: string
  isOwn: boolean
}

/** Of each account: a beneficiary at another bank, or the next account of the same customer. */
async function addPayees(owner: pg.Client, customers: readonly Customer[]): Promise<Payee[]> {
  const payees = customers.flatMap(({ userId, accounts, sessions }) =>
    accounts.map((accountId, at): Payee => {
      const isOwn = at % 2 === 0
      const own = accounts[(at + 1) % accounts.length] as string
      const toId = isOwn ? own : newId(Date.now())
      return { accountId, callerId: userId, sessionId: sessions[0]?.id as string, toId, isOwn }
    }),
  )
  const elsewhere = payees.filter(({ isOwn }) => !isOwn)
  await owner.query(
    `insert into beneficiaries (id, account_id, name, iban, created_at)
     select id, account_id, 'Otto Example', 'DE89370400440532013000', now()
     from unnest($1::uuid[], $2::uuid[]) as b (id, account_id)`,
    [elsewhere.map(({ toId }) => toId), elsewhere.map(({ accountId }) => accountId)],
  )
  return payees
}

/** All of them are there, and due, from one COMMIT on. They were ordered a month ago. */
async function fallDue(owner: pg.Client, payees: readonly Payee[], count: number): Promise<void> {
  await owner.query('begin')
  // Their creation is no event of today.
  await owner.query('set local session_replication_role = replica')
  for (let done = 0; done < count; done += rowsPerChunk) {
    const rows = Array.from({ length: Math.min(rowsPerChunk, count - done) }, (_, at) => ({
      ...(payees[(done + at) % payees.length] as Payee),
      id: newId(Date.now()),
    }))
    await owner.query(
      `insert into standing_orders (id, account_id, caller_id, maker_id, session_id, is_program,
         beneficiary_id, to_account_id, amount, reference, rhythm, first_on, next_on, retry_days,
         created_at)
       select id, account_id, caller_id, caller_id, session_id, false,
         case when not is_own then to_id end, case when is_own then to_id end, 1, 'Rent', 'monthly',
         current_date - 31, current_date, 0, now() - interval '31 days'
       from unnest($1::uuid[], $2::uuid[], $3::uuid[], $4::uuid[], $5::uuid[], $6::bool[])
         as o (id, account_id, caller_id, session_id, to_id, is_own)`,
      [
        rows.map(({ id }) => id),
        rows.map(({ accountId }) => accountId),
        rows.map(({ callerId }) => callerId),
        rows.map(({ sessionId }) => sessionId),
        rows.map(({ toId }) => toId),
        rows.map(({ isOwn }) => isOwn),
      ],
    )
    // The trigger that adds them is of the writes of the service.
    await owner.query(
      `insert into standing_order_changes
         (order_id, version, at, terms, reference, payee_name, payee_iban)
       select id, version, now() - interval '31 days', terms, reference, payee_name, payee_iban
       from standing_order_terms where id = any($1)`,
      [rows.map(({ id }) => id)],
    )
  }
  await owner.query('analyze standing_orders')
  await owner.query('commit')
}

/**
 * Orders are taken by their day and identifier: the one that was made last is the last. A look for
 * any that is due passes those that were run, and took a quarter of PostgreSQL's time.
 */
async function isLastRun(owner: pg.Client): Promise<boolean> {
  const { rows } = await owner.query<{ isRun: boolean }>(
    `select next_on > current_date as "isRun" from standing_orders order by id desc limit 1`,
  )
  return rows[0]?.isRun ?? true
}

/** At most one. */
async function countDue(owner: pg.Client): Promise<number> {
  const { rowCount } = await owner.query(
    `select from standing_orders
     where status = 'active' and tried_on is null and next_on <= current_date limit 1`,
  )
  return rowCount ?? 0
}

const lookMs = 100

async function untilMade(owner: pg.Client): Promise<void> {
  const look = () => new Promise((resolve) => setTimeout(resolve, lookMs))
  while (!(await isLastRun(owner))) await look()
  while ((await countDue(owner)) > 0) await look()
}

async function requireRuns(owner: pg.Client, count: number): Promise<void> {
  const { rows } = await owner.query<{ runs: number; transfers: number }>(
    `select count(*)::int as runs, count(distinct transfer_id)::int as transfers
     from standing_order_runs where outcome = 'made'`,
  )
  const { runs, transfers } = rows[0] ?? { runs: 0, transfers: 0 }
  if (runs !== count || transfers !== count) {
    throw new Error(`${count} orders fell due, and ${runs} runs made ${transfers} payments`)
  }
}
