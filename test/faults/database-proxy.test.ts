// The faults of the proxy are tested too: every test that uses it relies on them.
import assert from 'node:assert/strict'
import { after, test, type TestContext } from 'node:test'
import pg from 'pg'
import { cluster } from '../support/database.ts'
import { until } from '../support/mailbox.ts'
import { databaseProxy } from './database-proxy.ts'

const shared = await cluster()
after(() => shared.stop())

async function wired(t: TestContext, spared?: RegExp) {
  const proxy = await databaseProxy(shared.address, true, spared)
  t.after(() => proxy.close())
  const table = `wire_${proxy.port}`
  const direct = new pg.Pool({ ...shared.address, max: 1 })
  t.after(async () => {
    await direct.query(`drop table ${table}`)
    await direct.end()
  })
  await direct.query(`create table ${table} (n int)`)
  const connect = async (options: pg.ClientConfig = {}) => {
    const client = new pg.Client({
      ...shared.address,
      host: '127.0.0.1',
      port: proxy.port,
      ...options,
    })
    client.on('error', () => {})
    await client.connect()
    t.after(() => void client.end().catch(() => {}))
    return client
  }
  const count = async () =>
    (await direct.query(`select count(*)::int as n from ${table}`)).rows[0].n
  return { proxy, connect, count, insert: `insert into ${table} values ($1)` }
}

const outcome = (asked: Promise<unknown>): Promise<'answered' | 'lost'> =>
  asked.then(
    () => 'answered' as const,
    () => 'lost' as const,
  )

test('a swallowed COMMIT is done: what came before it is answered, it is not', async (t) => {
  const { proxy, connect, count, insert } = await wired(t)
  const client = await connect({ pipeline: true })
  proxy.swallowCommit()
  const flight = ['begin', insert, insert, 'commit'].map((text) =>
    outcome(text === insert ? client.query({ name: 'i', text, values: [1] }) : client.query(text)),
  )
  assert.deepEqual(await Promise.all(flight), ['answered', 'answered', 'answered', 'lost'])
  assert.equal(await count(), 2)

  const next = await connect()
  await next.query('begin')
  await next.query(insert, [2])
  assert.equal(await outcome(next.query('commit')), 'answered')
  assert.equal(await count(), 3)
})

test('as many COMMITs are swallowed as were asked for, on whichever connections', async (t) => {
  const { proxy, connect, count, insert } = await wired(t)
  proxy.swallowCommit(2)
  const came: string[] = []
  for (let turn = 0; turn < 3; turn++) {
    const client = await connect()
    await client.query('begin')
    await client.query(insert, [turn])
    came.push(await outcome(client.query('commit')))
  }
  assert.deepEqual(came, ['lost', 'lost', 'answered'])
  assert.equal(await count(), 3)
})

test('a lost COMMIT is not done, nor is what came before it; the next is', async (t) => {
  const { proxy, connect, count, insert } = await wired(t)
  proxy.loseCommit()
  const came: string[] = []
  for (let turn = 0; turn < 2; turn++) {
    const client = await connect({ pipeline: true })
    const flight = ['begin', insert, 'commit'].map((text) =>
      outcome(text === insert ? client.query(text, [turn]) : client.query(text)),
    )
    came.push((await Promise.all(flight)).at(-1) as string)
  }
  assert.deepEqual(came, ['lost', 'answered'])
  assert.equal(await count(), 1)
})

test('a transaction keeps its COMMIT while all its statements are spared', async (t) => {
  const { proxy, connect, count, insert } = await wired(t, /^timer/)
  const client = await connect()
  proxy.loseCommit()
  const write = (name: string) => client.query({ name, text: insert, values: [1] })
  for (const names of [['timer'], ['timer', 'request', 'timer']]) {
    await client.query('begin')
    for (const name of names) await write(name)
    const isSpared = names.length === 1
    assert.equal(await outcome(client.query('commit')), isSpared ? 'answered' : 'lost')
    assert.equal(await count(), 1)
  }
})

test('a COMMIT is recognised in pieces, and a text that only mentions one is not', async (t) => {
  const { proxy, connect, count, insert } = await wired(t)
  const client = await connect()
  proxy.swallowCommit()
  const answer = await client.query("select 'commit' as word")
  assert.equal(answer.rows[0].word, 'commit')
  await client.query('begin')
  await client.query(insert, [1])
  const { stream } = client.connection
  const write = stream.write.bind(stream)
  stream.write = ((bytes: Buffer) => {
    for (const byte of bytes) write(Buffer.from([byte]))
    return true
  }) as typeof stream.write
  assert.equal(await outcome(client.query('commit')), 'lost')
  assert.equal(await count(), 1)
})

test('a slow wire holds back both ways and keeps the order', async (t) => {
  const { proxy, connect } = await wired(t)
  const client = await connect({ pipeline: true })
  proxy.delay(60)
  const startedAt = performance.now()
  const came: number[] = []
  await Promise.all(
    [1, 2, 3].map((n) => client.query('select $1::int', [n]).then(() => came.push(n))),
  )
  // A timer may be a millisecond early.
  assert.ok(performance.now() - startedAt >= 118)
  assert.deepEqual(came, [1, 2, 3])
})

test('a silent wire answers nobody, old or new, until it heals; then the silenced ones end', async (t) => {
  const { proxy, connect } = await wired(t)
  const client = await connect()
  proxy.drop()
  const asked = outcome(client.query('select 1'))
  await assert.rejects(connect({ connectionTimeoutMillis: 100 }))
  let isOver = false
  void asked.then(() => (isOver = true))
  await new Promise((resolve) => setTimeout(resolve, 50))
  assert.equal(isOver, false)
  proxy.heal()
  assert.equal(await asked, 'lost')
  assert.equal(await outcome((await connect()).query('select 1')), 'answered')
})

test('a cut wire ends every connection and refuses new ones, until it heals', async (t) => {
  const { proxy, connect } = await wired(t)
  const client = await connect()
  let hasEnded = false
  client.on('end', () => (hasEnded = true))
  proxy.cut()
  await until('the end', () => hasEnded)
  await assert.rejects(connect())
  proxy.heal()
  assert.equal(await outcome((await connect()).query('select 1')), 'answered')
})
