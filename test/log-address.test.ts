import assert from 'node:assert/strict'
import http from 'node:http'
import { test } from 'node:test'
import { createLog } from '../src/telemetry/log.ts'
import { password, world, type World } from './support/world.ts'

const client = '203.0.113.77'
const forwarded = { headers: { 'x-forwarded-for': client } }

/** Sends one request to the plain listener; gives its status. */
async function redirected({ running }: World): Promise<number | undefined> {
  const { promise, resolve, reject } = Promise.withResolvers<number | undefined>()
  const { headers } = forwarded
  http
    .get({ host: '127.0.0.1', port: running.httpPort, path: '/docs', headers }, (response) => {
      response.resume()
      response.once('end', () => resolve(response.statusCode))
    })
    .once('error', reject)
  return promise
}

type Line = { message: string; status?: number; address?: string }

for (const [setting, shown] of [
  ['full', client],
  ['network', '203.0.113.0/24'],
  [undefined, '203.0.113.0/24'],
  ['none', undefined],
] as const) {
  test(`with LOG_ADDRESS ${setting ?? 'left out'} every answer is logged with ${shown ?? 'no address'}`, async (t) => {
    const settings = { TRUSTED_PROXIES: '127.0.0.1', ...(setting && { LOG_ADDRESS: setting }) }
    const bank = await world(t, { settings })
    const body = { username: 'ada', password }
    await bank.send('POST', '/api/v1/auth/login', { ...forwarded, body })
    await bank.send('GET', '/api/v1/me', forwarded)
    await bank.send('GET', '/nothing', forwarded)
    await bank.send('GET', '/%zz', forwarded)
    assert.equal(await redirected(bank), 301)
    const lines = bank.logged.map((line) => JSON.parse(line) as Line)
    const answers = lines.filter(({ message }) => message === 'answered')
    const statuses = answers.map(({ status }) => status)
    for (const status of [200, 301, 400, 401, 404])
      assert.ok(statuses.includes(status), `${status}`)
    for (const line of answers) assert.equal(line.address, shown, JSON.stringify(line))
    if (setting !== 'full') assert.ok(!bank.logged.join('').includes(client))
  })
}

test('an address is masked at every level', () => {
  for (const [detail, shown] of [
    ['full', client],
    ['network', '203.0.113.0/24'],
    ['none', undefined],
  ] as const) {
    const lines: string[] = []
    const log = createLog('trace', (line) => void lines.push(line), detail)
    for (const level of ['debug', 'info', 'warn', 'error'] as const) {
      log[level]({ address: client }, level)
    }
    assert.equal(lines.length, 4)
    for (const line of lines) assert.equal((JSON.parse(line) as Line).address, shown, line)
  }
})
