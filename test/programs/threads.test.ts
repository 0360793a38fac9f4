// Requests answered by several threads: each promise is that of one, a thread that ends is
// replaced, and the service starts, reports and closes as a whole.
import assert from 'node:assert/strict'
import net from 'node:net'
import { once } from 'node:events'
import { test, type TestContext } from 'node:test'
import { approve, heldAt, pairOf } from '../support/approvals.ts'
import { addPayee, giveFactor, pay as payOnce, sendConfirmed } from '../support/confirmations.ts'
import {
  assertSound,
  deposit,
  many,
  openAccount,
  readBalance,
  type Scene,
  sceneIn,
  tally,
  transferBody,
} from '../support/fixture.ts'
import { until } from '../support/mailbox.ts'
import {
  type ApiClient,
  type Changes,
  clientWith,
  password,
  world,
  type World,
} from '../support/world.ts'

const threadCount = 3
const me = '/api/v1/me'
const payments = '/api/v1/transfers'

const threads = { THREADS: String(threadCount) }
const fresh = (t: TestContext, settings: Changes['settings'] = {}): Promise<World> =>
  world(t, { settings: { ...threads, ...settings } })

type Family = { name: string; values: { value: number }[] }

/** How many requests each thread has answered, and how many those that have ended. */
async function countAnswered({ running }: World): Promise<{ counts: number[]; ended: number }> {
  const measured = (await running.threads?.measure()) as Family[][]
  const counts = measured.map((families) => {
    const family = families.find(({ name }) => name === 'strongroom_requests_total')
    return (family?.values ?? []).reduce((sum, { value }) => sum + value, 0)
  })
  return { counts: counts.slice(0, -1), ended: counts.at(-1) as number }
}

/** Payments of one cent, each with its key, until `end`. Gives the keys that were answered 201. */
async function payUntil(
  { ada, from, to }: Scene,
  end: { isOver: boolean },
  name: string,
): Promise<{ acknowledged: string[]; lost: string[] }> {
  const [acknowledged, lost]: [string[], string[]] = [[], []]
  for (let number = 0; !end.isOver; number++) {
    const key = `${name}-${number}`
    const body = { ...transferBody(from, to, '0.01'), reference: key }
    const reply = await pay(ada, key, body).catch(() => undefined)
    if (reply?.status === 201) acknowledged.push(key)
    else lost.push(key)
  }
  return { acknowledged, lost }
}

const pay = (client: ApiClient, key: string, body: object) =>
  client.post(payments, body, { headers: { 'idempotency-key': key } })

test('every thread answers, and one scrape shows what all of them did', async (t) => {
  const bank = await fresh(t)
  const ada = await bank.as('ada')
  const replies = await many(60, () => ada.get(me))
  assert.deepEqual(tally(replies), { '200': 60 })
  const { counts } = await countAnswered(bank)
  assert.equal(counts.length, threadCount)
  assert.ok(
    counts.every((count) => count > 0),
    counts.join(),
  )
  assert.equal(
    counts.reduce((sum, count) => sum + count, 0),
    61,
  )
  assert.equal(bank.logged.filter((line) => line.includes('"message":"answered"')).length, 61)
})

test('a limit admits exactly its quota over all connections, and Retry-After is true to the second', async (t) => {
  const bank = await fresh(t, {
    LIMITS: '{"read":{"burst":"7/10s"},"address":{"burst":"1000/1s"}}',
  })
  const ada = await bank.as('ada')
  for (let turn = 0; turn < 3; turn++) {
    const replies = await many(40, () => ada.get(me))
    assert.deepEqual(tally(replies), { '200': 7, '429 rate_limited': 33 })
    const refused = replies.filter(({ status }) => status === 429)
    assert.ok(refused.every(({ headers }) => headers['retry-after'] === '10'))
    bank.clock.advance(9999)
    assert.equal((await ada.get(me)).status, 429)
    bank.clock.advance(1)
  }
})

test('wrong passwords are counted over all threads, and right ones take no slot', async (t) => {
  const bank = await fresh(t, {
    LIMITS: JSON.stringify({
      login: {
        attempts: '1000/1s',
        failedPerAddress: '1000/1m',
        failedPerUsername: '5/10m',
      },
    }),
  })
  const attempt = (given: string) =>
    bank.send('POST', '/api/v1/auth/login', { body: { username: 'ada', password: given } })
  for (let turn = 0; turn < 8; turn++) assert.equal((await attempt(password)).status, 200)
  const replies = await many(20, () => attempt('wrong horse battery'))
  const counts = tally(replies)
  assert.equal(counts['401 invalid_credentials'], 5, JSON.stringify(counts))
  assert.equal(counts['429 rate_limited'], 15, JSON.stringify(counts))
})

test('a revocation that is answered refuses every later request on every connection', async (t) => {
  const bank = await fresh(t)
  const [ada, other] = [await bank.as('ada'), await bank.login('ada')]
  await many(40, () => ada.get(me))
  assert.equal((await other.delete(`/api/v1/auth/sessions/${ada.sessionId}`)).status, 204)
  const replies = await many(40, () => ada.get(me))
  assert.deepEqual(tally(replies), { '401 session_revoked': 40 })
})

test('what a second person approves or a factor confirms reaches the ledger from every thread', async (t) => {
  const bank = await fresh(t, { FOUR_EYES: 'createAdminAccountDeposit' })
  const { maker, checker } = await pairOf(bank)
  const ada = await bank.as('ada')
  const account = await openAccount(ada)
  const path = `/api/v1/admin/accounts/${account}/deposits`
  const body = { amount: '5.00', currency: 'EUR' }
  const held = await many(9, (index) =>
    maker.post(path, { ...body, reason: `Counter ${index}` }).then(heldAt),
  )
  const replies = await many(9, (index) => approve(checker, held[index] as string))
  assert.deepEqual(tally(replies), { '200': 9 })
  assert.equal(await readBalance(ada, account), '45.00')
  await giveFactor(bank, 'ada')
  const beneficiaryId = await addPayee(bank, ada, account)
  const order = { fromAccountId: account, beneficiaryId, amount: '44.00', reference: 'Rent' }
  const confirmed = await sendConfirmed(bank, (headers) => payOnce(ada, order, { headers }))
  assert.equal(confirmed.status, 201, confirmed.text)
  assert.equal(await readBalance(ada, account), '1.00')
  await assertSound(bank)
})

test('a thread that ends is replaced; nothing that was answered is lost, nothing is doubled', async (t) => {
  const fixture = await sceneIn(await fresh(t))
  const { ada, root, from, to } = fixture
  await deposit(root, from, '1000.00')
  const end = { isOver: false }
  const paying = many(12, (index) => payUntil(fixture, end, `payer-${index}`))
  for (let victim = 0; victim < threadCount; victim++) {
    const before = fixture.logged.length
    await until('payments go on', async () => {
      return (
        fixture.logged.slice(before).filter((line) => line.includes('"status":201')).length > 20
      )
    })
    const { counts, ended } = await countAnswered(fixture)
    await fixture.running.threads?.kill(victim)
    await until('another thread is in its place', async () => {
      return (await countAnswered(fixture)).counts.length === threadCount
    })
    // What it had counted stays in the sum.
    assert.equal((await countAnswered(fixture)).ended, ended + (counts[victim] as number))
  }
  end.isOver = true
  const results = await paying
  const acknowledged = results.flatMap((result) => result.acknowledged)
  const lost = results.flatMap((result) => result.lost)
  assert.ok(lost.length > 0, 'no connection was lost: the test proves nothing')
  // A repeated order tells what became of it.
  for (const key of lost) {
    const body = { ...transferBody(from, to, '0.01'), reference: key }
    assert.equal((await pay(ada, key, body)).status, 201)
  }
  const cents = acknowledged.length + lost.length
  assert.equal(await readBalance(ada, to), (cents / 100).toFixed(2))
  assert.match(fixture.logged.join(''), /a thread has ended and is replaced/)
  await assertSound(fixture)
})

test('a thread that ends while it starts is started once more', async (t) => {
  const bank = await fresh(t)
  const ada = await bank.as('ada')
  await bank.running.threads?.kill(0)
  await bank.running.threads?.kill(0)
  await until('all threads answer again', async () => {
    return (await countAnswered(bank)).counts.length === threadCount
  })
  const told = bank.logged
    .join('')
    .match(/a thread (has ended and is replaced|could not be started)/g)
  assert.deepEqual(told, [
    'a thread has ended and is replaced',
    'a thread could not be started',
    'a thread has ended and is replaced',
  ])
  assert.deepEqual(tally(await many(20, () => ada.get(me))), { '200': 20 })
})

test('the end answers the requests that wait, and what was answered before it is in the books', async (t) => {
  const fixture = await sceneIn(await fresh(t))
  const { ada, root, from, to, running } = fixture
  const waiting = many(4, () => root.get('/api/v1/events?after=last&wait=25'))
  await until('they wait', () => running.core.feed.waiting() === 4)
  const end = { isOver: false }
  const paying = many(12, (index) => payUntil(fixture, end, `payer-${index}`))
  await until('payments are answered', () => {
    return fixture.logged.filter((line) => line.includes('"status":201')).length > 100
  })
  const closing = running.close()
  assert.deepEqual(tally(await waiting), { '200': 4 })
  await closing
  end.isOver = true
  const results = await paying
  const acknowledged = results.flatMap((result) => result.acknowledged)
  const lost = results.flatMap((result) => result.lost)
  const { send } = await fixture.another()
  const next = { ...ada, ...clientWith(send, ada.token) }
  for (const key of lost) {
    const body = { ...transferBody(from, to, '0.01'), reference: key }
    assert.equal((await pay(next, key, body)).status, 201)
  }
  const cents = acknowledged.length + lost.length
  assert.equal(await readBalance(next, to), (cents / 100).toFixed(2))
  await assertSound(fixture)
})

test('a port that another program has is refused, though threads could share it', async (t) => {
  const taken = net.createServer()
  // As another service of the same user would listen.
  taken.listen({ port: 0, host: '127.0.0.1', reusePort: true })
  await once(taken, 'listening')
  t.after(() => void taken.close())
  const { port } = taken.address() as net.AddressInfo
  await assert.rejects(fresh(t, { HTTPS_PORT: String(port) }), {
    message: `Cannot listen on port ${port} of 127.0.0.1: another program does already.`,
  })
})
