// How fast money moves: one transfer per transaction straight in SQL, beside the whole product over
// HTTPS, on the same PostgreSQL with fsync and synchronous_commit on. The books are proven at the
// end.
import { fork, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import pg from 'pg'
import { createPasswords } from '../src/auth/passwords.ts'
import { openDatabase } from '../src/database/connect.ts'
import { startEmbedded } from '../src/database/embedded.ts'
import { migrate } from '../src/database/migrate.ts'
import { provision } from '../src/database/provision.ts'
import { newId } from '../src/ids.ts'
import { verifyLedger } from '../src/ledger/verify.ts'
import { client } from '../test/client.ts'
import { costOf, costText } from './cost.ts'
import { type Figures, line, say } from './figures.ts'
import { load, type Next, type Target } from './load.ts'
import { accountCount, type Parts, prepareStraight, runPgbench, runStraight } from './straight.ts'

const password = 'a measured pace wins'
const customerCount = 20

const limits = JSON.stringify({
  ...Object.fromEntries(
    ['read', 'sensitive', 'admin', 'transfer'].map((name) => [
      name,
      { burst: '1000000/1s', sustained: '100000000/1h' },
    ]),
  ),
  login: { failedPerAddress: '1000/1m', failedPerUsername: '1000/1m', attempts: '1000/1h' },
  address: { burst: '1000000/1s' },
})

/**
 * `--seconds=5`, `--connections=16,64,256`, `--profile=<folder>` for a CPU profile of the service.
 */
export async function run(options: readonly string[]): Promise<void> {
  const option = (name: string, standard: string): string =>
    options.find((each) => each.startsWith(`--${name}=`))?.split('=')[1] ?? standard
  const seconds = Number(option('seconds', '5'))
  const connections = option('connections', '16,64,256').split(',').map(Number)
  const folder = await mkdtemp(path.join(tmpdir(), 'strongroom-bench-'))
  const embedded = await startEmbedded(folder)
  try {
    const { address } = embedded
    await sayDurability(address)
    const { uniform, hot } = await measureStraight(address, seconds, folder)
    const profile = option('profile', '')
    const settings = { seconds, connections, profile }
    const bank = { address, databasePid: embedded.pid }
    await measureProduct(bank, folder, settings, { uniform, hot })
  } finally {
    await embedded.stop()
    await rm(folder, { recursive: true, force: true })
  }
}

async function sayDurability(address: Parts): Promise<void> {
  const owner = new pg.Client(address)
  await owner.connect()
  const { rows } = await owner.query(
    `select current_setting('server_version') as version, current_setting('fsync') as fsync,
            current_setting('synchronous_commit') as synchronous`,
  )
  await owner.end()
  const { version, fsync, synchronous } = rows[0]
  say(`PostgreSQL ${version}, fsync ${fsync}, synchronous_commit ${synchronous}`)
}

type Straight = { uniform: Figures; hot: Figures }

async function measureStraight(address: Parts, seconds: number, folder: string): Promise<Straight> {
  await prepareStraight(address)
  say('\n(a) one transfer per transaction, straight in SQL, 16 connections')
  await runStraight(address, false, 1)
  const uniform = await runStraight(address, false, seconds)
  line('    driver, uniform', uniform)
  const hot = await runStraight(address, true, seconds)
  line('    driver, one hot account', hot)
  const best: Straight = { uniform, hot }
  for (const which of ['uniform', 'hot'] as const) {
    const figures = await runPgbench(address, which === 'hot', seconds, folder)
    if (!figures) continue
    line(`    pgbench, ${which} (p50 is the average)`, figures)
    if (figures.perSecond > best[which].perSecond) best[which] = figures
  }
  return best
}

async function measureProduct(
  { address, databasePid }: { address: Parts; databasePid: number },
  folder: string,
  { seconds, connections, profile }: { seconds: number; connections: number[]; profile: string },
  straight: Straight,
): Promise<void> {
  await migrate(address)
  await provision(address, Date.now())
  const customers = await settle(address)
  const server = await serve(address, folder, profile)
  try {
    const tokens = await logIn(server.target, customers)
    say('\n(b) the product over HTTPS, everything on; the ratio is to the better of (a)')
    await load(server.target, 64, 2, uniformOf(customers, tokens))
    const measure = async (count: number, next: Next, label: string, against: Figures) => {
      const before = await costOf(server.pid, databasePid)
      const figures = await load(server.target, count, seconds, next)
      const after = await costOf(server.pid, databasePid)
      const cost = costText(before, after, figures.perSecond * seconds)
      line(`    ${count} connections, ${label}`, figures, against, cost)
    }
    for (const count of connections) {
      await measure(count, uniformOf(customers, tokens), 'uniform', straight.uniform)
      await measure(count, hotOf(customers, tokens), 'one hot account', straight.hot)
    }
  } finally {
    await server.stop()
  }
  const db = openDatabase(address)
  const started = performance.now()
  const { mismatch, entries } = await verifyLedger(db)
  await db.close()
  const took = ((performance.now() - started) / 1000).toFixed(1)
  say(`\nverify: ${mismatch ?? 'the books are sound'}; ${entries} entries in ${took} s`)
  if (mismatch !== undefined) process.exitCode = 1
}

type Customer = { username: string; accounts: string[] }

/**
 * Customers with accounts that may be overdrawn, so that no transfer is refused for want of money.
 */
async function settle(address: Parts): Promise<Customer[]> {
  const owner = new pg.Client({ ...address, options: '-c search_path=strongroom' })
  await owner.connect()
  const hashed = await (await createPasswords()).hash(password)
  const customers: Customer[] = []
  for (let number = 0; number < customerCount; number++) {
    const id = newId(Date.now())
    const username = `customer-${number}`
    const accounts = Array.from({ length: accountCount / customerCount }, () => newId(Date.now()))
    await owner.query(
      `insert into users (id, username, email, given_name, family_name, roles, password_hash,
         created_at)
       values ($1, $2, $3, 'Cus', 'Tomer', '{customer}', $4, now())`,
      [id, username, `${username}@example.com`, hashed],
    )
    await owner.query(
      `insert into accounts (id, owner_id, iban, currency, overdraft_limit, created_at)
       select id, $2, 'BENCH' || id, 'EUR', 1000000000000, now() from unnest($1::uuid[]) as a (id)`,
      [accounts, id],
    )
    customers.push({ username, accounts })
  }
  await owner.query('vacuum analyze')
  await owner.end()
  return customers
}

type Server = { target: Target; pid: number; stop(): Promise<void> }

async function serve(address: Parts, folder: string, profile: string): Promise<Server> {
  const program = fileURLToPath(new URL('server.ts', import.meta.url))
  const child: ChildProcess = fork(program, [], {
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    execArgv: profile === '' ? [] : ['--cpu-prof', `--cpu-prof-dir=${profile}`],
    env: {
      PATH: process.env['PATH'],
      BENCH_ADDRESS: JSON.stringify(address),
      STRONGROOM_DATA_DIR: folder,
      STRONGROOM_HTTPS_PORT: '0',
      STRONGROOM_HTTP_PORT: '0',
      STRONGROOM_METRICS_PORT: '0',
      STRONGROOM_LIMITS: limits,
    },
  })
  const [{ httpsPort, caPath }] = (await once(child, 'message')) as [
    { httpsPort: number; caPath: string },
  ]
  return {
    target: { port: httpsPort, ca: await readFile(caPath) },
    pid: child.pid as number,
    async stop() {
      const ended = once(child, 'exit')
      child.kill('SIGTERM')
      await ended
    },
  }
}

async function logIn({ port, ca }: Target, customers: readonly Customer[]): Promise<string[]> {
  const { send, close } = client(port, ca)
  const tokens: string[] = []
  for (const { username } of customers) {
    const reply = await send('POST', '/api/v1/auth/login', { body: { username, password } })
    if (reply.status !== 200) throw new Error(reply.text)
    tokens.push(reply.body.token as string)
  }
  close()
  return tokens
}

const below = (limit: number): number => Math.floor(Math.random() * limit)
let sent = 0

/** Each with a reference of its own: an identical one within ten seconds would be refused. */
function bodyOf(accounts: readonly string[], from: number): string {
  const to = (from + 1 + below(accounts.length - 1)) % accounts.length
  const [fromAccountId, toAccountId] = [accounts[from], accounts[to]]
  const reference = `Bench ${sent++}`
  return JSON.stringify({ fromAccountId, toAccountId, amount: '0.01', currency: 'EUR', reference })
}

function uniformOf(customers: readonly Customer[], tokens: readonly string[]): Next {
  return (connection) => {
    const { accounts } = customers[connection % customers.length] as Customer
    const token = tokens[connection % tokens.length] as string
    return { token, body: bodyOf(accounts, below(accounts.length)) }
  }
}

/** Everything leaves one account, so every transfer waits for the same lock. */
function hotOf(customers: readonly Customer[], tokens: readonly string[]): Next {
  const { accounts } = customers[0] as Customer
  return () => ({ token: tokens[0] as string, body: bodyOf(accounts, 0) })
}
