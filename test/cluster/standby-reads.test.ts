// Reads at a standby, beside a primary: none is older than what was acknowledged before it, and
// whatever becomes of the standby, the primary answers.
import assert from 'node:assert/strict'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { after, test, type TestContext } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Running } from '../../src/app/start.ts'
import { type LocalAddress, openDatabase } from '../../src/database/connections/connect.ts'
import { readPosition, readReplayed } from '../../src/database/connections/log-position.ts'
import type { RequestReads, UnusedCause } from '../../src/database/connections/read-standby.ts'
import { startEmbedded } from '../../src/database/embedded/embedded.ts'
import { statement } from '../../src/database/statements/statement.ts'
import { serviceLogin } from '../../src/gate/provision.ts'
import { query } from '../faults/base.ts'
import { makeTemplate, toUrl } from '../support/database.ts'
import {
  assertSound,
  many,
  openAccount,
  patiently,
  sceneIn,
  transferBody,
} from '../support/fixture.ts'
import { untilInTime } from '../support/locks.ts'
import { until } from '../support/mailbox.ts'
import { people, world } from '../support/world.ts'
import { openPair } from './pair.ts'

// All of them at night.
const pairCount = Number(process.env['STANDBY_PAIRS'] ?? 400)
const killCount = Number(process.env['STANDBY_KILLS'] ?? 2)

const ends: (() => Promise<unknown>)[] = []
after(async () => {
  for (const end of ends) await end()
})

const parent = await mkdtemp(path.join(tmpdir(), 'strongroom-pair-'))
const pair = await openPair(parent, makeTemplate)
const owner = { ...pair.primary.address, database: 'postgres' }
const cluster = { address: owner, login: await serviceLogin(owner), stop: async () => {} }
const span = { after: (end: () => Promise<unknown>) => void ends.push(end) }
const bank = await sceneIn(await world(span, { cluster }), '1000000.00')
ends.push(
  () => pair.stop(),
  () => rm(parent, { recursive: true, force: true }),
)
const { token } = bank.ada
const { database } = bank.address as LocalAddress
const url = pair.urlFor({ ...cluster.login, database })
const instance = () => bank.another({ settings: { DATABASE_URL: url, READ_DATABASE_URL: url } })
const readers = [await instance(), await instance()] as const
const [{ send, running }] = readers
const history = `/api/v1/accounts/${bank.from}/transactions`

const standbyOf = ({ readStandby }: Running) => readStandby as NonNullable<typeof readStandby>
const here = standbyOf(running)
const used = () =>
  until('both use the standby', () => readers.every((each) => standbyOf(each.running).isUsed()))
const answeredCount = () =>
  readers.reduce((sum, each) => sum + standbyOf(each.running).counts().answered, 0)

let paymentCount = 0

async function pay(): Promise<string> {
  const headers = { 'idempotency-key': `pay-${paymentCount++}` }
  const body = transferBody(bank.from, bank.to)
  const reply = await patiently(() => bank.ada.post('/api/v1/transfers', body, { headers }))
  assert.equal(reply.status, 201, reply.text)
  return reply.body.id as string
}

/** Pays by the service without a standby, and reads by one that has one. */
async function assertFresh(index: number): Promise<void> {
  const reader = readers[index % 2] ?? readers[0]
  const id = await pay()
  const reply = await reader.send('GET', `${history}?limit=20`, { token })
  assert.equal(reply.status, 200, reply.text)
  const ids = (reply.body.items as { id: string }[]).map((item) => item.id)
  assert.ok(ids.includes(id), `pair ${index}: ${id} is not in ${ids.join(' ')}`)
}

/** Pairs of a payment and a read, until `work` is done. */
async function during(work: () => Promise<unknown>): Promise<number> {
  const done = new AbortController()
  let count = 0
  const paying = many(4, async () => {
    while (!done.signal.aborted) await assertFresh(count++)
  })
  await Promise.race([work(), paying]).finally(() => done.abort())
  await paying
  return count
}

test('what was acknowledged is read at the standby, by each of two instances', async (t) => {
  await used()
  const before = answeredCount()
  // An owner and a page of each.
  const answered = () => (answeredCount() - before) / 2
  let next = 0
  await many(8, async () => {
    // A slow machine leaves the standby for a second now and then.
    while (next < pairCount || (next < 4 * pairCount && answered() < 0.5 * pairCount)) {
      await assertFresh(next++)
    }
  })
  assert.ok(answered() >= 0.5 * pairCount, `${answered()} of ${next}`)
  t.diagnostic(`${answered()} of ${next} were read at the standby`)
})

test('each read of the rows of an account, and of payments, is made at the standby', async () => {
  const id = await pay()
  const account = `/api/v1/accounts/${bank.from}`
  const admin = '/api/v1/admin'
  const paths = [
    `${history}?text=nothing`,
    `${history}/${id}`,
    '/api/v1/transactions',
    `${account}/statement`,
    `${account}/statement?format=csv`,
    `${account}/statement?format=camt053`,
    `${account}/balance`,
    `${account}/balances`,
    `${account}/insight`,
    `${account}/former-entries`,
    `/api/v1/transfers/${id}/receipt`,
    `${admin}/payments?id=${id}`,
    `${admin}/payments?reference=rent`,
    `${admin}/bank-accounts/cash/EUR/transactions`,
    `${admin}/bank-accounts/cash/EUR/statement`,
  ]
  for (const at of paths) {
    const asked = { token: at.startsWith(admin) ? bank.root.token : token }
    // A busy machine may have just left the standby for a second.
    await until(`${at} is read at the standby`, async () => {
      await used()
      const before = answeredCount()
      const reply = await send('GET', at, asked)
      assert.equal(reply.status, 200, `${at}: ${reply.text}`)
      if (!at.includes('camt')) assert.equal(reply.text, (await bank.send('GET', at, asked)).text)
      return answeredCount() > before
    })
  }
})

const readName = statement(
  'test_read_user_name',
  ['uuid[]'],
  { id: 'uuid', username: 'text' },
  'select id, username from users where id = any($1)',
)

test('look-ups of a request share a position that was asked for after it began, never an earlier one', async (t) => {
  await untilInTime(() => tryShared(t), isLeft)
})

/** A slow machine was late: a read was left to the primary. */
class Left extends Error {}
const isLeft = (thrown: unknown): boolean => thrown instanceof Left

async function tryShared(t: TestContext): Promise<void> {
  const { db, readStandby } = direct(t, url)
  await until('it is used', readStandby.isUsed)
  const sent = () => db.lookupCounts(readPosition).asked
  const { id } = people.ada
  // Asked for by those of earlier requests that still wait for their page.
  const earlier = readStandby.openRequest()
  const ask = async (
    what: string,
    expected: number,
    work: (one: RequestReads) => Promise<unknown>,
    request = readStandby.openRequest(),
  ) => {
    const before = sent()
    await work(request)
    if (readStandby.counts().handedOver > 0) throw new Left()
    assert.equal(sent() - before, expected, what)
    return request
  }
  const owner = ({ lookup }: RequestReads) => lookup(readName, id)
  const page = ({ lookupMany }: RequestReads) => lookupMany(readName, id)
  const request = await ask('its owner', 1, owner)
  await ask('its page', 0, page, request)
  await ask('the page of a request that began before', 0, page, earlier)
  await ask('the owner for a later request', 1, owner)
  await ask('a page without an owner', 1, page)
  await ask('pages of a later and an earlier request together', 1, (later) =>
    Promise.all([page(earlier), page(later)]),
  )
  await ask('a page of a later and an owner of an earlier request', 1, (later) =>
    Promise.all([owner(earlier), page(later)]),
  )
  await ask('a read by no key', 1, async (one) => one.as('ada').run(readReplayed, []))
  if (readStandby.counts().handedOver > 0) throw new Left()
}

test('the owner of what a read names is looked up at the standby, and is as it was when the read came', async (t) => {
  const accountId = await openAccount(bank.ada)
  const at = `/api/v1/accounts/${accountId}/transactions`
  const { token: bens } = await bank.login('ben')
  // A busy machine may have just left the standby for a second.
  await until('owners are looked up there', async () => {
    await used()
    const counts = [here.counts().answered]
    for (const [asker, status] of [
      [bens, 403],
      [token, 200],
    ] as const) {
      assert.equal((await send('GET', at, { token: asker })).status, status)
      counts.push(here.counts().answered)
    }
    const [before = 0, byBen = 0, byAda = 0] = counts
    return byBen - before === 1 && byAda - byBen === 2
  })
  await pair.atStandby('select pg_wal_replay_pause()')
  t.after(() => pair.atStandby('select pg_wal_replay_resume()'))
  const closed = await bank.ada.delete(`/api/v1/accounts/${accountId}`)
  assert.equal(closed.status, 204, closed.text)
  assert.equal((await send('GET', at, { token })).status, 404)
  assert.equal(here.isUsed(), false, 'it is behind')
})

test('a standby that lags is left: no answer is old, and it is used again when it has caught up', async (t) => {
  const { db, readStandby, causes } = direct(t, url)
  await until('it is used', readStandby.isUsed)
  await used()
  await pair.atStandby('select pg_wal_replay_pause()')
  for (let index = 0; index < 20; index++) await assertFresh(index)
  await db.onBehalfOf('ada', readStandby.openRequest()).run(readReplayed, [])
  assert.deepEqual([here.isUsed(), readStandby.isUsed()], [false, false])
  // A busy machine may have given no answer in time before.
  assert.match(String(causes), /^(behind|no answer)$/)
  assert.ok(bank.logged.some((line) => line.includes('"the standby for reads is not used: the')))
  await pair.atStandby('select pg_wal_replay_resume()')
  await used()
  await assertFresh(0)
})

test('a standby that falls silent, or is killed, fails no request', async (t) => {
  await used()
  const silent = await during(async () => {
    pair.wire.drop()
    await until('it is left', () => readers.every((each) => !standbyOf(each.running).isUsed()))
    pair.wire.heal()
    await used()
  })
  const killed = await during(async () => {
    for (let turn = 0; turn < killCount; turn++) {
      await pair.kill()
      await until('it is left', () => !here.isUsed())
      await pair.start()
      await used()
      await sleep(50)
    }
  })
  t.diagnostic(`${silent} and ${killed} pairs, ${killCount} times killed`)
})

const sleepLong = statement(
  'test_sleep_at_standby',
  [],
  { at: 'text' },
  'select pg_sleep(0.6)::text as at',
)

/** The service's own connections, without the service. */
function direct(t: TestContext, standby: string) {
  const db = openDatabase(
    { ...cluster.login, database },
    { standby: { connectionString: standby } },
  )
  t.after(() => db.close())
  const causes: (UnusedCause | undefined)[] = []
  db.readStandby?.onChange((cause) => causes.push(cause))
  return { db, readStandby: db.readStandby as NonNullable<typeof db.readStandby>, causes }
}

/** The same once it is told why that standby is not used; again where it was slow to answer. */
const judged = (t: TestContext, standby: string) =>
  untilInTime(async () => {
    const made = direct(t, standby)
    await until('it is judged', () => made.causes.length > 0)
    if (made.causes[0] === 'no answer') throw new Left()
    return { ...made, cause: made.causes[0] }
  }, isLeft)

test('a read and a snapshot that conflict with what the log removes are those of the primary', async (t) => {
  const { db, readStandby } = direct(t, url)
  await until('it is used', readStandby.isUsed)
  const reads = db.onBehalfOf('ada', readStandby.openRequest())
  await bank.sql('create table conflicts_of_test as select generate_series(1, 100) as number')
  const snapshot = await reads.openSnapshot('ada')
  t.after(() => snapshot.close())
  const before = await snapshot.run(readReplayed, [])
  assert.equal(before[0]?.isStandby, true)
  // On a busy machine the standby may be left just then, or the read end before.
  await until('a read conflicts', async () => {
    await until('it is used', readStandby.isUsed)
    const slow = reads.run(sleepLong, [])
    // The read is on a lane of slow ones by now.
    await sleep(100)
    await bank.sql('delete from conflicts_of_test')
    await bank.sql('vacuum conflicts_of_test')
    assert.equal((await slow).length, 1)
    await bank.sql('insert into conflicts_of_test select generate_series(1, 100)')
    // Only a conflict ends it at the standby: it may take a second.
    return readStandby.counts().handedOver > 0
  })
  await used()
  const later = await snapshot.run(readReplayed, [])
  assert.equal(later[0]?.isStandby, false)
})

test('a standby of another system is not used', async (t) => {
  const folder = path.join(parent, 'other')
  const made = await startEmbedded(folder, { fsync: 'off' })
  await query(made.address, 'create role strongroom_service')
  await made.stop()
  await writeFile(path.join(folder, 'postgres/standby.signal'), '')
  const other = await startEmbedded(folder, { fsync: 'off' })
  t.after(() => other.stop())
  const { db, readStandby, cause } = await judged(
    t,
    toUrl({ ...other.address, database: 'postgres' }),
  )
  assert.deepEqual([cause, readStandby.isUsed()], ['another system', false])
  const [row] = await db.onBehalfOf('ada', readStandby.openRequest()).run(readReplayed, [])
  assert.equal(row?.isStandby, false)
})

test('a standby that was promoted is not used, nor on its new timeline', async (t) => {
  const { db, readStandby, causes } = direct(t, url)
  await until('it is used', readStandby.isUsed)
  const read = () => db.onBehalfOf('ada', readStandby.openRequest()).run(readReplayed, [])
  await pair.atStandby('select pg_promote(true, 60)')
  await read()
  assert.equal(readStandby.counts().handedOver, 1)
  for (let index = 0; index < 10; index++) await assertFresh(index)
  // A slow machine may have given no answer in time before.
  assert.match(String(causes), /^(no standby|no answer)$/)
  assert.equal(readStandby.isUsed(), false)
  await pair.end()
  await pair.markStandby()
  await pair.start()
  const again = await judged(t, url)
  assert.deepEqual([again.cause, again.readStandby.isUsed()], ['another timeline', false])
  await assertFresh(0)
  await assertSound(bank)
})
