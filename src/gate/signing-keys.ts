// The keys that sign access tokens, shared by all instances through the database. The signing key
// is read for each signature. Public keys are cached: a revoked one is refused by the check of the
// session, which reads the database on every request.
import { type CryptoKey, importJWK, type JWK } from 'jose'
import type { Clock } from '../domain/clock.ts'
import { type Db, one, statement } from '../database/statements/statement.ts'
import { LoggedError } from '../domain/logged-error.ts'

export const signingAlgorithm = 'EdDSA'

export type SigningKey = { kid: string; privateKey: CryptoKey }

export type VerifyingKey = {
  kid: string
  publicJwk: JWK
  publicKey: CryptoKey
  /** Milliseconds since the epoch; undefined for the key that signs. */
  retiredAt: number | undefined
  isRevoked: boolean
}

export type SigningKeys = {
  /** The one key that signs now. */
  signing(): Promise<SigningKey>
  /** The key, unless all tokens it signed have expired. A revoked key is included. */
  verifying(kid: string): Promise<VerifyingKey | undefined>
  /** Whether `verifying` would find it without asking the database. */
  isAtHand(kid: string): boolean
  /** All keys that may verify a token now. */
  published(): Promise<VerifyingKey[]>
}

const readSigningKey = statement(
  'read_signing_key',
  [],
  { kid: 'text', private_jwk: 'jsonb' },
  'select kid, private_jwk from signing_keys where retired_at is null',
)

const readVerifyingKeys = statement(
  'read_verifying_keys',
  [],
  { kid: 'text', public_jwk: 'jsonb', retired_at: 'timestamptz?', is_revoked: 'bool' },
  `select kid, public_jwk, retired_at, revoked_at is not null as is_revoked from signing_keys`,
)

const cacheMaxAgeMs = 30_000
const publishedMaxAgeMs = 1000
/** Unknown keys cause at most one look-up in this time, so a flood of them costs little. */
const missIntervalMs = 1000

/** @param tokenTtl milliseconds an access token lives */
export function createSigningKeys(db: Db, clock: Clock, tokenTtl: number): SigningKeys {
  let signer: SigningKey | undefined
  let keys = new Map<string, VerifyingKey>()
  let loadedAt = -Infinity
  let loading: Promise<void> | undefined
  let missedAt = -Infinity

  async function load(): Promise<void> {
    const startedAt = clock.monotonic()
    const rows = await db.run(readVerifyingKeys, [])
    const loaded = await Promise.all(
      rows.map(async (row) => ({
        kid: row.kid,
        publicJwk: row.public_jwk as JWK,
        publicKey: await imported(row.public_jwk),
        retiredAt: row.retired_at?.getTime(),
        isRevoked: row.is_revoked,
      })),
    )
    keys = new Map(loaded.map((key) => [key.kid, key]))
    loadedAt = startedAt
  }

  const isFresh = (maxAgeMs: number): boolean => clock.monotonic() - loadedAt <= maxAgeMs

  async function fresh(maxAgeMs: number): Promise<typeof keys> {
    if (!isFresh(maxAgeMs)) {
      loading ??= load().finally(() => (loading = undefined))
      await loading
    }
    return keys
  }

  /** An unknown key may have been created after the current load began. */
  async function lookUp(kid: string): Promise<VerifyingKey | undefined> {
    if (clock.monotonic() - missedAt <= missIntervalMs) return undefined
    await loading
    const key = (await fresh(-1)).get(kid)
    if (!key) missedAt = clock.monotonic()
    return key
  }

  /** Until a minute after the last token it signed has expired. */
  const isUsable = ({ retiredAt }: VerifyingKey): boolean =>
    retiredAt === undefined || clock.now() < retiredAt + tokenTtl + 2 * cacheMaxAgeMs

  return {
    async signing() {
      // Read each time: a login must not get a token of a key that was just revoked.
      const row = await one(db, readSigningKey, [])
      if (!row) throw new LoggedError('There is no signing key')
      const { kid } = row
      if (signer?.kid === kid) return signer
      // Its tokens are verified here at once, also during a flood of unknown keys.
      loadedAt = -Infinity
      return (signer = { kid, privateKey: await imported(row.private_jwk) })
    },
    async verifying(kid) {
      const key = (await fresh(cacheMaxAgeMs)).get(kid) ?? (await lookUp(kid))
      return key && isUsable(key) ? key : undefined
    },
    isAtHand(kid) {
      const key = isFresh(cacheMaxAgeMs) ? keys.get(kid) : undefined
      return key !== undefined && isUsable(key)
    },
    async published() {
      const all = [...(await fresh(publishedMaxAgeMs)).values()]
      return all.filter((key) => isUsable(key) && !key.isRevoked)
    },
  }
}

const imported = async (jwk: unknown): Promise<CryptoKey> =>
  (await importJWK(jwk as JWK, signingAlgorithm)) as CryptoKey
