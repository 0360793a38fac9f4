// Judges the proof of a second factor: a one-time code, or the signature of a passkey.
import type { Static } from '../../domain/type.ts'
import type { StoredChallenge } from '../../gate/challenges.ts'
import { readSecret } from '../../gate/provision.ts'
import type { Db } from '../../database/statements/statement.ts'
import { toCredentialId, verifyAssertion } from './passkeys.ts'
import type { PasskeyAssertion } from './schemas.ts'
import { passkeyByCredential, totpFactors, usePasskey, useTotpStep } from './sql.ts'
import { findStep, unsealSecret } from './totp.ts'

/** What a person answers a challenge with: one of the two. */
export type Proof = {
  /** Six digits (RFC 6238). */
  code?: string
  /** `AuthenticationResponseJSON` of WebAuthn Level 3. */
  passkey?: Static<typeof PasskeyAssertion>
}

export type Proven = { factorId: string; kind: 'passkey' | 'totp'; userId: string }

type ProofRequest = {
  /** Whose factor it has to be; undefined on a login by passkey alone. */
  userId: string | undefined
  challenge: StoredChallenge
  proof: Proof
  now: number
  publicUrl: string
}

/**
 * Judges a proof in the transaction of what it allows. A code is used up there: a transaction that
 * is rolled back leaves it, and of any number of simultaneous uses of a code exactly one commits.
 * The caller has taken a try of the challenge before, committed (`takeTry`), and uses the challenge
 * up in the same transaction (`useChallenge`, or by confirming it).
 *
 * @returns the factor; `used` for a code that was right until it was used; undefined when the proof
 * is not right
 */
export async function verifyProof(
  tx: Db,
  asked: ProofRequest,
): Promise<Proven | 'used' | undefined> {
  const { code, passkey } = asked.proof
  if ((code === undefined) === (passkey === undefined)) return undefined
  if (passkey) return verifyPasskey(tx, asked, passkey)
  return asked.userId === undefined ? undefined : verifyCode(tx, asked.userId, code ?? '', asked)
}

async function verifyCode(
  tx: Db,
  userId: string,
  code: string,
  { now }: ProofRequest,
): Promise<Proven | 'used' | undefined> {
  const factors = await totpFactors(tx, userId)
  if (factors.length === 0) return undefined
  const key = await readSecret(tx, 'factors')
  let wasRight = false
  for (const { id, secretSealed, lastStep } of factors) {
    const opened = unsealSecret(secretSealed, key, id)
    const step = findStep(opened, code, { now, lastStep: lastStep ?? -1 })
    if (step !== undefined && (await useTotpStep(tx, id, step, now))) {
      return { factorId: id, kind: 'totp', userId }
    }
    wasRight ||= findStep(opened, code, { now, lastStep: -1 }) !== undefined
  }
  return wasRight ? 'used' : undefined
}

async function verifyPasskey(
  tx: Db,
  { userId, challenge, now, publicUrl }: ProofRequest,
  given: Static<typeof PasskeyAssertion>,
): Promise<Proven | undefined> {
  const stored = await passkeyByCredential(tx, toCredentialId(given.id))
  if (!stored || (userId !== undefined && stored.userId !== userId)) return undefined
  const signCount = await verifyAssertion(given, stored, challenge, { publicUrl })
  if (signCount === undefined || !(await usePasskey(tx, stored.id, signCount, now)))
    return undefined
  return { factorId: stored.id, kind: 'passkey', userId: stored.userId }
}
