// What the operator is told of an issuer by which staff cannot sign in.
import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { test, type TestContext } from 'node:test'
import { fakeClock } from '../../../test/support/clock.ts'
import { publicUrl } from '../../../test/support/database.ts'
import {
  clientId,
  clientSecret,
  handedOn,
  insteadJson,
  type TestIssuer,
  testIssuer,
} from '../../../test/support/issuer.ts'
import { until } from '../../../test/support/mailbox.ts'
import { mockTimers } from '../../../test/support/timers.ts'
import type { Refusal } from '../../domain/errors.ts'
import { openIssuer } from './client.ts'

const document = '/.well-known/openid-configuration'
const minute = 60_000
const visit = { state: 'state', nonce: 'nonce', verifier: 'v'.repeat(43) }

/** This bank as a client of the issuer, whose document it reads anew when a minute is over. */
async function scene(t: TestContext, secret = clientSecret) {
  const issuer = await testIssuer(t)
  mockTimers(t, 'setInterval')
  const logged: string[] = []
  const clock = fakeClock(Date.now())
  const bank = openIssuer({
    config: {
      oidcIssuer: issuer.url,
      oidcClientId: clientId,
      oidcClientSecret: secret,
      oidcFactor: [],
    },
    ca: await readFile(issuer.caPath, 'utf8'),
    publicUrl,
    clock,
    log: {
      warn: (event, message) => void logged.push(`${message}: ${String(event.because)}`),
      over: (_, __, message) => void logged.push(message),
    },
  })
  const made = bank ?? assert.fail('an issuer is set')
  t.after(made.close)
  const readings = () => issuer.asked.filter((path) => path === document).length
  /** The document was read and judged: a reading does not begin before the one before has ended. */
  async function passMinutes(): Promise<void> {
    const before = readings()
    await until('the document', () => {
      t.mock.timers.tick(minute)
      return readings() >= before + 2
    })
  }
  const redeem = (answer: { code: string; iss?: string | undefined }): Promise<string> =>
    made.redeem(visit, { ...answer, state: visit.state }).then(
      ({ subject }) => subject,
      (thrown: unknown) => (thrown as Refusal).code,
    )
  async function signIn(): Promise<string> {
    const location = await made.addressOf(visit, { isFresh: false })
    const { code = '', iss } = handedOn(await issuer.visit(location, { accountId: 'agnes' }))
    return redeem({ code, iss })
  }
  const becomes = (isReachable: boolean) =>
    until(`reachable: ${isReachable}`, () => made.isReachable() === isReachable)
  const questions = () => issuer.asked.filter((path) => path === '/token').length
  return { issuer, bank: made, logged, clock, passMinutes, signIn, redeem, becomes, questions }
}

type Answer = Parameters<TestIssuer['instead']['set']>[1]

const refused = insteadJson({ error: 'invalid_grant' }, 400)
const page =
  (status: number): Answer =>
  (_, response) =>
    void response.writeHead(status, { 'content-type': 'text/html' }).end('no')
const cut: Answer = (_, response) => void response.destroy()

/** An end point that answers the code which a browser chose in one way, and all else in another. */
function byCode(chosen: Answer, other: Answer): Answer {
  return (request, response) => {
    let body = ''
    request.on('data', (chunk: Buffer) => (body += chunk.toString()))
    request.on('end', () => {
      const isChosen = new URLSearchParams(body).get('code') === 'chosen'
      return (isChosen ? chosen : other)(request, response)
    })
  }
}

const odd: Record<string, Answer> = {
  'a page': page(400),
  'a page of a proxy before it': page(403),
  'a page as a success': page(200),
  'a failure of it': insteadJson({ error: 'server_error' }, 500),
  'an empty failure': page(500),
  'no answer': cut,
  'a wrong request': insteadJson({ error: 'invalid_request' }, 400),
  'a refused client': insteadJson({ error: 'unauthorized_client' }, 400),
}
for (const [what, answer] of Object.entries(odd)) {
  test(`a code by which a browser gets ${what} does not make the issuer count as away`, async (t) => {
    const { issuer, bank, logged, passMinutes, redeem, questions } = await scene(t)
    await passMinutes()
    for (const other of [refused, insteadJson({ error: 'invalid_request' }, 400)]) {
      issuer.instead.set('/token', byCode(answer, other))
      const before = questions()
      for (let turn = 0; turn < 5; turn++) {
        assert.equal(await redeem({ code: 'chosen', iss: issuer.url }), 'issuer_unavailable')
      }
      await passMinutes()
      assert.deepEqual(logged, [])
      assert.equal(bank.isReachable(), true)
      const own = questions() - before - 5
      assert.ok(own >= 1 && own <= 2, `it asked ${own} times: once, and for the minute's end`)
    }
  })
}

test('an issuer that gives no tokens is away at once, and until it answers this bank again', async (t) => {
  const { issuer, bank, logged, clock, passMinutes, signIn, redeem, becomes } = await scene(t)
  const faults: [path: string, answer: Answer][] = [
    ['/token', insteadJson({ error: 'server_error' }, 400)],
    ['/token', page(500)],
    ['/token', cut],
    ['/jwks', insteadJson({}, 500)],
    ['/jwks', insteadJson({ keys: 'none' })],
  ]
  for (const [path, answer] of faults) {
    issuer.instead.set(path, answer)
    // It asks once a minute. The time of the issuer stays.
    clock.advance(minute)
    clock.jump(-minute)
    // A sign-in of a moment ago has brought the keys.
    if (path === '/jwks') issuer.instead.set('/token', byCode(page(400), refused))
    assert.equal(await redeem({ code: 'chosen', iss: issuer.url }), 'issuer_unavailable')
    await becomes(false)
    for (let turn = 0; turn < 3; turn++) {
      await passMinutes()
      assert.equal(bank.isReachable(), false, 'without another sign-in, for the alert')
    }
    assert.equal(logged.length, 1, logged.join('\n'))
    issuer.instead.clear()
    await passMinutes()
    await becomes(true)
    assert.deepEqual(logged.splice(0)[1], 'the issuer answers again')
  }
  assert.equal(await signIn(), 'agnes')
})

test('a client that the issuer refuses is told once, and is away until it is accepted', async (t) => {
  const { issuer, bank, logged, passMinutes, signIn, becomes } = await scene(t, 'a-former-secret')
  assert.equal(await signIn(), 'issuer_unavailable')
  await becomes(false)
  for (let turn = 0; turn < 3; turn++) {
    await passMinutes()
    assert.equal(await signIn(), 'issuer_unavailable')
    assert.equal(bank.isReachable(), false, 'its document is given to every client')
  }
  assert.deepEqual(logged.length, 1, logged.join('\n'))
  assert.match(logged[0] ?? '', /it refuses this client/)
  issuer.instead.set('/token', refused)
  await passMinutes()
  await becomes(true)
  assert.equal(logged[1], 'the issuer answers again')
})

test('a good sign-in ends the outage at once', async (t) => {
  const { issuer, bank, signIn, becomes } = await scene(t, 'a-former-secret')
  assert.equal(await signIn(), 'issuer_unavailable')
  await becomes(false)
  issuer.answerToken({ sub: 'agnes', nonce: visit.nonce })
  assert.equal(await signIn(), 'agnes')
  assert.equal(bank.isReachable(), true)
})

test('however many browsers wait for the issuer, this bank finds out whether it answers', async (t) => {
  const { issuer, bank, logged, redeem, passMinutes } = await scene(t)
  await passMinutes()
  issuer.instead.set(
    '/token',
    byCode(() => {}, refused),
  )
  const answers = await Promise.all(
    Array.from({ length: 40 }, () => redeem({ code: 'chosen', iss: issuer.url })),
  )
  assert.deepEqual(new Set(answers), new Set(['issuer_unavailable']))
  await passMinutes()
  assert.deepEqual(logged, [])
  assert.equal(bank.isReachable(), true)
})

test('tokens by an unknown key have the keys of the issuer read anew, once in 30 seconds', async (t) => {
  const { issuer, bank } = await scene(t)
  const begun = Date.now()
  let aheadMs = 0
  t.mock.method(Date, 'now', () => begun + aheadMs)
  const readings = () => issuer.asked.filter((path) => path === '/jwks').length
  const ask = async () => {
    const token = await issuer.sign({}, { kid: 'two' })
    await assert.rejects(bank.readLogout(token), { code: 'issuer_refused' })
    return readings()
  }
  const before = await ask()
  assert.equal(await ask(), before)
  aheadMs = 15_000
  assert.equal(await ask(), before)
  aheadMs = 30_001
  assert.equal(await ask(), before + 1)
  assert.equal(await ask(), before + 1)
})
