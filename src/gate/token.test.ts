// What is kept of tokens whose signature was checked.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { text } from 'node:stream/consumers'
import { test } from 'node:test'
import { Worker } from 'node:worker_threads'
import { setting, ttl, verifyAll } from '../../test/support/tokens.ts'
import { Refusal } from '../domain/errors.ts'
import { tokenBytes, type Tokens } from './token.ts'

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

test('a kept token takes the memory that is counted for it', async (t) => {
  // A thread has a heap of its own: what other files of this process leave is not measured.
  const script = new URL('../../test/support/token-memory.ts', import.meta.url)
  const measuring = new Worker(script, { stdout: true })
  t.after(() => measuring.terminate())
  const failed = once(measuring, 'error').then(([error]) => Promise.reject(error as Error))
  const each = Number(await Promise.race([text(measuring.stdout), failed]))
  assert.ok(each > tokenBytes / 2 && each < tokenBytes * 1.3, `${each} bytes`)
})
