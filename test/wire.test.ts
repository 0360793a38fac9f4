// Invalid requests: the answer to each, on both listeners, and whether a request sent behind it on
// the same connection is handled.
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { readBelongings } from './support/requests.ts'
import { speakHttp2 } from './wire/http2.ts'
import { judge } from './wire/judge.ts'
import { rowsOfHttp2 } from './wire/rows-http2.ts'
import type { Case } from './wire/cases.ts'
import { rows } from './wire/rows.ts'
import type { Listening } from './support/connect.ts'
import { type Answer, type Heard, speak } from './wire/socket.ts'
import { world, type World } from './support/world.ts'

const behind = 'GET /readyz HTTP/1.1\r\nHost: bank.example\r\nConnection: close\r\n\r\n'

/** How often the route of the request behind has run. */
const ranBehind = ({ logged }: World): number =>
  logged.filter((line) => line.includes('"route":"/readyz"')).length

test('no row is missing from the table', () => {
  assert.deepEqual(Object.keys(rows), [
    'unknown paths',
    'two access tokens',
    'another spelling of a path',
    'invalid identifiers',
    'invalid percent-escapes',
    'a parameter of 101 characters',
    'HEAD',
    'methods that the path does not offer',
    'QUERY',
    'unknown methods',
    'CONNECT',
    'framing that is refused',
    'framing that is valid',
    'transfer codings beside chunked',
    'GET whose body is a request',
    'a valid body and bytes behind it',
    'no Host',
    'invalid Hosts',
    'an oversized head',
    'an expectation',
    'another protocol',
    'a body over the limit',
    'another media type',
    'a content coding',
    'two media types',
    'other JSON than the object of the route',
    'deep nesting',
    'an oversized limit',
    'an invalid limit',
    // Slow heads and slow bodies are in slow.test.ts.
  ])
})

const bank = await world({ after })
const { account } = await readBelongings(bank, 'ada')
const { token } = await bank.as('ada')
const fill = (bytes: string) => bytes.replaceAll('{account}', account).replace('{token}', token)

function judgeConnection({ answers, rest, isClosed }: Heard, wanted: 1 | 2, what: string): void {
  assert.equal(rest, '', `${what}: nothing but answers`)
  assert.equal(answers.length, wanted, `${what}: ${answers.map(({ status }) => status).join(' ')}`)
  assert.ok(isClosed, `${what}: closed`)
}

/** Each refusal is in the log, also one below the framework, and none is logged as an error. */
function assertLogged({ logged }: World, { fields }: Answer, what: string): void {
  const id = fields.find(([name]) => name === 'x-request-id')?.[1] ?? 'none'
  const lines = logged.filter((line) => line.includes(id))
  assert.ok(lines.length > 0, `${what}: in the log`)
  assert.ok(!lines.some((line) => line.includes('"level":50')), `${what}: no error`)
}

async function assertCase(
  bank: World,
  to: Listening,
  { bytes, https, plain, isHead = false, behind: then }: Case,
  what: string,
): Promise<void> {
  const wanted = to === 'https' ? https : plain
  const runs = to === 'https' && then === 'runs'
  const before = ranBehind(bank)
  const heard = await speak(bank, to, bytes + behind, isHead)
  const [first, second] = heard.answers
  assert.ok(first, `${what}: no answer`)
  judge(first, wanted, what, { isHead })
  if (wanted === 301) {
    const location = first.fields.find(([name]) => name === 'location')?.[1] ?? ''
    assert.match(location, /^https:\/\/bank\.example\//, what)
    assert.equal(first.body, '', what)
  } else assertLogged(bank, first, what)
  if (!isHead) judgeConnection(heard, runs ? 2 : 1, what)
  if (second) judge(second, 200, `${what}: behind`)
  assert.equal(ranBehind(bank) - before, runs ? 1 : 0, `${what}: what is behind it`)
}

for (const [row, cases] of Object.entries(rows)) {
  test(`on the wire, on both listeners: ${row}`, async () => {
    for (const each of cases) {
      for (const to of ['https', 'plain'] as const) {
        const what = `${each.what.slice(0, 80)} over ${to}`
        await assertCase(bank, to, { ...each, bytes: fill(each.bytes) }, what)
      }
    }
  })
}

for (const [row, cases] of Object.entries(rowsOfHttp2)) {
  test(`over HTTP/2: ${row}`, async () => {
    for (const { what, fields, data, wanted, isHead = false, isContinued = false } of cases) {
      const filled = fields.map(([name, value]) => [name, fill(value)] as const)
      const { answer, reset, ...heard } = await speakHttp2(bank, filled, data)
      assert.equal(heard.isContinued, isContinued, `${what}: 100 Continue`)
      if (wanted === 'reset') {
        assert.equal(answer?.status, undefined, what)
        assert.notEqual(reset, 0, what)
      } else {
        assert.ok(answer, `${what}: no answer, reset ${reset}`)
        judge(answer, wanted, what, { isHead })
      }
    }
  })
}

test('a method that Node does not know is in the log over HTTP/2 as well', async (t) => {
  const bank = await world(t)
  const fields = { ':method': 'FOO', ':path': '/healthz', ':scheme': 'https', ':authority': 'a' }
  const { answer } = await speakHttp2(bank, Object.entries(fields))
  assertLogged(bank, answer as Answer, 'FOO')
})

test('invalid requests count: over the limit the answer is 429 with a Retry-After', async (t) => {
  const bank = await world(t, { limits: 'default' })
  const garbage = 'GET / HTTP/1.1\r\n\r\n'
  for (let turn = 0; turn < 50; turn++) {
    await speak(bank, 'https', garbage)
    await speak(bank, 'https', 'garbage\r\n\r\n')
  }
  for (const bytes of [garbage, 'garbage\r\n\r\n', behind]) {
    const [answer] = (await speak(bank, 'https', bytes)).answers
    assert.ok(answer)
    judge(answer, 'rate_limited', bytes)
    assert.equal(answer.fields.find(([name]) => name === 'retry-after')?.[1], '1')
  }
  bank.clock.advance(1000)
  const [answer] = (await speak(bank, 'https', garbage)).answers
  judge(answer as never, 'invalid_request', 'after the wait')
})
