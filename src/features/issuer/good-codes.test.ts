// What the operator sees of an issuer that fails good codes alone: a ticket. One browser could keep
// an alert that wakes a person on, with codes that it chose.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { endSignIn, handedOn, issuerScene } from '../../../test/support/issuer.ts'
import { freePort } from '../../../test/support/program.ts'
import { fromPage, readCookies, toCookieField } from '../../../test/support/browser-session.ts'

test('sign-ins that fail for good codes alone are counted by their code, and each has its reason in a line of level 50; one browser causes 50 an hour', async (t) => {
  const port = await freePort()
  const bank = await issuerScene(t, { LIMITS: '{}', METRICS_PORT: String(port) })
  const brought = new Set<string | undefined>()
  bank.issuer.instead.set('/token', (request, response) => {
    let body = ''
    request.on('data', (chunk: Buffer) => (body += chunk.toString()))
    request.on('end', () => {
      const isGood = brought.has(new URLSearchParams(body).get('code') ?? '')
      response.writeHead(isGood ? 500 : 400, { 'content-type': 'application/json' })
      response.end(JSON.stringify({ error: isGood ? 'server_error' : 'invalid_grant' }))
    })
  })
  /** A sign-in by the one browser; false where a limit refuses it. */
  async function failOnce(): Promise<boolean> {
    const begun = await bank.send('POST', '/portal/session/issuer', { headers: fromPage })
    if (begun.status === 429) return false
    assert.equal(begun.status, 200, begun.text)
    const answer = handedOn(await bank.issuer.visit(begun.body.location, { accountId: 'agnes' }))
    brought.add(answer.code)
    const ended = await endSignIn(bank, answer, toCookieField(readCookies(begun)))
    if (ended.status === 429) return false
    assert.equal(`${ended.status} ${ended.body.code}`, '503 issuer_unavailable')
    return true
  }
  let count = 0
  for (let minute = 0; minute < 12; minute++) {
    while (await failOnce()) count++
    bank.clock.advance(60_000)
  }
  // A login of the test has come from there before.
  assert.ok(count === 49 || count === 50, `${count} from one address`)
  assert.equal(bank.running.edge.service.issuer?.isReachable(), true)
  const text = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text()
  const [line = ''] = text.match(/^strongroom_requests_total\{.*issuer_unavailable.*$/gm) ?? []
  assert.match(line, new RegExp(`route="/portal/session/issuer/answer".*\\} ${count}$`))
  // A ticket, by the alert of lines of level 50.
  const errors = /^strongroom_log_errors_total (\d+)$/m.exec(text)?.[1]
  assert.equal(errors, String(count))
  const told = bank.logged.filter((each) => /"level":50,.*"issuer_unavailable"/.test(each))
  assert.equal(told.length, count)
  assert.match(told[0] ?? '', /"because":"its answer is wrong: OAUTH_RESPONSE_IS_NOT_CONFORM"/)
})
