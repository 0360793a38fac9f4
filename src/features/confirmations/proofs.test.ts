// How a request is confirmed: with a code of the person's own, in the session that asked.
import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import { readEvents } from '../../../test/support/audit-events.ts'
import { Authenticator, type Creation, type Request } from '../../../test/support/authenticator.ts'
import { addPayee, pay, toChallengeId } from '../../../test/support/confirmations.ts'
import {
  answer,
  beginEnrolment,
  challengeOf,
  enrolTotp,
  factorsPath,
  stepMs,
} from '../../../test/support/factors.ts'
import { sceneIn } from '../../../test/support/fixture.ts'
import { wide } from '../../../test/support/limits.ts'
import { clientWith, people, world } from '../../../test/support/world.ts'
import { digestTerms } from '../../gate/confirmations.ts'

const minute = 60_000
const at = (id: string) => `/api/v1/auth/confirmations/${id}`

/** Ada has an authenticator application, and a payment that has to be confirmed. */
async function scene(t: TestContext, settings: Record<string, string> = {}) {
  const bank = await sceneIn(await world(t, { settings: { SESSION_IDLE: '1h', ...settings } }))
  const { code } = await enrolTotp(bank, bank.ada)
  const beneficiaryId = await addPayee(bank, bank.ada, bank.from)
  const payment = { fromAccountId: bank.from, beneficiaryId, amount: '50.00' }
  bank.clock.advance(stepMs)
  return { ...bank, code, payment }
}

test('a code confirms the request, and both are recorded', async (t) => {
  const { ada, payment, code, ...bank } = await scene(t)
  const refused = await pay(ada, payment)
  assert.deepEqual(refused.body.challenge.methods, ['totp'])
  const id = toChallengeId(refused)
  const confirmed = await ada.post(at(id), { code: code() })
  assert.equal(confirmed.status, 200, confirmed.text)
  assert.deepEqual(confirmed.body, { id, expiresAt: refused.body.challenge.expiresAt })
  const [event] = await readEvents(bank, confirmed)
  const { action, actorId, target, outcome, detail } = event ?? {}
  assert.deepEqual(
    { action, actorId, target, outcome, detail },
    {
      action: 'confirm',
      actorId: people.ada.id,
      target: id,
      outcome: 'success',
      detail: 'createTransfer by totp',
    },
  )
  assert.equal((await ada.post(at(id), { code: code(1) })).status, 404, 'it is confirmed')
  assert.equal((await pay(ada, payment, { headers: { confirmation: id } })).status, 201)
})

test('a passkey signs the digest of the terms: what it confirms is that amount and payee', async (t) => {
  const bank = await sceneIn(await world(t))
  const { ada } = bank
  const passkey = new Authenticator('https://bank.example')
  const begun = (await beginEnrolment(ada, 'passkey')).body
  const created = { passkey: passkey.create(begun.passkey as Creation) }
  assert.equal((await ada.post(`${factorsPath}/${begun.id}/activate`, created)).status, 200)
  const beneficiaryId = await addPayee(bank, ada, bank.from)
  const payment = { fromAccountId: bank.from, beneficiaryId, amount: '50.00' }
  const refused = (await pay(ada, payment)).body.challenge
  const other = (await pay(ada, { ...payment, amount: '51.00' })).body.challenge
  assert.deepEqual(refused.methods, ['passkey'])
  const signed = Buffer.from(refused.passkey.challenge as string, 'base64url')
  assert.deepEqual(signed.subarray(0, 32), digestTerms(refused.terms))
  assert.equal(signed.length, 64, 'and a nonce')
  const assertion = { passkey: passkey.get(refused.passkey as Request) }
  assert.equal((await ada.post(at(other.id), assertion)).status, 400, 'of another amount')
  const confirmed = await ada.post(at(refused.id), {
    passkey: passkey.get(refused.passkey as Request),
  })
  assert.equal(confirmed.status, 200, confirmed.text)
  const headers = { confirmation: refused.id as string }
  assert.equal((await pay(ada, payment, { headers })).status, 201)
})

test('five wrong codes end the challenge, and each is recorded', async (t) => {
  const { ada, payment, code, ...bank } = await scene(t)
  const id = toChallengeId(await pay(ada, payment))
  const wrong = code(5)
  for (let count = 0; count < 5; count++) {
    const reply = await ada.post(at(id), { code: wrong })
    assert.equal(reply.body.code, 'invalid_request', reply.text)
    assert.equal((await readEvents(bank, reply))[0]?.outcome, 'failure')
  }
  assert.equal((await ada.post(at(id), { code: code() })).status, 404)
  toChallengeId(await pay(ada, payment, { headers: { confirmation: id } }))
})

test('wrong codes of one person are limited over all challenges', async (t) => {
  const limits = { ...JSON.parse(wide), factor: { failedPerUser: '3/1h' } }
  const bank = await scene(t, { LIMITS: JSON.stringify(limits) })
  const { ada, payment, code } = bank
  for (let count = 0; count < 3; count++) {
    const id = toChallengeId(await pay(ada, payment))
    assert.equal((await ada.post(at(id), { code: code(5) })).status, 400)
  }
  const id = toChallengeId(await pay(ada, payment))
  assert.equal((await ada.post(at(id), { code: code() })).status, 429)
})

test('a challenge is confirmed by its own person, in its own session, in time', async (t) => {
  const { ada, payment, code, ...bank } = await scene(t)
  const id = toChallengeId(await pay(ada, payment))
  const ben = await bank.as('ben')
  const opened = await answer(bank, await challengeOf(bank, 'ada'), { code: code() })
  const other = clientWith(bank.send, opened.body.token as string)
  for (const voice of [ben, other]) {
    for (let count = 0; count < 6; count++) {
      assert.equal((await voice.post(at(id), { code: code(1) })).status, 404)
    }
  }
  bank.clock.advance(5 * minute)
  assert.equal((await ada.post(at(id), { code: code() })).status, 404, 'expired')
  const fresh = toChallengeId(await pay(ada, payment))
  assert.equal((await ada.post(at(fresh), { code: code() })).status, 200)
})

test('the code of a login confirms nothing, nor does one code confirm two requests', async (t) => {
  const { payment, code, ...bank } = await scene(t)
  const opened = await answer(bank, await challengeOf(bank, 'ada'), { code: code() })
  assert.equal(opened.status, 200, opened.text)
  const ada = { ...bank.ada, ...clientWith(bank.send, opened.body.token as string) }
  const ids = [toChallengeId(await pay(ada, payment)), toChallengeId(await pay(ada, payment))]
  assert.equal((await ada.post(at(ids[0] as string), { code: code() })).status, 400)
  bank.clock.advance(stepMs)
  const replies = await Promise.all(ids.map((id) => ada.post(at(id), { code: code() })))
  assert.equal(replies.filter(({ status }) => status === 200).length, 1)
  assert.equal(replies.filter(({ status }) => status === 400).length, 1)
})

test('a body without exactly one proof is no proof', async (t) => {
  const { ada, payment } = await scene(t)
  const id = toChallengeId(await pay(ada, payment))
  assert.equal((await ada.post(at(id), {})).status, 400)
  assert.equal((await ada.post(at(id), { code: 'x' })).status, 400)
})

test('a person who is logged in by a recovery code enrols a factor without the lost one', async (t) => {
  const bank = await sceneIn(await world(t))
  const { recoveryCodes } = await enrolTotp(bank, bank.ada)
  const recoveryCode = recoveryCodes[0] as string
  const opened = await answer(bank, await challengeOf(bank, 'ada'), { recoveryCode })
  const restricted = clientWith(bank.send, opened.body.token as string)
  const { code } = await enrolTotp(bank, restricted)
  bank.clock.advance(stepMs)
  const again = await answer(bank, await challengeOf(bank, 'ada'), { code: code() })
  assert.equal(again.status, 200, again.text)
})
