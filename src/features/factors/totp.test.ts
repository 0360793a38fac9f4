// One-time codes by the vectors of their RFC, and beside another author's.
import assert from 'node:assert/strict'
import { createCipheriv, randomBytes } from 'node:crypto'
import { test } from 'node:test'
import { fc } from '../../../test/support/random.ts'
import { Secret, TOTP, URI } from 'otpauth'
import {
  base32,
  findStep,
  newTotpSecret,
  sealSecret,
  totpCode,
  totpStep,
  totpUri,
  unsealSecret,
} from './totp.ts'

// RFC 6238 appendix B, SHA-1: the last six of its eight digits.
const vectors: [seconds: number, code: string][] = [
  [59, '94287082'],
  [1_111_111_109, '07081804'],
  [1_111_111_111, '14050471'],
  [1_234_567_890, '89005924'],
  [2_000_000_000, '69279037'],
  [20_000_000_000, '65353130'],
]
const secret = Buffer.from('12345678901234567890')
const step = 30_000

test('the vectors of RFC 6238', () => {
  for (const [seconds, code] of vectors) {
    assert.equal(totpCode(secret, totpStep(seconds * 1000)), code.slice(2), `${seconds}`)
  }
})

test('secrets, codes and links are those of another implementation', () => {
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 4_000_000_000_000 }), (timestamp) => {
      const own = newTotpSecret()
      const uri = totpUri(own, 'Bank of Õ & Söhne (Ü)', 'ada.o-k_1')
      const other = URI.parse(uri) as TOTP
      assert.ok(other instanceof TOTP)
      assert.deepEqual(
        [other.issuer, other.label, other.algorithm, other.digits, other.period],
        ['Bank of Õ & Söhne (Ü)', 'ada.o-k_1', 'SHA1', 6, 30],
      )
      assert.equal(base32(own), other.secret.base32)
      assert.equal(totpCode(own, totpStep(timestamp)), other.generate({ timestamp }))
    }),
  )
})

test('base32 is that of another implementation for every length', () => {
  for (let length = 1; length < 40; length++) {
    const bytes = randomBytes(length)
    assert.equal(base32(bytes), new Secret({ buffer: new Uint8Array(bytes).buffer }).base32)
  }
})

test('a code is right in its step and the one on either side, and only after the last one', () => {
  const now = 1_111_111_111_000
  const current = totpStep(now)
  for (const [offset, isRight] of [
    [-2, false],
    [-1, true],
    [0, true],
    [1, true],
    [2, false],
  ] as const) {
    const code = totpCode(secret, current + offset)
    const found = findStep(secret, code, { now, lastStep: -1 })
    assert.equal(found, isRight ? current + offset : undefined, `${offset}`)
    const used = { now, lastStep: current + offset }
    assert.equal(findStep(secret, code, used), undefined, 'used')
    assert.equal(findStep(secret, code, { now: now + 4 * step, lastStep: -1 }), undefined, 'old')
  }
  for (const code of ['', '00000', '0000000', 'abcdef']) {
    assert.equal(findStep(secret, code, { now, lastStep: -1 }), undefined, code)
  }
})

test('a sealed secret opens with its key for its factor alone, and not when it was changed', () => {
  const key = randomBytes(32)
  const sealed = sealSecret(secret, key, 'one')
  assert.ok(!sealed.includes(secret))
  assert.deepEqual(unsealSecret(sealed, key, 'one'), secret)
  assert.notDeepEqual(sealSecret(secret, key, 'one'), sealed, 'each time with another nonce')
  assert.throws(() => unsealSecret(sealed, key, 'two'))
  assert.throws(() => unsealSecret(sealed, randomBytes(32), 'one'))
  for (let at = 0; at < sealed.length; at++) {
    const changed = Buffer.from(sealed)
    changed.writeUInt8(changed.readUInt8(at) ^ 1, at)
    assert.throws(() => unsealSecret(changed, key, 'one'), `byte ${at}`)
  }
})

test('a secret has 160 bits, and what was sealed by any release opens', () => {
  assert.equal(newTotpSecret().length, 20)
  const key = Buffer.alloc(32, 7)
  const vector = Buffer.alloc(12, 1)
  const sealing = createCipheriv('aes-256-gcm', key, vector).setAAD(Buffer.from('factor'))
  const text = Buffer.concat([sealing.update(secret), sealing.final()])
  const sealed = Buffer.concat([vector, text, sealing.getAuthTag()])
  assert.deepEqual(unsealSecret(sealed, key, 'factor'), secret)
  assert.equal(sealSecret(secret, key, 'factor').length, sealed.length)
})
