import assert from 'node:assert/strict'
import { once } from 'node:events'
import net from 'node:net'
import path from 'node:path'
import { test } from 'node:test'
import pg from 'pg'
import { many, openAccount, scene } from '../../../test/support/fixture.ts'
import { bank } from '../../../test/support/bank.ts'
import { until } from '../../../test/support/mailbox.ts'
import { databaseWith } from '../../http/effects.ts'
import type { Refusal } from '../../domain/errors.ts'
import { Client } from './client.ts'
import { clientOptions, type LocalAddress, openDatabase, serviceRole } from './connect.ts'
import { openLane } from './lane.ts'
import { connect, openPool } from './pool.ts'
import { readSessions } from '../../gate/live-sessions.ts'
import { statement } from '../statements/statement.ts'
import { transaction } from './transaction.ts'

test("while one customer's reads are blocked, others' sessions, accounts and lists are answered", async (t) => {
  const made = await scene(t)
  const ben = await made.as('ben')
  const account = await openAccount(ben)
  const holder = new pg.Client({ ...made.address, options: '-c search_path=strongroom' })
  holder.on('error', () => {})
  await holder.connect()
  t.after(() => holder.end())
  await holder.query('begin')
  await holder.query('lock table transfers, entries in access exclusive mode')

  const history = `/api/v1/accounts/${made.from}/transactions`
  const paths = ['/api/v1/me', '/api/v1/accounts', `/api/v1/accounts/${account}`]
  /** Whether all others are answered before the blocked reads are refused, after two seconds. */
  async function areFree(): Promise<boolean> {
    const reads = many(20, (index) =>
      made.ada.get(index % 2 === 0 ? '/api/v1/transfers' : `${history}?limit=${index}`, {
        isPatient: false,
      }),
    )
    const startedAt = performance.now()
    for (let round = 0; round < 3; round++) {
      for (const path of paths) assert.equal((await ben.get(path)).status, 200, path)
      assert.equal((await made.ada.get(`/api/v1/accounts/${made.from}`)).status, 200)
    }
    const tookMs = performance.now() - startedAt
    for (const { status, body } of await reads)
      assert.deepEqual([status, body.code], [503, 'unavailable'])
    return tookMs < 1900
  }
  // A busy machine may itself take two seconds.
  assert.ok((await areFree()) || (await areFree()) || (await areFree()), 'they waited')
  await holder.query('commit')
  for (const path of ['/api/v1/transfers', history]) {
    assert.equal((await made.ada.get(path)).status, 200, path)
  }
})

test('a statement that writes or locks rows outside a transaction fails as a defect', async (t) => {
  const { db, sql } = await bank(t)
  const gives = { id: 'uuid' } as const
  const disable = `update users set status = 'disabled' returning id`
  const writing = [
    statement('test_disable', [], gives, disable),
    statement('test_hidden_write', [], gives, `with w as (${disable}) select id from w`),
    statement('test_lock', [], gives, 'select id from users for update'),
    statement('test_share', [], gives, 'select id from users for key share'),
  ]
  for (const reader of [db, db.onBehalfOf('ada')]) {
    for (const each of writing) {
      await assert.rejects(reader.run(each, []), /^Error: test_\w+ has to run in a transaction$/)
    }
  }
  assert.deepEqual(await sql(`select id from users where status = 'disabled'`), [])
})

test('a connection that ends within a transaction refuses it, and nothing else', async (t) => {
  const { db, sql } = await bank(t)
  const gives = { pid: 'int4' } as const
  const own = statement('test_pid', [], gives, 'select pg_backend_pid() as pid')
  const work = transaction(db, async (tx) => {
    const pid = (await tx.run(own, []))[0]?.pid
    await sql('select pg_terminate_backend($1)', [pid])
    await until('it has ended', async () => {
      return (await sql('select from pg_stat_activity where pid = $1', [pid])).length === 0
    })
    await tx.run(own, [])
  })
  await assert.rejects(work, { code: 'unavailable' })
  assert.equal((await transaction(db, (tx) => tx.run(own, []))).length, 1)
  const broken = statement('test_broken', [], gives, 'select 1 / 0 as pid')
  await assert.rejects(
    transaction(db, (tx) => tx.run(broken, [])),
    ({ stack }: Error) => stack?.includes('connect.test.ts') === true,
    'its stack leads to what asked',
  )
})

test('a lane keeps its new connection when the end of the lost one is told late', async (t) => {
  const { address } = await bank(t)
  const opened: pg.Client[] = []
  // Of the driver's class: a mock of an inherited method leaves the method behind on the subclass,
  // where it hides the mocks of later files.
  const { connect: open } = pg.Client.prototype
  t.mock.method(pg.Client.prototype, 'connect', function (this: pg.Client) {
    if (this instanceof Client) opened.push(this)
    return Reflect.apply(open, this, []) as unknown
  })
  const lane = openLane(() => clientOptions(address, serviceRole))
  t.after(() => lane.close())
  const ping = statement('test_lane', [], {}, 'select')
  await lane.run(ping, [])
  const [lost] = opened
  lost?.emit('error', new Error('lost'))
  await lane.run(ping, [])
  lost?.emit('end')
  await lane.run(ping, [])
  assert.equal(opened.length, 2)
  await lost?.end()
})

test('a lane without a server asks again after 100 ms, and plans its statements anew after two seconds', async (t) => {
  const { address } = await bank(t)
  // Whole: a difference of two is exact then.
  let now = Math.ceil(performance.now())
  t.mock.method(performance, 'now', () => now)
  const asking = t.mock.method(pg.Client.prototype, 'query')
  /** On the connection of the lane: the clocks of the bank have one of their own. */
  function discards(): number {
    const calls = asking.mock.calls.map(({ this: client, arguments: [asked] }) => {
      return { client, ...(asked as { text?: string; name?: string }) }
    })
    const own = calls.find(({ name }) => name === 'test_lane_again')?.client
    return calls.filter(({ client, text }) => client === own && text === 'discard plans').length
  }
  const known = clientOptions(address, serviceRole)
  let isThere = false
  // Asked for once for each connection of this lane: others of the process may open some, too.
  let opened = 0
  const lane = openLane(() => {
    opened++
    return isThere ? known : { ...known, host: '127.0.0.1', port: 1 }
  })
  const ping = statement('test_lane_again', [], {}, 'select')
  const refused = () => assert.rejects(lane.run(ping, []), { code: 'unavailable' })
  await refused()
  isThere = true
  now += 99
  await refused()
  assert.equal(opened, 1)
  now += 1
  await lane.run(ping, [])
  now += 2000
  await lane.run(ping, [])
  assert.equal(discards(), 0)
  now += 1
  await lane.run(ping, [])
  await lane.run(ping, [])
  assert.deepEqual([discards(), opened], [1, 2])
  await lane.close()
  await refused()
})

test('a connection that cannot be had is an outage of the pool where each is in use, else of the database', async (t) => {
  const { address } = await bank(t)
  const silent = net.createServer().listen(0, '127.0.0.1')
  t.after(() => silent.close())
  await once(silent, 'listening')
  const { port } = silent.address() as net.AddressInfo
  const known = clientOptions(address, serviceRole)
  const nowhere = { ...known, host: '127.0.0.1' }
  for (const [outage, options, max] of [
    ['pool', known, 1],
    ['database', { ...nowhere, port }, 2],
    ['database', { ...nowhere, port: 1 }, 2],
  ] as const) {
    const pool = openPool(() => ({ ...options, connectionTimeoutMillis: 100 }), { max })
    t.after(() => pool.end())
    const first = outage === 'pool' ? await connect(pool) : undefined
    const refusal = (await connect(pool).catch((thrown: unknown) => thrown)) as Refusal
    first?.release()
    assert.equal(refusal.options.outage, outage)
  }
})

test("a handler's database reads, and writes in transactions only", async (t) => {
  const { db } = await bank(t)
  assert.deepEqual(Object.keys(db.onBehalfOf('ada')).toSorted(), [
    'lookup',
    'lookupCounts',
    'lookupMany',
    'openSnapshot',
    'ping',
    'run',
    'runTransaction',
  ])
})

test('look-ups of customers, of changes by staff and of the gate share their statements', async (t) => {
  const { address } = await bank(t)
  const db = openDatabase(address)
  t.after(() => db.close())
  const staff = databaseWith(db.onBehalfOf('agnes'), {}, false)
  const id = '01890a5d-ac96-774b-bcce-b302099a8057'
  await Promise.all([db, db.onBehalfOf('ada'), staff].map((each) => each.lookup(readSessions, id)))
  const { asked, sent } = db.lookupCounts(readSessions)
  assert.deepEqual({ asked, sent }, { asked: 3, sent: 1 })
})

test('look-ups and batches are planned once for a connection, however few keys they name', async (t) => {
  const { db } = await bank(t)
  const lane = db.openLane()
  t.after(() => lane.close())
  const readPlans = statement(
    'test_plans',
    ['text[]'],
    { id: 'text', custom: 'int8', generic: 'int8' },
    `select name as id, custom_plans as custom, generic_plans as generic
     from pg_prepared_statements where name = any($1)`,
  )
  const session = '01890a5d-ac96-774b-bcce-b302099a8057'
  const runs: [string, () => Promise<unknown>, () => Promise<object[]>][] = [
    [
      'look-ups',
      () => db.lookup(readSessions, session),
      () => db.lookup(readPlans, readSessions.name),
    ],
    [
      'a batch',
      () => lane.run(readSessions, [[session]]),
      () => lane.run(readPlans, [[readSessions.name]]),
    ],
  ]
  for (const [name, ask, plans] of runs) {
    for (let time = 0; time < 20; time++) await ask()
    const [row] = (await plans()) as { custom: bigint; generic: bigint }[]
    assert.equal(row?.custom, 0n, name)
    assert.ok(row.generic >= 10n, `${name}: ${row.generic}`)
  }
})

test('connections whose server has fallen silent without closing them do not hold up the end', async (t) => {
  const { address } = await bank(t)
  const { host, port } = address as LocalAddress
  let isSilent = false
  const sockets: net.Socket[] = []
  const relay = net.createServer({ allowHalfOpen: true }, (client) => {
    const server = net.connect(path.join(host, `.s.PGSQL.${port}`))
    sockets.push(client, server)
    client.on('data', (bytes) => isSilent || server.write(bytes))
    server.on('data', (bytes) => isSilent || client.write(bytes))
    for (const socket of [client, server]) socket.on('error', () => {})
  })
  await new Promise<void>((resolve) => relay.listen(0, '127.0.0.1', resolve))
  t.after(() => {
    for (const socket of sockets) socket.destroy()
    relay.close()
  })
  const there = { host: '127.0.0.1', port: (relay.address() as net.AddressInfo).port }
  const db = openDatabase({ ...(address as LocalAddress), ...there })
  await db.lookup(readSessions, '01890a5d-ac96-774b-bcce-b302099a8057')
  await db.ping()
  isSilent = true
  const startedAt = performance.now()
  await db.close()
  assert.ok(performance.now() - startedAt < 5000)
})

test('a connection that answered the health check is used again, one that failed it is closed', async (t) => {
  const { address, sql } = await bank(t)
  const db = openDatabase(address)
  t.after(() => db.close())
  assert.ok((await db.ping()) > 0)
  assert.deepEqual([db.pool.totalCount, db.pool.idleCount], [1, 1])
  await sql('revoke select on migrations from strongroom_service')
  await assert.rejects(db.ping())
  assert.equal(db.pool.totalCount, 0)
})
