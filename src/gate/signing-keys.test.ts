// The keys that sign and verify tokens: when the database is asked for them, how long one holds.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { exportJWK, generateKeyPair } from 'jose'
import { fakeClock } from '../../test/support/clock.ts'
import type { Db } from '../database/statements/statement.ts'
import { createSigningKeys } from './signing-keys.ts'

const pair = await generateKeyPair('EdDSA', { crv: 'Ed25519', extractable: true })
const [public_jwk, private_jwk] = [
  await exportJWK(pair.publicKey),
  await exportJWK(pair.privateKey),
]
const ttl = 900_000

type Stored = { kid: string; retired_at: Date | null; is_revoked: boolean }

/** A database with these keys, which counts what it is asked. */
function setting(...kids: string[]) {
  const clock = fakeClock()
  const rows = kids.map((kid): Stored => ({ kid, retired_at: null, is_revoked: false }))
  const asked = { signing: 0, verifying: 0 }
  let held: Promise<void> | undefined
  const db = {
    async run({ name }: { name: string }) {
      if (name === 'read_signing_key') {
        asked.signing++
        return rows.filter(({ retired_at }) => !retired_at).map((row) => ({ ...row, private_jwk }))
      }
      asked.verifying++
      const found = rows.map((row) => ({ ...row, public_jwk }))
      await held
      return found
    },
  } as unknown as Db
  const keys = createSigningKeys(db, clock, ttl)
  const hold = () => {
    const { promise, resolve } = Promise.withResolvers<void>()
    held = promise
    return resolve
  }
  return { clock, rows, asked, keys, hold }
}

test('keys are read again when they are older than 30 s, and are at hand until then', async () => {
  const { clock, asked, keys } = setting('a')
  assert.equal(keys.isAtHand('a'), false)
  assert.equal((await keys.verifying('a'))?.kid, 'a')
  assert.equal(asked.verifying, 1)
  clock.advance(30_000)
  assert.equal(keys.isAtHand('a'), true)
  await keys.verifying('a')
  assert.equal(asked.verifying, 1)
  clock.advance(1)
  assert.equal(keys.isAtHand('a'), false)
  await Promise.all([keys.verifying('a'), keys.verifying('a')])
  assert.equal(asked.verifying, 2, 'one read for all')
  assert.equal(keys.isAtHand('b'), false)
})

test('an unknown key is looked for at most once in a second, and is found once it is there', async () => {
  const { clock, rows, asked, keys } = setting('a')
  await keys.verifying('a')
  assert.equal(await keys.verifying('b'), undefined)
  assert.equal(asked.verifying, 2)
  rows.push({ kid: 'b', retired_at: null, is_revoked: false })
  clock.advance(1000)
  assert.equal(await keys.verifying('b'), undefined, 'within the second')
  assert.equal(asked.verifying, 2)
  clock.advance(1)
  assert.equal((await keys.verifying('b'))?.kid, 'b')
  assert.equal(asked.verifying, 3)
  rows.push({ kid: 'c', retired_at: null, is_revoked: false })
  assert.equal((await keys.verifying('c'))?.kid, 'c', 'what was found is no miss')
})

test('a key that was made while others are read is found by a read of its own', async () => {
  const { rows, asked, keys, hold } = setting('a')
  const release = hold()
  const known = keys.verifying('a')
  rows.push({ kid: 'b', retired_at: null, is_revoked: false })
  const made = keys.verifying('b')
  release()
  assert.deepEqual([(await known)?.kid, (await made)?.kid], ['a', 'b'])
  assert.equal(asked.verifying, 2)
})

test('a retired key verifies until a minute after its last token, and is told as long', async () => {
  const { clock, rows, keys } = setting('a', 'b')
  const [retired] = rows
  assert.ok(retired)
  retired.retired_at = new Date(clock.now())
  const kids = async () => (await keys.published()).map(({ kid }) => kid)
  clock.advance(ttl + 60_000 - 1)
  assert.equal((await keys.verifying('a'))?.retiredAt, retired.retired_at.getTime())
  assert.deepEqual([keys.isAtHand('a'), await kids()], [true, ['a', 'b']])
  clock.advance(1)
  assert.equal(await keys.verifying('a'), undefined)
  assert.deepEqual([keys.isAtHand('a'), await kids()], [false, ['b']])
})

test('a revoked key is found and not told, from a second after it was revoked', async () => {
  const { clock, rows, keys } = setting('a')
  const kids = async () => (await keys.published()).map(({ kid }) => kid)
  assert.deepEqual(await kids(), ['a'])
  const [revoked] = rows
  assert.ok(revoked)
  revoked.is_revoked = true
  clock.advance(1000)
  assert.deepEqual(await kids(), ['a'])
  clock.advance(1)
  assert.deepEqual(await kids(), [])
  assert.equal((await keys.verifying('a'))?.isRevoked, true)
})

test('the key that signs is read for each token, and a new one verifies at once', async () => {
  const { clock, rows, asked, keys } = setting('a')
  await keys.verifying('a')
  const first = await keys.signing()
  assert.equal(await keys.signing(), first, 'imported once')
  assert.deepEqual([asked.signing, first.kid], [2, 'a'])
  // A flood of unknown keys.
  await keys.verifying('x')
  const [retired] = rows
  assert.ok(retired)
  retired.retired_at = new Date(clock.now())
  rows.push({ kid: 'b', retired_at: null, is_revoked: false })
  assert.equal((await keys.signing()).kid, 'b')
  assert.equal((await keys.verifying('b'))?.kid, 'b')
  const none = setting()
  await assert.rejects(none.keys.signing(), { message: 'There is no signing key' })
})
