// The issuer ends sessions: OpenID Connect Back-Channel Logout 1.0.
import assert from 'node:assert/strict'
import { generateKeyPairSync } from 'node:crypto'
import type { ServerResponse } from 'node:http'
import { test } from 'node:test'
import { readEvents } from '../../../test/support/audit-events.ts'
import { fromPage } from '../../../test/support/browser-session.ts'
import { enrolTotp } from '../../../test/support/factors.ts'
import {
  beginSignIn,
  browserOf,
  type Claims,
  endSignIn,
  handedOn,
  insteadJson,
  issuerScene,
  logoutClaims,
  type Scene,
} from '../../../test/support/issuer.ts'
import { waitingForLock } from '../../../test/support/locks.ts'
import type { Reply, World } from '../../../test/support/world.ts'
import { openDatabase } from '../../database/connections/connect.ts'
import { purgeOnce } from '../../database/background/purge.ts'
import { purgeAuth } from '../auth/purge.ts'

const subject = 'subject-of-agnes'
const outcome = ({ status, body }: Reply) => `${status} ${body?.code ?? ''}`.trim()
const form = { 'content-type': 'application/x-www-form-urlencoded' }

const logOut = ({ send }: Pick<World, 'send'>, token: string, more = ''): Promise<Reply> =>
  send('POST', '/api/v1/auth/issuer-logout', {
    body: `logout_token=${encodeURIComponent(token)}${more}`,
    headers: form,
  })

/** Signs in with a browser of its own, and gives the session at the issuer too. */
async function signIn(bank: Scene) {
  const { cookie, location } = await beginSignIn(bank)
  const brought = handedOn(await bank.issuer.visit(location, { accountId: subject }))
  const opened = await endSignIn(bank, brought, cookie)
  assert.equal(outcome(opened), '204')
  return { opened, send: browserOf(bank, opened) }
}

/** The same, where a token of the issuer names that session there. */
async function signInAs(bank: Scene, sid: string | undefined, claims: Claims = {}) {
  const { cookie, location } = await beginSignIn(bank)
  const { searchParams } = new URL(location)
  const [state, nonce] = ['state', 'nonce'].map((name) => searchParams.get(name))
  bank.issuer.answerToken({ nonce, sub: subject, sid, ...claims })
  const reply = await endSignIn(bank, { state, code: 'any', iss: bank.issuer.url }, cookie)
  return { reply, send: browserOf(bank, reply) }
}

const isAlive = async (send: ReturnType<typeof browserOf>): Promise<string> =>
  outcome(await send('GET', '/api/v1/me'))

async function linked(t: Parameters<typeof issuerScene>[0], settings = {}): Promise<Scene> {
  const bank = await issuerScene(t, settings)
  await bank.link('agnes', subject)
  return bank
}

test('a logout token with a sid ends the session that began there, at once on every instance', async (t) => {
  const bank = await linked(t)
  const second = await bank.another()
  const one = await signInAs(bank, 'one')
  const other = await signInAs(bank, 'two')
  const told = await logOut(bank, await bank.issuer.logoutToken(subject, 'one'), '&more=ignored')
  assert.equal(outcome(told), '200')
  assert.deepEqual(told.body, { ended: 1 })
  assert.equal(told.headers['cache-control'], 'no-store')
  assert.equal(await isAlive(browserOf(second, one.reply)), '401 session_revoked')
  assert.equal(await isAlive(one.send), '401 session_revoked')
  assert.equal(await isAlive(other.send), '200', 'the other one goes on')
  const [event] = await readEvents(bank, told)
  assert.deepEqual(
    [event?.action, event?.actorId, event?.outcome],
    ['logoutByIssuer', null, 'success'],
  )
  const { rows } = await bank.sql(
    `select id, ended_because from sessions where ended_at is not null and issuer is not null`,
  )
  assert.deepEqual(rows, [{ id: event?.target, ended_because: 'logout' }])
})

test('the sid of a real sign-in is the one that the issuer logs out', async (t) => {
  const bank = await linked(t)
  const { send } = await signIn(bank)
  const { rows } = await bank.sql('select issuer_sid_hash from sessions where issuer is not null')
  assert.equal((rows[0]?.['issuer_sid_hash'] as Buffer | undefined)?.length, 32)
  assert.equal(await isAlive(send), '200')
})

test('a logout token without a sid ends all that the person began at the issuer, and nothing else', async (t) => {
  const bank = await linked(t, { OIDC_STAFF: 'also' })
  await bank.link('both', 'another')
  const [one, other] = [await signIn(bank), await signInAs(bank, undefined)]
  const theirs = await signInAs(bank, undefined, { sub: 'another' })
  const byPassword = await bank.login('agnes')
  const told = await logOut(bank, await bank.issuer.logoutToken(subject))
  assert.deepEqual(told.body, { ended: 2 })
  assert.deepEqual(
    [await isAlive(one.send), await isAlive(other.send)],
    Array(2).fill('401 session_revoked'),
  )
  assert.equal(await isAlive(theirs.send), '200', 'of another person')
  assert.equal(outcome(await byPassword.get('/api/v1/me')), '200')
  assert.equal((await readEvents(bank, told)).length, 2)
  bank.clock.advance(1000)
  const nobody = await logOut(bank, await bank.issuer.logoutToken('somebody'))
  assert.deepEqual(nobody.body, { ended: 0 })
})

test('a logout token with sub and sid ends the sessions of that person which name no sid, too', async (t) => {
  const bank = await linked(t, { OIDC_STAFF: 'also' })
  await bank.link('both', 'another')
  const named = await signInAs(bank, 'one')
  const other = await signInAs(bank, 'two')
  const unnamed = await signInAs(bank, undefined)
  const theirs = await signInAs(bank, undefined, { sub: 'another' })
  const byPassword = await bank.login('agnes')
  const alone = await bank.issuer.tokenOf({ ...logoutClaims(), sid: 'three' })
  assert.deepEqual((await logOut(bank, alone)).body, { ended: 0 }, 'it names no person')
  const told = await logOut(bank, await bank.issuer.logoutToken(subject, 'one'))
  assert.deepEqual(told.body, { ended: 2 })
  const gone = '401 session_revoked'
  const alive = await Promise.all([named, unnamed, other, theirs].map(({ send }) => isAlive(send)))
  assert.deepEqual(alive, [gone, gone, '200', '200'])
  assert.equal(outcome(await byPassword.get('/api/v1/me')), '200')
  const { rows } = await bank.sql(
    'select distinct ended_because from sessions where ended_at > $1',
    [new Date(0)],
  )
  assert.deepEqual(rows, [{ ended_because: 'logout' }])
})

test('a logout token with a sid alone ends what names that sid, of whatever person', async (t) => {
  const bank = await linked(t)
  await bank.link('both', 'another')
  const named = await signInAs(bank, 'one')
  const theirs = await signInAs(bank, 'one', { sub: 'another' })
  const unnamed = await signInAs(bank, undefined)
  const token = await bank.issuer.tokenOf({ ...logoutClaims(), sid: 'one' })
  assert.deepEqual((await logOut(bank, token)).body, { ended: 2 })
  const gone = '401 session_revoked'
  const alive = await Promise.all([named, theirs, unnamed].map(({ send }) => isAlive(send)))
  assert.deepEqual(alive, [gone, gone, '200'])
})

test('a logout token works once, on whatever instance', async (t) => {
  const bank = await linked(t)
  const second = await bank.another()
  const token = await bank.issuer.logoutToken(subject, 'one')
  assert.equal(outcome(await logOut(bank, token)), '200')
  for (const each of [bank, second]) {
    const again = await logOut(each, token)
    assert.equal(outcome(again), '400 invalid_request')
    assert.match(again.text, /was used before/)
  }
  const one = await bank.issuer.logoutToken(subject, 'two')
  const replies = await Promise.all([bank, second, bank, second].map((each) => logOut(each, one)))
  assert.equal(replies.filter(({ status }) => status === 200).length, 1)
})

test('only a logout token of the issuer for this client is obeyed', async (t) => {
  const bank = await linked(t)
  const { send } = await signInAs(bank, 'one')
  const now = Math.floor(bank.clock.now() / 1000)
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
  const make = (claims: Claims, header = {}) =>
    bank.issuer.tokenOf({ ...logoutClaims(), sub: subject, sid: 'one', ...claims }, header)
  const event = 'http://schemas.openid.net/event/backchannel-logout'
  const wrong: Record<string, Promise<string> | string> = {
    'for another client': make({ aud: 'another-client' }),
    'of another issuer': make({ iss: 'https://evil.example' }),
    'without events': make({ events: undefined }),
    'with another event': make({ events: { other: {} } }),
    'with an event that is no object': make({ events: { [event]: 'yes' } }),
    'with an event that is null': make({ events: { [event]: null } }),
    'with an event that is a list': make({ events: { [event]: [] } }),
    'with a list of events': make({ events: [event] }),
    'with a nonce, as an ID token': make({ nonce: 'n' }),
    'without a jti': make({ jti: undefined }),
    'with a jti that is no text': make({ jti: 7 }),
    'about nobody': make({ sub: undefined, sid: undefined }),
    'with a sid that is no text': make({ sid: 1 }),
    'with a sub that is no text': make({ sub: 7 }),
    'with a sub that is null': make({ sub: null }),
    'with a sub that is a list': make({ sub: [subject] }),
    'with a sub of NUL': make({ sub: 'a\0b' }),
    'with a sub that is too long': make({ sub: 'x'.repeat(256) }),
    'without its time': make({ iat: undefined }),
    'without its end': make({ exp: undefined }),
    'past its end': make({ exp: now - 61 }),
    'five minutes old': make({ iat: now - 300 }),
    'five minutes ahead': make({ iat: now + 300, exp: now + 600 }),
    'signed by another key': make({}, { key: privateKey }),
    'signed by an unknown key': make({}, { kid: 'two' }),
    'not signed': `${Buffer.from('{"alg":"none"}').toString('base64url')}.e30.`,
    text: 'text',
  }
  for (const [what, token] of Object.entries(wrong)) {
    assert.equal(outcome(await logOut(bank, await token)), '400 invalid_request', what)
  }
  assert.equal(await isAlive(send), '200')
  assert.equal(outcome(await logOut(bank, await make({}))), '200', 'the others differ by one thing')
  assert.equal(await isAlive(send), '401 session_revoked')
})

test('an ID token of the issuer is no logout token', async (t) => {
  const bank = await linked(t)
  const token = await bank.issuer.tokenOf({ sub: subject, sid: 'one', jti: 'x' })
  assert.equal(outcome(await logOut(bank, token)), '400 invalid_request')
})

test('what holds no token is refused', async (t) => {
  const bank = await linked(t)
  const send = (body: string, headers: Record<string, string>) =>
    bank.send('POST', '/api/v1/auth/issuer-logout', { body, headers })
  const json = { 'content-type': 'application/json' }
  assert.equal(outcome(await send('{"logout_token":"x"}', json)), '400 invalid_request')
  assert.equal(outcome(await send('', form)), '400 invalid_request')
  assert.equal(outcome(await send('other=x', form)), '400 invalid_request')
  assert.equal(outcome(await send('logout_token=a&logout_token=b', form)), '400 invalid_request')
  assert.equal(outcome(await send(`logout_token=${'x'.repeat(8193)}`, form)), '400 invalid_request')
  assert.equal(
    outcome(await send(`logout_token=${'x'.repeat(70_000)}`, form)),
    '413 payload_too_large',
  )
  assert.equal(outcome(await send('logout_token=%ff%fe', form)), '400 invalid_request')
  const other = await bank.send('POST', '/api/v1/auth/login', { body: 'username=a', headers: form })
  assert.equal(outcome(other), '415 unsupported_media_type', 'no other route takes a form')
})

test('a sign-in under way does not outlive the logout of its session at the issuer', async (t) => {
  const bank = await linked(t)
  const now = Math.floor(bank.clock.now() / 1000)
  await logOut(bank, await bank.issuer.logoutToken(subject, 'one'))
  assert.equal(outcome((await signInAs(bank, 'one')).reply), '401 issuer_refused')
  assert.equal(outcome((await signInAs(bank, 'two')).reply), '204')
  await logOut(bank, await bank.issuer.tokenOf({ ...logoutClaims(), sub: subject, iat: now }))
  for (const [iat, expected] of [
    [now - 1, '401 issuer_refused'],
    [now, '401 issuer_refused'],
    [now + 1, '204'],
  ] as const) {
    const { reply } = await signInAs(bank, 'three', { iat })
    assert.equal(outcome(reply), expected, `${iat - now}`)
  }
})

test('a sign-in under way that names no sid does not outlive a logout of sub and sid', async (t) => {
  const bank = await linked(t)
  const now = Math.floor(bank.clock.now() / 1000)
  const token = bank.issuer.tokenOf({ ...logoutClaims(), sub: subject, sid: 'one', iat: now })
  assert.equal(outcome(await logOut(bank, await token)), '200')
  for (const [sid, iat, expected] of [
    [undefined, now, '401 issuer_refused'],
    [undefined, now + 1, '204'],
    ['one', now + 1, '401 issuer_refused'],
    ['two', now, '204'],
  ] as const) {
    const { reply } = await signInAs(bank, sid, { iat })
    assert.equal(outcome(reply), expected, `${sid} ${iat - now}`)
  }
})

test('a logout waits for a sign-in of its session that is about to begin, and ends it', async (t) => {
  const bank = await linked(t)
  const token = await bank.issuer.logoutToken(subject, 'one')
  await bank.sql('begin; lock table sessions in share mode')
  const opening = signInAs(bank, 'one')
  await waitingForLock(bank)
  const ending = logOut(bank, token)
  await waitingForLock(bank, 2)
  await bank.sql('commit')
  const { reply, send } = await opening
  assert.equal(outcome(reply), '204')
  assert.deepEqual((await ending).body, { ended: 1 })
  assert.equal(await isAlive(send), '401 session_revoked')
})

test('a logout ends a sign-in that waits for the second factor of the bank', async (t) => {
  const bank = await issuerScene(t)
  const { code } = await enrolTotp(bank, await bank.login('agnes'))
  await bank.link('agnes', subject)
  const { reply } = await signInAs(bank, 'one')
  assert.equal(outcome(reply), '401 second_factor_required')
  await logOut(bank, await bank.issuer.logoutToken(subject, 'one'))
  bank.clock.advance(30_000)
  const body = { challengeId: reply.body.challenge.id, code: code() }
  const path = '/portal/session/second-factor'
  const opened = await bank.send('POST', path, { body, headers: fromPage })
  assert.equal(outcome(opened), '401 issuer_refused')
})

test('while the keys of the issuer cannot be read a logout token is answered 503, so that it is sent again', async (t) => {
  const bank = await linked(t)
  const token = await bank.issuer.logoutToken(subject, 'one')
  const faults = [
    insteadJson({}, 500),
    insteadJson({ keys: 'none' }),
    // Cut within its body.
    (_: unknown, response: ServerResponse) => {
      response.writeHead(200, { 'content-length': 99 }).write('{', () => response.destroy())
    },
  ]
  for (const fault of faults) {
    bank.issuer.instead.set('/jwks', fault)
    assert.equal(outcome(await logOut(bank, token)), '503 issuer_unavailable')
  }
  bank.issuer.instead.delete('/jwks')
  assert.equal(outcome(await logOut(bank, token)), '200')
})

test('what is remembered of logouts and visits is removed in time', async (t) => {
  const bank = await linked(t)
  await logOut(bank, await bank.issuer.logoutToken(subject, 'one'))
  await beginSignIn(bank)
  const db = openDatabase(bank.address)
  const lane = db.openLane()
  t.after(() => Promise.all([lane.close(), db.close()]))
  const ages = { sessionKeep: 1e12, deviceIdle: 1e12 }
  const begin = bank.clock.now()
  async function purge(ms: number): Promise<void> {
    bank.clock.advance(begin + ms - bank.clock.now())
    await purgeOnce(lane, bank.clock, purgeAuth(ages))
  }
  const left = async () => {
    const { rows } = await bank.sql(`select (select count(*)::int from issuer_visits) as visits,
      (select count(*)::int from issuer_logouts) as logouts`)
    return rows[0]
  }
  await purge(10 * 60_000 - 1)
  assert.deepEqual(await left(), { visits: 1, logouts: 1 })
  await purge(10 * 60_000)
  assert.deepEqual(await left(), { visits: 0, logouts: 1 })
  await purge(3_600_000)
  assert.deepEqual(await left(), { visits: 0, logouts: 0 })
})
