// What a session makes the service hash before it is known to take effect.
import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import { Authenticator } from '../../../test/support/authenticator.ts'
import { confirming, giveFactor } from '../../../test/support/confirmations.ts'
import { beginEnrolment, enrolTotp, factorsPath } from '../../../test/support/factors.ts'
import { cheapHashing } from '../../../test/support/database.ts'
import { password, type Reply, world, type World } from '../../../test/support/world.ts'
import { hashCode, newRecoveryCodes } from '../factors/recovery.ts'
import { createPasswords } from './passwords.ts'

const codesPath = '/api/v1/auth/recovery-codes'
const passwordPath = '/api/v1/auth/password'
const usersPath = '/api/v1/admin/users'
const newPassword = 'a quite different secret'
const person = { givenName: 'Clara', familyName: 'Haskil', roles: ['customer'] }
const clara = { ...person, username: 'clara', email: 'clara@example.com', password: newPassword }

const outcome = ({ status, body }: Reply) => `${status} ${body?.code ?? ''}`.trim()

/** How many new passwords and sets of codes were hashed from now on. */
function countHashes(t: TestContext, { running: { core } }: World) {
  const made = [
    t.mock.method(core.passwords, 'hash'),
    t.mock.method(core.passwords, 'hashRaw'),
  ] as const
  return () => made[0].mock.callCount() + made[1].mock.callCount()
}

/** Requests of a person with a second factor that are not confirmed, and the hashes of each. */
const unconfirmed = [
  ['ada', codesPath, undefined, 1],
  ['ada', passwordPath, { currentPassword: password, newPassword }, 1],
  ['root', usersPath, clara, 1],
] as const

for (const [name, path, body, hashes] of unconfirmed) {
  test(`of unconfirmed requests of a person five a minute are hashed: ${path}`, async (t) => {
    const bank = await world(t, { limits: 'default' })
    const sessions = [await bank.login(name), await bank.login(name)] as const
    await giveFactor(bank, name)
    const count = countHashes(t, bank)
    const ask = (turn: number, afterMs = 250) => {
      bank.clock.advance(afterMs)
      return sessions[turn % 2 ? 1 : 0].post(path, body, { from: `127.0.8.${turn}` })
    }
    for (let turn = 1; turn <= 5; turn++) {
      assert.equal(outcome(await ask(turn)), '403 confirmation_required')
    }
    const limited = await ask(6)
    assert.deepEqual([limited.status, limited.headers['retry-after']], [429, '59'])
    assert.equal(outcome(await ask(7, 59_000 - 1)), '429 rate_limited')
    assert.equal(count(), 5 * hashes, 'what is limited is not hashed')
    assert.equal(outcome(await ask(8, 1)), '403 confirmation_required')
  })
}

test('an activation that is refused after its codes were hashed counts as well', async (t) => {
  const bank = await world(t, { limits: 'default' })
  const [ada, ben] = [await bank.login('ada'), await bank.login('ben')]
  const passkey = new Authenticator('https://bank.example')
  const activate = async (voice: typeof ada, { body }: Reply) => {
    bank.clock.advance(250)
    return voice.post(`${factorsPath}/${body.id}/activate`, {
      passkey: passkey.create(body.passkey),
    })
  }
  assert.equal((await activate(ben, await beginEnrolment(ben, 'passkey'))).status, 200)
  const begun = await beginEnrolment(ada, 'passkey')
  const count = countHashes(t, bank)
  const wrong = { currentPassword: 'wrong', newPassword }
  assert.equal((await ada.post(passwordPath, wrong)).status, 400)
  for (let turn = 0; turn < 4; turn++) {
    assert.equal(outcome(await activate(ada, begun)), '409 already_exists')
  }
  assert.equal(count(), 4)
  assert.equal(outcome(await activate(ada, begun)), '429 rate_limited')
  assert.equal(count(), 4)
})

test('a set of recovery codes waits once for one place among the hashes', async () => {
  const begun = { count: 0 }
  const underWay = { inc: () => void begun.count++, dec() {} }
  const passwords = await createPasswords({ hashing: cheapHashing, underWay })
  const { codes, stored } = await newRecoveryCodes(passwords)
  assert.deepEqual([begun.count, codes.length], [1, 10])
  const [first] = stored.hashes
  assert.deepEqual(await hashCode(passwords, codes[0] as string, stored.salt), first)
  assert.equal(new Set(stored.hashes.map(String)).size, 10)
})

test('what is not confirmed is no failed login of the address', async (t) => {
  const bank = await world(t, { limits: 'default' })
  const ada = await bank.login('ada')
  await giveFactor(bank, 'ada')
  for (let turn = 0; turn < 5; turn++) {
    assert.equal((await ada.post(codesPath)).status, 403)
    bank.clock.advance(250)
  }
  for (let turn = 0; turn < 5; turn++) {
    const body = { username: 'ben', password: 'wrong' }
    assert.equal((await bank.send('POST', '/api/v1/auth/login', { body })).status, 401)
  }
})

test('a minute of usual changes meets no limit, with a wrong password and one not confirmed', async (t) => {
  const bank = await world(t, { limits: 'default' })
  const plain = await bank.login('ada')
  const ada = confirming(bank, plain)
  const begun = bank.clock.now()
  const done = async (reply: Reply, status: number) => {
    assert.equal(reply.status, status, reply.text)
    bank.clock.advance(5000)
  }
  const enrolment = { kind: 'totp', name: 'Phone', password }
  await done(await ada.post(factorsPath, { ...enrolment, password: 'wrong' }), 400)
  const { recoveryCodes } = await enrolTotp(bank, ada)
  assert.equal(recoveryCodes.length, 10)
  await done(await plain.post(codesPath), 403)
  await done(await ada.post(codesPath), 200)
  const change = { currentPassword: password, newPassword }
  await done(await ada.post(passwordPath, change), 204)
  await done(await ada.post(factorsPath, { ...enrolment, password: newPassword }), 201)
  assert.ok(bank.clock.now() - begun < 60_000)
})

test('people who are created with a password count nothing', async (t) => {
  const bank = await world(t, { limits: 'default' })
  const root = await bank.login('root')
  for (let turn = 0; turn < 8; turn++) {
    const names = { username: `clara${turn}`, email: `clara${turn}@example.com` }
    const made = await root.post(usersPath, { ...clara, ...names })
    assert.equal(made.status, 201, made.text)
    bank.clock.advance(250)
  }
})
