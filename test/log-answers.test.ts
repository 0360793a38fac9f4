// Which answers have a line in the log, by STRONGROOM_LOG_ANSWERS; and that the end of a service is
// no error.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { connect, everything } from './support/connect.ts'
import { type Reply, world, type World } from './support/world.ts'

type Line = { level: number; message: string; route?: string; status?: number }

const linesOf = ({ logged }: World): Line[] => logged.map((line) => JSON.parse(line) as Line)

const answersOf = (bank: World): string[] =>
  linesOf(bank)
    .filter(({ message }) => message === 'answered')
    .map(({ route, status }) => `${route} ${status}`)

const refusals = ['/api/v1/me 401', 'none 404', '/readyz 400']
const probes = ['/healthz 200', '/readyz 200', '/healthz 200']
const others = ['/.well-known/jwks.json 200', 'none 301']

for (const [setting, expected] of [
  [undefined, [...probes, ...others, ...refusals]],
  ['all', [...probes, ...others, ...refusals]],
  ['without-probes', [...others, ...refusals]],
  ['refusals', refusals],
] as const) {
  test(`with LOG_ANSWERS ${setting ?? 'left out'} the log has ${expected.length} of eight answers`, async (t) => {
    const bank = await world(t, { settings: setting ? { LOG_ANSWERS: setting } : {} })
    await bank.send('GET', '/healthz')
    await bank.send('GET', '/readyz')
    // By the way of a line that has to be masked.
    const traceparent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01'
    await bank.send('GET', '/healthz', { headers: { traceparent } })
    await bank.send('GET', '/.well-known/jwks.json')
    const plain = await connect(bank, { to: 'plain' })
    plain.write('GET / HTTP/1.1\r\nHost: bank.example\r\nConnection: close\r\n\r\n')
    await everything(plain)
    await bank.send('GET', '/api/v1/me')
    await bank.send('GET', '/nothing')
    await bank.send('GET', '/readyz?x=1')
    assert.deepEqual(answersOf(bank), expected)
  })
}

test('a probe is logged where it fails, and neither it nor the end of a service is an error', async (t) => {
  const bank = await world(t, { settings: { LOG_ANSWERS: 'refusals', DRAIN: '500ms' } })
  const probe = (): Promise<Reply> => bank.send('GET', '/readyz')
  assert.equal((await probe()).status, 200)
  const closing = bank.running.close()
  assert.equal((await probe()).status, 503)
  await closing
  assert.deepEqual(answersOf(bank), ['/readyz 503'])
  assert.deepEqual(
    linesOf(bank).filter(({ level }) => level >= 50),
    [],
  )
})
