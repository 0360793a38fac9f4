// Standing orders in the storm: two instances run them, and are killed in turn at each step from
// the lease of an order to the mail of a refused day. Each day is run once and none is left out,
// compared with a calendar library of another author.
import assert from 'node:assert/strict'
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { after, before, describe, test } from 'node:test'
import pg from 'pg'
import { Temporal } from 'temporal-polyfill'
import { client, type Client } from '../support/client.ts'
import { cloneTemplate, cluster, type TestCluster } from '../support/database.ts'
import { assertSound } from '../support/fixture.ts'
import { wide } from '../support/limits.ts'
import { until } from '../support/mailbox.ts'
import { freePort, type Program, run } from '../support/program.ts'
import { password } from '../support/world.ts'
import { type DatabaseProxy, databaseProxy, type Trap } from './database-proxy.ts'
import { addDueOrders, daysOf, type Made, type Parties } from './due-orders.ts'

type Instance = {
  settings: Record<string, string>
  wire: DatabaseProxy
  program: Program
}

const hour = new Date().getUTCHours()
/** It is noon there: no day of the bank ends while this runs. */
const zone = `Etc/GMT${hour > 12 ? '+' : '-'}${Math.abs(hour - 12)}`

/** Where an instance is killed, in the order of a run. */
const steps: [name: string, place: Omit<Trap, 'act'>][] = [
  ['before the claim', { statement: 'orders_take_due', at: 'statement', when: 'asked' }],
  ['in the claim', { statement: 'orders_take_due', at: 'statement', when: 'answered' }],
  ['before the COMMIT of the claim', { statement: 'orders_take_due', at: 'commit', when: 'asked' }],
  ['after the claim', { statement: 'orders_take_due', at: 'commit', when: 'answered' }],
  [
    'before the batch',
    { statement: 'ledger_read_standing_orders', at: 'statement', when: 'asked' },
  ],
  ['in the batch', { statement: 'ledger_read_standing_orders', at: 'statement', when: 'answered' }],
  [
    'before the run is written',
    { statement: 'ledger_write_order_runs', at: 'statement', when: 'asked' },
  ],
  [
    'before the COMMIT of the batch',
    { statement: 'ledger_write_order_runs', at: 'commit', when: 'asked' },
  ],
  [
    'after the COMMIT of the batch',
    { statement: 'ledger_write_order_runs', at: 'commit', when: 'answered' },
  ],
  ['before the mail', { statement: 'mail_take_due', at: 'statement', when: 'asked' }],
  ['after the mail', { statement: 'mail_delete', at: 'statement', when: 'asked' }],
]

describe('orders run by two instances that are killed', { timeout: 400_000 }, () => {
  let folder: string
  let shared: TestCluster
  let bank: TestCluster
  let owner: pg.Client
  const instances: Instance[] = []
  const made: Made[] = []
  let today: Temporal.PlainDate
  const accounts: Parties = { from: '', to: '', poor: '', holder: '', session: '', payee: '' }

  async function start({ settings }: Pick<Instance, 'settings'>): Promise<Program> {
    const program = run([], settings)
    await program.says(/Strongroom is ready/)
    return program
  }

  async function open(name: string): Promise<void> {
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
      TIME_ZONE: zone,
      LIMITS: wide,
    }
    instances.push({ settings, wire, program: await start({ settings }) })
  }

  /** Ada has a full account and an empty one, and a payee at another bank. */
  async function fill(send: Client['send']): Promise<void> {
    const ask = async (token: string | undefined, at: string, body: object) => {
      const reply = await send('POST', at, { ...(token !== undefined && { token }), body })
      assert.ok(reply.status < 300, reply.text)
      return reply.body
    }
    const login = (username: string) => ask(undefined, '/api/v1/auth/login', { username, password })
    const { token } = await login('ada')
    const newAccount = async () =>
      (await ask(token, '/api/v1/accounts', { currency: 'EUR' })).id as string
    accounts.from = await newAccount()
    accounts.to = await newAccount()
    accounts.poor = await newAccount()
    const payee = { name: 'Otto Example', iban: 'DE89370400440532013000' }
    accounts.payee = (await ask(token, `/api/v1/accounts/${accounts.from}/beneficiaries`, payee)).id
    const money = { amount: '100000.00', currency: 'EUR', reason: 'Paid in' }
    const root = (await login('root')).token as string
    await ask(root, `/api/v1/admin/accounts/${accounts.from}/deposits`, money)
    const { rows } = await owner.query(
      `select user_id, s.id from sessions s join accounts a on a.owner_id = s.user_id
       where a.id = $1`,
      [accounts.from],
    )
    Object.assign(accounts, { holder: rows[0].user_id, session: rows[0].id })
  }

  /** As if the leases of mails of what was killed had ended. */
  const passTime = () => owner.query('update mails set due_at = now() where due_at > now()')

  /** Without leases both instances take the same orders, again and again. */
  const dropLeases = () =>
    owner.query(`
      create function drop_lease() returns trigger language plpgsql as
        $$ begin new.leased_until = null; return new; end $$;
      create trigger drop_lease before update on standing_orders
        for each row execute function drop_lease()`)

  /** Each mail is the first of its hour: the bound on alerts would leave the later ones out. */
  const dropBound = () =>
    owner.query(`
      create function drop_bound() returns trigger language plpgsql as
        $$ begin new.count = 1; new.is_paused = false; return new; end $$;
      create trigger drop_bound before insert or update on alert_windows
        for each row execute function drop_bound()`)

  before(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'strongroom-orders-'))
    shared = await cluster()
    bank = await cloneTemplate(shared)
    owner = new pg.Client({ ...bank.address, options: '-c search_path=strongroom' })
    await owner.connect()
    today = Temporal.Now.plainDateISO(zone)
    await open('one')
    await open('two')
    const [first] = instances as [Instance, Instance]
    const ca = await readFile(path.join(String(first.settings['DATA_DIR']), 'tls/ca.pem'))
    const { send, close } = client(Number(first.settings['HTTPS_PORT']), ca)
    await fill(send)
    close()
    await dropLeases()
    await dropBound()
  })

  after(async () => {
    for (const { program, wire } of instances) {
      program.child.kill('SIGKILL')
      await program.ended
      await wire.close()
    }
    await owner.end()
    await bank.stop()
    await shared.stop()
    await rm(folder, { recursive: true, force: true })
  })

  for (const [index, [name, place]] of steps.entries()) {
    const which = index % 2
    test(`instance ${which + 1} is killed ${name}`, async () => {
      const victim = instances[which] as Instance
      const { child } = victim.program
      victim.wire.trap({ ...place, act: () => child.kill('SIGKILL') })
      await until('the place is reached', async () => {
        if (child.exitCode !== null || child.signalCode !== null) return true
        made.push(...(await addDueOrders(owner, accounts, today)))
        await passTime()
        await new Promise((resolve) => setTimeout(resolve, 500))
        return child.signalCode !== null
      })
      assert.equal(child.signalCode, 'SIGKILL')
      await victim.program.ended
      await passTime()
      victim.program = await start(victim)
    })
  }

  async function untilRun(): Promise<void> {
    await until('nothing is due', async () => {
      await passTime()
      const { rows } = await owner.query(
        `select count(*)::int as due from standing_orders
         where status = 'active' and tried_on is null and next_on <= $1::date`,
        [today.toString()],
      )
      return rows[0].due === 0
    })
  }

  test('both run the same orders at the same time', async () => {
    await untilRun()
    await owner.query('begin')
    for (let turn = 0; turn < 25; turn++) {
      made.push(...(await addDueOrders(owner, accounts, today)))
    }
    await owner.query('commit')
    await untilRun()
  })

  test('each day was run once and none was left out, the books are sound, and each refusal was told', async (t) => {
    const { rows: runs } = await owner.query<{
      id: string
      days: string[]
      outcomes: string[]
      next: string | null
      seqs: (string | null)[]
    }>(
      `select o.id, array_agg(r.due_on::text order by r.due_on) as days,
         array_agg(r.outcome order by r.due_on) as outcomes, o.next_on::text as next,
         array_agg(t.from_seq order by r.due_on) as seqs
       from standing_orders o left join standing_order_runs r on r.order_id = o.id
       left join transfers t on t.id = r.transfer_id and t.from_account_id = o.account_id
         and t.amount = o.amount
       group by o.id, o.next_on`,
    )
    const byId = new Map(runs.map((row) => [row.id, row]))
    let [paid, refused] = [0, 0]
    for (const order of made) {
      const all = daysOf(order, today)
      const due = all.filter((day) => day <= today.toString())
      const waits = order.isPoor && order.retryDays > 0
      const outcome = waits ? 'waiting' : order.isPoor ? 'refused' : 'made'
      const { days, outcomes, next, seqs } = byId.get(order.id) ?? assert.fail(order.id)
      assert.deepEqual(days, due, order.id)
      assert.deepEqual(
        outcomes,
        due.map(() => outcome),
        order.id,
      )
      assert.equal(next, waits ? due[0] : (all[due.length] ?? null), order.id)
      if (outcome === 'made') paid += due.length
      if (outcome === 'refused') refused += due.length
      if (outcome !== 'made') continue
      // Each has its own payment, the oldest day first.
      const inTurn = seqs.map(Number)
      assert.deepEqual(
        inTurn,
        inTurn.toSorted((one, other) => one - other),
        order.id,
      )
      assert.equal(new Set(inTurn).size, due.length, order.id)
    }
    const { rows } = await owner.query(
      `select (select count(*)::int from transfers where kind = 'transfer') as transfers,
         (select balance::text from accounts where id = $1) as balance`,
      [accounts.from],
    )
    assert.deepEqual(rows[0], { transfers: paid, balance: String(10_000_000 - 100 * paid) })
    await until('the mails are sent', async () => {
      await passTime()
      return (await owner.query('select from mails')).rows.length === 0
    })
    const mails = await Promise.all(
      instances.map(({ settings }) => readdir(path.join(String(settings['DATA_DIR']), 'outbox'))),
    )
    // A mail whose sender is killed may be sent twice, but is never lost.
    assert.ok(mails.flat().length >= refused, `${mails.flat().length} mails of ${refused}`)
    assert.ok(refused > 20 && paid > 200)
    await assertSound(bank)
    t.diagnostic(`${made.length} orders, ${paid} days paid, ${refused} refused`)
  })
})
