// Tokens with room for a given number of them, under a fake clock and a key that can be removed.
import { webcrypto } from 'node:crypto'
import { exportJWK, generateKeyPair } from 'jose'
import { newId } from '../../src/domain/ids.ts'
import { createTokens, tokenBytes, type Tokens } from '../../src/gate/token.ts'
import { fakeClock } from './clock.ts'

const { publicKey, privateKey } = await generateKeyPair('EdDSA')
const publicJwk = await exportJWK(publicKey)
export const ttl = 900_000

export function setting({ room }: { room: number }) {
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
  /** Signs any texts with the key. */
  const signTexts = async (head: string, body: string): Promise<string> => {
    const signed = [head, body].map((text) => Buffer.from(text).toString('base64url')).join('.')
    const bytes = await webcrypto.subtle.sign('Ed25519', privateKey, Buffer.from(signed))
    return `${signed}.${Buffer.from(bytes).toString('base64url')}`
  }
  return { clock, tokens, signMany, signTexts, removeKey: () => (isKnown = false) }
}

export async function verifyAll({ verify }: Tokens, all: readonly string[]): Promise<void> {
  for (const token of all) await verify(token)
}
