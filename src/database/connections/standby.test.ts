// What follows a COMMIT that no standby has confirmed.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect, createServer, type AddressInfo, type Socket } from 'node:net'
import { test, type TestContext } from 'node:test'
import { scheduler } from 'node:timers/promises'
import pg from 'pg'
import { bank } from '../../../test/support/bank.ts'
import { until } from '../../../test/support/mailbox.ts'
import { type Db, one } from '../statements/statement.ts'
import type { LocalAddress } from './connect.ts'
import { isTransactionOpen, watchStandby } from './standby.ts'

test('a back end is within a transaction or not, and what else it holds is not asked', async (t) => {
  const { db, address } = await bank(t)
  const client = new pg.Client(address)
  await client.connect()
  const { rows } = await client.query<{ pid: number }>('select pg_backend_pid() as pid')
  const pid = rows[0]?.pid as number
  const isOpen = async () => (await one(db, isTransactionOpen, [pid]))?.is
  for (const [command, expected] of [
    ['select 1', false],
    ['select pg_advisory_lock(1)', false],
    ['begin', true],
    ['select count(*) from pg_class', true],
    [`select pg_logical_emit_message(true, 'test', '')`, true],
    ['commit', false],
    ['begin', true],
    ['rollback', false],
    ['begin', true],
  ] as const) {
    await client.query(command)
    assert.equal(await isOpen(), expected, command)
  }
  await client.end()
  await until('the end', async () => (await isOpen()) === false)
})

test('after a COMMIT that is not confirmed writes are refused until another one is', async (t) => {
  const { db, address } = await bank(t)
  let probes = 0
  let isThere = false
  const options = () => {
    probes++
    return isThere ? address : { host: '127.0.0.1', port: 1 }
  }
  const standby = watchStandby(options, db)
  t.after(() => standby.close())
  const told: boolean[] = []
  standby.onChange((isAway) => void told.push(isAway))
  standby.require()
  standby.doubt()
  standby.doubt()
  // The third one begins after two that no server has answered.
  await until('three probes', () => probes === 3)
  assert.deepEqual([standby.isAway(), told], [true, [true]])
  assert.throws(() => standby.require(), { code: 'unavailable' })
  isThere = true
  await until('a confirmed COMMIT', () => !standby.isAway())
  standby.require()
  assert.deepEqual(told, [true, false])
  standby.close()
  standby.doubt()
  assert.equal(standby.isAway(), false, 'a service that ends asks no more')
})

/** The way to the database, on which no COMMIT arrives, and how many were sent on it. */
async function withoutCommits(t: TestContext, { host, port: serverPort }: LocalAddress) {
  let commitCount = 0
  const sockets = new Set<Socket>()
  const server = createServer((near) => {
    const far = connect(`${host}/.s.PGSQL.${serverPort}`)
    for (const socket of [near, far]) sockets.add(socket.on('error', () => {}))
    near.on('data', (bytes) => {
      if (bytes.includes('commit')) commitCount++
      else far.write(bytes)
    })
    far.pipe(near)
    near.on('close', () => far.destroy())
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  t.after(() => {
    for (const socket of sockets) socket.destroy()
    server.close()
  })
  const { port } = server.address() as AddressInfo
  return { port, commitCount: () => commitCount }
}

test('a probe is given up when its transaction is over in two looks in a row, and not before', async (t) => {
  const { address } = await bank(t)
  const { port, commitCount } = await withoutCommits(t, address as LocalAddress)
  // Node's own mock of it would leave it broken for the files behind.
  const waits: (() => void)[] = []
  t.mock.method(scheduler, 'wait', () => new Promise<void>((resolve) => waits.push(resolve)))
  const answers = [true, true, false, true, false, false]
  const seen: number[] = []
  let lookCount = 0
  const reads = {
    run: async () => [{ is: answers[lookCount++] ?? true }],
  } as unknown as Db
  const options = () => {
    seen.push(lookCount)
    return { ...address, host: '127.0.0.1', port }
  }
  const standby = watchStandby(options, reads)
  t.after(() => standby.close())
  standby.doubt()
  await until('the COMMIT', () => commitCount() === 1)
  await until('the next probe', () => {
    // One look at most for each: it is answered before the next tick.
    waits.shift()?.()
    return seen.length > 1
  })
  assert.deepEqual(seen, [0, answers.length])
  assert.equal(standby.isAway(), true)
})
