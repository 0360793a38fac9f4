// Login with a second factor: step two after the password, or a passkey alone. The proof, the end
// of its challenge and the session are one transaction.
import type { Static } from 'typebox'
import { Type } from 'typebox'
import { randomBytes } from 'node:crypto'
import type { Db } from '../../database/statement.ts'
import { transaction } from '../../database/transaction.ts'
import { refuse } from '../../domain/errors.ts'
import { ChallengeId } from '../../domain/ids.ts'
import { closed } from '../../domain/schema.ts'
import { opaqueSecret } from '../../domain/secret-forms.ts'
import {
  addChallenge,
  describeChallenge,
  findLoginChallenge,
  type StoredChallenge,
  takeTry,
  useChallenge,
} from '../../gate/challenges.ts'
import { findFactorPolicy, type Role } from '../../gate/roles.ts'
import type { Context } from '../../http/route.ts'
import { toCredentialId } from '../factors/passkeys.ts'
import { verifyProof } from '../factors/proof.ts'
import { hashCode } from '../factors/recovery.ts'
import { Code, PasskeyAssertion, RecoveryCode } from '../factors/schemas.ts'
import {
  noteRecovery,
  passkeyByCredential,
  saltOfCodes,
  useCode,
  useReset,
} from '../factors/sql.ts'
import { queueMail } from '../mail/sql.ts'
import { type Admit, beginSession, type MakeCredential } from './login.ts'
import { sha256 } from './refresh.ts'
import { deviceByToken, type HeldUser } from './sql.ts'

/** The body of step two: the challenge, and exactly one proof. */
export const secondFactorBody = {
  challengeId: ChallengeId,
  code: Type.Optional(Code),
  passkey: Type.Optional(PasskeyAssertion),
  recoveryCode: Type.Optional(RecoveryCode),
  recoveryToken: Type.Optional(
    Type.String({
      pattern: `^${opaqueSecret}$`,
      minLength: 43,
      maxLength: 43,
      description: 'From the mail by which staff let you replace your factors.',
      examples: ['3q2-7wAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA'],
    }),
  ),
}
const Body = closed(secondFactorBody)
type Answer = Static<typeof Body> & { device?: string; deviceToken?: string }
type StepTwoContext = Context<unknown, unknown, Answer, undefined>

/** A challenge that a passkey of anybody can answer: the login names no user. */
export async function beginPasskeyLogin({
  db,
  now,
  service,
  chargeMore,
}: Pick<StepTwoContext, 'db' | 'now' | 'service' | 'chargeMore'>) {
  const attempt = await chargeMore({})
  const stored = await attempt.judge(() =>
    transaction(db, (tx) => addChallenge(tx, { purpose: 'passkey-login' }, now)),
  )
  return describeChallenge(stored, undefined, service.publicUrl)
}

/**
 * Step two. Every failure has one answer, `invalid_credentials`, whatever is wrong: the challenge,
 * the proof, or the person. Failures count under the key of step one, and for the person too.
 */
export async function loginWithFactor<C>(context: StepTwoContext, credential: MakeCredential<C>) {
  const { body, db, now, chargeMore } = context
  const found = await findLoginChallenge(db, body.challengeId, now)
  const name = found?.countedAs ?? `challenge ${body.challengeId}`
  const attempt = await chargeMore({ name })
  return attempt.judge(async () => {
    const proofs = [body.code, body.passkey, body.recoveryCode, body.recoveryToken]
    if (!found || proofs.filter((proof) => proof !== undefined).length !== 1) {
      refuse('invalid_credentials', { because: 'no such challenge, or not one proof' })
    }
    const { userId } = found
    if (userId === null) return answer(context, found, credential)
    // A right password does not buy more guesses of a code: all challenges of a person share them.
    const guess = await chargeMore({ name: keyOfFactors(userId) }, 'factor')
    return guess.judge(() => answer(context, found, credential))
  })
}

/** The limit key of the proofs of a person. */
export const keyOfFactors = (userId: string): string => `factors ${userId}`

async function answer<C>(
  context: StepTwoContext,
  { id, purpose, passwordVersion }: StoredChallenge,
  credential: MakeCredential<C>,
) {
  const { body, db, now, service } = context
  // Committed first: a try that fails, or loses a race, is gone.
  const challenge = await transaction(db, (tx) =>
    takeTry(tx, id, purpose as 'login' | 'passkey-login', now),
  )
  const userId = challenge?.userId ?? (await ownerOfPasskey(db, body))
  if (!challenge || userId === undefined) refuse('invalid_credentials', { because: 'no try left' })
  const device = body.deviceToken
    ? await deviceByToken(db, sha256(body.deviceToken), userId, now - service.config.deviceIdle)
    : undefined
  const prove = await createProof(context, challenge, userId)
  const opening = { userId, passwordVersion, device, deviceToken: body.deviceToken }
  const opened = await beginSession(context, { ...opening, deviceName: body.device }, credential, {
    async admit(tx, held, session) {
      const isOff = findFactorPolicy(service.config.secondFactor, held.roles as Role[]) === 'off'
      const isRight = !isOff && held.hasFactor && (await useChallenge(tx, challenge.id, now))
      // Thrown, not returned: what was changed so far is rolled back.
      const proven = isRight ? await prove(tx, held, session) : undefined
      return proven ?? refuse('invalid_credentials', { userId })
    },
  })
  return opened ?? refuse('invalid_credentials', { userId })
}

const ownerOfPasskey = async (db: Db, { passkey }: Answer): Promise<string | undefined> =>
  passkey && (await passkeyByCredential(db, toCredentialId(passkey.id)))?.userId

/** Hashes what has to be hashed before the transaction, which holds the user. */
async function createProof(
  { body, db, now, service }: StepTwoContext,
  challenge: StoredChallenge,
  userId: string,
): Promise<Admit> {
  const { recoveryCode, recoveryToken, code, passkey } = body
  if (recoveryCode !== undefined && challenge.userId !== null) {
    const salt = (await saltOfCodes(db, userId)) ?? randomBytes(16)
    const hash = await hashCode(service.passwords, recoveryCode, salt)
    return async (tx) => {
      if (!(await useCode(tx, userId, hash, now))) return undefined
      return recover(tx, userId, 'With a recovery code', now)
    }
  }
  if (recoveryToken !== undefined && challenge.userId !== null) {
    const used = { userId, tokenHash: sha256(recoveryToken), now }
    return async (tx, _held: HeldUser, session) => {
      if (!(await useReset(tx, used, session))) return undefined
      return recover(tx, userId, 'With a link that replaces the factors', now)
    }
  }
  const proof = { ...(code !== undefined && { code }), ...(passkey && { passkey }) }
  const asked = { userId, challenge, proof, now, publicUrl: service.publicUrl }
  return async (tx) => {
    const proven = await verifyProof(tx, asked)
    return proven && { isRestricted: false, detail: `With ${proven.kind}` }
  }
}

/** The session may only enrol a factor; the person is told, and new beneficiaries cool down. */
async function recover(tx: Db, userId: string, detail: string, now: number) {
  await noteRecovery(tx, userId, now)
  await queueMail(tx, 'recovery-code-used', userId, now)
  return { isRestricted: true, detail }
}
