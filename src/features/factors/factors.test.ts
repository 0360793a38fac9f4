// A person's own factors: enrolment, recovery codes, removal, and what staff can do about them.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openDatabase } from '../../database/connections/connect.ts'
import { transaction } from '../../database/connections/transaction.ts'
import { noteRecovery } from './sql.ts'
import { confirming } from '../../../test/support/confirmations.ts'
import {
  answer,
  beginEnrolment,
  challengeOf,
  enrolTotp,
  factorsPath,
  logInByPassword,
  stepMs,
} from '../../../test/support/factors.ts'
import { linkMailTo, readMails, tokenIn, tokenMailedTo } from '../../../test/support/mailbox.ts'
import { deposit, openAccount } from '../../../test/support/fixture.ts'
import {
  type ApiClient,
  clientWith,
  people,
  type Reply,
  world,
  type World,
} from '../../../test/support/world.ts'

const minute = 60_000
const hour = 60 * minute
const codesPath = '/api/v1/auth/recovery-codes'
const outcome = ({ status, body }: Reply) => `${status} ${body?.code ?? ''}`.trim()

const withFactor = async (bank: World, name: 'ada' | 'root' = 'ada') => {
  const voice = confirming(bank, await bank.login(name))
  return { voice, ...(await enrolTotp(bank, voice)) }
}

/** A session by step two. */
async function recovered(bank: World, proof: object, name: 'ada' | 'root' = 'ada') {
  const reply = await answer(bank, await challengeOf(bank, name), proof)
  assert.deepEqual([reply.status, reply.body.restricted], [200, true], reply.text)
  return confirming(bank, clientWith(bank.send, reply.body.token as string))
}

const subjects = async (bank: World) => (await readMails(bank)).map(({ subject }) => subject)

test('an enrolment asks for the password, and a person has five wrong ones over all sessions', async (t) => {
  const bank = await world(t, { limits: 'default' })
  const [voice, other] = [await bank.login('ada'), await bank.login('ada')]
  const attempt = (session: ApiClient, from: string) => {
    bank.clock.advance(250)
    return session.post(factorsPath, { kind: 'totp', name: 'Phone', password: 'wrong' }, { from })
  }
  for (let turn = 0; turn < 5; turn++) {
    const { status, body } = await attempt(turn % 2 ? voice : other, `127.0.8.${turn + 1}`)
    assert.deepEqual([status, body.details[0].path], [400, '/body/password'])
  }
  assert.equal((await beginEnrolment(voice)).status, 429)
  bank.clock.advance(minute)
  assert.equal((await beginEnrolment(voice)).status, 201)
})

test('an enrolment is of one session, five tries and five minutes, and the newest counts', async (t) => {
  const bank = await world(t)
  const voice = await bank.login('ada')
  const other = await bank.login('ada')
  const activate = async (client: ApiClient, body: object) => {
    const { id } = (await beginEnrolment(voice)).body
    return client.post(`${factorsPath}/${id}/activate`, body)
  }
  assert.equal(outcome(await activate(other, { code: '000000' })), '409 illegal_transition')
  const begun = await beginEnrolment(voice)
  const path = `${factorsPath}/${begun.body.id}/activate`
  for (let turn = 0; turn < 5; turn++) {
    assert.equal((await voice.post(path, { code: '000000' })).status, 400)
  }
  assert.equal(outcome(await voice.post(path, { code: '000000' })), '409 illegal_transition')
  const late = await beginEnrolment(voice)
  assert.equal((await voice.post(path, { code: '000000' })).status, 403, 'there is a newer one')
  bank.clock.advance(5 * minute - 1)
  const latePath = `${factorsPath}/${late.body.id}/activate`
  assert.equal((await voice.post(latePath, { code: '000000' })).status, 400)
  bank.clock.advance(1)
  const again = clientWith(bank.send, (await bank.login('ada')).token)
  assert.equal(outcome(await again.post(latePath, { code: '000000' })), '409 illegal_transition')
  assert.deepEqual((await again.get(factorsPath)).body.factors, [])
})

test('the secret and the codes of a person are in no answer, log or table as they are', async (t) => {
  const bank = await world(t)
  const voice = await bank.login('ada')
  const begun = await beginEnrolment(voice)
  const { secret } = begun.body.totp as { secret: string }
  const { recoveryCodes } = await enrolTotp(bank, voice)
  const listed = await voice.get(factorsPath)
  const { rows } = await bank.sql(
    `select string_agg(t::text, '') as text from (
       select f::text from factors f union all select r::text from recovery_codes r
       union all select m::text from mails m union all select a::text from audit_events a
     ) as all_of_it (t)`,
  )
  const everything = [rows[0]?.['text'], listed.text, bank.logged.join('\n')].join('\n')
  for (const hidden of [
    secret,
    ...recoveryCodes,
    ...recoveryCodes.map((c) => c.replaceAll('-', '')),
  ]) {
    assert.ok(!everything.includes(hidden))
  }
})

test('a recovery code logs in once, and the session may only enrol', async (t) => {
  const bank = await world(t)
  const { recoveryCodes } = await withFactor(bank)
  assert.equal(new Set(recoveryCodes).size, 10)
  for (const code of recoveryCodes) assert.match(code, /^([A-Z2-7]{4}-){3}[A-Z2-7]{4}$/)
  const [first = '', second = ''] = recoveryCodes
  const ada = await recovered(bank, { recoveryCode: first })
  assert.equal((await ada.get('/api/v1/accounts')).body.code, 'factor_enrolment_required')
  assert.equal((await ada.get(factorsPath)).body.recoveryCodesLeft, 9)
  assert.equal((await ada.get(factorsPath)).body.factors.length, 1, 'nothing is removed')
  const again = await answer(bank, await challengeOf(bank, 'ada'), { recoveryCode: first })
  assert.equal(outcome(again), '401 invalid_credentials')
  const typed = ` ${second.toLowerCase().replaceAll('-', ' ')}`.slice(1)
  await recovered(bank, { recoveryCode: typed })
  assert.ok((await subjects(bank)).includes('A login without your second factor'))
})

test('50 uses of one recovery code at once begin exactly one session', async (t) => {
  const bank = await world(t)
  const { recoveryCodes } = await withFactor(bank)
  const challenges: string[] = []
  for (let turn = 0; turn < 50; turn++) challenges.push(await challengeOf(bank, 'ada'))
  const proof = { recoveryCode: recoveryCodes[3] }
  const replies = await Promise.all(challenges.map((id) => answer(bank, id, proof)))
  const outcomes = replies.map(({ status }) => status).toSorted((one, other) => one - other)
  assert.deepEqual(outcomes, [200, ...Array.from({ length: 49 }, () => 401)])
})

test("another person's recovery code is no proof", async (t) => {
  const bank = await world(t)
  await withFactor(bank)
  const { recoveryCodes } = await enrolTotp(bank, await bank.login('ben'))
  const reply = await answer(bank, await challengeOf(bank, 'ada'), {
    recoveryCode: recoveryCodes[0],
  })
  assert.equal(outcome(reply), '401 invalid_credentials')
})

test('after a recovery a new factor opens the bank, and new beneficiaries cool down for a day', async (t) => {
  const bank = await world(t, { settings: { SESSION_IDLE: '1h', TOKEN_TTL: '1h' } })
  const { voice, recoveryCodes } = await withFactor(bank)
  const account = await openAccount(voice)
  await deposit(await bank.as('root'), account, '100.00')
  const beneficiary = async (client: Pick<ApiClient, 'post'>, iban: string) => {
    const path = `/api/v1/accounts/${account}/beneficiaries`
    return (await client.post(path, { name: 'Friend', iban })).body.id as string
  }
  const before = await beneficiary(voice, 'GB33BUKB20201555555555')
  bank.clock.advance(1)
  const ada = await recovered(bank, { recoveryCode: recoveryCodes[0] })
  const { code } = await enrolTotp(bank, ada)
  const after = await beneficiary(ada, 'DE89370400440532013000')
  let keys = 0
  const pay = async (client: Pick<ApiClient, 'post'>, beneficiaryId: string) => {
    const terms = { fromAccountId: account, beneficiaryId, amount: '1.00', currency: 'EUR' }
    const headers = { 'idempotency-key': `key-${++keys}` }
    const body = { ...terms, reference: `${keys}` }
    return outcome(await client.post('/api/v1/transfers', body, { headers }))
  }
  assert.equal(await pay(ada, after), '409 beneficiary_cooling')
  assert.equal(await pay(ada, before), '201')
  // Of another customer nothing was recovered.
  const ben = await bank.as('ben')
  const bens = await openAccount(ben)
  await deposit(await bank.login('root'), bens, '1.00')
  const payee = { name: 'Grace Hopper', iban: 'DE89370400440532013000' }
  const fresh = await ben.post(`/api/v1/accounts/${bens}/beneficiaries`, payee)
  const paid = { fromAccountId: bens, beneficiaryId: fresh.body.id, amount: '1.00' }
  const made = await ben.post('/api/v1/transfers', { ...paid, currency: 'EUR' })
  assert.equal(outcome(made), '201', made.text)
  bank.clock.advance(24 * hour - 1)
  const later = await answer(bank, await challengeOf(bank, 'ada'), { code: code() })
  const again = clientWith(bank.send, later.body.token as string)
  assert.equal(await pay(again, after), '409 beneficiary_cooling')
  bank.clock.advance(1)
  assert.equal(await pay(again, after), '201')
})

test('a second recovery does not open what cools down since the first one', async (t) => {
  const bank = await world(t)
  const ada = await bank.login('ada')
  const account = await openAccount(ada)
  await deposit(await bank.as('root'), account, '100.00')
  const add = async (iban: string) => {
    const path = `/api/v1/accounts/${account}/beneficiaries`
    return (await ada.post(path, { name: 'Friend', iban })).body.id as string
  }
  const owner = openDatabase(bank.address, { role: null })
  t.after(() => owner.close())
  const recover = () =>
    transaction(owner, (tx) => noteRecovery(tx, people.ada.id, bank.clock.now()))
  const pay = async (beneficiaryId: string) => {
    const reference = `${bank.clock.now()}`
    const terms = { fromAccountId: account, beneficiaryId, amount: '1.00', currency: 'EUR' }
    const later = await bank.login('ada')
    return outcome(await later.post('/api/v1/transfers', { ...terms, reference }))
  }
  const before = await add('GB33BUKB20201555555555')
  bank.clock.advance(1)
  await recover()
  const since = await add('DE89370400440532013000')
  for (let turn = 0; turn < 2; turn++) {
    bank.clock.advance(24 * hour - 1)
    await recover()
  }
  bank.clock.advance(24 * hour - 1)
  assert.equal(await pay(since), '409 beneficiary_cooling')
  assert.equal(await pay(before), '201')
  bank.clock.advance(1)
  assert.equal(await pay(since), '201')
  // No earlier one holds anything back: the next recovery begins anew.
  bank.clock.advance(1)
  await recover()
  assert.equal(await pay(since), '201')
})

test('new recovery codes void the earlier ones', async (t) => {
  const bank = await world(t)
  const plain = await bank.login('ben')
  assert.equal(outcome(await plain.post(codesPath)), '409 illegal_transition', 'no factor')
  const { voice, recoveryCodes } = await withFactor(bank)
  const made = await voice.post(codesPath)
  assert.equal(made.status, 200)
  const old = { recoveryCode: recoveryCodes[0] }
  const refused = await answer(bank, await challengeOf(bank, 'ada'), old)
  assert.equal(outcome(refused), '401 invalid_credentials')
  await recovered(bank, { recoveryCode: made.body.recoveryCodes[0] })
  assert.ok((await subjects(bank)).includes('New recovery codes were made'))
})

test('a factor is renamed and removed by its owner alone; with the last one the codes go', async (t) => {
  const bank = await world(t)
  const { voice, id, code } = await withFactor(bank)
  const other = await answer(bank, await challengeOf(bank, 'ada'), { code: code(1) })
  const ben = await bank.login('ben')
  const path = `${factorsPath}/${id}`
  for (const reply of [await ben.delete(path), await ben.patch(path, { name: 'x' })]) {
    assert.equal(outcome(reply), '403 forbidden')
  }
  assert.equal((await voice.patch(path, { name: 'Old phone' })).body.name, 'Old phone')
  assert.equal((await voice.delete(path)).status, 204)
  assert.equal((await bank.send('GET', '/api/v1/me', other.body)).body.code, 'session_revoked')
  assert.equal((await voice.get(factorsPath)).body.recoveryCodesLeft, 0)
  assert.equal((await logInByPassword(bank, 'ada')).status, 200)
  const told = await subjects(bank)
  assert.ok(
    told.includes('A second factor was added') && told.includes('A second factor was removed'),
  )
})

test('the last factor of a role that requires one stays, also when two are removed at once', async (t) => {
  const bank = await world(t)
  const { voice, id } = await withFactor(bank, 'root')
  assert.equal(outcome(await voice.delete(`${factorsPath}/${id}`)), '409 illegal_transition')
  const second = await enrolTotp(bank, voice)
  assert.deepEqual(second.recoveryCodes, undefined, 'the codes of the first one are good')
  const replies = await Promise.all(
    [id, second.id].map((each) => voice.delete(`${factorsPath}/${each}`)),
  )
  assert.deepEqual(replies.map(outcome).toSorted(), ['204', '409 illegal_transition'])
  assert.equal((await voice.get(factorsPath)).body.factors.length, 1)
})

test('a password reset removes no factor', async (t) => {
  const bank = await world(t)
  const { code } = await withFactor(bank)
  const body = { email: 'ada@example.com' }
  await bank.send('POST', '/api/v1/auth/password-reset', { body })
  const token = await tokenMailedTo(bank, 'ada@example.com')
  const newPassword = 'a quite different secret'
  const confirm = '/api/v1/auth/password-reset/confirm'
  assert.equal((await bank.send('POST', confirm, { body: { token, newPassword } })).status, 204)
  const first = await bank.send('POST', '/api/v1/auth/login', {
    body: { username: 'ada', password: newPassword },
  })
  assert.equal(first.body.code, 'second_factor_required')
  assert.equal((await answer(bank, first.body.challenge.id, { code: code(1) })).status, 200)
})

const resetPath = (name: 'ada' | 'ben' | 'root') =>
  `/api/v1/admin/users/${people[name].id}/factor-reset`

test('staff start a replacement of factors: the link needs the password, and the new one replaces all', async (t) => {
  const bank = await world(t)
  const { voice, code, recoveryCodes } = await withFactor(bank)
  const [root, agnes] = [confirming(bank, await bank.as('root')), await bank.as('agnes')]
  assert.equal(outcome(await agnes.post(resetPath('ada'))), '403 forbidden')
  assert.equal(outcome(await root.post(resetPath('ben'))), '409 illegal_transition', 'no factor')
  await enrolTotp(bank, root)
  assert.equal(outcome(await root.post(resetPath('root'))), '403 forbidden', 'themselves')
  assert.equal((await root.post(resetPath('ada'))).status, 204)
  assert.equal((await voice.get('/api/v1/me')).body.code, 'session_revoked')
  const mail = await linkMailTo(bank, 'ada@example.com')
  assert.equal(mail.subject, 'Replace your second factor')
  const recoveryToken = tokenIn(mail)
  const still = await answer(bank, await challengeOf(bank, 'ada'), { code: code(1) })
  assert.equal(still.status, 200, 'until then the old factor is good')

  const others = await answer(bank, await challengeOf(bank, 'root'), { recoveryToken })
  assert.equal(outcome(others), '401 invalid_credentials', "another person's link")
  const challenges = [await challengeOf(bank, 'ada'), await challengeOf(bank, 'ada')]
  const replies = await Promise.all(challenges.map((id) => answer(bank, id, { recoveryToken })))
  assert.deepEqual(
    replies.map(({ status }) => status).toSorted((one, other) => one - other),
    [200, 401],
    'once',
  )
  const opened = replies.find(({ status }) => status === 200)?.body as { token: string }
  const ada = clientWith(bank.send, opened.token)
  assert.equal((await ada.get('/api/v1/accounts')).body.code, 'factor_enrolment_required')
  bank.clock.advance(2 * stepMs)
  const fresh = await enrolTotp(bank, ada)
  assert.equal(fresh.recoveryCodes.length, 10)
  assert.equal((await ada.get('/api/v1/accounts')).status, 200)
  assert.deepEqual(
    (await ada.get(factorsPath)).body.factors.map(({ id }: { id: string }) => id),
    [fresh.id],
  )
  for (const proof of [{ code: code() }, { recoveryCode: recoveryCodes[0] }]) {
    const reply = await answer(bank, await challengeOf(bank, 'ada'), proof)
    assert.equal(outcome(reply), '401 invalid_credentials', 'of before')
  }
  const good = await answer(bank, await challengeOf(bank, 'ada'), { code: fresh.code(1) })
  assert.equal(good.status, 200)
})

test('the link of a replacement is void after a day, and once address or status are others', async (t) => {
  const bank = await world(t)
  await withFactor(bank)
  const root = await bank.as('root')
  const link = async () => {
    assert.equal((await root.post(resetPath('ada'))).status, 204)
    return tokenMailedTo(bank, 'ada@example.com')
  }
  const attempt = async (recoveryToken: string) =>
    outcome(await answer(bank, await challengeOf(bank, 'ada'), { recoveryToken }))
  const older = await link()
  const newer = await link()
  assert.equal(await attempt(older), '401 invalid_credentials', 'there is a newer one')
  const change = (fields: object) => root.patch(`/api/v1/admin/users/${people.ada.id}`, fields)
  await change({ email: 'ada@new.example' })
  assert.equal(await attempt(newer), '401 invalid_credentials', 'the address is another')
  await change({ email: 'ada@example.com' })
  assert.equal(await attempt(newer), '401 invalid_credentials', 'the address of before again')
  const third = await link()
  await change({ status: 'disabled' })
  await change({ status: 'active' })
  assert.equal(await attempt(third), '401 invalid_credentials', 'disabled and enabled again')
  const last = await link()
  bank.clock.advance(24 * hour)
  assert.equal(await attempt(last), '401 invalid_credentials', 'expired')
})

test('a link of a replacement is looked up as often as asked, and nothing is told of a dead one', async (t) => {
  const bank = await world(t)
  await withFactor(bank)
  const link = async (address = 'ada@example.com') => {
    const root = await bank.login('root')
    assert.equal((await root.post(resetPath('ada'))).status, 204)
    return tokenMailedTo(bank, address)
  }
  const check = async (token: string) => {
    const { status, body } = await bank.send('POST', '/api/v1/auth/factor-reset/check', {
      body: { token },
    })
    return status === 200 ? body : `${status} ${body.details[0].path}`
  }
  const dead = '400 /body/token'
  assert.equal(await check('x'), dead, 'unknown')
  const older = await link()
  for (const _ of [1, 2]) assert.deepEqual(await check(older), { username: 'ada' })
  const newer = await link()
  assert.equal(await check(older), dead, 'replaced')
  bank.clock.advance(24 * hour - 1000)
  assert.deepEqual(await check(newer), { username: 'ada' })
  bank.clock.advance(1000)
  assert.equal(await check(newer), dead, 'expired')
  const fresh = await link()
  const root = await bank.login('root')
  await root.patch(`/api/v1/admin/users/${people.ada.id}`, { email: 'ada@new.example' })
  assert.equal(await check(fresh), dead, 'the address is another')
  const last = await link('ada@new.example')
  const used = await answer(bank, await challengeOf(bank, 'ada'), { recoveryToken: last })
  assert.equal(used.status, 200, 'a check uses nothing up')
  assert.equal(await check(last), dead, 'used')
})

test('a person has at most ten factors', async (t) => {
  const bank = await world(t)
  const { voice } = await withFactor(bank)
  for (let count = 1; count < 10; count++) await enrolTotp(bank, voice)
  const full = await beginEnrolment(voice)
  assert.equal(outcome(full), '409 limit_exceeded')
  assert.deepEqual(full.body.limit, { name: 'secondFactors', amount: '10', used: '10' })
})

test('what is recorded of factors names neither code nor secret', async (t) => {
  const bank = await world(t)
  const { voice, id, code } = await withFactor(bank)
  const reply = await answer(bank, await challengeOf(bank, 'ada'), { code: code(1) })
  await voice.patch(`${factorsPath}/${id}`, { name: 'Other' })
  await voice.post(codesPath)
  await voice.delete(`${factorsPath}/${id}`)
  const { rows } = await bank.sql(
    `select action, target, detail from audit_events
     where actor_id = $1 and action ~ 'Factor|completeLogin|replaceRecoveryCodes'
     order by action`,
    [people.ada.id],
  )
  assert.deepEqual(rows, [
    { action: 'activateFactor', target: id, detail: 'totp' },
    { action: 'completeLogin', target: reply.body.sessionId, detail: 'With totp' },
    { action: 'deleteFactor', target: id, detail: null },
    { action: 'enrolFactor', target: id, detail: null },
    { action: 'replaceRecoveryCodes', target: people.ada.id, detail: null },
    { action: 'updateFactor', target: id, detail: 'name' },
  ])
})
