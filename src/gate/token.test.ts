// What is kept of tokens whose signature was checked.
import assert from 'node:assert/strict'
import { setFlagsFromString } from 'node:v8'
import { test } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import { runInNewContext } from 'node:vm'
import { exportJWK, generateKeyPair } from 'jose'
import { fakeClock } from '../../test/support/clock.ts'
import { newId } from '../domain/ids.ts'
import { Refusal } from '../domain/errors.ts'
import { createTokens, tokenBytes, type Tokens } from './token.ts'

const { publicKey, privateKey } = await generateKeyPair('EdDSA')
const publicJwk = await exportJWK(publicKey)
const ttl = 900_000

function setting({ room }: { room: number }) {
  const clock = fakeClock()
  const verifying = { kid: 'key', publicJwk, publicKey, retiredAt: undefined, isRevoked: false }
  let isKnown = true
  const keys = {
    signing: async () => ({ kid: 'key', privateKey }),
    verifying: async (kid: string) => (isKnown && kid === 'key' ? verifying : undefined),
    isAtHand: () => isKnown,
    published: async () => [verifying],
  }
  const options = { issuer: 'https://bank.example', ttl, cacheBytes: room * tokenBytes }
  const tokens = createTokens(keys, clock, options)
  const sign = () => tokens.sign(newId(clock.now()), newId(clock.now()))
  const signMany = (count: number) => Promise.all(Array.from({ length: count }, sign))
  return { clock, tokens, signMany, removeKey: () => (isKnown = false) }
}

async function verifyAll({ verify }: Tokens, all: readonly string[]): Promise<void> {
  for (const token of all) await verify(token)
}

const codeOf = (tokens: Tokens, token: string): Promise<unknown> =>
  Promise.try(() => tokens.verify(token)).then(
    () => 'accepted',
    (thrown) => (thrown instanceof Refusal ? thrown.code : thrown),
  )

test('one token more than there is room for makes one check more, not one for each token', async () => {
  const { tokens, signMany } = setting({ room: 200 })
  const all = await signMany(201)
  await verifyAll(tokens, all.slice(0, 200))
  await verifyAll(tokens, all.slice(0, 200))
  assert.equal(tokens.counts().checked, 200)
  await verifyAll(tokens, all.slice(200))
  await verifyAll(tokens, all.slice(50, 150))
  assert.ok(tokens.counts().checked <= 203, `${tokens.counts().checked}`)
  assert.ok(tokens.counts().bytes <= 200 * tokenBytes)
})

test('forged tokens displace no good one, and take no room', async () => {
  const { tokens, signMany } = setting({ room: 20 })
  const good = await signMany(20)
  await verifyAll(tokens, good)
  const { bytes } = tokens.counts()
  for (const [at, token] of (await signMany(100)).entries()) {
    const forged = `${token.slice(0, token.lastIndexOf('.'))}.${good[at % 20]?.split('.')[2]}`
    assert.equal(await codeOf(tokens, forged), 'unauthenticated')
  }
  const { checked } = tokens.counts()
  await verifyAll(tokens, good)
  assert.deepEqual(tokens.counts(), { checked, bytes })
})

test('a kept token is refused from its last millisecond on, and without its key at once', async () => {
  const { clock, tokens, signMany, removeKey } = setting({ room: 20 })
  const [token = '', other = ''] = await signMany(2)
  await verifyAll(tokens, [token, other])
  clock.advance(ttl - 1)
  assert.equal(await codeOf(tokens, token), 'accepted')
  clock.advance(1)
  assert.equal(await codeOf(tokens, token), 'token_expired')
  removeKey()
  assert.equal(await codeOf(tokens, other), 'unauthenticated')
  assert.equal(tokens.counts().checked, 2)
})

test('a token that was seen on arrival is refused like any other when it is judged later', async () => {
  const { clock, tokens, signMany, removeKey } = setting({ room: 2 })
  const [token = ''] = await signMany(1)
  await tokens.verify(token)
  const seen = tokens.known(token)
  assert.equal(tokens.verify(token, seen), seen)
  const judge = () => Promise.try(() => tokens.verify(token, seen))
  const isRefused = (code: string) => (thrown: unknown) =>
    thrown instanceof Refusal && thrown.code === code
  clock.advance(ttl)
  await assert.rejects(judge, isRefused('token_expired'))
  const [other = ''] = await signMany(1)
  await tokens.verify(other)
  const seenToo = tokens.known(other)
  removeKey()
  await assert.rejects(
    () => Promise.try(() => tokens.verify(other, seenToo)),
    isRefused('unauthenticated'),
  )
})

test('an expired token is not kept', async () => {
  const { clock, tokens, signMany } = setting({ room: 20 })
  const [token = ''] = await signMany(1)
  clock.advance(ttl)
  for (let turn = 0; turn < 2; turn++) {
    assert.equal(await codeOf(tokens, token), 'token_expired')
    assert.equal(tokens.counts().bytes, 0)
  }
})

test('a kept token takes the memory that is counted for it', async () => {
  setFlagsFromString('--expose-gc')
  const collect = runInNewContext('gc') as () => void
  const measure = async (): Promise<number> => {
    for (let turn = 0; turn < 5; turn++) {
      await setImmediate()
      collect()
    }
    return process.memoryUsage().heapUsed
  }
  const count = 1500
  const kept: unknown[] = []
  const measureOne = async (): Promise<number> => {
    const { tokens, signMany } = setting({ room: count })
    const all = await signMany(count)
    await verifyAll(setting({ room: 0 }).tokens, all)
    const before = await measure()
    await verifyAll(tokens, all)
    const each = ((await measure()) - before) / all.length
    assert.equal(tokens.counts().bytes, all.length * tokenBytes)
    kept.push(tokens, all)
    return each
  }
  // What else is collected at that moment, such as compiled code, is not of the tokens.
  const measured = [await measureOne(), await measureOne(), await measureOne()]
  const each = measured.toSorted((one, other) => one - other)[1] as number
  assert.ok(each > tokenBytes / 2 && each < tokenBytes * 1.3, `${each} bytes`)
})
