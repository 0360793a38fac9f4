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

const issuer = 'https://bank.example'
const head = { alg: 'EdDSA', typ: 'at+jwt', kid: 'key' }

/** Claims of a good token at that second. */
const claimsAt = (second: number): Record<string, unknown> => ({
  iss: issuer,
  aud: issuer,
  sub: '01940000-0000-7000-8000-000000000001',
  sid: '01940000-0000-7000-8000-000000000002',
  jti: '01940000-0000-7000-8000-000000000003',
  iat: second,
  exp: second + ttl / 1000,
})

test('a token is signed with these claims and no others, for whole seconds', async () => {
  const { clock, tokens } = setting({ room: 1 })
  const second = Math.floor(clock.now() / 1000)
  const { sub, sid } = claimsAt(second) as { sub: string; sid: string }
  const token = await tokens.sign(sub, sid)
  const [header, claims] = token
    .split('.', 2)
    .map((part) => JSON.parse(Buffer.from(part, 'base64url').toString()) as { jti: string })
  assert.deepEqual(header, head)
  assert.deepEqual({ ...claims, jti: '' }, { ...claimsAt(second), jti: '' })
  assert.match(claims?.jti ?? '', /^[0-9a-f-]{36}$/)
  const found = { userId: sub, sessionId: sid, expiresAt: second * 1000 + ttl, kid: 'key' }
  assert.deepEqual(await tokens.verify(token), found)
})

test('a token with another claim than the service writes is refused, though its signature is right', async () => {
  const { clock, tokens, signTexts } = setting({ room: 100 })
  const second = clock.now() / 1000
  assert.ok(Number.isInteger(second))
  const [refused, late, lives] = ['unauthenticated', 'token_expired', 'accepted']
  const seconds = ttl / 1000
  for (const [more, told] of [
    [{}, lives],
    [{ more: 1 }, lives],
    ...['iss', 'aud', 'sub', 'sid', 'jti'].flatMap((name) => [
      [{ [name]: 'other' }, refused] as const,
      [{ [name]: undefined }, refused] as const,
      [{ [name]: [claimsAt(second)[name]] }, refused] as const,
    ]),
    [{ nbf: second }, refused],
    [{ nbf: null }, refused],
    // The clocks of two instances may differ by ten seconds.
    [{ iat: second + 10 }, lives],
    [{ iat: second + 11 }, refused],
    [{ iat: second - 0.5 }, refused],
    [{ iat: undefined }, refused],
    [{ exp: second + 1 }, lives],
    [{ exp: second }, late],
    [{ exp: second + 0.5 }, refused],
    [{ exp: second - 0.5 }, late],
    [{ exp: `${second + 1}` }, refused],
    [{ exp: `${second - 1}` }, refused],
    [{ exp: undefined }, refused],
    // A token of a time when they lived longer.
    [{ iat: second - seconds + 1, exp: second + 3600 }, lives],
    [{ iat: second - seconds, exp: second + 3600 }, late],
  ] as [Record<string, unknown>, string][]) {
    const claims = { ...claimsAt(second), ...more }
    const token = await signTexts(JSON.stringify(head), JSON.stringify(claims))
    const { bytes } = tokens.counts()
    assert.equal(await codeOf(tokens, token), told, JSON.stringify(more))
    assert.equal(tokens.counts().bytes > bytes, told === lives, 'only a good one is kept')
    const expiresAt = Math.min(claims['exp'] as number, (claims['iat'] as number) + seconds) * 1000
    if (told === lives) assert.equal((await tokens.verify(token)).expiresAt, expiresAt)
  }
})

test('a token of another form is refused, though its signature is right', async () => {
  const { clock, tokens, signTexts } = setting({ room: 1 })
  const [header, claims] = [JSON.stringify(head), JSON.stringify(claimsAt(clock.now() / 1000))]
  for (const [first, second] of [
    ...[{ alg: 'none' }, { alg: 'ES256' }, { typ: 'JWT' }, { kid: 1 }, { kid: 'other' }].map(
      (more) => [JSON.stringify({ ...head, ...more }), claims] as const,
    ),
    [JSON.stringify({ ...head, crit: [] }), claims],
    [JSON.stringify({ ...head, jwk: {} }), claims],
    ['null', claims],
    ['{', claims],
    [header.replace('{', '{"kid":"key",'), claims],
    [header, 'null'],
    [header, '7'],
    [header, '{'],
    [header, claims.replace('{', `{"iss":"${issuer}",`)],
  ] as const) {
    const token = await signTexts(first, second)
    assert.equal(await codeOf(tokens, token), 'unauthenticated', `${first} ${second}`)
  }
  const good = await signTexts(header, claims)
  assert.equal(await codeOf(tokens, good), 'accepted')
  // The same bytes of a signature in another text.
  const last = { A: 'B', Q: 'R', g: 'h', w: 'x' }[good.at(-1) ?? '']
  for (const other of [`${good.slice(0, -1)}${last}`, `${good}=`, ` ${good}`, `${good}.`]) {
    assert.equal(await codeOf(tokens, other), 'unauthenticated', other)
  }
})

test('a token of 2048 characters is read, and none that is longer', async () => {
  const { clock, tokens, signTexts } = setting({ room: 1 })
  const found: string[] = []
  for (let size = 1100; size < 1200; size++) {
    const claims = { ...claimsAt(clock.now() / 1000), more: 'x'.repeat(size) }
    const token = await signTexts(JSON.stringify(head), JSON.stringify(claims))
    if (token.length > 2045 && token.length < 2052) found.push(token)
  }
  assert.ok(found.some(({ length }) => length === 2048))
  assert.ok(found.some(({ length }) => length === 2050))
  for (const token of found) {
    const told = token.length <= 2048 ? 'accepted' : 'unauthenticated'
    assert.equal(await codeOf(tokens, token), told, `${token.length}`)
  }
})

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
  assert.equal(tokens.verify(token), seen, 'at once')
  assert.equal(tokens.known('other'), undefined)
  const judge = () => Promise.try(() => tokens.verify(token, seen))
  const isRefused = (code: string) => (thrown: unknown) =>
    thrown instanceof Refusal && thrown.code === code
  clock.advance(ttl)
  assert.equal(tokens.known(token), undefined)
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
