// The baseline of the transfers: one double-entry transfer per transaction in plain SQL, without
// idempotency, session, hash chain or limits.
import { rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import pg from 'pg'
import type { LocalAddress } from '../src/database/connections/connect.ts'
import { toPace } from './connection.ts'
import type { Figures } from './harness.ts'
import { run } from './load.ts'

/** Their identifiers are the numbers from 1 on. */
export const accountCount = 1000

const schema = `
  create schema baseline;
  create table baseline.accounts (id int primary key, balance bigint not null)
    with (fillfactor = 60);
  create table baseline.transfers (
    id bigint generated always as identity primary key,
    sender int not null, recipient int not null, amount bigint not null check (amount > 0),
    created_at timestamptz not null default now()
  );
  create table baseline.entries (
    id bigint generated always as identity primary key,
    transfer bigint not null, account int not null, amount bigint not null
  );
  create index on baseline.entries (account, id);
  insert into baseline.accounts select number, 0 from generate_series(1, ${accountCount}) number;`

/** From account `:a` to account `:b`. */
const steps = [
  'select balance from baseline.accounts where id in (:a, :b) order by id for update',
  'update baseline.accounts set balance = balance - 1 where id = :a',
  'update baseline.accounts set balance = balance + 1 where id = :b',
  'insert into baseline.transfers (sender, recipient, amount) values (:a, :b, 1) returning id',
  'insert into baseline.entries (transfer, account, amount) values (:id, :a, -1), (:id, :b, 1)',
]

export async function prepareBaseline(address: LocalAddress): Promise<void> {
  const client = new pg.Client(address)
  await client.connect()
  await client.query(schema)
  await client.query('vacuum analyze baseline.accounts')
  await client.end()
}

const below = (limit: number): number => Math.floor(Math.random() * limit)

/** How a baseline is run. `isHot`: every transfer leaves the same account. */
export type BaselineRun = {
  address: LocalAddress
  isHot: boolean
  connections: number
  seconds: number
}

const prepared = steps.map((step, index) => {
  const marks = [...new Set(step.match(/:\w+/g))]
  const text = step.replace(/:\w+/g, (mark) => `$${marks.indexOf(mark) + 1}`)
  return { name: `step ${index}`, text, marks }
})

/** One transfer, each statement prepared; resolves with its identifier. */
export async function makeTransfer(client: pg.ClientBase, from: number, to: number) {
  const values: Record<string, unknown> = { ':a': from, ':b': to }
  await client.query('begin')
  for (const { name, text, marks } of prepared) {
    const query = { name, text, values: marks.map((mark) => values[mark]) }
    values[':id'] = (await client.query(query)).rows[0]?.id ?? values[':id']
  }
  await client.query('commit')
  return values[':id']
}

/** With the driver that the service uses. */
export async function runDriver(baseline: BaselineRun): Promise<Figures> {
  const { address, isHot, connections, seconds } = baseline
  const clients = Array.from({ length: connections }, () => new pg.Client(address))
  await Promise.all(clients.map((client) => client.connect()))
  const latencies: number[] = []
  const end = performance.now() + seconds * 1000
  await Promise.all(
    clients.map(async (client) => {
      while (performance.now() < end) {
        const from = isHot ? 1 : 1 + below(accountCount)
        const to = 1 + ((from + below(accountCount - 1)) % accountCount)
        const startedAt = performance.now()
        await makeTransfer(client, from, to)
        latencies.push(performance.now() - startedAt)
      }
    }),
  )
  await Promise.all(clients.map((client) => client.end()))
  return toPace(latencies, seconds)
}

const toScript = (isHot: boolean): string =>
  [
    `\\set a ${isHot ? '1' : `random(1, ${accountCount})`}`,
    `\\set b 1 + (:a + random(0, ${accountCount - 2})) % ${accountCount}`,
    'begin;',
    ...steps.map((step) => (step.endsWith('returning id') ? `${step} \\gset` : `${step};`)),
    'commit;',
  ].join('\n')

/** The same statements with pgbench, PostgreSQL's own tool. */
export async function runPgbench(program: string, baseline: BaselineRun): Promise<Figures> {
  const { address, isHot, connections, seconds } = baseline
  const options = `-n -M prepared -c ${connections} -j 2 -T ${Math.ceil(seconds)}`.split(' ')
  const server = ['-h', address.host, '-p', String(address.port), '-U', address.user]
  const file = path.join(tmpdir(), `strongroom-${process.pid}.pgbench`)
  await writeFile(file, toScript(isHot))
  try {
    const { stdout } = await run(program, [...options, ...server, '-f', file, address.database], {
      env: { ...process.env, PGPASSWORD: address.password },
    })
    return {
      perSecond: Number(/tps = ([\d.]+)/.exec(stdout)?.[1]),
      // pgbench reports only the average latency.
      p50Ms: Number(/latency average = ([\d.]+)/.exec(stdout)?.[1]),
    }
  } finally {
    await rm(file)
  }
}
