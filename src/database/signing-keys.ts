// The keys that sign access tokens, shared by all instances through the database and read again
// often enough that a rotation is noticed within half a minute, or at once when its key is first
// met.
import { type CryptoKey, importJWK, type JWK } from 'jose'
import type { Clock } from '../clock.ts'
import { type Db, statement } from './statement.ts'

export const signingAlgorithm = 'EdDSA'

export type SigningKey = {
  kid: string
  publicJwk: JWK
  publicKey: CryptoKey
  privateKey: CryptoKey
}

export type SigningKeys = {
  /** The one key that signs now. */
  signing(): Promise<SigningKey>
  /** The key, if tokens it signed may still be valid. */
  verifying(kid: string): Promise<SigningKey | undefined>
  /** All keys that may verify a token now. */
  published(): Promise<SigningKey[]>
}

const readKeys = statement(
  'read_signing_keys',
  [],
  { kid: 'text', public_jwk: 'jsonb', private_jwk: 'jsonb', retired_at: 'timestamptz?' },
  'select kid, public_jwk, private_jwk, retired_at from signing_keys',
)

const reloadEvery = 30_000
const reloadAtMostEvery = 1000

/** @param tokenTtl milliseconds an access token lives */
export function signingKeysOf(db: Db, clock: Clock, tokenTtl: number): SigningKeys {
  let keys = new Map<string, SigningKey & { retiredAt: number | undefined }>()
  let loadedAt = -Infinity
  let loading: Promise<void> | undefined

  async function load(): Promise<void> {
    const startedAt = clock.monotonic()
    const rows = await db.run(readKeys, [])
    const loaded = await Promise.all(
      rows.map(async (row) => ({
        kid: row.kid,
        publicJwk: row.public_jwk as JWK,
        publicKey: (await importJWK(row.public_jwk as JWK, signingAlgorithm)) as CryptoKey,
        privateKey: (await importJWK(row.private_jwk as JWK, signingAlgorithm)) as CryptoKey,
        retiredAt: row.retired_at?.getTime(),
      })),
    )
    keys = new Map(loaded.map((key) => [key.kid, key]))
    loadedAt = startedAt
  }

  async function fresh(oldest: number): Promise<typeof keys> {
    if (clock.monotonic() - loadedAt > oldest) {
      loading ??= load().finally(() => (loading = undefined))
      await loading
    }
    return keys
  }

  /** Until the last token has expired that an instance, late to notice, signed with it. */
  const isUsable = ({ retiredAt }: { retiredAt: number | undefined }): boolean =>
    retiredAt === undefined || clock.now() < retiredAt + tokenTtl + 2 * reloadEvery

  return {
    async signing() {
      const all = [...(await fresh(reloadEvery)).values()]
      const key = all.find(({ retiredAt }) => retiredAt === undefined)
      if (!key) throw new Error('There is no signing key')
      return key
    },
    async verifying(kid) {
      // An unknown key may be a new one; a flood of them costs one statement a second.
      const key = (await fresh(reloadEvery)).get(kid) ?? (await fresh(reloadAtMostEvery)).get(kid)
      return key && isUsable(key) ? key : undefined
    },
    published: async () => [...(await fresh(reloadEvery)).values()].filter(isUsable),
  }
}
