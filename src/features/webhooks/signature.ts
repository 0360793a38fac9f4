// Signatures of webhooks by the Standard Webhooks specification 1.0: of `{id}.{timestamp}.{body}`,
// with a key that both sides share (v1) or with the bank's own (v1a).
import { createHmac, createPrivateKey, createPublicKey, sign } from 'node:crypto'
import { webhookSecretPrefix } from '../../domain/secret-forms.ts'

/** A key of an endpoint: 32 bytes, of HMAC or the seed of an Ed25519 key (RFC 8032). */
export type WebhookKey = { kind: 'v1' | 'v1a'; bytes: Buffer }

/** What a receiver is given: the shared key. */
export const toSecretText = (bytes: Buffer): string =>
  `${webhookSecretPrefix}${bytes.toString('base64')}`

/** The DER form of an Ed25519 private key before its seed (RFC 8410 section 7). */
const pkcs8Prefix = Buffer.from('302e020100300506032b657004220420', 'hex')

export const toPrivateKey = (seed: Buffer) =>
  createPrivateKey({ key: Buffer.concat([pkcs8Prefix, seed]), format: 'der', type: 'pkcs8' })

/** What a receiver is given of the bank's own key: the public one, to verify v1a. */
export function toPublicText(seed: Buffer): string {
  const { x = '' } = createPublicKey(toPrivateKey(seed)).export({ format: 'jwk' })
  return `whpk_${Buffer.from(x, 'base64url').toString('base64')}`
}

function signOne({ kind, bytes }: WebhookKey, text: string): string {
  const signature =
    kind === 'v1'
      ? createHmac('sha256', bytes).update(text).digest()
      : sign(null, Buffer.from(text), toPrivateKey(bytes))
  return `${kind},${signature.toString('base64')}`
}

/**
 * The header fields that sign a body. With several keys there is a signature by each, so that a
 * receiver may go over to a new key at any time.
 *
 * @param sentAt milliseconds since the epoch
 */
export function signatureFields(
  keys: readonly WebhookKey[],
  { id, sentAt, body }: { id: string; sentAt: number; body: string },
): Record<'webhook-id' | 'webhook-timestamp' | 'webhook-signature', string> {
  const timestamp = `${Math.floor(sentAt / 1000)}`
  const text = `${id}.${timestamp}.${body}`
  return {
    'webhook-id': id,
    'webhook-timestamp': timestamp,
    'webhook-signature': keys.map((key) => signOne(key, text)).join(' '),
  }
}
