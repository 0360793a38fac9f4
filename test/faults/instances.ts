// Instances of the service as programs on one database, each with a proxy before it that can fail:
// for tests that kill them in the middle of their work.
import assert from 'node:assert/strict'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import pg from 'pg'
import { client, type Client, patiently, type Reply } from '../support/client.ts'
import { cloneTemplate, cluster, type TestCluster } from '../support/database.ts'
import { wide } from '../support/limits.ts'
import { freePort, type Program, run } from '../support/program.ts'
import { password } from '../support/world.ts'
import { type DatabaseProxy, databaseProxy, type Trap } from './database-proxy.ts'

export type Instance = {
  settings: Record<string, string>
  wire: DatabaseProxy
  program: Program
}

/** Where an instance is killed. */
export type Place = Omit<Trap, 'act'>

export type Instances = {
  bank: TestCluster
  owner: pg.Client
  all: readonly Instance[]
  open(name: string, more?: Record<string, string>): Promise<Instance>
  /** Starts one again that was killed; to be killed at that place, perhaps before it is ready. */
  restart(instance: Instance, place?: Place): Promise<void>
  /** Requests to one; end them with `close`. */
  speakTo(instance: Instance): Promise<Client>
  close(): Promise<void>
}

const hour = new Date().getUTCHours()
/** It is noon there: no day of the bank ends while this runs. */
export const noonZone = `Etc/GMT${hour > 12 ? '+' : '-'}${Math.abs(hour - 12)}`

const isReady = /Strongroom is ready/

export async function openInstances(purpose: string): Promise<Instances> {
  const folder = await mkdtemp(path.join(tmpdir(), `strongroom-${purpose}-`))
  const shared = await cluster()
  const bank = await cloneTemplate(shared)
  const owner = new pg.Client({ ...bank.address, options: '-c search_path=strongroom' })
  await owner.connect()
  const all: Instance[] = []
  return {
    bank,
    owner,
    all,
    async open(name, more = {}) {
      const { user, password: secret, database, host, port } = bank.address
      const login = `${user}:${encodeURIComponent(secret)}`
      const wire = await databaseProxy({ host, port })
      const settings = {
        DATA_DIR: path.join(folder, name),
        DATABASE_URL: `postgres://${login}@127.0.0.1:${wire.port}/${database}`,
        HTTPS_PORT: String(await freePort()),
        HTTP_PORT: String(await freePort()),
        METRICS_PORT: '0',
        PUBLIC_URL: 'https://bank.example',
        TIME_ZONE: noonZone,
        LIMITS: wide,
        ...more,
      }
      const instance = { settings, wire, program: run([], settings) }
      all.push(instance)
      await instance.program.says(isReady)
      return instance
    },
    async restart(instance, place) {
      await instance.program.ended
      if (place) killAt(instance, place)
      instance.program = run([], instance.settings)
      const ready = instance.program.says(isReady)
      await (place ? ready.catch(() => {}) : ready)
    },
    async speakTo({ settings }) {
      const ca = await readFile(path.join(String(settings['DATA_DIR']), 'tls/ca.pem'))
      return client(Number(settings['HTTPS_PORT']), ca)
    },
    async close() {
      for (const { program, wire } of all) {
        program.child.kill('SIGKILL')
        await program.ended
        await wire.close()
      }
      await owner.end()
      await bank.stop()
      await shared.stop()
      await rm(folder, { recursive: true, force: true })
    },
  }
}

/** The instance is killed as soon as it is at that place of its work. */
export function killAt(instance: Instance, place: Place): void {
  const act = () => void instance.program.child.kill('SIGKILL')
  instance.wire.trap({ ...place, act })
}

/** Waits until it is killed. It is given something to do again and again. */
export async function untilKilled(
  { program: { child, ended } }: Instance,
  feed: () => Promise<unknown>,
): Promise<void> {
  // Ends at that place, or with the test's own time-out: two instances share the work by chance.
  while (child.exitCode === null && child.signalCode === null) {
    await feed()
    await new Promise((resolve) => setTimeout(resolve, 500))
  }
  assert.equal(child.signalCode, 'SIGKILL')
  await ended
}

/** On a slow machine the service may refuse: nothing has happened then. */
export const isUndone = ({ body }: Reply): boolean => body?.code === 'unavailable'

/** Without leases every instance takes the same rows, again and again. */
export const dropLeases = (owner: pg.Client, table: string) =>
  owner.query(`
    create function drop_lease() returns trigger language plpgsql as
      $$ begin new.leased_until = null; return new; end $$;
    create trigger drop_lease before update on ${table}
      for each row execute function drop_lease()`)

export type Parties = {
  /** With 100,000.00 EUR; `poor` has none. */
  from: string
  to: string
  poor: string
  holder: string
  session: string
  /** At another bank. */
  payee: string
  token: string
  rootToken: string
}

/** Ada has a full account and an empty one, and a payee at another bank. */
export async function fillBank(send: Client['send'], owner: pg.Client): Promise<Parties> {
  const ask = async (token: string | undefined, at: string, body: object) => {
    const asked = { ...(token !== undefined && { token }), body }
    const reply = await patiently(() => send('POST', at, asked), isUndone)
    assert.ok(reply.status < 300, reply.text)
    return reply.body
  }
  const login = (username: string) => ask(undefined, '/api/v1/auth/login', { username, password })
  const { token } = await login('ada')
  const newAccount = async () =>
    (await ask(token, '/api/v1/accounts', { currency: 'EUR' })).id as string
  const [from, to, poor] = [await newAccount(), await newAccount(), await newAccount()]
  const other = { name: 'Otto Example', iban: 'DE89370400440532013000' }
  const payee = (await ask(token, `/api/v1/accounts/${from}/beneficiaries`, other)).id as string
  const money = { amount: '100000.00', currency: 'EUR', reason: 'Paid in' }
  const rootToken = (await login('root')).token as string
  await ask(rootToken, `/api/v1/admin/accounts/${from}/deposits`, money)
  const { rows } = await owner.query<{ user_id: string; id: string }>(
    `select user_id, s.id from sessions s join accounts a on a.owner_id = s.user_id
     where a.id = $1`,
    [from],
  )
  const [{ user_id: holder, id: session } = assert.fail('no session')] = rows
  return { from, to, poor, holder, session, payee, token, rootToken }
}
