import assert from 'node:assert/strict'
import { test } from 'node:test'
import { connect, everything } from './support/connect.ts'
import { password, type World, world } from './support/world.ts'

const logIn = '/api/v1/auth/login'
const minute = 60_000

/** One request as it is written, whatever a client library would make of it. Gives the status. */
async function raw(bank: World, head: string, token: string): Promise<number> {
  const socket = await connect(bank)
  socket.write(
    `${head}\r\nHost: bank.example\r\nConnection: close\r\nAuthorization: Bearer ${token}\r\n\r\n`,
  )
  return Number(/^HTTP\/1\.1 (\d{3})/.exec(await everything(socket))?.[1])
}

test('ten spellings of one request share one window', async (t) => {
  const bank = await world(t, { limits: 'default' })
  const { token } = await bank.as('ada')
  const spellings: [line: string, status: number][] = [
    ['GET /api/v1/accounts HTTP/1.1', 200],
    ['HEAD /api/v1/accounts HTTP/1.1', 200],
    ['GET /accounts HTTP/1.1', 200],
    ['HEAD /accounts HTTP/1.1', 200],
    ['GET /%61pi/v1/accounts HTTP/1.1', 200],
    ['GET /api/v1/%61ccounts HTTP/1.1', 200],
    ['GET https://bank.example/api/v1/accounts HTTP/1.1', 200],
    ['GET /api/v1/accounts?limit=5 HTTP/1.1', 200],
    ['GET /api/v1/accounts?noise=1 HTTP/1.1', 400],
    ['GET /api/v1/accounts? HTTP/1.1', 200],
  ]
  for (const [line, status] of spellings) assert.equal(await raw(bank, line, token), status, line)
  for (const [line] of spellings) assert.equal(await raw(bank, line, token), 429, line)
  bank.clock.advance(1000)
  assert.equal(await raw(bank, 'GET /api/v1/accounts HTTP/1.1', token), 200)
})

test('header fields of an untrusted client do not change the limit it is counted in', async (t) => {
  const bank = await world(t, { limits: 'default' })
  const fields = [
    'x-forwarded-for',
    'x-real-ip',
    'forwarded',
    'cf-connecting-ip',
    'true-client-ip',
    'x-client-ip',
    'x-cluster-client-ip',
    'x-originating-ip',
    'fastly-client-ip',
    'via',
  ]
  const ask = (field: string, turn: number) => {
    const address = `198.51.100.${turn}`
    const value = field === 'forwarded' ? `for=${address}` : address
    return bank.send('GET', '/healthz', { headers: { [field]: value } })
  }
  for (let turn = 0; turn < 100; turn++) {
    assert.equal((await ask(fields[turn % fields.length] as string, turn)).status, 200)
  }
  for (const field of fields) assert.equal((await ask(field, 200)).status, 429, field)
  const guess = (turn: number) =>
    bank.send('POST', logIn, {
      from: '127.0.7.1',
      headers: { [fields[turn] as string]: `198.51.100.${turn}` },
      body: { username: `guess${turn}`, password: 'wrong' },
    })
  for (let turn = 0; turn < 5; turn++) assert.equal((await guess(turn)).status, 401)
  for (let turn = 5; turn < 10; turn++) assert.equal((await guess(turn)).status, 429)
})

test('behind a trusted proxy one /64 is one client, as is an IPv4 address in either form', async (t) => {
  const from = '127.0.0.9'
  const bank = await world(t, { limits: 'default', settings: { TRUSTED_PROXIES: from } })
  const ask = (client: string) =>
    bank.send('GET', '/healthz', { from, headers: { 'x-forwarded-for': client } })
  for (let turn = 0; turn < 100; turn++) {
    assert.equal((await ask(`2001:db8:0:7:${turn}::${turn}`)).status, 200)
  }
  assert.equal((await ask('2001:DB8::7:ffff:ffff:ffff:ffff')).status, 429)
  assert.equal((await ask('2001:db8:0:8::1')).status, 200, 'the next /64')
  const forms = ['192.0.2.7', '::ffff:192.0.2.7', '::ffff:c000:207', '0:0:0:0:0:FFFF:192.0.2.7']
  for (let turn = 0; turn < 100; turn++) {
    assert.equal((await ask(forms[turn % forms.length] as string)).status, 200)
  }
  for (const form of forms) assert.equal((await ask(form)).status, 429, form)
  assert.equal((await ask(`10.9.8.7, 192.0.2.7`)).status, 429, 'the right-most entry counts')
  assert.equal((await ask(`192.0.2.7, 192.0.2.8`)).status, 200, 'and what stands left does not')
})

test('a known device has its own window, shared by all addresses', async (t) => {
  const { send, clock } = await world(t, { limits: 'default' })
  const attempt = (from: string, body: Record<string, unknown>) =>
    send('POST', logIn, { from, body: { username: 'ada', password, ...body } })
  const { deviceToken } = (await attempt('127.0.1.1', {})).body
  for (let turn = 0; turn < 5; turn++) {
    const reply = await attempt(`127.0.2.${turn + 1}`, { password: 'wrong', deviceToken })
    assert.equal(reply.status, 401, 'five tries on the device, from wherever')
  }
  assert.equal((await attempt('127.0.2.9', { deviceToken })).status, 429, 'the sixth waits')
  assert.equal(
    (await attempt('127.0.2.10', { username: 'ada@example.com', deviceToken })).status,
    429,
  )
  assert.equal((await attempt('127.0.2.11', {})).status, 200, 'the name was not counted')
  clock.advance(minute)
  assert.equal((await attempt('127.0.2.12', { deviceToken })).status, 200)
})

test("a forged, a foreign and a forgotten device's token open no fresh window", async (t) => {
  const { send, sql } = await world(t, { limits: 'default' })
  const attempt = (from: string, username: string, body: Record<string, unknown>) =>
    send('POST', logIn, { from, body: { username, password, ...body } })
  const own = (await attempt('127.0.1.1', 'ada', {})).body.deviceToken as string
  const foreign = (await attempt('127.0.1.2', 'ben', {})).body.deviceToken as string
  const forgotten = (await attempt('127.0.1.3', 'ada', {})).body.deviceToken as string
  const { rows } = await sql(
    `delete from devices where token_hash = sha256(convert_to($1, 'UTF8')) returning id`,
    [forgotten],
  )
  assert.equal(rows.length, 1)
  const forged = ['A', 'B', 'C', 'D', 'E'].map((letter) => letter.repeat(43))
  for (const [turn, deviceToken] of forged.entries()) {
    const reply = await attempt(`127.0.3.${turn + 1}`, 'ada', { password: 'wrong', deviceToken })
    assert.equal(reply.status, 401)
  }
  for (const [turn, deviceToken] of ['F'.repeat(43), foreign, forgotten].entries()) {
    const reply = await attempt(`127.0.4.${turn + 1}`, 'ada', { deviceToken })
    assert.equal(reply.status, 429, `${turn}: counted under the name, which is full`)
  }
  assert.equal((await attempt('127.0.5.1', 'ada', { deviceToken: own })).status, 200)
})

test('a known device does not allow faster guessing from one address', async (t) => {
  const { send } = await world(t, { limits: 'default' })
  const attempt = (body: Record<string, unknown>) =>
    send('POST', logIn, { from: '127.0.6.1', body: { username: 'ada', password, ...body } })
  const { deviceToken } = (await attempt({})).body
  for (let turn = 0; turn < 5; turn++) {
    const known = turn % 2 ? { deviceToken } : {}
    assert.equal((await attempt({ password: 'wrong', ...known })).status, 401)
  }
  assert.equal((await attempt({ deviceToken })).status, 429)
})
