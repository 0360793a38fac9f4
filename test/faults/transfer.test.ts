// One transfer and one fault at its worst moment. The ledger holds what was answered, and a
// repetition with the key tells an open outcome.
import assert from 'node:assert/strict'
import http2 from 'node:http2'
import { test, type TestContext } from 'node:test'
import pg from 'pg'
import { openDatabase } from '../../src/database/connections/connect.ts'
import { rotateSigningKey } from '../../src/gate/provision.ts'
import { statement } from '../../src/database/statements/statement.ts'
import { transaction } from '../../src/database/connections/transaction.ts'
import { connectHttp2 } from '../support/connect.ts'
import { hold } from '../support/held.ts'
import { inTime, untilInTime } from '../support/locks.ts'
import { until } from '../support/mailbox.ts'
import {
  assertSound,
  readBalance,
  many,
  patiently,
  type Scene,
  scene,
  sceneIn,
  tally,
  transferBody,
} from '../support/fixture.ts'
import { password } from '../support/world.ts'
import { assertUnavailable, timed } from './answers.ts'
import { proxiedWorld } from './proxied-world.ts'

const keyed = (key: string) => ({ headers: { 'idempotency-key': key } })

const pay = ({ ada, from, to }: Scene, key: string, amount = '1.00') =>
  ada.post('/api/v1/transfers', transferBody(from, to, amount), keyed(key))

/** A transaction from outside that holds a row lock. */
async function holder(t: TestContext, { address }: Scene, text: string, values: unknown[] = []) {
  const client = new pg.Client({ ...address, options: '-c search_path=strongroom' })
  client.on('error', () => {})
  await client.connect()
  let isHeld = true
  const letGo = async () => {
    if (isHeld) await client.query('rollback')
    isHeld = false
  }
  t.after(() => client.end())
  await client.query('begin')
  await client.query(text, values)
  return letGo
}

const lockAccount = 'select from accounts where id = $1 for update'
const backends = `from pg_stat_activity
  where datname = current_database() and application_name like 'strongroom %.%.%'`

async function waitsForLock({ sql }: Scene, backendCount: number): Promise<void> {
  const text = `select count(*)::int as n ${backends} and wait_event_type = 'Lock'`
  const isSo = async () => (await sql(text)).rows[0]?.['n'] === backendCount
  await until(`${backendCount} waiting for a lock`, isSo)
}

/**
 * Ends the backends of the service that wait like that, when there is one. False: the request that
 * should have waited was answered before.
 */
async function endWaiting({ sql }: Scene, wait: string, asked: Promise<unknown>): Promise<boolean> {
  let [isOver, isEnded] = [false, false]
  const over = () => void (isOver = true)
  asked.then(over, over)
  await until(`waiting for ${wait}`, async () => {
    const text = `select pg_terminate_backend(pid, 10000) ${backends} and wait_event = $1`
    isEnded = ((await sql(text, [wait])).rowCount ?? 0) > 0
    return isEnded || isOver
  })
  return isEnded
}

test('a backend that is ended between the statements of a transfer: done once, though the client notices nothing', async (t) => {
  const made = await scene(t)
  let turn = 0
  await untilInTime(async () => {
    const letGo = await holder(t, made, lockAccount, [made.from])
    const asked = pay(made, `k${turn++}`)
    const isEnded = await endWaiting(made, 'transactionid', asked)
    await letGo()
    const reply = await asked
    // One that was late had no effect; that of an ended backend is not told.
    if (reply.body?.code !== 'outcome_unknown') inTime(reply)
    assert.equal(reply.status, 201, reply.text)
    assert.ok(isEnded, 'a backend was ended')
  })
  assert.equal(await readBalance(made.ada, made.to), '1.00')
  await assertSound(made)
})

test('backends that are ended again and again: 503 and no effect, and the key succeeds once', async (t) => {
  const made = await scene(t)
  const letGo = await holder(t, made, lockAccount, [made.from])
  const asked = timed(pay(made, 'k'))
  // A slow machine may refuse it after the first end.
  await endWaiting(made, 'transactionid', asked)
  await endWaiting(made, 'transactionid', asked)
  const { reply, ms } = await asked
  assertUnavailable(reply, 'the transfer')
  assert.ok(ms < 3000, `answered after ${ms} ms`)
  await letGo()
  assert.equal(await readBalance(made.ada, made.to), '0.00')
  const again = await pay(made, 'k')
  assert.equal(again.status, 201)
  assert.equal(again.headers['idempotency-replayed'], undefined)
  assert.equal((await pay(made, 'k')).headers['idempotency-replayed'], 'true')
  assert.equal(await readBalance(made.ada, made.to), '1.00')
  await assertSound(made)
})

test('a backend that is ended in its COMMIT: the answer is what happened, once', async (t) => {
  const made = await scene(t)
  await made.sql(`
    create function dawdle() returns trigger language plpgsql as $$
    begin perform pg_sleep(1); return null; end $$`)
  await made.sql(`create constraint trigger dawdle after insert on transfers
    deferrable initially deferred for each row execute function dawdle()`)
  const asked = pay(made, 'k')
  assert.ok(await endWaiting(made, 'PgSleep', asked))
  const reply = await asked
  assert.equal(reply.status, 201, reply.text)
  assert.equal(await readBalance(made.ada, made.to), '1.00')
  assert.equal((await pay(made, 'k')).headers['idempotency-replayed'], 'true')
  await assertSound(made)
})

test('a COMMIT whose answer is lost is looked up and answered truly', async (t) => {
  const made = await sceneIn(await proxiedWorld(t))
  made.proxy.swallowCommit()
  const reply = await pay(made, 'k')
  assert.equal(reply.status, 201, reply.text)
  assert.equal(await readBalance(made.ada, made.to), '1.00')
  const again = await pay(made, 'k')
  assert.equal(again.headers['idempotency-replayed'], 'true')
  assert.equal(again.body.id, reply.body.id)
  await assertSound(made)
})

test('a COMMIT whose answer is lost with the database: outcome_unknown within 10 s, and the key tells', async (t) => {
  const made = await sceneIn(await proxiedWorld(t))
  made.proxy.trap({
    statement: 'ledger_write_batch',
    at: 'commit',
    when: 'answered',
    act: made.proxy.drop,
  })
  const { reply, ms } = await timed(pay(made, 'k'))
  assertUnavailable(reply, 'the transfer', 'outcome_unknown')
  assert.ok(ms < 10_000, `answered after ${ms} ms`)
  t.diagnostic(`answered after ${Math.round(ms)} ms`)
  made.proxy.heal()
  await assertOnceByKey(made, 'k', true)
})

test('a statement that fails in the database: 500, never 201, and nothing of it in the books', async (t) => {
  const made = await scene(t)
  await made.sql(`
    create function trip() returns trigger language plpgsql as $$
    begin if new.reference = 'Trip' then raise 'tripped'; end if; return new; end $$`)
  await made.sql(
    'create trigger trip before insert on transfers for each row execute function trip()',
  )
  const body = { ...transferBody(made.from, made.to), reference: 'Trip' }
  const [tripped, ...others] = await Promise.all([
    made.ada.post('/api/v1/transfers', body, keyed('trip')),
    ...['a', 'b', 'c'].map((key) => patiently(() => pay(made, key))),
  ])
  assert.equal(tripped.status, 500)
  assert.deepEqual(tally(others), { 201: 3 })
  assert.equal(await readBalance(made.ada, made.to), '3.00')
  await assertSound(made)
})

const divide = statement('test_fault_divide', ['int4'], { n: 'int4' }, 'select 1 / $1::int4 as n')

test('a COMMIT of a transaction that has failed is no success, though its work swallowed the failure', async (t) => {
  const made = await scene(t)
  const db = openDatabase(made.address)
  t.after(() => db.close())
  const swallowing = transaction(db, (tx) => tx.run(divide, [0]).catch(() => 'swallowed'))
  await assert.rejects(swallowing, /COMMIT answered ROLLBACK/)
})

test('idle backends that are ended cost nobody anything', async (t) => {
  const made = await scene(t)
  await many(4, () => made.login('ben'))
  for (let round = 0; round < 3; round++) {
    const ended = await made.sql(`select pid, pg_terminate_backend(pid) ${backends}`)
    assert.ok(ended.rows.length >= 2)
    const pids = ended.rows.map(({ pid }) => pid)
    await until('their end', async () => {
      const left = await made.sql('select from pg_stat_activity where pid = any($1)', [pids])
      return left.rowCount === 0
    })
    const replies = [
      await made.ada.get('/api/v1/accounts'),
      await pay(made, `k${round}`),
      await made.send('POST', '/api/v1/auth/login', { body: { username: 'ada', password } }),
      await made.send('GET', '/readyz'),
    ]
    assert.deepEqual(
      replies.map(({ status }) => status),
      [200, 201, 200, 200],
    )
  }
})

test('when every pooled connection waits for a lock, requests are refused in time, reads go on, and all are free afterwards', async (t) => {
  const made = await scene(t)
  const { refreshToken, sessionId } = await made.login('ben')
  const asked = { body: { refreshToken }, isPatient: false }
  const refresh = () => timed(made.send('POST', '/api/v1/auth/refresh', asked))
  const text = 'select from sessions where id = $1 for update'
  const letGo = await holder(t, made, text, [sessionId])
  const refreshes = many(24, refresh)
  await waitsForLock(made, 8)
  const read = await timed(made.ada.get('/api/v1/accounts'))
  assert.equal(read.reply.status, 200)
  for (const { reply, ms } of await refreshes) {
    assertUnavailable(reply, 'a refresh')
    assert.ok(ms < 10_000, `a refresh took ${ms} ms`)
  }
  await letGo()
  const after = await many(16, () => patiently(async () => (await refresh()).reply))
  assert.deepEqual(tally(after), { 200: 16 })
  await until('no transaction that is left open', async () => {
    const { rows } = await made.sql(`select count(*)::int as n ${backends} and state <> 'idle'`)
    return rows[0]?.['n'] === 0
  })
})

test('a table that is locked for a moment, as a migration does, costs time and no answer', async (t) => {
  const made = await scene(t)
  const letGo = await holder(t, made, 'alter table accounts add column later text')
  const startedAt = performance.now()
  const asked = many(10, (index) => pay(made, `k${index}`))
  await new Promise((resolve) => setTimeout(resolve, 700))
  await letGo()
  const replies = await asked
  // On a slow machine this may take longer than the 1.5 s that a statement waits for a lock.
  if (performance.now() - startedAt < 1500) assert.deepEqual(tally(replies), { 201: 10 })
  const again = await many(10, (index) => patiently(() => pay(made, `k${index}`)))
  assert.deepEqual(tally(again), { 201: 10 })
  assert.equal(await readBalance(made.ada, made.to), '10.00')
})

test('while the signing key is rotated nobody is refused: old tokens are good on all instances, new ones at once', async (t) => {
  const made = await scene(t)
  const second = await made.another()
  const paying = many(20, (index) => patiently(() => pay(made, `k${index}`)))
  await rotateSigningKey(made.address, made.clock.now())
  assert.deepEqual(tally(await paying), { 201: 20 })
  // Past the time after which an instance reads the keys again.
  made.clock.advance(31_000)
  const fresh = await made.login('ada')
  const kid = (token: string) => Buffer.from(token.split('.')[0] ?? '', 'base64url').toString()
  assert.notEqual(kid(fresh.token), kid(made.ada.token))
  for (const { token } of [made.ada, fresh]) {
    for (const send of [made.send, second.send]) {
      assert.equal((await send('GET', '/api/v1/accounts', { token })).status, 200)
    }
  }
})

/** The outcome of a request without an answer: its key tells, and the books agree. */
async function assertOnceByKey(made: Scene, key: string, isDone: boolean): Promise<void> {
  await until('the end of it', async () => {
    const reply = await pay(made, key)
    if (reply.status === 503 || reply.body.code === 'request_in_progress') return false
    assert.equal(reply.status, 201, reply.text)
    assert.equal(reply.headers['idempotency-replayed'], isDone ? 'true' : undefined)
    return true
  })
  assert.equal(await readBalance(made.ada, made.to), '1.00')
  await assertSound(made)
}

test('a client that hangs up before the end of its transfer has paid nothing', async (t) => {
  const made = await scene(t)
  const body = transferBody(made.from, made.to)
  const held = await hold(
    made,
    'POST',
    '/api/v1/transfers',
    made.ada.token,
    body,
    keyed('k').headers,
  )
  held.hangUp()
  await assertOnceByKey(made, 'k', false)
})

test('a client that hangs up once its transfer has arrived has paid once', async (t) => {
  const made = await scene(t)
  const letGo = await holder(t, made, lockAccount, [made.from])
  const client = new AbortController()
  const asked = made.ada
    .post('/api/v1/transfers', transferBody(made.from, made.to), {
      ...keyed('k'),
      signal: client.signal,
    })
    .catch(() => 'hung up')
  await waitsForLock(made, 1)
  client.abort()
  assert.equal(await asked, 'hung up')
  await letGo()
  await assertOnceByKey(made, 'k', true)
})

test('a stream of HTTP/2 that is reset once its transfer has arrived has paid once', async (t) => {
  const made = await scene(t)
  const letGo = await holder(t, made, lockAccount, [made.from])
  const session = await connectHttp2(made)
  t.after(() => session.destroy())
  const stream = session.request({
    ':method': 'POST',
    ':path': '/api/v1/transfers',
    authorization: `Bearer ${made.ada.token}`,
    'content-type': 'application/json',
    ...keyed('k').headers,
  })
  stream.on('error', () => {})
  stream.end(JSON.stringify(transferBody(made.from, made.to)))
  await waitsForLock(made, 1)
  stream.close(http2.constants.NGHTTP2_CANCEL)
  await letGo()
  await assertOnceByKey(made, 'k', true)
})
