// What the product's transfers are measured against: one double-entry transfer per transaction,
// straight in SQL, with nothing around it. No idempotency, no session, no hash chain, no limits.
import { rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import pg from 'pg'
import type { LocalAddress } from '../src/database/connect.ts'
import type { Figures } from './harness.ts'
import { findProgram, run } from './load.ts'
import { pace } from './sockets.ts'

const accountCount = 1000

const schema = `
  create schema straight;
  create table straight.accounts (id int primary key, balance bigint not null)
    with (fillfactor = 60);
  create table straight.transfers (
    id bigint generated always as identity primary key,
    from_account int not null, to_account int not null, amount bigint not null check (amount > 0),
    created_at timestamptz not null default now()
  );
  create table straight.entries (
    id bigint generated always as identity primary key,
    transfer_id bigint not null, account_id int not null, amount bigint not null
  );
  create index on straight.entries (account_id, id);
  insert into straight.accounts select number, 0 from generate_series(1, ${accountCount}) number;`

const steps = {
  lock: 'select balance from straight.accounts where id in ($1, $2) order by id for update',
  take: 'update straight.accounts set balance = balance - $2 where id = $1',
  give: 'update straight.accounts set balance = balance + $2 where id = $1',
  transfer: `insert into straight.transfers (from_account, to_account, amount)
    values ($1, $2, $3) returning id`,
  entries: `insert into straight.entries (transfer_id, account_id, amount)
    values ($1, $2, -$4::bigint), ($1, $3, $4)`,
}

export async function prepareStraight(address: LocalAddress): Promise<void> {
  const client = new pg.Client(address)
  await client.connect()
  await client.query(schema)
  await client.query('vacuum analyze straight.accounts')
  await client.end()
}

const below = (limit: number): number => Math.floor(Math.random() * limit)

/** Through the driver the product uses, each statement prepared. */
export async function runStraight(
  address: LocalAddress,
  isHot: boolean,
  connections: number,
  seconds: number,
): Promise<Figures> {
  const clients = Array.from({ length: connections }, () => new pg.Client(address))
  await Promise.all(clients.map((client) => client.connect()))
  const latencies: number[] = []
  const end = performance.now() + seconds * 1000
  await Promise.all(
    clients.map(async (client) => {
      const step = (name: keyof typeof steps, values: unknown[]) =>
        client.query({ name, text: steps[name], values })
      while (performance.now() < end) {
        const from = isHot ? 1 : 1 + below(accountCount)
        const to = 1 + ((from + below(accountCount - 1)) % accountCount)
        const started = performance.now()
        await client.query('begin')
        await step('lock', [from, to])
        await step('take', [from, 1])
        await step('give', [to, 1])
        const { rows } = await step('transfer', [from, to, 1])
        await step('entries', [rows[0].id, from, to, 1])
        await client.query('commit')
        latencies.push(performance.now() - started)
      }
    }),
  )
  await Promise.all(clients.map((client) => client.end()))
  return pace(latencies, seconds)
}

const script = (isHot: boolean): string => `
  \\set a ${isHot ? '1' : `random(1, ${accountCount})`}
  \\set b 1 + (:a + random(0, ${accountCount - 2})) % ${accountCount}
  begin;
  select balance from straight.accounts where id in (:a, :b) order by id for update;
  update straight.accounts set balance = balance - 1 where id = :a;
  update straight.accounts set balance = balance + 1 where id = :b;
  insert into straight.transfers (from_account, to_account, amount)
    values (:a, :b, 1) returning id \\gset
  insert into straight.entries (transfer_id, account_id, amount) values (:id, :a, -1), (:id, :b, 1);
  commit;`

export const findPgbench = (): Promise<string | undefined> => findProgram('pgbench')

/** The same statements by PostgreSQL's own tool. */
export async function runPgbench(
  program: string,
  address: LocalAddress,
  isHot: boolean,
  connections: number,
  seconds: number,
): Promise<Figures> {
  const options = `-n -M prepared -c ${connections} -j 2 -T ${Math.ceil(seconds)}`.split(' ')
  const place = ['-h', address.host, '-p', String(address.port), '-U', address.user]
  const file = path.join(tmpdir(), `strongroom-${process.pid}.pgbench`)
  await writeFile(file, script(isHot))
  const all = [...options, ...place, '-f', file, address.database]
  const env = { ...process.env, PGPASSWORD: address.password }
  try {
    const { output, cores } = await run(program, all, env)
    return {
      perSecond: Number(/tps = ([\d.]+)/.exec(output)?.[1]),
      // pgbench tells the average only.
      p50Milliseconds: Number(/latency average = ([\d.]+)/.exec(output)?.[1]),
      ...(cores !== undefined && { loadCores: cores }),
    }
  } finally {
    await rm(file)
  }
}
