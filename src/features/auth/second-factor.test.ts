// Login in two steps.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { here, readEvent } from '../../../test/support/audit-events.ts'
import { openSession } from '../../../test/support/browser-session.ts'
import { sendConfirmed } from '../../../test/support/confirmations.ts'
import {
  answer,
  challengeOf,
  enrolTotp,
  factorsPath,
  logInByPassword,
  stepMs,
  stepTwo,
} from '../../../test/support/factors.ts'
import { people, password, type Reply, world, type World } from '../../../test/support/world.ts'

const minute = 60_000
const hour = 60 * minute

async function withFactor(bank: World, name: 'ada' | 'root' = 'ada') {
  const voice = await bank.login(name)
  return { voice, ...(await enrolTotp(bank, voice)) }
}

function assertRefused(reply: Reply, what: string): void {
  assert.deepEqual([reply.status, reply.body.code], [401, 'invalid_credentials'], what)
}

test('a person with a factor logs in by password and code, and not by the password alone', async (t) => {
  const bank = await world(t)
  const { voice, code } = await withFactor(bank)
  const first = await logInByPassword(bank, 'ada')
  assert.equal(first.status, 401)
  const { code: refusal, challenge, ...rest } = first.body
  assert.equal(refusal, 'second_factor_required')
  assert.deepEqual(Object.keys(rest), ['error', 'message'])
  assert.deepEqual(challenge.methods, ['totp', 'recovery-code'])
  assert.equal(challenge.passkey, undefined)
  assert.equal(challenge.expiresAt, new Date(bank.clock.now() + 5 * minute).toISOString())
  const second = await answer(bank, challenge.id, { code: code(1), device: 'Laptop' })
  assert.equal(second.status, 200)
  assert.deepEqual(second.body.user, { id: people.ada.id, username: 'ada', roles: ['customer'] })
  assert.equal(second.body.restricted, undefined)
  const { token } = second.body
  const { items } = (await bank.send('GET', '/api/v1/auth/sessions', { token })).body
  assert.deepEqual(items.map(({ device }: { device: string }) => device).includes('Laptop'), true)
  assert.equal((await voice.get('/api/v1/me')).status, 200, 'the session of the enrolment goes on')
})

test('a right password that the second factor stops is recorded with its person', async (t) => {
  const bank = await world(t)
  const { code } = await withFactor(bank)
  const stopped = {
    actorId: null,
    target: people.ada.id,
    outcome: 'success',
    address: here,
    detail: 'The password was right; the second factor was asked for',
  }
  const first = await logInByPassword(bank, 'ada')
  assert.deepEqual(await readEvent(bank, first), { action: 'login', ...stopped })
  const onPortal = await openSession(bank, 'ada')
  assert.deepEqual(await readEvent(bank, onPortal), { action: 'loginToPortal', ...stopped })
  const wrong = await answer(bank, first.body.challenge.id, { code: '000000' })
  const action = 'completeLogin'
  assert.deepEqual(await readEvent(bank, wrong), {
    action,
    ...stopped,
    outcome: 'failure',
    detail: null,
  })
  const right = await answer(bank, first.body.challenge.id, { code: code(1) })
  assert.equal((await readEvent(bank, right)).outcome, 'success')
})

test('50 uses of one code at once begin exactly one session, with 50 challenges or one', async (t) => {
  const bank = await world(t)
  const { code } = await withFactor(bank)
  const sessions = async () =>
    (await bank.sql('select count(*)::int as n from sessions')).rows[0]?.['n'] as number
  const before = await sessions()
  const challenges: string[] = []
  for (let turn = 0; turn < 50; turn++) challenges.push(await challengeOf(bank, 'ada'))
  const proof = { code: code(1) }
  const many = await Promise.all(challenges.map((id) => answer(bank, id, proof)))
  assert.equal(many.filter(({ status }) => status === 200).length, 1)
  assert.equal(await sessions(), before + 1)
  bank.clock.advance(2 * stepMs)
  const one = await challengeOf(bank, 'ada')
  const next = { code: code() }
  const same = await Promise.all(Array.from({ length: 50 }, () => answer(bank, one, next)))
  assert.equal(same.filter(({ status }) => status === 200).length, 1)
  assert.equal(await sessions(), before + 2)
  for (const reply of [...many, ...same].filter(({ status }) => status !== 200)) {
    assertRefused(reply, 'lost the race')
  }
})

test('a code is used once: not again, not an earlier one, not that of the enrolment', async (t) => {
  const bank = await world(t)
  const { code } = await withFactor(bank)
  const attempt = async (proof: object) => answer(bank, await challengeOf(bank, 'ada'), proof)
  assertRefused(await attempt({ code: code() }), 'the code of the enrolment')
  const used = code(1)
  assert.equal((await attempt({ code: used })).status, 200)
  assertRefused(await attempt({ code: used }), 'again')
  bank.clock.advance(stepMs)
  assertRefused(await attempt({ code: code(0) }), 'the same step, which is now the present one')
  assertRefused(await attempt({ code: code(-1) }), 'an earlier one')
  assert.equal((await attempt({ code: code(1) })).status, 200)
})

test('a challenge has five tries, five minutes and one use, and is of one login', async (t) => {
  const bank = await world(t)
  const { code } = await withFactor(bank)
  const tried = await challengeOf(bank, 'ada')
  for (let turn = 0; turn < 5; turn++) {
    assertRefused(await answer(bank, tried, { code: '000000' }), `try ${turn}`)
  }
  assertRefused(await answer(bank, tried, { code: code(1) }), 'the sixth, although it is right')
  const late = await challengeOf(bank, 'ada')
  bank.clock.advance(5 * minute)
  assertRefused(await answer(bank, late, { code: code() }), 'expired')
  const good = await challengeOf(bank, 'ada')
  assert.equal((await answer(bank, good, { code: code() })).status, 200)
  assertRefused(await answer(bank, good, { code: code(1) }), 'used')
  const { rows } = await bank.sql('select tries from challenges where id = $1', [good])
  assert.deepEqual(rows, [{ tries: 1 }], 'no proof is judged for a used one')
  const unknown = '01940000-0000-7000-8000-00000000ffff'
  assertRefused(await answer(bank, unknown, { code: code(1) }), 'unknown')
  const fresh = await challengeOf(bank, 'ada')
  assertRefused(await answer(bank, fresh, {}), 'no proof')
  const both = { code: code(1), recoveryCode: 'ABCD-EFGH-IJKL-MNOP' }
  assertRefused(await answer(bank, fresh, both), 'two proofs')
  bank.clock.advance(5 * minute - 1)
  assert.equal((await answer(bank, fresh, { code: code() })).status, 200, 'to the last millisecond')
})

test("another person's challenge is not answered with one's own code", async (t) => {
  const bank = await world(t)
  await withFactor(bank)
  const ben = await enrolTotp(bank, await bank.login('ben'))
  const challenge = await challengeOf(bank, 'ada')
  assertRefused(await answer(bank, challenge, { code: ben.code(1) }), "ben's code")
  const enrolment = await (
    await bank.as('root')
  ).post(factorsPath, {
    kind: 'totp',
    name: 'Phone',
    password,
  })
  assertRefused(await answer(bank, enrolment.body.id, { code: ben.code(1) }), 'of an enrolment')
  const own = await challengeOf(bank, 'ben')
  assert.equal((await answer(bank, own, { code: ben.code(1) })).status, 200)
})

test('between the steps the password is changed or the person disabled: no session', async (t) => {
  const bank = await world(t)
  const { voice, code } = await withFactor(bank)
  const challenge = await challengeOf(bank, 'ada')
  const body = { currentPassword: password, newPassword: 'a quite different secret' }
  const changed = await sendConfirmed(bank, (headers) =>
    voice.post('/api/v1/auth/password', body, { headers }),
  )
  assert.equal(changed.status, 204, changed.text)
  assertRefused(await answer(bank, challenge, { code: code(1) }), 'changed')
  await bank.sql('update users set password_version = 0 where id = $1', [people.ada.id])
  await bank.sql(`update users set status = 'disabled' where id = $1`, [people.ada.id])
  assertRefused(await answer(bank, challenge, { code: code(1) }), 'disabled')
  await bank.sql(`update users set status = 'active' where id = $1`, [people.ada.id])
  const reply = await answer(bank, challenge, { code: code(1) })
  assert.equal(reply.status, 200, 'a refused try has used neither the challenge nor the code')
})

test('the limits of a login count both steps, and a right password clears no failure', async (t) => {
  const bank = await world(t, { limits: 'default' })
  const { code } = await withFactor(bank)
  for (let turn = 0; turn < 5; turn++) {
    assertRefused(await answer(bank, await challengeOf(bank, 'ada'), { code: '000000' }), 'wrong')
    if (turn === 3) {
      const known = await challengeOf(bank, 'ada')
      assert.ok(known, 'right passwords are not counted')
    }
  }
  const from = '127.0.0.9'
  const body = { username: 'ada', password }
  const limited = await bank.send('POST', '/api/v1/auth/login', { body, from })
  assert.equal(limited.status, 429, 'of the name, from elsewhere too')
  bank.clock.advance(minute)
  const challenge = await challengeOf(bank, 'ada')
  assert.equal((await answer(bank, challenge, { code: code() })).status, 200)
})

test('a person has ten wrong proofs in an hour, however many challenges and addresses', async (t) => {
  const bank = await world(t, { limits: 'default' })
  const { code } = await withFactor(bank)
  const attempt = async (turn: number, proof: object) => {
    const from = `127.0.1.${turn + 1}`
    const body = { username: 'ada', password }
    const first = await bank.send('POST', '/api/v1/auth/login', { body, from })
    const challengeId = first.body.challenge.id as string
    return bank.send('POST', stepTwo, { body: { challengeId, ...proof }, from })
  }
  for (let turn = 0; turn < 10; turn++) {
    bank.clock.advance(minute / 4)
    assertRefused(await attempt(turn, { code: '000000' }), `${turn}`)
  }
  bank.clock.advance(minute)
  const limited = await attempt(20, { code: code() })
  assert.deepEqual([limited.status, limited.body.code], [429, 'rate_limited'])
  bank.clock.advance(hour)
  assert.equal((await attempt(21, { code: code() })).status, 200)
})

test('a device that was known before step two is known after it', async (t) => {
  const bank = await world(t)
  const { code } = await withFactor(bank)
  const first = await answer(bank, await challengeOf(bank, 'ada'), { code: code(1) })
  bank.clock.advance(2 * stepMs)
  const { deviceToken } = first.body
  const known = await answer(bank, await challengeOf(bank, 'ada'), { code: code(), deviceToken })
  assert.equal(known.body.deviceToken, deviceToken)
})
