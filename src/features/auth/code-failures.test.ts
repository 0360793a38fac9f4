// Wrong second factors after a right password: what they stop, what they do not, and who is told.
import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import { Authenticator, type Creation, type Request } from '../../../test/support/authenticator.ts'
import { addPayee, pay, sendConfirmed, toChallengeId } from '../../../test/support/confirmations.ts'
import {
  answer,
  challengeOf,
  enrolTotp,
  factorsPath,
  stepMs,
  stepTwo,
} from '../../../test/support/factors.ts'
import { sceneIn } from '../../../test/support/fixture.ts'
import { inTime, untilInTime, waitingForLock } from '../../../test/support/locks.ts'
import { readMails, tokenMailedTo } from '../../../test/support/mailbox.ts'
import { newId } from '../../domain/ids.ts'
import {
  type ApiClient,
  clientWith,
  password,
  people,
  type Reply,
  world,
  type World,
} from '../../../test/support/world.ts'

const second = 1000
const hour = 60 * 60 * second
const wrong = { code: '000000' }
const settings = { SESSION_IDLE: '12h', TOKEN_TTL: '12h' }
const outcome = ({ status, body }: Reply) => `${status} ${body?.code ?? ''}`.trim()
const refused = '401 invalid_credentials'
const subjects = async (bank: Pick<World, 'running'>) =>
  (await readMails(bank)).map(({ subject }) => subject)

/** Ada has one-time codes and a session. */
async function scene(t: TestContext, limits: 'default' | 'wide' = 'wide') {
  const bank = await world(t, { limits, settings })
  const voice = await bank.login('ada')
  const { code, recoveryCodes } = await enrolTotp(bank, voice)
  bank.clock.advance(stepMs)
  await readMails(bank)
  return { ...bank, voice, code, recoveryCodes, known: (await readMails(bank)).length }
}
type Scene = Awaited<ReturnType<typeof scene>>

let addresses = 0
/** Both steps of a login, from an address of its own. */
async function logIn(
  { send }: Pick<World, 'send'>,
  proof: object | ((challenge: { passkey: Request }) => object),
  { deviceToken, secret = password, inStep = [1, 2] }: Partial<Device> = {},
): Promise<Reply> {
  const from = `127.0.${1 + (addresses >> 8)}.${++addresses & 255}`
  const body = { username: 'ada', password: secret }
  const known = (step: number) => (deviceToken && inStep.includes(step) ? { deviceToken } : {})
  const first = await send('POST', '/api/v1/auth/login', { body: { ...body, ...known(1) }, from })
  const { challenge } = first.body
  if (!challenge) return first
  const proven = typeof proof === 'function' ? proof(challenge) : proof
  const answered = { challengeId: challenge.id, ...proven, ...known(2) }
  return send('POST', stepTwo, { body: answered, from })
}
type Device = { deviceToken: string; secret: string; inStep: number[] }

/** Wrong codes from elsewhere, slowly enough for the windows of the login. */
async function guess(bank: Scene, count: number, device?: Partial<Device>): Promise<void> {
  for (let turn = 0; turn < count; turn++) {
    assert.equal(outcome(await logIn(bank, wrong, device)), refused)
    bank.clock.advance(15 * second)
  }
}

/** As if that many codes had been wrong. */
const setFailures = (bank: Pick<World, 'sql'>, count: number, total = count) =>
  bank.sql(
    `insert into code_failures (user_id, password_version, count, total)
     select id, password_version, $2, $3 from users where id = $1
     on conflict (user_id) do update set count = $2, total = $3`,
    [people.ada.id, count, total],
  )

async function newDevice(bank: Scene): Promise<string> {
  const opened = await logIn(bank, { code: bank.code() })
  assert.equal(opened.status, 200, opened.text)
  bank.clock.advance(stepMs)
  return opened.body.deviceToken as string
}

const resetPassword = async (bank: Scene, newPassword: string): Promise<void> => {
  const path = '/api/v1/auth/password-reset'
  await bank.send('POST', path, { body: { email: 'ada@example.com' } })
  const body = { token: await tokenMailedTo(bank, 'ada@example.com'), newPassword }
  assert.equal((await bank.send('POST', `${path}/confirm`, { body })).status, 204)
}

async function enrolPasskey(bank: World, voice: ApiClient): Promise<Authenticator> {
  const passkey = new Authenticator('https://bank.example')
  const body = { kind: 'passkey', name: 'Key', password }
  const begun = await sendConfirmed(bank, (headers) => voice.post(factorsPath, body, { headers }))
  const created = { passkey: passkey.create(begun.body.passkey as Creation) }
  const path = `${factorsPath}/${begun.body.id}/activate`
  assert.equal((await voice.post(path, created)).status, 200)
  return passkey
}

test('wrong codes from elsewhere stop no known device, no open session and no other proof', async (t) => {
  const bank = await scene(t, 'default')
  const { voice, code, recoveryCodes } = bank
  const deviceToken = await newDevice(bank)
  await guess(bank, 10)
  assert.equal(outcome(await logIn(bank, { code: code() })), '429 rate_limited', 'from elsewhere')
  const opened = await logIn(bank, { code: code() }, { deviceToken })
  assert.equal(opened.status, 200, opened.text)
  bank.clock.advance(stepMs)
  const path = '/api/v1/auth/recovery-codes'
  const id = toChallengeId(await voice.post(path))
  const confirmed = await voice.post(`/api/v1/auth/confirmations/${id}`, { code: code() })
  assert.equal(confirmed.status, 200, confirmed.text)
  bank.clock.advance(60 * second)
  const recovered = await logIn(bank, { recoveryCode: recoveryCodes[0] as string })
  assert.equal(recovered.status, 200, recovered.text)
})

for (const inStep of [[1, 2], [1], [2]]) {
  test(`wrong codes on a known device count for it alone, with its token in step ${inStep.join(' and ')}`, async (t) => {
    const bank = await scene(t, 'default')
    const { code } = bank
    const deviceToken = await newDevice(bank)
    await guess(bank, 10, { deviceToken, inStep })
    bank.clock.advance(60 * second)
    const limited = await logIn(bank, { code: code() }, { deviceToken, inStep })
    assert.equal(outcome(limited), '429 rate_limited')
    assert.equal((await logIn(bank, { code: code() })).status, 200, 'elsewhere')
  })
}

test('wrong passwords from elsewhere stop no second step on a known device', async (t) => {
  const bank = await scene(t, 'default')
  const deviceToken = await newDevice(bank)
  const challenge = await challengeOf(bank, 'ada')
  for (let turn = 0; turn < 5; turn++) await logIn(bank, wrong, { secret: 'not the password' })
  const proof = { code: bank.code() }
  assert.equal(outcome(await answer(bank, challenge, proof)), '429 rate_limited')
  assert.equal((await answer(bank, challenge, { ...proof, deviceToken })).status, 200)
})

test('wrong confirmations, and those of unknown challenges, count for their session alone', async (t) => {
  const bank = await sceneIn(await world(t, { limits: 'default', settings }))
  const { ada, from } = bank
  const { code } = await enrolTotp(bank, ada)
  bank.clock.advance(stepMs)
  const beneficiaryId = await addPayee(bank, ada, from)
  const thief = clientWith(bank.send, (await logIn(bank, { code: code() })).body.token as string)
  bank.clock.advance(stepMs)
  const payment = { fromAccountId: from, beneficiaryId, amount: '50.00' }
  const own = toChallengeId(await pay(ada, payment))
  const at = (id: string) => `/api/v1/auth/confirmations/${id}`
  for (let turn = 0; turn < 10; turn++) {
    const id = turn % 2 ? own : newId(bank.clock.now())
    assert.equal(outcome(await thief.post(at(id), wrong)), '404 not_found')
    bank.clock.advance(second)
  }
  assert.equal(outcome(await thief.post(at(own), wrong)), '429 rate_limited')
  const confirmed = await ada.post(at(own), { code: code() })
  assert.equal(confirmed.status, 200, confirmed.text)
  bank.clock.advance(stepMs)
  assert.equal((await logIn(bank, { code: code() })).status, 200, 'nor do they count for logins')
})

test('after 30 wrong codes from elsewhere a right one is refused there like a wrong one, but not on a known device', async (t) => {
  const bank = await scene(t)
  const { code } = bank
  const deviceToken = await newDevice(bank)
  for (let turn = 0; turn < 29; turn++) await logIn(bank, wrong)
  assert.equal((await logIn(bank, { code: code() })).status, 200, 'the thirtieth')
  bank.clock.advance(stepMs)
  for (let turn = 0; turn < 30; turn++) await logIn(bank, wrong)
  const [right, bad] = [await logIn(bank, { code: code() }), await logIn(bank, wrong)]
  assert.equal(outcome(right), refused)
  assert.deepEqual(right.body, bad.body)
  const there = await bank.another()
  assert.equal(outcome(await logIn(there, { code: code() })), refused, 'on another instance')
  bank.clock.advance(30 * hour)
  assert.equal(outcome(await logIn(bank, { code: code() })), refused, 'a day later')
  const known = { deviceToken }
  assert.equal((await logIn(bank, { code: code() }, known)).status, 200, 'on a known device')
  bank.clock.advance(stepMs)
  assert.equal(outcome(await logIn(bank, { code: code() })), refused, 'still elsewhere')
  assert.equal((await bank.sql('select from code_failures')).rows.length, 1)
})

test('40 wrong codes at once, at two instances, are 30 that are judged', async (t) => {
  const bank = await scene(t)
  const deviceToken = await newDevice(bank)
  const there = await bank.another()
  const attack = (device: object) =>
    Promise.all(
      Array.from({ length: 40 }, (_, turn) => logIn(turn % 2 ? bank : there, wrong, device)),
    )
  const counts = async () => {
    const { rows } = await bank.sql(
      `select (select array[count, total] from code_failures) as elsewhere,
              (select max(code_failures) from devices) as device`,
    )
    return rows[0]
  }
  for (const reply of await attack({})) assert.equal(outcome(reply), refused)
  assert.deepEqual(await counts(), { elsewhere: [30, 30], device: 0 })
  assert.equal(outcome(await logIn(bank, { code: bank.code() })), refused)
  for (const reply of await attack({ deviceToken })) assert.equal(outcome(reply), refused)
  assert.deepEqual(await counts(), { elsewhere: [30, 30], device: 30 })
  const known = await logIn(bank, { code: bank.code() }, { deviceToken })
  assert.equal(outcome(known), refused, 'from there the device counts as elsewhere')
})

test('a recovery code, a passkey, a new password or a link of staff begins the count anew', async (t) => {
  const bank = await scene(t)
  const { voice, code, recoveryCodes } = bank
  const deviceToken = await newDevice(bank)
  const passkey = await enrolPasskey(bank, voice)
  const byPasskey = (challenge: { passkey: Request }) => ({
    passkey: passkey.get(challenge.passkey),
  })
  const isTaken = async (secret = password) => {
    bank.clock.advance(stepMs)
    const isRefused = outcome(await logIn(bank, { code: code() }, { secret })) === refused
    bank.clock.advance(stepMs)
    return !isRefused
  }
  await setFailures(bank, 30)
  assert.equal(await isTaken(), false)
  assert.equal((await logIn(bank, byPasskey)).status, 200)
  assert.equal(await isTaken(), true, 'a passkey')
  await setFailures(bank, 30)
  const begun = await bank.send('POST', '/api/v1/auth/login/passkey')
  const alone = await answer(bank, begun.body.challenge.id, byPasskey(begun.body.challenge))
  assert.equal(alone.status, 200)
  assert.equal(await isTaken(), true, 'a passkey alone')
  await setFailures(bank, 30)
  const byRecovery = { recoveryCode: recoveryCodes[0] as string }
  assert.equal((await logIn(bank, byRecovery, { deviceToken })).status, 200)
  assert.equal(await isTaken(), true, 'a recovery code, on a known device')
  assert.deepEqual((await bank.sql('select from code_failures')).rows, [])
  await setFailures(bank, 30)
  const root = await bank.login('root')
  const reset = await root.post(`/api/v1/admin/users/${people.ada.id}/factor-reset`)
  assert.equal(reset.status, 204, reset.text)
  assert.equal(await isTaken(), false, 'not before the link is used')
  const recoveryToken = await tokenMailedTo(bank, 'ada@example.com')
  assert.equal((await logIn(bank, { recoveryToken })).status, 200)
  assert.equal(await isTaken(), true, 'the link')
  await setFailures(bank, 30)
  const secret = 'a quite different secret'
  await resetPassword(bank, secret)
  await guess(bank, 1, { secret })
  assert.equal(await isTaken(secret), true, 'a reset')
})

test('a new password begins a new hour of guesses, and 100 wrong ones are the end of them', async (t) => {
  const bank = await scene(t, 'default')
  const { code, recoveryCodes } = bank
  await guess(bank, 10)
  const secret = 'a quite different secret'
  await resetPassword(bank, secret)
  assert.equal((await logIn(bank, { code: code() }, { secret })).status, 200)
  bank.clock.advance(60 * second)
  await setFailures(bank, 0, 99)
  await guess(bank, 1, { secret })
  bank.clock.advance(60 * second)
  assert.equal(outcome(await logIn(bank, { code: code() }, { secret })), refused)
  const third = 'yet another different secret'
  await resetPassword(bank, third)
  assert.equal(outcome(await logIn(bank, { code: code() }, { secret: third })), refused)
  const proof = { recoveryCode: recoveryCodes[0] as string }
  assert.equal((await logIn(bank, proof, { secret: third })).status, 200)
  assert.equal((await logIn(bank, { code: code() }, { secret: third })).status, 200)
})

test('a login on a known device gives a guesser elsewhere no further codes, a passkey there at most 100', async (t) => {
  const bank = await scene(t)
  const { voice, code } = bank
  const deviceToken = await newDevice(bank)
  const passkey = await enrolPasskey(bank, voice)
  const count = async () =>
    (await bank.sql('select count, total from code_failures')).rows[0] as object
  await setFailures(bank, 29)
  await guess(bank, 1, { deviceToken })
  assert.equal((await logIn(bank, { code: code() }, { deviceToken })).status, 200)
  assert.deepEqual(await count(), { count: 29, total: 29 })
  const device = await bank.sql('select code_failures from devices order by last_used_at desc')
  assert.equal(device.rows[0]?.['code_failures'], 0)
  const proof = ({ passkey: asked }: { passkey: Request }) => ({ passkey: passkey.get(asked) })
  assert.equal((await logIn(bank, proof, { deviceToken })).status, 200)
  assert.deepEqual(await count(), { count: 0, total: 29 })
  assert.equal((await logIn(bank, proof)).status, 200)
  assert.equal(await count(), undefined)
})

test('a code that was used is no guess, and an answer that is sent twice at once is not told', async (t) => {
  await untilInTime(async () => {
    const bank = await scene(t)
    const { code, known } = bank
    const challenge = await challengeOf(bank, 'ada')
    const used = { code: code() }
    await bank.sql('begin')
    await bank.sql('select from users where id = $1 for update', [people.ada.id])
    const twice = [answer(bank, challenge, used), answer(bank, challenge, used)]
    await Promise.race([waitingForLock(bank, 2), ...twice])
    await bank.sql('commit')
    const replies = await Promise.all(twice)
    inTime(...replies)
    const outcomes = replies.map(outcome)
    assert.deepEqual(new Set(outcomes), new Set(['200', refused]))
    assert.deepEqual((await subjects(bank)).slice(known), [])
    assert.equal(outcome(await logIn(bank, used)), refused)
    assert.deepEqual((await bank.sql('select from code_failures')).rows, [])
    assert.deepEqual((await subjects(bank)).slice(known), ['A wrong second factor'])
  })
})

const proofs: [string, object][] = [
  ['a code', wrong],
  ['a recovery code', { recoveryCode: 'AAAA-AAAA-AAAA-AAAA' }],
  ['a link', { recoveryToken: 'x'.repeat(43) }],
]
for (const [what, proof] of proofs) {
  test(`the first wrong factor after the right password is told, once an hour: ${what}`, async (t) => {
    const bank = await scene(t)
    const mails = async () => (await readMails(bank)).slice(bank.known)
    assert.equal(outcome(await logIn(bank, wrong, { secret: 'not the password' })), refused)
    assert.deepEqual(await mails(), [])
    assert.equal(outcome(await logIn(bank, proof)), refused)
    const [mail, ...others] = await mails()
    assert.deepEqual([mail?.subject, others], ['A wrong second factor', []])
    assert.deepEqual(mail?.to?.[0]?.address, 'ada@example.com')
    assert.match(mail?.text ?? '', /user name ada on 2\sJanuary 2026 at 09:00 UTC,/)
    bank.clock.advance(hour - 1)
    await logIn(bank, proof)
    assert.equal((await mails()).length, 1)
    bank.clock.advance(1)
    const there = await bank.another()
    await Promise.all([logIn(bank, proof), logIn(there, proof), logIn(there, proof)])
    assert.equal((await mails()).length, 2)
  })
}

test('a wrong code for a confirmation is told too', async (t) => {
  const bank = await scene(t)
  const { voice } = bank
  const id = toChallengeId(await voice.post('/api/v1/auth/recovery-codes'))
  assert.equal((await voice.post(`/api/v1/auth/confirmations/${id}`, wrong)).status, 400)
  assert.deepEqual((await subjects(bank)).slice(bank.known), ['A wrong second factor'])
})

test('when codes are refused, their owner is told what to do, and again while they are tried', async (t) => {
  const bank = await scene(t)
  await setFailures(bank, 29)
  const mails = async () => (await readMails(bank)).slice(bank.known)
  await logIn(bank, wrong)
  const [mail, ...others] = await mails()
  assert.deepEqual([mail?.subject, others], ['One-time codes are refused', []])
  assert.match(mail?.text ?? '', /forgotten password.*passkey or a\srecovery code/s)
  await logIn(bank, wrong)
  assert.equal((await mails()).length, 1)
  bank.clock.advance(hour)
  await logIn(bank, { code: bank.code() })
  assert.deepEqual((await mails()).at(-1)?.subject, 'One-time codes are refused')
  assert.equal((await mails()).length, 2)
})
