// Staff sign in at an OpenID Connect issuer of another author, over HTTPS.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { approve, approvalAt, pairOf } from '../../../test/support/approvals.ts'
import { readEvent, readEvents } from '../../../test/support/audit-events.ts'
import { fromPage, readCookies, toCookieField } from '../../../test/support/browser-session.ts'
import { toChallengeId } from '../../../test/support/confirmations.ts'
import { challengeOf, enrolTotp } from '../../../test/support/factors.ts'
import { openAccount } from '../../../test/support/fixture.ts'
import {
  beginSignIn,
  browserOf,
  endSignIn,
  handedOn,
  issuerScene,
  type Jar,
  linkPath,
  type Scene,
  testIssuer,
} from '../../../test/support/issuer.ts'
import { openHolder, untilInTime } from '../../../test/support/locks.ts'
import { readMails } from '../../../test/support/mailbox.ts'
import { assertAnsweredAfter } from '../../../test/support/revocations.ts'
import { clientWith, password, people, type Reply, world } from '../../../test/support/world.ts'

const agnes = 'subject-of-agnes'
const outcome = ({ status, body }: Reply) => `${status} ${body?.code ?? ''}`.trim()
const refused = '401 issuer_refused'
const subjects = async (bank: Scene) => (await readMails(bank)).map(({ subject }) => subject)

test('a person of staff who is linked signs in at the issuer, as an ordinary session', async (t) => {
  const bank = await issuerScene(t)
  const linked = await bank.link('agnes', agnes)
  assert.equal(linked.status, 200, linked.text)
  assert.deepEqual(
    { ...linked.body, linkedAt: undefined },
    { issuer: bank.issuer.url, subject: agnes, linkedBy: people.root.id, linkedAt: undefined },
  )
  assert.ok((await subjects(bank)).includes('You sign in at the identity provider'))
  const link = await readEvent(bank, linked)
  assert.deepEqual(
    [link.action, link.actorId, link.target],
    ['linkIssuer', people.root.id, people.agnes.id],
  )
  const opened = await bank.signIn(agnes)
  assert.equal(outcome(opened), '204')
  const event = await readEvent(bank, opened)
  assert.equal(event.action, 'completeIssuerLogin')
  assert.deepEqual([event.actorId, event.detail], [people.agnes.id, 'At the issuer'])
  const send = browserOf(bank, opened)
  const me = await send('GET', '/api/v1/me')
  assert.deepEqual([me.body.id, me.body.roles], [people.agnes.id, ['support-agent']])
  const { rows } = await bank.sql('select issuer, issuer_factor from sessions where id = $1', [
    event.target,
  ])
  assert.deepEqual(rows, [{ issuer: bank.issuer.url, issuer_factor: false }])
  assert.equal(outcome(await send('POST', '/api/v1/auth/logout')), '204')
  assert.equal(outcome(await send('GET', '/api/v1/me')), '401 session_revoked')
})

test('no name and no address of the issuer opens anything, and no person is made', async (t) => {
  const bank = await issuerScene(t)
  await bank.link('agnes', agnes)
  const count = async () => (await bank.sql('select count(*)::int as n from users')).rows[0]?.['n']
  const before = await count()
  // The ID token of each has the address of root, and one has the user name as subject.
  for (const subject of ['root', 'root@example.com', people.root.id, `${agnes}x`, 'AGNES']) {
    assert.equal(outcome(await bank.signIn(subject)), refused, subject)
  }
  assert.equal(outcome(await bank.signIn(agnes.toUpperCase())), refused)
  assert.equal(await count(), before)
  const { rows } = await bank.sql('select 1 from sessions where issuer is not null')
  assert.equal(rows.length, 0)
})

test('a refused sign-in is in the trail, with the person if one is linked', async (t) => {
  const bank = await issuerScene(t)
  await bank.link('agnes', agnes)
  await bank.sql(`update users set status = 'disabled' where id = $1`, [people.agnes.id])
  const replies = [await bank.signIn('somebody'), await bank.signIn(agnes)]
  assert.deepEqual(replies.map(outcome), [refused, refused])
  await bank.running.edge.flush()
  const targets = await Promise.all(
    replies.map(async (reply) => {
      const [event] = await readEvents(bank, reply)
      return [event?.action, event?.outcome, event?.target]
    }),
  )
  assert.deepEqual(targets, [
    ['completeIssuerLogin', 'failure', null],
    ['completeIssuerLogin', 'failure', people.agnes.id],
  ])
})

test('a person with a link has no password and no passkey of this bank, unless the setting gives both', async (t) => {
  const bank = await issuerScene(t)
  const enrolled = await enrolTotp(bank, await bank.login('agnes'))
  const open = await challengeOf(bank, 'agnes')
  await bank.link('agnes', agnes)
  const logIn = (send: Scene['send']) =>
    send('POST', '/api/v1/auth/login', { body: { username: 'agnes', password } })
  assert.equal(outcome(await logIn(bank.send)), '401 invalid_credentials')
  bank.clock.advance(30_000)
  const body = { challengeId: open, code: enrolled.code() }
  const stepTwo = await bank.send('POST', '/api/v1/auth/login/second-factor', { body })
  assert.equal(outcome(stepTwo), '401 invalid_credentials', 'a login that had begun before')
  const also = await bank.another({ settings: { OIDC_STAFF: 'also' } })
  assert.equal(outcome(await logIn(also.send)), '401 second_factor_required')
  assert.equal(outcome(await bank.unlink('agnes')), '204')
  assert.equal(outcome(await logIn(bank.send)), '401 second_factor_required')
})

test("the issuer's second factor counts by the claims of the setting, else that of the bank is asked", async (t) => {
  const bank = await issuerScene(t, { OIDC_FACTOR: 'amr=mfa,acr=gold' })
  const { code } = await enrolTotp(bank, await bank.login('agnes'))
  await bank.link('agnes', agnes)
  const location = new URL((await beginSignIn(bank)).location)
  assert.equal(location.searchParams.get('acr_values'), 'gold')
  for (const login of [{ amr: ['pwd', 'mfa'] }, { acr: 'gold' }]) {
    assert.equal(outcome(await bank.signIn(agnes, login)), '204', JSON.stringify(login))
  }
  for (const login of [{}, { amr: ['mfa2', 'pwd'] }, { acr: 'Gold' }, { acr: 'mfa' }]) {
    const asked = await bank.signIn(agnes, login)
    assert.equal(outcome(asked), '401 second_factor_required', JSON.stringify(login))
    assert.deepEqual(asked.body.challenge.methods, ['totp', 'recovery-code'])
  }
  const asked = await bank.signIn(agnes)
  bank.clock.advance(30_000)
  const body = { challengeId: asked.body.challenge.id, code: code() }
  const path = '/portal/session/second-factor'
  const opened = await bank.send('POST', path, { body, headers: fromPage })
  assert.equal(outcome(opened), '204')
  assert.equal((await readEvent(bank, opened)).detail, 'At the issuer; With totp')
})

test('a link that ends while the second factor is asked for opens nothing', async (t) => {
  const bank = await issuerScene(t)
  const { code } = await enrolTotp(bank, await bank.login('agnes'))
  await bank.link('agnes', agnes)
  const asked = await bank.signIn(agnes)
  await bank.unlink('agnes')
  await bank.link('agnes', 'another-subject')
  bank.clock.advance(30_000)
  const body = { challengeId: asked.body.challenge.id, code: code() }
  const reply = await bank.send('POST', '/portal/session/second-factor', {
    body,
    headers: fromPage,
  })
  assert.equal(outcome(reply), refused)
})

test('without a second factor anywhere, a role that requires one opens its enrolment alone', async (t) => {
  const settings = { SECOND_FACTOR: 'required', SECOND_FACTOR_GRACE: '1s', OIDC_FACTOR: 'amr=mfa' }
  const bank = await issuerScene(t)
  await bank.link('agnes', agnes)
  await bank.sql('update users set created_at = $1', [new Date(bank.clock.now() - 60_000)])
  const strict = { ...bank, ...(await bank.another({ settings })) }
  const signIn = async (login: object) => {
    const { cookie, location } = await beginSignIn(strict)
    const brought = await bank.issuer.visit(location, { accountId: agnes, ...login })
    return browserOf(strict, await endSignIn(strict, handedOn(brought), cookie))
  }
  const without = await signIn({})
  assert.equal((await without('GET', '/api/v1/me')).body.restricted, true)
  assert.equal(outcome(await without('GET', '/api/v1/accounts')), '403 factor_enrolment_required')
  const withIt = await signIn({ amr: ['mfa'] })
  assert.equal((await withIt('GET', '/api/v1/me')).body.restricted, undefined)
  assert.equal(outcome(await withIt('GET', '/api/v1/accounts')), '200')
})

test("a person whose second factor is the issuer's confirms by a new sign-in of the same subject there", async (t) => {
  const bank = await issuerScene(t, { OIDC_FACTOR: 'amr=mfa' })
  await bank.sql(`update users set roles = '{admin}' where id = $1`, [people.both.id])
  await bank.link('both', 'subject-of-both')
  const jar = {}
  const begun = await beginSignIn(bank)
  const login = { accountId: 'subject-of-both', amr: ['mfa'] }
  const opened = await endSignIn(
    bank,
    handedOn(await bank.issuer.visit(begun.location, login, jar)),
    begun.cookie,
  )
  assert.equal(outcome(opened), '204')
  const send = browserOf(bank, opened)
  const change = (headers: Record<string, string> = {}) =>
    send('PATCH', `/api/v1/admin/users/${people.ben.id}`, { phone: '+442079460000' }, headers)
  const asked = await change()
  const challengeId = toChallengeId(asked)
  assert.deepEqual(asked.body.challenge.methods, ['issuer'])
  const path = `/api/v1/auth/confirmations/${challengeId}/issuer`

  async function confirm(
    who: Parameters<typeof bank.issuer.visit>[1],
    cookies: Jar = jar,
  ): Promise<Reply> {
    const visit = await send('POST', path)
    assert.equal(outcome(visit), '200')
    const address = new URL(visit.body.location as string)
    assert.deepEqual(
      ['prompt', 'max_age'].map((name) => address.searchParams.get(name)),
      ['login', '0'],
    )
    const brought = await bank.issuer.visit(address.href, who, cookies)
    const cookie = toCookieField({ ...readCookies(opened), ...readCookies(visit) })
    return send('POST', `${path}/answer`, handedOn(brought), { cookie })
  }
  /** Why the last request was refused. */
  const because = () =>
    JSON.parse(bank.logged.findLast((line) => line.includes('"refused"')) ?? '{}').because
  const others: [Parameters<typeof confirm>[0], Jar][] = [
    [{ ...login, accountId: 'another' }, {}],
    [{ ...login, amr: ['pwd'] }, jar],
  ]
  for (const [who, cookies] of others) {
    assert.equal(outcome(await confirm(who, cookies)), refused)
    assert.equal(because(), 'no new proof of the same person')
  }
  assert.equal(outcome(await change({ confirmation: challengeId })), '403 confirmation_required')
  assert.equal(outcome(await confirm({ ...login, accountId: '' })), refused, 'declined there')
  const confirmed = await confirm(login)
  assert.equal(outcome(confirmed), '200')
  assert.equal((await readEvent(bank, confirmed)).detail, 'updateUser by issuer')
  assert.equal(outcome(await change({ confirmation: challengeId })), '200')
  assert.equal(outcome(await change({ confirmation: challengeId })), '403 confirmation_required')
})

test('a sign-in at the issuer that is older than the confirmation confirms nothing', async (t) => {
  const bank = await issuerScene(t, { OIDC_FACTOR: 'amr=mfa' })
  await bank.sql(`update users set roles = '{admin}' where id = $1`, [people.both.id])
  await bank.link('both', 'subject')
  const opened = await bank.signIn('subject', { amr: ['mfa'] })
  const send = browserOf(bank, opened)
  const asked = await send('PATCH', `/api/v1/admin/users/${people.ben.id}`, { phone: null })
  const path = `/api/v1/auth/confirmations/${toChallengeId(asked)}/issuer`
  const now = Math.floor(bank.clock.now() / 1000)
  const answerWith = async (authTime: number | undefined) => {
    const visit = await send('POST', path)
    const { searchParams } = new URL(visit.body.location as string)
    const [nonce, state] = ['nonce', 'state'].map((name) => searchParams.get(name) as string)
    bank.issuer.answerToken({
      nonce,
      sub: 'subject',
      amr: ['mfa'],
      ...(authTime !== undefined && { auth_time: authTime }),
    })
    const cookies = { ...readCookies(opened), ...readCookies(visit) }
    const body = { state, code: 'any', iss: bank.issuer.url }
    return send('POST', `${path}/answer`, body, { cookie: toCookieField(cookies) })
  }
  assert.equal(outcome(await answerWith(undefined)), refused, 'the issuer does not tell')
  assert.equal(outcome(await answerWith(now - 61)), refused)
  assert.equal(outcome(await answerWith(now - 59)), '200')
})

test('a visit to confirm opens no session, and a visit to sign in confirms nothing', async (t) => {
  const bank = await issuerScene(t, { OIDC_FACTOR: 'amr=mfa' })
  await bank.sql(`update users set roles = '{admin}' where id = $1`, [people.both.id])
  await bank.link('both', 'subject')
  const opened = await bank.signIn('subject', { amr: ['mfa'] })
  const send = browserOf(bank, opened)
  const asked = await send('PATCH', `/api/v1/admin/users/${people.ben.id}`, { phone: null })
  const path = `/api/v1/auth/confirmations/${toChallengeId(asked)}/issuer`
  const toConfirm = await send('POST', path)
  const login = { accountId: 'subject', amr: ['mfa'] }
  const brought = await bank.issuer.visit(toConfirm.body.location as string, login)
  const visitCookie = toCookieField(readCookies(toConfirm))
  assert.equal(outcome(await endSignIn(bank, handedOn(brought), visitCookie)), refused)
  const toSignIn = await beginSignIn(bank)
  const other = await bank.issuer.visit(toSignIn.location, login)
  const [, visit = ''] = /visit=(.+)/.exec(toSignIn.cookie) ?? []
  const cookie = toCookieField({ ...readCookies(opened), '__Host-strongroom-visit': visit })
  assert.equal(outcome(await send('POST', `${path}/answer`, handedOn(other), { cookie })), refused)
})

test('an administrator who ends the link ends the sessions: at the next request, on every instance', async (t) => {
  const bank = await issuerScene(t)
  const second = await bank.another()
  await bank.link('agnes', agnes)
  const opened = await bank.signIn(agnes)
  const [here, there] = [bank, second].map((each) => browserOf(each, opened))
  assert.deepEqual(
    (await Promise.all([here, there].map((send) => send?.('GET', '/api/v1/me')))).map(
      (reply) => reply?.status,
    ),
    [200, 200],
  )
  assert.equal(outcome(await bank.unlink('agnes')), '204')
  const told = 'Your sign-in at the identity provider ended'
  assert.ok((await subjects(bank)).includes(told))
  for (const send of [here, there]) {
    assert.equal(outcome((await send?.('GET', '/api/v1/me')) as Reply), '401 session_revoked')
  }
  assert.equal(outcome(await bank.signIn(agnes)), refused)
})

for (const [what, end] of Object.entries({
  'the end of the link': ({ unlink }: Scene) => unlink('both'),
  'a logout token': async (bank: Scene) => {
    const { rows } = await bank.sql(`select 1 from sessions where issuer is not null`)
    assert.equal(rows.length, 1)
    const body = `logout_token=${await bank.issuer.logoutToken('subject')}`
    return bank.send('POST', '/api/v1/auth/issuer-logout', {
      body,
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
    })
  },
})) {
  test(`a session of the issuer is shut out by ${what} only after its change under way`, async (t) => {
    await untilInTime(async () => {
      const bank = await issuerScene(t)
      await bank.sql(`update users set roles = '{customer,admin}' where id = $1`, [people.both.id])
      const account = await openAccount(await bank.login('both'))
      await bank.link('both', 'subject')
      const send = browserOf(bank, await bank.signIn('subject'))
      const holder = await openHolder(t, bank)
      await holder.query('begin')
      await holder.query('select from accounts where id = $1 for update', [account])
      const change = () => send('POST', `/api/v1/accounts/${account}/cards`, {})
      const changing = change()
      await assertAnsweredAfter(bank, holder, changing, () => end(bank))
      assert.equal(outcome(await change()), '401 session_revoked')
    })
  })
}

test('roles and status are those of the bank: one who is staff no more has neither link nor session', async (t) => {
  const bank = await issuerScene(t)
  await bank.link('both', 'subject')
  const send = browserOf(bank, await bank.signIn('subject'))
  const at = `/api/v1/admin/users/${people.both.id}`
  assert.equal(outcome(await bank.root.patch(at, { roles: ['customer'] })), '200')
  assert.equal(outcome(await send('GET', '/api/v1/me')), '401 session_revoked')
  assert.equal(outcome(await bank.signIn('subject')), refused)
  assert.equal((await bank.root.get(linkPath('both'))).body.subject, null)
  assert.equal(outcome(await bank.link('both', 'subject')), '409 illegal_transition', 'a customer')
  const login = { body: { username: 'both', password } }
  assert.equal(outcome(await bank.send('POST', '/api/v1/auth/login', login)), '200')
})

test('a link is made by another administrator alone, once for a subject and once for a person', async (t) => {
  const bank = await issuerScene(t)
  assert.equal(outcome(await bank.link('root', 'own')), '403 forbidden', 'for themselves')
  assert.equal(outcome(await bank.link('ada', 'customer')), '409 illegal_transition')
  assert.equal(outcome(await bank.link('agnes', agnes)), '200')
  assert.equal(outcome(await bank.link('both', agnes)), '409 already_exists')
  assert.equal(outcome(await bank.link('agnes', 'another')), '409 already_exists')
  const opened = await bank.signIn(agnes)
  assert.equal(outcome(await bank.link('agnes', agnes)), '200', 'the same again')
  const send = browserOf(bank, opened)
  assert.equal(outcome(await send('GET', '/api/v1/me')), '200', 'changes nothing')
  const staff = await bank.login('both')
  for (const reply of [
    await staff.put(linkPath('agnes'), { subject: 'x' }),
    await staff.delete(linkPath('agnes')),
    await staff.get(linkPath('agnes')),
  ]) {
    assert.equal(outcome(reply), '403 forbidden')
  }
  for (const subject of ['', ' x', 'x ', 'x'.repeat(256), 'é', 'a\nb']) {
    assert.equal(outcome(await bank.link('both', subject)), '400 invalid_request', subject)
  }
  assert.equal(outcome(await bank.link('both', 'x'.repeat(255))), '200')
  assert.equal(outcome(await bank.unlink('root')), '403 forbidden')
  assert.equal(outcome(await bank.unlink('both')), '204')
  assert.equal(outcome(await bank.unlink('both')), '404 not_found')
})

test('a link waits for a second administrator where four eyes are set', async (t) => {
  const bank = await issuerScene(t, { FOUR_EYES: 'linkIssuer,createUser,updateUser' })
  const { maker, checker } = await pairOf(bank)
  const held = await maker.put(linkPath('agnes'), { subject: agnes })
  assert.equal(outcome(await bank.signIn(agnes)), refused)
  assert.equal(outcome(await approve(checker, approvalAt(held))), '200')
  assert.equal(outcome(await bank.signIn(agnes)), '204')
  const own = await maker.put(linkPath('both'), { subject: 'of-the-checker' })
  assert.equal(
    outcome(await approve(checker, approvalAt(own))),
    '403 forbidden',
    'about themselves',
  )
})

test('while the issuer is away sign-in answers 503, sessions go on, and a password opens the break-glass way', async (t) => {
  const bank = await issuerScene(t)
  await bank.link('agnes', agnes)
  const send = browserOf(bank, await bank.signIn(agnes))
  const begun = await beginSignIn(bank)
  const brought = await bank.issuer.visit(begun.location, { accountId: agnes })
  await bank.issuer.stop()
  const away = await endSignIn(bank, handedOn(brought), begun.cookie)
  assert.equal(outcome(away), '503 issuer_unavailable')
  assert.match(away.body.message, /^The identity provider does not answer; sign in later\.$/)
  assert.equal(away.headers['retry-after'], '10')
  bank.clock.advance(5 * 60_000)
  const first = await bank.send('POST', '/portal/session/issuer', { headers: fromPage })
  assert.equal(outcome(first), '503 issuer_unavailable')
  assert.equal(bank.running.edge.service.issuer?.isReachable(), false)
  const { issuer } = bank.running.edge.service
  const before = issuer?.byPasswordCount() ?? 0
  // An administrator without a link, as `strongroom create-admin` makes one.
  await bank.login('root')
  await bank.login('ada')
  assert.equal(issuer?.byPasswordCount(), before + 1, 'counted for the alert; no customer is')
  assert.ok(bank.logged.some((line) => line.includes('the issuer does not answer')))
  bank.clock.jump(-5 * 60_000)
  assert.equal(outcome(await send('GET', '/api/v1/me')), '200')
})

test('the same subject of another issuer is somebody else, and sessions of the former issuer end', async (t) => {
  const bank = await issuerScene(t)
  await bank.link('agnes', agnes)
  const opened = await bank.signIn(agnes)
  const other = await testIssuer(t)
  const moved = { ...bank, ...(await bank.another({ settings: other.settings })) }
  const kept = browserOf(moved, opened)
  assert.equal(outcome(await kept('GET', '/api/v1/me')), '401 session_revoked')
  const { cookie, location } = await beginSignIn(moved)
  const brought = await other.visit(location, { accountId: agnes })
  assert.equal(outcome(await endSignIn(moved, handedOn(brought), cookie)), refused)
  const root = clientWith(moved.send, bank.root.token)
  const taken = await root.put(linkPath('both'), { subject: agnes })
  assert.equal(outcome(taken), '200', 'of the other issuer it is free')
  const again = await beginSignIn(moved)
  const second = await other.visit(again.location, { accountId: agnes })
  const both = await endSignIn(moved, handedOn(second), again.cookie)
  assert.equal((await browserOf(moved, both)('GET', '/api/v1/me')).body.id, people.both.id)
})

test('without an issuer none of its routes answers, and everybody signs in as before', async (t) => {
  const plain = await world(t)
  const routes = [
    await plain.send('POST', '/portal/session/issuer', { headers: fromPage }),
    await endSignIn(plain, { state: 'x', code: 'y' }),
    await plain.send('POST', '/api/v1/auth/issuer-logout', {
      body: 'logout_token=x',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
    }),
    await (await plain.as('root')).get(linkPath('agnes')),
  ]
  assert.deepEqual(routes.map(outcome), Array(4).fill('404 not_found'))
  assert.equal((await plain.login('agnes')).token.length > 0, true)
})

test('what the issuer gives is refused, and the session of the browser goes on', async (t) => {
  const bank = await issuerScene(t)
  await bank.link('agnes', agnes)
  const opened = await bank.signIn(agnes)
  const send = browserOf(bank, opened)
  const body = { state: 'of-another-visit', error: 'access_denied' }
  const again = await endSignIn(bank, body, toCookieField(readCookies(opened)))
  const path = `/api/v1/auth/confirmations/${people.ada.id}/issuer/answer`
  for (const reply of [again, await send('POST', path, body)]) {
    assert.equal(outcome(reply), refused)
    assert.equal(reply.headers['set-cookie'], undefined)
  }
  assert.equal((await send('GET', '/api/v1/me')).status, 200)
})
