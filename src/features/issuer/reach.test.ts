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
  async function signIn(): Promise<string> {
    const location = await made.addressOf(visit, { isFresh: false })
    const brought = handedOn(await issuer.visit(location, { accountId: 'agnes' }))
    const answer = { state: visit.state, code: brought.code ?? '', iss: brought.iss }
    return made.redeem(visit, answer).then(
      ({ subject }) => subject,
      (thrown: unknown) => (thrown as Refusal).code,
    )
  }
  /** The time of the issuer stays. */
  function wait(milliseconds: number): Promise<void> {
    clock.advance(milliseconds)
    clock.jump(-milliseconds)
    return passMinutes()
  }
  return { issuer, bank: made, logged, passMinutes, signIn, wait }
}

test('a client that the issuer refuses is told once, and is away until staff sign in again', async (t) => {
  const { issuer, bank, logged, passMinutes, signIn } = await scene(t, 'a-secret-that-has-ended')
  for (let turn = 0; turn < 3; turn++) {
    assert.equal(await signIn(), 'issuer_unavailable')
    await passMinutes()
    assert.equal(bank.isReachable(), false, 'its document is given to every client')
  }
  assert.deepEqual(logged.length, 1, logged.join('\n'))
  assert.match(logged[0] ?? '', /it refuses this client/)
  issuer.answerToken({ sub: 'agnes', nonce: visit.nonce })
  assert.equal(await signIn(), 'agnes')
  assert.equal(bank.isReachable(), true)
  assert.equal(logged[1], 'the issuer answers again')
})

test('an instance on which a client was refused and staff sign in no more forgets that in an hour', async (t) => {
  const { bank, logged, signIn, wait } = await scene(t, 'a-secret-that-has-ended')
  assert.equal(await signIn(), 'issuer_unavailable')
  await wait(60 * minute - 1)
  assert.equal(bank.isReachable(), false)
  await wait(1)
  assert.equal(bank.isReachable(), true, logged.join('\n'))
})

test('a fault of sign-ins is told once, and over three minutes after the last failed one', async (t) => {
  const { issuer, bank, logged, signIn, wait } = await scene(t)
  const faults: [path: string, answer: Parameters<typeof issuer.instead.set>[1]][] = [
    ['/token', insteadJson({ error: 'server_error' }, 400)],
    ['/token', (_, response) => void response.destroy()],
    ['/jwks', insteadJson({}, 500)],
  ]
  for (const [path, answer] of faults) {
    issuer.instead.set(path, answer)
    for (let turn = 0; turn < 3; turn++) {
      assert.equal(await signIn(), 'issuer_unavailable')
      await wait(2 * minute)
      assert.equal(bank.isReachable(), false, 'for the alert')
    }
    assert.equal(logged.length, 1, logged.join('\n'))
    await wait(minute)
    assert.equal(bank.isReachable(), true, 'a browser may have caused it')
    assert.deepEqual(logged.splice(0)[1], 'the issuer answers again')
    issuer.instead.clear()
  }
  assert.equal(await signIn(), 'agnes')
})
