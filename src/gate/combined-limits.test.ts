// Which callers are charged together with their address, before they are authenticated: those that
// were seen alive, each by its own token, key or cookie.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Authenticated, Credential } from './authenticate.ts'
import { createAhead } from './combined-limits.ts'
import { sessionCookie } from './cookies.ts'
import type { Charged, Limits } from './limits.ts'
import { newSecret } from './opaque-secret.ts'
import { hashKey, newKey } from './service-keys.ts'
import type { Claims, Tokens } from './token.ts'

const claims: Claims = { userId: 'ada', sessionId: 's', expiresAt: 0, kid: 'k' }
const charge = { headers: () => ({ of: 'address' }) } as unknown as Charged
const second = {} as Charged

function setting() {
  const asked: unknown[] = []
  const given: string[] = []
  const limits = {
    async takeBoth(...both: unknown[]) {
      asked.push(both)
      return { first: charge, second: () => second, giveBack: async () => void given.push('back') }
    },
  } as unknown as Limits
  const tokens = {
    known: (token: string) => (token === 'good' ? claims : undefined),
  } as unknown as Tokens
  const ahead = createAhead(limits, tokens)
  assert.ok(ahead)
  const take = (credential: Credential) =>
    ahead.take(['address', '192.0.2.1'], { limit: 'read', credential })
  return { ahead, take, asked, given }
}

const person = { userId: 'ada' } as Authenticated
const key = newKey()
const program = { userId: 'bot', service: { keyHash: hashKey(key) } } as unknown as Authenticated
const handle = newSecret()

const callers: [string, Credential, Authenticated, Claims | undefined, string][] = [
  ['a token', { authorization: 'Bearer good' }, person, claims, 'read'],
  ['a key', { authorization: `Bearer ${key}` }, program, undefined, 'service'],
  ['a cookie', { cookie: `${sessionCookie}=${handle}` }, person, undefined, 'read'],
]

for (const [what, credential, caller, seen, limit] of callers) {
  test(`a caller with ${what} is charged ahead once it was seen, until it is refused`, async () => {
    const { ahead, take, asked, given } = setting()
    assert.equal(take(credential), undefined)
    ahead.saw(caller, credential, seen)
    const arrived = await take(credential)
    assert.deepEqual(asked, [
      [
        ['address', '192.0.2.1'],
        [limit, caller.userId],
      ],
    ])
    assert.deepEqual(arrived?.headers(), { of: 'address' })
    assert.equal(arrived?.ahead?.claims, seen)
    assert.equal(arrived?.ahead?.charge(), second)
    const others = [person, program, { ...person, userId: 'ben' }, { ...program, userId: 'ada' }]
    const isOf = others.map((other) => arrived?.ahead?.isOf(other))
    assert.deepEqual(
      isOf,
      others.map((other) => other === caller),
    )
    assert.deepEqual(given, [])
    await arrived?.ahead?.giveBack()
    assert.deepEqual(given, ['back'])
    assert.equal(take(credential), undefined, 'it is asked for by itself')
    ahead.saw(caller, credential, seen)
    assert.ok(take(credential))
  })

  test(`a caller that was seen with ${what} is not known by anything else`, () => {
    const { ahead, take } = setting()
    ahead.saw(caller, credential, seen)
    for (const other of [
      ...callers.map(([, each]) => each).filter((each) => each !== credential),
      { authorization: undefined },
      { authorization: 'Bearer other' },
      { authorization: `Bearer ${newKey()}` },
      { authorization: `Bearer ${key.slice(0, -1)}` },
      { cookie: undefined },
      { cookie: `${sessionCookie}=x` },
      { cookie: `${sessionCookie}=${newSecret()}` },
    ]) {
      assert.equal(take(other), undefined, JSON.stringify(other))
    }
  })
}

test('where limits are counted in the process nothing is charged ahead', () => {
  assert.equal(createAhead({} as Limits, {} as Tokens), undefined)
})
