import assert from 'node:assert/strict'
import http from 'node:http'
import net from 'node:net'
import { networkInterfaces } from 'node:os'
import { test } from 'node:test'
import { createLog } from './log.ts'
import { createMetrics } from './metrics.ts'
import { start } from '../app/start.ts'
import { boundedHashing } from '../features/credentials/passwords.ts'
import { openLedger } from '../ledger/batch/batch.ts'
import { bank, code } from '../../test/support/bank.ts'
import { connect, everything } from '../../test/support/connect.ts'
import { until } from '../../test/support/mailbox.ts'
import { freePort } from '../../test/support/program.ts'
import { password, people, world } from '../../test/support/world.ts'

type Answer = {
  status: number
  headers: http.IncomingHttpHeaders
  text: string
  /** 100 came before. */
  isContinued: boolean
}

const ask = (port: number, path = '/metrics', more: http.RequestOptions = {}): Promise<Answer> =>
  new Promise((resolve, reject) => {
    let isContinued = false
    const request = http.request({ host: '127.0.0.1', port, path, ...more }, (response) => {
      const chunks: Buffer[] = []
      response.on('data', (chunk: Buffer) => chunks.push(chunk))
      response.on('end', () => {
        const { statusCode = 0, headers } = response
        const text = Buffer.concat(chunks).toString()
        resolve({ status: statusCode, headers, text, isContinued })
      })
    })
    request.on('continue', () => (isContinued = true))
    request.on('error', reject)
    request.end()
  })

/** The value of a series, 0 when it is not there. */
const readValue = (text: string, series: string): number => {
  const line = text.split('\n').find((each) => each.startsWith(`${series} `))
  return Number(line?.slice(series.length + 1) ?? 0)
}

test('metrics cover requests, transfers, sessions, limits and queues', async (t) => {
  const port = await freePort()
  const limits = { LIMITS: JSON.stringify({ export: { burst: '1/1s' } }) }
  const bank = await world(t, { settings: { METRICS_PORT: String(port), ...limits } })
  const [ada, root] = [await bank.as('ada'), await bank.as('root')]
  const account = (await ada.post('/api/v1/accounts', { currency: 'EUR' })).body.id as string
  const body = { amount: '5.00', currency: 'EUR', reason: 'Counter' }
  await root.post(`/api/v1/admin/accounts/${account}/deposits`, body)
  for (let turn = 0; turn < 3; turn++) await ada.get(`/api/v1/accounts/${account}`)
  await bank.send('HEAD', '/healthz')
  const plain = await connect(bank, { to: 'plain' })
  plain.write('GET / HTTP/1.1\r\nHost: bank.example\r\nConnection: close\r\n\r\n')
  assert.match(await everything(plain), /^HTTP\/1\.1 301 /)
  for (let turn = 0; turn < 3; turn++) await ada.get(`/api/v1/accounts/${account}/statement`)
  const { status, headers, text } = await ask(port)
  assert.equal(status, 200)
  assert.match(String(headers['content-type']), /^text\/plain; version=0\.0\.4/)
  const series: Record<string, number> = {
    'requests_total{method="GET",route="/api/v1/accounts/:accountId",status="200"}': 3,
    'requests_total{method="HEAD",route="/healthz",status="200"}': 1,
    'request_seconds_count{method="GET",route="/api/v1/accounts/:accountId"}': 3,
    'request_seconds_bucket{le="+Inf",method="HEAD",route="/healthz"}': 1,
    'requests_total{method="none",route="none",status="301"}': 1,
    'rate_limited_total{class="export"}': 2,
    transfer_batch_size_count: 1,
    transfer_batch_size_sum: 1,
    transfers_under_way: 0,
    hashes_under_way: 0,
    audit_lost: 0,
  }
  for (const [name, value] of Object.entries(series)) {
    assert.equal(readValue(text, `strongroom_${name}`), value, `${name}\n${text}`)
  }
  // One for each request, and a second one for a change whose body came apart from its head.
  const checks = readValue(text, 'strongroom_session_checks_total')
  assert.ok(checks >= 8 && checks <= 10, `${checks}`)
  assert.ok(readValue(text, 'strongroom_session_check_statements_total') > 0)
  for (const name of ['database_pool_connections', 'database_pool_idle', 'audit_waiting']) {
    assert.match(text, new RegExp(`^strongroom_${name} \\d+$`, 'm'))
  }
  assert.match(text, /^nodejs_eventloop_lag_p99_seconds /m)
  assert.match(text, /^process_resident_memory_bytes /m)
})

test('a duration counts in each bucket whose bound it does not exceed', async () => {
  const metrics = createMetrics()
  for (const seconds of [0.002, 0.0021, 5, 9]) metrics.answered('GET', '/a', 200, seconds)
  metrics.answered('POST', '/a', 201, 1)
  metrics.answered('GET', '/a', 'not_found', 0)
  const text = await metrics.text()
  const series = { '0.001': 1, '0.002': 2, '0.005': 3, '2': 3, '5': 4, '+Inf': 5 }
  for (const [le, count] of Object.entries(series)) {
    const name = `strongroom_request_seconds_bucket{le="${le}",method="GET",route="/a"}`
    assert.equal(readValue(text, name), count, text)
  }
  const labels = '{method="GET",route="/a"}'
  assert.equal(readValue(text, `strongroom_request_seconds_count${labels}`), 5)
  assert.equal(readValue(text, `strongroom_request_seconds_sum${labels}`).toFixed(4), '14.0041')
  const answered = '{method="GET",route="/a",status="404",code="not_found"}'
  assert.equal(readValue(text, `strongroom_requests_total${answered}`), 1)
  assert.equal(await metrics.text(), text, 'a second scrape counts nothing again')
})

test('hashes and transfers under way are counted until they end, also when they fail', async (t) => {
  const metrics = createMetrics()
  const readAll = async () => {
    const text = await metrics.text()
    return ['hashes', 'transfers'].map((name) => readValue(text, `strongroom_${name}_under_way`))
  }
  const limited = boundedHashing(1, 1, metrics.hashesUnderWay)
  const { promise, resolve } = Promise.withResolvers<void>()
  const failing = () => limited(() => promise.then(() => assert.fail()))
  const hashes = Promise.allSettled([failing(), failing(), failing()])
  const { db, clock, account, movement } = await bank(t)
  const ledger = openLedger(db, clock, metrics)
  const [from, to] = [await account(1n), await account()]
  const transfers = [
    code(ledger.submit(movement(from, to))),
    code(ledger.submit(movement(from, to, { amount: 2n }))),
  ]
  assert.deepEqual(await readAll(), [2, 2], 'the third hash was refused')
  resolve()
  await hashes
  assert.deepEqual(await Promise.all(transfers), ['done', 'insufficient_funds'])
  await ledger.close()
  assert.deepEqual(await readAll(), [0, 0])
})

test('no metric holds an identifier, a name or an address, and unmatched requests add no series', async (t) => {
  const port = await freePort()
  const bank = await world(t, { settings: { METRICS_PORT: String(port) } })
  const ada = await bank.as('ada')
  const account = (await ada.post('/api/v1/accounts', { currency: 'EUR' })).body.id as string
  await ada.get(`/api/v1/accounts/${account}/details?canary=1`)
  await ada.get(`/accounts/${account}`)
  const before = await ask(port)
  const series = (text: string) =>
    text.split('\n').filter((line) => line.includes('requests_total{'))
  const paths = ['/canary-one', '/api/v1/accounts/canary/two', '/%63anary', '/api/v1/canary/three']
  for (const [index, path] of paths.entries()) {
    await ada.get(path)
    await bank.send(['PUT', 'DELETE', 'PATCH', 'POST'][index] as string, path, { body: {} })
  }
  await bank.send('POST', '/api/v1/auth/login', { body: { username: 'canary', password } })
  const after = await ask(port)
  const added = series(after.text).filter((line) => !series(before.text).includes(line))
  for (const line of added) {
    assert.match(
      line,
      /route="(none|\/api\/v1\/auth\/login)",status="(401|404|405|415)",code="\w+"/,
    )
  }
  assert.match(after.text, /route="\/api\/v1\/accounts\/:accountId",status="200"/)
  const secrets = [account, people.ada.id, ada.sessionId, ada.token, 'canary', '127.0.0.1', 'ada']
  for (const secret of secrets) assert.ok(!after.text.includes(secret), secret)
})

test('the metrics port serves only /metrics, and only on the loopback address', async (t) => {
  const port = await freePort()
  const settings = { METRICS_PORT: String(port), HOST: '0.0.0.0' }
  const bank = await world(t, { settings })
  for (const path of [
    '/',
    '/metrics/',
    '/metrics?x=1',
    '/healthz',
    '/api/v1/accounts',
    '//metrics',
  ]) {
    const { status, text } = await ask(port, path)
    assert.equal(status, 404, path)
    assert.equal(JSON.parse(text).code, 'not_found')
  }
  const posted = await ask(port, '/metrics', { method: 'POST' })
  assert.equal(posted.status, 405)
  assert.equal(posted.headers['allow'], 'GET, HEAD')
  const expect = { method: 'POST', headers: { expect: '100-continue' } }
  const expecting = await ask(port, '/metrics', expect)
  assert.deepEqual([expecting.status, expecting.isContinued], [405, false])
  const rebound = await ask(port, '/metrics', { headers: { host: 'evil.example' } })
  assert.equal(rebound.status, 400)
  const head = await ask(port, '/metrics', { method: 'HEAD' })
  assert.deepEqual([head.status, head.text], [200, ''])
  for (const { headers } of [posted, rebound, head]) {
    assert.equal(headers['x-content-type-options'], 'nosniff')
    assert.equal(headers['x-frame-options'], 'DENY')
    assert.ok(headers['strict-transport-security'])
    assert.ok(headers['x-request-id'])
    assert.equal(headers['server'], undefined)
  }
  assert.equal((await bank.send('GET', '/metrics')).status, 404, 'not on the public port')
  const outer = Object.values(networkInterfaces())
    .flat()
    .find((one) => one?.family === 'IPv4' && !one.internal)?.address
  // 127.0.0.2 is this machine too, but not the address it is bound to.
  for (const host of ['127.0.0.2', ...(outer === undefined ? [] : [outer])]) {
    await assert.rejects(ask(port, '/metrics', { host }), /ECONNREFUSED/)
  }
})

test('STRONGROOM_METRICS_HOST moves the page to that address alone, which names no other host', async (t) => {
  const port = await freePort()
  const host = '127.0.0.2'
  await world(t, { settings: { METRICS_PORT: String(port), METRICS_HOST: host } })
  const statusOf = async (name: string) =>
    (await ask(port, '/metrics', { host, headers: { host: name } })).status
  for (const name of [host, `${host}:${port}`, 'localhost', '[::1]:9464', '192.0.2.7']) {
    assert.equal(await statusOf(name), 200, name)
  }
  for (const name of ['evil.example', 'evil.example:9464', '127.0.0.2.evil.example', 'x[::1]']) {
    assert.equal(await statusOf(name), 400, name)
  }
  await assert.rejects(ask(port), /ECONNREFUSED/, 'not on the usual address')
})

test('0 switches the port off; a taken port stops the start with one line, and nothing is left', async (t) => {
  const taken = net.createServer()
  await new Promise<void>((resolve) => taken.listen(0, '127.0.0.1', resolve))
  t.after(() => taken.close())
  const { port } = taken.address() as net.AddressInfo
  const { running, address, clock, sql } = await world(t, { settings: { METRICS_PORT: '0' } })
  await running.close()
  for (const setting of ['metricsPort', 'httpPort', 'httpsPort']) {
    const config = { ...running.config, [setting]: port }
    const starting = start(config, address, { clock, log: createLog('silent', () => {}) })
    await assert.rejects(starting, {
      message: `Cannot listen on port ${port} of 127.0.0.1: another program does already.`,
    })
  }
  await until('the end of every connection to the database but this one', async () => {
    const others = `datname = current_database() and pid <> pg_backend_pid()
      and backend_type = 'client backend'`
    return (await sql(`select from pg_stat_activity where ${others}`)).rowCount === 0
  })
})
