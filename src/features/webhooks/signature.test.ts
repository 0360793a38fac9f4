import assert from 'node:assert/strict'
import { createPublicKey, randomBytes, verify } from 'node:crypto'
import { test } from 'node:test'
import { signatureFields, toPrivateKey, toSecretText } from './signature.ts'

test('a shared key signs as in the example of Standard Webhooks', () => {
  const secret = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw'
  const bytes = Buffer.from(secret.slice('whsec_'.length), 'base64')
  assert.equal(toSecretText(bytes), secret)
  const sent = {
    id: 'msg_p5jXN8AQM9LWM0D4loKWxJek',
    sentAt: 1_614_265_330_999,
    body: '{"test": 2432232314}',
  }
  assert.deepEqual(signatureFields([{ kind: 'v1', bytes }], sent), {
    'webhook-id': 'msg_p5jXN8AQM9LWM0D4loKWxJek',
    'webhook-timestamp': '1614265330',
    'webhook-signature': 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
  })
})

test('each key signs, and the signature of Ed25519 verifies by the public key', () => {
  const seed = randomBytes(32)
  const keys = [
    { kind: 'v1', bytes: randomBytes(32) },
    { kind: 'v1', bytes: randomBytes(32) },
    { kind: 'v1a', bytes: seed },
  ] as const
  const fields = signatureFields(keys, { id: 'evt_7', sentAt: 5000, body: '{}' })
  const signatures = fields['webhook-signature'].split(' ')
  assert.deepEqual(
    signatures.map((signature) => signature.split(',')[0]),
    ['v1', 'v1', 'v1a'],
  )
  assert.equal(new Set(signatures).size, 3)
  const signed = Buffer.from(signatures[2]?.split(',')[1] as string, 'base64')
  const publicKey = createPublicKey(toPrivateKey(seed))
  assert.ok(verify(null, Buffer.from('evt_7.5.{}'), publicKey, signed))
  assert.ok(!verify(null, Buffer.from('evt_7.6.{}'), publicKey, signed))
})
