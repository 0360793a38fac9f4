// Passkeys by the real routes, answered by an authenticator of the tests' own.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  Authenticator,
  type Bent,
  certify,
  type Creation,
  type Request,
} from '../../../test/support/authenticator.ts'
import { confirming } from '../../../test/support/confirmations.ts'
import {
  answer,
  beginEnrolment,
  challengeOf,
  enrolTotp,
  factorsPath,
  logInByPassword,
} from '../../../test/support/factors.ts'
import {
  type ApiClient,
  people,
  type Reply,
  world,
  type World,
} from '../../../test/support/world.ts'

const origin = 'https://bank.example'
const passkeyLogin = '/api/v1/auth/login/passkey'
const minute = 60_000

async function enrolPasskey(voice: ApiClient, passkey = new Authenticator(origin)) {
  const { body } = await beginEnrolment(voice, 'passkey')
  const done = await voice.post(`${factorsPath}/${body.id}/activate`, {
    passkey: passkey.create(body.passkey as Creation),
  })
  assert.equal(done.status, 200, done.text)
  return { passkey, id: body.id as string, recoveryCodes: done.body.recoveryCodes as string[] }
}

const withPasskey = async (bank: World, name: 'ada' | 'ben' = 'ada') => {
  const voice = confirming(bank, await bank.login(name))
  return { voice, ...(await enrolPasskey(voice)) }
}

type Challenged = { id: string; passkey: Request }

/** The challenge of step two, or of a login by passkey alone. */
const challengeFor = {
  password: async (bank: World) =>
    (await logInByPassword(bank, 'ada')).body.challenge as Challenged,
  alone: async (bank: World) =>
    (await bank.send('POST', passkeyLogin)).body.challenge as Challenged,
}

function assertRefused(reply: Reply, what: string): void {
  assert.deepEqual([reply.status, reply.body.code], [401, 'invalid_credentials'], what)
}

test('a passkey is enrolled, and is the second factor of a login', async (t) => {
  const bank = await world(t)
  const voice = await bank.login('ada')
  const begun = await beginEnrolment(voice, 'passkey', 'My key')
  assert.equal(begun.status, 201)
  assert.equal(begun.headers['location'], `${factorsPath}/${begun.body.id}`)
  const options = begun.body.passkey
  assert.equal(options.rp.id, 'bank.example')
  assert.equal(options.authenticatorSelection.userVerification, 'required')
  assert.equal(Buffer.from(options.challenge, 'base64url').length, 32)
  const handle = Buffer.from(options.user.id, 'base64url').toString('hex')
  assert.equal(handle, people.ada.id.replaceAll('-', ''))
  assert.equal((await logInByPassword(bank, 'ada')).status, 200, 'not before it is activated')

  const passkey = new Authenticator(origin)
  const path = `${factorsPath}/${begun.body.id}/activate`
  const done = await voice.post(path, { passkey: passkey.create(options) })
  assert.equal(done.status, 200, done.text)
  assert.equal(done.body.recoveryCodes.length, 10)
  const { id, kind, name } = done.body.factor
  assert.deepEqual([id, kind, name], [begun.body.id, 'passkey', 'My key'])

  const challenge = await challengeFor.password(bank)
  assert.deepEqual((challenge as unknown as { methods: string[] }).methods, [
    'passkey',
    'recovery-code',
  ])
  const [allowed, ...others] = (
    challenge.passkey as unknown as { allowCredentials: { id: string }[] }
  ).allowCredentials
  assert.deepEqual([allowed?.id, others], [passkey.id.toString('base64url'), []])
  const reply = await answer(bank, challenge.id, { passkey: passkey.get(challenge.passkey) })
  assert.equal(reply.status, 200, reply.text)
  const [known] = (await bank.send('GET', factorsPath, reply.body)).body.factors
  assert.equal(known.lastUsedAt, new Date(bank.clock.now()).toISOString())
})

test('a passkey alone is a whole login, without a user name', async (t) => {
  const bank = await world(t)
  const { passkey } = await withPasskey(bank)
  const begun = await bank.send('POST', passkeyLogin)
  assert.equal(begun.status, 200)
  const { challenge } = begun.body
  assert.deepEqual(challenge.methods, ['passkey'])
  assert.deepEqual(challenge.passkey.allowCredentials, [])
  assert.equal(challenge.passkey.userVerification, 'required')
  const proof = { passkey: passkey.get(challenge.passkey) }
  const reply = await answer(bank, challenge.id, proof)
  assert.equal(reply.status, 200, reply.text)
  assert.deepEqual(reply.body.user.id, people.ada.id)
  assertRefused(await answer(bank, challenge.id, proof), 'used')
  const codes = await enrolTotp(bank, await bank.login('ben'))
  const other = await challengeFor.alone(bank)
  assertRefused(await answer(bank, other.id, { code: codes.code(1) }), 'by a code')
  const recovery = { recoveryCode: codes.recoveryCodes[0] }
  assertRefused(await answer(bank, other.id, recovery), 'by a recovery code')
  const disabled = await challengeFor.alone(bank)
  await bank.sql(`update users set status = 'disabled' where id = $1`, [people.ada.id])
  const late = { passkey: passkey.get(disabled.passkey) }
  assertRefused(await answer(bank, disabled.id, late), 'disabled')
})

const bents: [what: string, bent: Bent][] = [
  ['of another origin', { origin: 'https://evil.example' }],
  ['of another port', { origin: 'https://bank.example:8443' }],
  ['over plain HTTP', { origin: 'http://bank.example' }],
  ['for another RP', { rpId: 'evil.example' }],
  ['for a part of the RP', { rpId: 'example' }],
  ['to another challenge', { challenge: Buffer.alloc(32).toString('base64url') }],
  ['of another type', { type: 'webauthn.create' }],
  ['in a frame', { crossOrigin: true }],
  ['without user verification', { isVerified: false }],
  ['with a forged signature', { isForged: true }],
  ['with the handle of another person', { userHandle: Buffer.alloc(16).toString('base64url') }],
]

for (const [kind, begin] of Object.entries(challengeFor)) {
  test(`an answer that is not right begins no session: ${kind}`, async (t) => {
    const bank = await world(t)
    const { passkey } = await withPasskey(bank)
    for (const [what, bent] of bents) {
      const challenge = await begin(bank)
      const bad = { passkey: passkey.get(challenge.passkey, bent) }
      assertRefused(await answer(bank, challenge.id, bad), what)
      const good = { passkey: passkey.get(challenge.passkey) }
      assert.equal((await answer(bank, challenge.id, good)).status, 200, `not ${what}`)
    }
  })

  test(`an unknown passkey or one of another person begins no session: ${kind}`, async (t) => {
    const bank = await world(t)
    const ada = await withPasskey(bank)
    const ben = await withPasskey(bank, 'ben')
    const challenge = await begin(bank)
    const unknown = new Authenticator(origin).get(challenge.passkey)
    assertRefused(await answer(bank, challenge.id, { passkey: unknown }), 'unknown')
    const others = ben.passkey.get(challenge.passkey)
    const impersonated = { ...others, id: ada.passkey.id.toString('base64url') }
    const named = { ...impersonated, rawId: impersonated.id }
    assertRefused(await answer(bank, challenge.id, { passkey: named }), "under another's name")
    const reply = await answer(bank, challenge.id, { passkey: others })
    if (kind === 'password') assertRefused(reply, "ben's")
    else assert.equal(reply.body.user.id, people.ben.id, 'it says that it is Ben')
  })

  test(`a challenge is of one login and of five minutes: ${kind}`, async (t) => {
    const bank = await world(t)
    const { passkey } = await withPasskey(bank)
    const [first, second] = [await begin(bank), await begin(bank)]
    const swapped = { passkey: passkey.get(first.passkey) }
    assertRefused(await answer(bank, second.id, swapped), 'swapped')
    bank.clock.advance(5 * minute)
    const late = { passkey: passkey.get(first.passkey) }
    assertRefused(await answer(bank, first.id, late), 'expired')
  })
}

test('a counter that does not grow is that of a copy', async (t) => {
  const bank = await world(t)
  const { passkey } = await withPasskey(bank)
  const attempt = async (signCount?: number) => {
    const challenge = await challengeFor.password(bank)
    const bent = signCount === undefined ? {} : { signCount }
    return answer(bank, challenge.id, { passkey: passkey.get(challenge.passkey, bent) })
  }
  assert.equal((await attempt(7)).status, 200)
  for (const signCount of [7, 6, 0]) assertRefused(await attempt(signCount), `${signCount}`)
  assert.equal((await attempt(8)).status, 200)
  // The largest that there is, of 32 bits.
  assert.equal((await attempt(2 ** 32 - 1)).status, 200)
  assertRefused(await attempt(1), 'begun anew')
})

test('an authenticator without a counter always says zero', async (t) => {
  const bank = await world(t)
  const voice = await bank.login('ada')
  const passkey = new Authenticator(origin)
  const { body } = await beginEnrolment(voice, 'passkey')
  const created = passkey.create(body.passkey, { signCount: 0 })
  const done = await voice.post(`${factorsPath}/${body.id}/activate`, { passkey: created })
  assert.equal(done.status, 200)
  for (let turn = 0; turn < 2; turn++) {
    const challenge = await challengeFor.password(bank)
    const given = passkey.get(challenge.passkey, { signCount: 0 })
    assert.equal((await answer(bank, challenge.id, { passkey: given })).status, 200)
  }
})

test('five answers at once to one challenge begin one session, without a counter too', async (t) => {
  const bank = await world(t)
  const { passkey } = await withPasskey(bank)
  for (const begin of Object.values(challengeFor)) {
    await bank.sql('update factors set sign_count = 0')
    const challenge = await begin(bank)
    const proof = { passkey: passkey.get(challenge.passkey, { signCount: 0 }) }
    const replies = await Promise.all(
      Array.from({ length: 5 }, () => answer(bank, challenge.id, proof)),
    )
    const statuses = replies.map(({ status }) => status)
    assert.deepEqual(
      statuses.toSorted((one, other) => one - other),
      [200, 401, 401, 401, 401],
    )
  }
})

test('of two answers at once with one counter, one is a copy', async (t) => {
  const bank = await world(t)
  const { passkey } = await withPasskey(bank)
  const challenges = [await challengeFor.password(bank), await challengeFor.alone(bank)]
  const replies = await Promise.all(
    challenges.map((challenge) =>
      answer(bank, challenge.id, { passkey: passkey.get(challenge.passkey, { signCount: 5 }) }),
    ),
  )
  assert.deepEqual(
    replies.map(({ status }) => status).toSorted((one, other) => one - other),
    [200, 401],
  )
})

/** As clients and authenticators extend the JSON of a credential. */
const extended = <C extends { response: object }>(credential: C) => ({
  ...credential,
  clientExtensionResults: { credProps: { rk: true }, prf: { enabled: true } },
  hints: ['hybrid'],
  response: { ...credential.response, publicKeyAlgorithmName: 'ES256', more: { of: [1] } },
})

test('outputs of extensions and unknown members of a credential are ignored, others are refused', async (t) => {
  const bank = await world(t)
  const voice = await bank.login('ada')
  const passkey = new Authenticator(origin)
  const { body } = await beginEnrolment(voice, 'passkey')
  const path = `${factorsPath}/${body.id}/activate`
  const given = { passkey: extended(passkey.create(body.passkey as Creation)) }
  const beside = await voice.post(path, { ...given, more: 1 })
  assert.deepEqual([beside.status, beside.body.details?.[0].path], [400, '/body/more'])
  const done = await voice.post(path, given)
  assert.equal(done.status, 200, done.text)
  for (const begin of Object.values(challengeFor)) {
    const challenge = await begin(bank)
    const proof = { passkey: extended(passkey.get(challenge.passkey)) }
    const reply = await answer(bank, challenge.id, proof)
    assert.equal(reply.status, 200, reply.text)
    assert.ok(!bank.logged.some((line) => line.includes('hybrid')))
  }
})

const unfit: [what: string, bent: Bent][] = [
  ...bents.filter(([, bent]) => !bent.isForged && !bent.userHandle && !bent.type),
  ['of another type', { type: 'webauthn.get' }],
  ['with an attestation', { attestation: { fmt: 'fido-u2f', attStmt: new Map() } }],
  [
    'with a certificate',
    {
      attestation: {
        fmt: 'packed',
        attStmt: new Map<string, number | Buffer | Buffer[]>([
          ['alg', -7],
          ['sig', Buffer.alloc(70)],
          ['x5c', [Buffer.alloc(70)]],
        ]),
      },
    },
  ],
]

test('a registration that is not right enrols nothing', async (t) => {
  const bank = await world(t)
  const voice = await bank.login('ada')
  const whole: [string, Bent] = ['with a whole attestation', { attestation: await certify() }]
  for (const [what, bent] of [...unfit, whole]) {
    const { body } = await beginEnrolment(voice, 'passkey')
    const path = `${factorsPath}/${body.id}/activate`
    const passkey = new Authenticator(origin)
    const bad = await voice.post(path, { passkey: passkey.create(body.passkey, bent) })
    assert.deepEqual([bad.status, bad.body.details?.[0].path], [400, '/body/passkey'], what)
  }
  assert.deepEqual((await voice.get(factorsPath)).body.factors, [])
  assert.equal((await logInByPassword(bank, 'ada')).status, 200)
})

test('a passkey is registered once, for one person', async (t) => {
  const bank = await world(t)
  const { passkey, voice } = await withPasskey(bank)
  const begun = await beginEnrolment(voice, 'passkey')
  assert.deepEqual(begun.body.passkey.excludeCredentials, [
    { type: 'public-key', id: passkey.id.toString('base64url'), transports: ['internal'] },
  ])
  for (const other of [voice, await bank.login('ben')]) {
    const { body } = await beginEnrolment(other, 'passkey')
    const path = `${factorsPath}/${body.id}/activate`
    const reply = await other.post(path, { passkey: passkey.create(body.passkey) })
    assert.deepEqual([reply.status, reply.body.code], [409, 'already_exists'])
  }
})

test('a challenge of a login confirms no enrolment, and the other way round', async (t) => {
  const bank = await world(t)
  const { passkey, voice } = await withPasskey(bank)
  const { body } = await beginEnrolment(voice, 'passkey')
  const asked = { challenge: body.passkey.challenge as string, rpId: 'bank.example' }
  assertRefused(await answer(bank, body.id, { passkey: passkey.get(asked) }), 'of an enrolment')
  const login = await challengeOf(bank, 'ada')
  const reply = await voice.post(`${factorsPath}/${login}/activate`, { code: '000000' })
  assert.equal(reply.status, 403, 'a challenge of a login is no factor')
})
