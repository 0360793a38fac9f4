// No outage is silent. Each cause for which requests are refused is produced for real, and has a
// line when it begins and one when it ends, its metric, its word in readiness, its alert and its
// page of the runbook.
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { after, before, beforeEach, describe, test, type TestContext } from 'node:test'
import type pg from 'pg'
import { commandEvent } from '../src/audit/sql.ts'
import { outages, type ToldCause, toldCauses } from '../src/telemetry/outages.ts'
import { deposit, openAccount, type Scene, sceneIn, transferBody } from './support/fixture.ts'
import { openHolder } from './support/locks.ts'
import { until } from './support/mailbox.ts'
import { freePort } from './support/program.ts'
import { startStore, type Store, withoutStore } from './support/redis.ts'
import type { Reply } from './support/client.ts'
import { fakeClock } from './support/clock.ts'
import { world, type World } from './support/world.ts'

type Line = {
  level: number
  message: string
  cause?: string
  runbook?: string
  milliseconds?: number
  faultCount?: number
  because?: string
  lock?: Record<string, unknown>
}

const metrics = async () => ({ METRICS_PORT: String(await freePort()) })

const ends: (() => Promise<unknown>)[] = []
const span = { after: (end: () => Promise<unknown>) => void ends.unshift(end) }
after(async () => {
  for (const end of ends) await end()
})

let bank: Scene
let holder: pg.Client
let store: Store
const hourMs = 3_600_000
before(async () => {
  bank = await sceneIn(await world(span, { settings: await metrics() }), '1000.00')
  holder = await openHolder(span, bank)
})

// The clock of the bank goes on by minutes, and sessions end.
beforeEach(async () => {
  ;[bank.ada, bank.root] = [await bank.login('ada'), await bank.login('root')]
})

const linesOf = ({ logged }: World): Line[] => logged.map((line) => JSON.parse(line) as Line)
const crowd = { isPatient: false }
const pay = (amount: string): Promise<Reply> =>
  bank.ada.post('/api/v1/transfers', transferBody(bank.from, bank.to, amount), crowd)

async function gauge({ running }: World, cause: ToldCause): Promise<string | undefined> {
  const { metricsPort } = running.config
  const text = await (await fetch(`http://127.0.0.1:${metricsPort}/metrics`)).text()
  return new RegExp(`^strongroom_outage\\{cause="${cause}"\\} (\\S+)$`, 'm').exec(text)?.[1]
}

/** Holds a lock of that table, as an operator's open transaction does. */
async function whileLocked<R>(table: string, work: () => Promise<R>): Promise<R> {
  await holder.query('begin')
  try {
    await holder.query(`lock table ${table} in access exclusive mode`)
    return await work()
  } finally {
    await holder.query('rollback')
  }
}

/** Each row of the table takes that long to read, or to write; nothing is locked. */
async function whileSlow<R>(table: string, seconds: number, work: () => Promise<R>): Promise<R> {
  await bank.sql(`alter table ${table} enable row level security`)
  const policy = `create policy slow on ${table} using (pg_sleep(${seconds}) is not null)`
  await bank.sql(policy)
  try {
    return await work()
  } finally {
    await bank.sql(`drop policy slow on ${table}`)
    await bank.sql(`alter table ${table} disable row level security`)
  }
}

async function whileDiskIsFull<R>(table: string, work: () => Promise<R>): Promise<R> {
  await bank.sql(`create or replace function full_disk() returns trigger language plpgsql as
    $$ begin raise exception 'no room' using errcode = 'disk_full'; end $$`)
  await bank.sql(`create trigger spite before insert on ${table} execute function full_disk()`)
  try {
    return await work()
  } finally {
    await bank.sql(`drop trigger spite on ${table}`)
  }
}

const backends = (and = 'true') =>
  bank.sql(
    `select pg_terminate_backend(pid) from pg_stat_activity
     where datname = current_database() and application_name like 'strongroom %' and ${and}`,
  )

const isAsleep = `wait_event = 'PgSleep'`
const untilAsleep = () =>
  until('a statement is under way', async () => {
    const found = await bank.sql(
      `select from pg_stat_activity where datname = current_database() and ${isAsleep}`,
    )
    return found.rowCount !== 0
  })

let hasBeneficiary = false
async function addBeneficiary(): Promise<void> {
  if (hasBeneficiary) return
  hasBeneficiary = true
  const body = { name: 'Payee', iban: 'DE89370400440532013000' }
  const path = `/api/v1/accounts/${bank.from}/beneficiaries`
  const { status, text } = await bank.ada.post(path, body)
  assert.equal(status, 201, text)
}
const readBeneficiaries = () => bank.ada.get(`/api/v1/accounts/${bank.from}/beneficiaries`, crowd)

const times = (count: number, ask: (index: number) => Promise<Reply>) =>
  Promise.all(Array.from({ length: count }, (_, index) => ask(index)))

const isLate = ({ message }: Line): boolean => message === outages.queue.begin

/**
 * The time that orders of a batch may take one by one is over sooner than for real. The clock
 * stands once it is told: on a slow machine the end would be told as well.
 */
async function whileWritingIsSlow<R>(work: () => Promise<R>, isTold: () => boolean): Promise<R> {
  await bank.sql(`create or replace function slow() returns trigger language plpgsql as
    $$ begin perform pg_sleep(20); return new; end $$`)
  await bank.sql('create trigger slow before insert on entries execute function slow()')
  const timer = setInterval(() => {
    if (!isTold()) bank.clock.advance(2000)
  }, 500)
  try {
    return await work()
  } finally {
    clearInterval(timer)
    await bank.sql('drop trigger slow on entries')
  }
}

/** The first one is of other accounts: the others wait for no lock of it, and gather meanwhile. */
async function payInOneBatch(here: string, there: string): Promise<Reply[]> {
  const first = bank.ada.post('/api/v1/transfers', transferBody(here, there, '1.00'), crowd)
  await untilAsleep()
  return (await Promise.all([first, times(5, (index) => pay(`4.0${index}`))])).flat()
}

type Produced = {
  /** Of a bank of its own. */
  open?(t: TestContext): Promise<World>
  /** Gives answers of which one at least is refused for that cause. */
  produce(made: World): Promise<Reply[]>
  isSkipped?: string | false
}

/** `closing` and `standby` are made by `test/connections.test.ts` and `test/cluster`. */
const produced = {
  audit: {
    async produce() {
      const { audit } = bank.running.edge.service
      const at = bank.clock.now()
      return whileDiskIsFull('audit_events', async () => {
        for (let count = 0; count < 10_000; count++)
          audit.note(commandEvent(at, { action: 'verify' }))
        return [await bank.root.get(`/api/v1/accounts/${bank.from}`)]
      })
    },
  },
  capacity: {
    async produce() {
      const agnes = await bank.as('agnes')
      const leaving = new AbortController()
      const wait = { types: ['card.issued'], after: 1n << 60n, waitMs: 25_000 }
      const { feed } = bank.running.core
      const { userId } = (await agnes.get('/api/v1/me')).body as { userId: string }
      for (let count = 0; count < 256; count++) {
        void feed.waitForNewer(`${userId}${count}`, { ...wait, signal: leaving.signal })
      }
      const { nextAfter } = (await agnes.get('/api/v1/events')).body as { nextAfter: string }
      const reply = await agnes.get(`/api/v1/events?after=${nextAfter}&wait=25&types=card.issued`)
      leaving.abort()
      return [reply]
    },
  },
  clock: {
    async open(t) {
      const database = fakeClock()
      const clock = fakeClock(database.now(), database)
      const advance = (ms: number) => [database, clock].forEach((each) => each.advance(ms))
      return {
        ...(await world(t, { clock, settings: await metrics() })),
        clock: { ...clock, advance },
      }
    },
    async produce({ clock, send }) {
      clock.jump(25 * hourMs)
      const reply = await send('GET', '/readyz')
      clock.jump(-25 * hourMs)
      return [reply]
    },
  },
  database: {
    async produce() {
      await addBeneficiary()
      return whileSlow('beneficiaries', 20, async () => {
        const reading = readBeneficiaries()
        await untilAsleep()
        let isDone = false
        void reading.then(() => (isDone = true))
        await until('its backend is gone', async () => {
          await backends(isAsleep)
          return isDone
        })
        return [await reading]
      })
    },
  },
  disk: {
    produce: () => whileDiskIsFull('entries', async () => [await pay('2.00')]),
  },
  ibans: {
    open: async (t) =>
      world(t, { settings: { BANK: 'IE/AIBK931152', IBANS: 'pool', ...(await metrics()) } }),
    produce: async (made) => [
      await (await made.as('ada')).post('/api/v1/accounts', { currency: 'EUR' }),
    ],
  },
  'limit-store': {
    isSkipped: withoutStore,
    async open(t) {
      store = await startStore()
      return world(t, { settings: { REDIS_URL: store.url, ...(await metrics()) } })
    },
    async produce({ send }) {
      await store.kill()
      const reply = await send('GET', '/api/v1/me')
      await store.start()
      return [reply]
    },
  },
  lock: {
    produce: () => whileLocked('transfers', async () => [await pay('3.00')]),
  },
  pool: {
    produce: () =>
      whileSlow('migrations', 20, () => times(16, () => bank.send('GET', '/readyz', crowd))),
  },
  queue: {
    async produce() {
      const [here, there] = [await openAccount(bank.ada), await openAccount(bank.ada)]
      await deposit(bank.root, here, '10.00')
      const from = bank.logged.length
      const isTold = () => linesOf(bank).slice(from).some(isLate)
      const replies: Reply[] = []
      // On a busy machine they may meet in other batches, and wait for each other's locks.
      for (let turn = 0; !isTold(); turn++) {
        assert.ok(turn < 9, 'it was not told')
        replies.push(...(await whileWritingIsSlow(() => payInOneBatch(here, there), isTold)))
        await until('it is told', async () => {
          return (await bank.send('GET', '/readyz')).body.status === 'degraded'
        })
        if (!isTold()) bank.clock.advance(3000)
      }
      return replies
    },
  },
  'read-only': {
    async produce() {
      const { database } = bank.address as { database: string }
      await bank.sql(`alter database ${database} set default_transaction_read_only = on`)
      await backends()
      const replies: Reply[] = []
      // The first ones may meet a connection that was ended.
      await until('it is refused for that', async () => {
        replies.push(await bank.ada.post('/api/v1/accounts', { currency: 'EUR' }))
        return bank.logged.some((line) => line.includes('"cause":"read-only"'))
      })
      await bank.sql(`alter database ${database} reset default_transaction_read_only`)
      await backends()
      return replies
    },
  },
  reads: {
    async produce() {
      await addBeneficiary()
      return whileSlow('beneficiaries', 0.8, () => times(9, readBeneficiaries))
    },
  },
  schema: {
    async produce() {
      await bank.sql(`insert into migrations (name, run_on, oldest_release)
        values ('9999_later', now(), '99.0.0')`)
      const reply = await bank.send('GET', '/readyz')
      await bank.sql(`delete from migrations where name = '9999_later'`)
      return [reply]
    },
  },
  timeout: {
    async produce() {
      await addBeneficiary()
      return whileSlow('beneficiaries', 20, async () => [await readBeneficiaries()])
    },
  },
} satisfies Record<Exclude<ToldCause, 'standby'>, Produced>

describe('each cause of 503', () => {
  const cases = Object.entries(produced) as [keyof typeof produced, Produced][]
  for (const [cause, { open, produce, isSkipped = false }] of cases) {
    const told = outages[cause]
    test(
      `${cause}: begin and end in the log, the metric, readiness`,
      { skip: isSkipped },
      async (t) => {
        const made = (await open?.(t)) ?? bank
        const from = made.logged.length
        const said = (text: string) =>
          linesOf(made)
            .slice(from)
            .filter((line) => line.cause === cause && line.message === text)
        const replies = await produce(made)
        // A COMMIT on a busy machine may be in doubt.
        const refused = replies.filter(
          ({ status, body }) => status === 503 && body.code !== 'outcome_unknown',
        )
        assert.ok(refused.length > 0, replies.map(({ text }) => text).join())
        for (const { body } of refused) assert.equal(body.code, 'unavailable')
        await until('the line', () => said(told.begin).length > 0)
        for (const { level, because } of said('refused')) {
          assert.deepEqual([level, typeof because], [40, 'string'])
        }
        const [begin] = said(told.begin)
        assert.deepEqual([begin?.level, begin?.runbook], [50, told.runbook])
        assert.equal(await gauge(made, cause), '1')
        await until('readiness', async () => (await made.send('GET', '/readyz')).status === 200)
        const { body } = await made.send('GET', '/readyz')
        assert.equal(body.status, 'degraded')
        assert.ok((body.causes as string[]).includes(cause))

        await until('the end', () => {
          made.clock.advance(61_000)
          return said(told.end).length > 0
        })
        const [end] = said(told.end)
        assert.equal(end?.level, 50)
        assert.ok(Number(end?.faultCount) > 0 && Number(end?.milliseconds) >= 0)
        assert.equal(await gauge(made, cause), '0')
        assert.deepEqual([said(told.begin).length, said(told.end).length], [1, 1])
        await until('all is well', async () => {
          made.clock.advance(10_000)
          const now = await made.send('GET', '/readyz')
          return now.body.status === 'ok' && now.status === 200
        })
      },
    )
  }

  test('has a page of the runbook and a row in its list, and an alert', () => {
    const read = (file: string) => readFileSync(new URL(`../${file}`, import.meta.url), 'utf8')
    const runbook = read('docs/RUNBOOK.md')
    const anchors = [...runbook.matchAll(/^## (.+)$/gm)].map(([, heading]) =>
      String(heading).toLowerCase().replaceAll(' ', '-'),
    )
    const [, list = ''] = /^## Requests refused$([^]*?)^## /m.exec(runbook) ?? []
    for (const cause of toldCauses) {
      const [file, anchor] = outages[cause].runbook.split('#')
      assert.equal(file, 'docs/RUNBOOK.md')
      assert.ok(anchors.includes(String(anchor)), anchor)
      assert.ok(list.includes(`\`${cause}\``), cause)
    }
    assert.match(read('deploy/alerts.yml'), /expr: strongroom_outage == 1\n/)
  })
})

const locksSaid = (from: number) =>
  linesOf(bank)
    .slice(from)
    .filter(({ message, lock }) => message === outages.lock.begin && lock !== undefined)
    .map(({ lock }) => lock as Record<string, unknown>)

describe('a lock from outside', () => {
  const cases: [what: string, relation: string, statement: string, ask: () => Promise<Reply>][] = [
    [
      'a table that payments write',
      'transfers',
      `lock table transfers in access exclusive mode /* Ada's secret 4711 */`,
      () => pay('5.00'),
    ],
    [
      'a table that reads need',
      'accounts',
      'lock table accounts',
      () => bank.ada.get('/api/v1/accounts'),
    ],
    [
      'a table that every request needs',
      'sessions',
      'lock table sessions',
      () => bank.ada.get('/api/v1/me'),
    ],
    ['one row', 'accounts', 'row', () => pay('6.00')],
  ]
  for (const [what, relation, statement, ask] of cases) {
    test(`on ${what}: the line names relation, session, since when and the first words, and its end its length`, async () => {
      const from = bank.logged.length
      const { rows } = await holder.query<{ pid: number }>('select pg_backend_pid() as pid')
      await holder.query('begin')
      if (statement === 'row') {
        await holder.query('select from accounts where id = $1 for update', [bank.from])
      } else await holder.query(statement)
      const startedAt = performance.now()
      assert.equal((await ask()).status, 503)
      await until('the line', () => locksSaid(from).length > 0)
      const tookMs = performance.now() - startedAt
      assert.ok(tookMs < 6000, `${tookMs} ms`)
      const [said] = locksSaid(from)
      assert.deepEqual(
        [said?.['backend'], said?.['relation'], said?.['state']],
        [rows[0]?.pid, relation, 'idle in transaction'],
      )
      assert.match(
        String(said?.['words']),
        /^(lock table [a-z]+( in)?|select from accounts where)$/,
      )
      assert.ok(!Number.isNaN(Date.parse(String(said?.['since']))))
      assert.ok(!JSON.stringify(said).includes('4711'))
      // The answer of a moment ago is taken: the session is not looked for again.
      bank.clock.advance(2000)
      assert.equal((await ask()).status, 503)

      await holder.query('rollback')
      const ended = () =>
        linesOf(bank)
          .slice(from)
          .find(({ message }) => message === outages.lock.end)
      await until('the end', () => {
        bank.clock.advance(10_000)
        return ended() !== undefined
      })
      assert.ok(Number(ended()?.milliseconds) >= 2000)
      assert.equal(locksSaid(from).length, 1)
    })
  }

  test('of a session that the owner of the schema may not look into: all is said but what it does', async () => {
    const { database } = bank.address as { database: string }
    const role = `plain_${database}`
    await bank.sql(`create role ${role}`)
    await bank.sql(`alter function lock_holder() owner to ${role}`)
    const from = bank.logged.length
    await whileLocked('transfers', async () => {
      assert.equal((await pay('7.00')).status, 503)
      await until('the line', () => locksSaid(from).length > 0)
    })
    const [said] = locksSaid(from)
    assert.deepEqual(
      [said?.['role'], said?.['relation'], said?.['words'], said?.['state']],
      ['strongroom_owner', 'transfers', null, null],
    )
    await bank.sql('alter function lock_holder() owner to strongroom_owner')
    await bank.sql(`drop role ${role}`)
  })

  test('is shown to the role of the service alone', async () => {
    await bank.sql('begin')
    const { rows } = await bank.sql(
      `select has_function_privilege('public', 'lock_holder()', 'execute') as everybody,
         has_function_privilege('strongroom_service', 'lock_holder()', 'execute') as service`,
    )
    await bank.sql('rollback')
    assert.deepEqual(rows, [{ everybody: false, service: true }])
  })
})
