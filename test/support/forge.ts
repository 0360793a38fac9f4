// Tokens as a forger makes them: any header, claims and bytes, under any key. Also under the bank's
// own key: only then the claims, and not the signature, are refused.
import { createPrivateKey, type JsonWebKey, type KeyObject, sign } from 'node:crypto'
import type { ApiClient, World } from './world.ts'

export const encoded = (value: unknown): string =>
  Buffer.from(typeof value === 'string' ? value : JSON.stringify(value)).toString('base64url')

export const decoded = (part: string | undefined): Record<string, unknown> =>
  JSON.parse(Buffer.from(part ?? '', 'base64url').toString()) as Record<string, unknown>

/** Makes the third part of a token from its first two. */
export type Signer = (input: string) => Buffer

/** Header and claims are objects, or the exact text. */
export function jws(header: unknown, claims: unknown, signer: Signer): string {
  const input = `${encoded(header)}.${encoded(claims)}`
  return `${input}.${signer(input).toString('base64url')}`
}

export const ed25519 =
  (key: KeyObject): Signer =>
  (input) =>
    sign(null, Buffer.from(input), key)

/** The claims that the bank signs for one person's session, and its key. */
export type Bench = {
  header: Record<string, unknown>
  claims: Record<string, unknown>
  own: Signer
  publicJwk: JsonWebKey & { x: string; kid: string }
}

/** Everything that a forger needs, read from the database. */
export async function forgersBench(
  { sql }: World,
  { token }: Pick<ApiClient, 'token'>,
): Promise<Bench> {
  const [header, claims] = token.split('.').slice(0, 2).map(decoded)
  const { rows } = await sql('select public_jwk, private_jwk from signing_keys where kid = $1', [
    header?.['kid'],
  ])
  const key = createPrivateKey({ key: rows[0]?.['private_jwk'] as JsonWebKey, format: 'jwk' })
  return {
    header: header ?? {},
    claims: claims ?? {},
    own: ed25519(key),
    publicJwk: rows[0]?.['public_jwk'] as Bench['publicJwk'],
  }
}
