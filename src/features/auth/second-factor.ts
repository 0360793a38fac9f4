// Login with a second factor: step two after the password, or a passkey alone. The proof, the end
// of its challenge and the session are one transaction.
import type { WrittenDetail } from '../../audit/actions.ts'
import type { Static } from '../../domain/type.ts'
import { Type } from '../../domain/type.ts'
import { randomBytes } from 'node:crypto'
import { databaseNow } from '../../database/background/clocks.ts'
import type { Db } from '../../database/statements/statement.ts'
import { transaction } from '../../database/connections/transaction.ts'
import { refuse } from '../../domain/errors.ts'
import { ChallengeId } from '../../domain/ids.ts'
import { closed, secretKey } from '../../domain/schema.ts'
import { opaqueSecret } from '../../domain/secret-forms.ts'
import {
  addChallenge,
  describeChallenge,
  findLoginChallenge,
  isOpen,
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
import { toOrigin } from '../issuer/sql.ts'
import { type HourlyKind, queueHourly, queueMail } from '../mail/sql.ts'
import {
  areCodesRefused,
  countWrongCode,
  failuresMax,
  forgetWrongCodes,
  restartWrongCodes,
} from './code-failures-sql.ts'
import { type Admit, beginSession, deviceOfKey, keyOfDevice, type MakeCredential } from './login.ts'
import { sha256 } from '../../gate/opaque-secret.ts'
import { type Device, deviceById, deviceByToken } from './sql.ts'

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
      [secretKey]: true,
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
 * the proof, or the person. A failure on a known device counts for the device, any other under the
 * key of step one. Wrong codes have a window of their own, of the device or else of the person.
 */
export async function loginWithFactor<C>(context: StepTwoContext, credential: MakeCredential<C>) {
  const { body, db, now, chargeMore } = context
  const found = await findLoginChallenge(db, body.challengeId, now)
  const device = found?.userId ? await findDevice(context, found, found.userId) : undefined
  const name = device ? keyOfDevice(device.id) : found?.countedAs
  const attempt = await chargeMore({ name: name ?? `challenge ${body.challengeId}` })
  return attempt.judge(async () => {
    const proofs = [body.code, body.passkey, body.recoveryCode, body.recoveryToken]
    if (!found || proofs.filter((proof) => proof !== undefined).length !== 1) {
      refuse('invalid_credentials', { because: 'no such challenge, or not one proof' })
    }
    const begin = () => answer(context, { found, device }, credential)
    const { userId, passwordVersion } = found
    if (userId === null || body.code === undefined) return begin()
    // A right password does not buy more guesses of a code: all challenges of a person share them.
    // The other proofs cannot be guessed. A new password begins a new window.
    const key = takesCodes(device) ? keyOfDevice(device.id) : `person ${userId} ${passwordVersion}`
    const guess = await chargeMore({ name: key }, 'factor')
    return guess.judge(begin)
  })
}

/** The known device of this step, or else of the one before. */
async function findDevice(
  { body: { deviceToken }, db, now, service }: StepTwoContext,
  { countedAs }: StoredChallenge,
  userId: string,
): Promise<Device | undefined> {
  const since = now - service.config.deviceIdle
  const given = deviceToken && (await deviceByToken(db, sha256(deviceToken), userId, since))
  const id = countedAs === null ? undefined : deviceOfKey(countedAs)
  return given || (id === undefined ? undefined : deviceById(db, id, userId, since))
}

/** After too many wrong codes in a row, codes from a known device count as from elsewhere. */
const takesCodes = (device: Device | undefined): device is Device =>
  device !== undefined && device.codeFailures < failuresMax

async function answer<C>(
  context: StepTwoContext,
  { found, device }: { found: StoredChallenge; device: Device | undefined },
  credential: MakeCredential<C>,
) {
  const { body, db, now } = context
  // Committed first: a try that fails, or loses a race, is gone.
  const challenge = await transaction(db, (tx) =>
    takeTry(tx, found.id, found.purpose as 'login' | 'passkey-login', now),
  )
  const userId = challenge?.userId ?? (await ownerOfPasskey(db, body))
  if (!challenge || userId === undefined) refuse('invalid_credentials', { because: 'no try left' })
  const known = device ?? (await findDevice(context, challenge, userId))
  const prove = await createProof(context, challenge, userId)
  const { passwordVersion } = challenge
  const { deviceToken, device: deviceName } = body
  const origin = challenge.origin === null ? undefined : toOrigin(challenge.origin)
  const opening = { userId, passwordVersion, device: known, deviceToken, deviceName, origin }
  const admit = admitProven(context, { challenge, userId, device: known }, prove)
  const opened = await beginSession(context, opening, credential, { admit })
  return opened ?? refuse('invalid_credentials', { userId, because: 'the proof is not right' })
}

type Answered = { challenge: StoredChallenge; userId: string; device: Device | undefined }

/**
 * Judges the proof while the person is locked, so one after the other. A wrong one is counted and
 * told, and commits no more than that.
 */
const admitProven =
  (
    { body, service, now }: StepTwoContext,
    { challenge, userId, device }: Answered,
    prove: Prove,
  ): Admit =>
  async (tx, locked, session) => {
    const { passwordVersion } = challenge
    const login = { userId, passwordVersion }
    const tell = (kind: HourlyKind) => queueHourly(tx, kind, userId, now)
    const isOff = findFactorPolicy(service.config.secondFactor, locked.roles as Role[]) === 'off'
    if (isOff || !locked.hasFactor) return undefined
    const isCode = body.code !== undefined
    // Read again under the lock.
    const place = device && (await deviceById(tx, device.id, userId, 0))
    const trusted = takesCodes(place) ? place : undefined
    if (isCode && !trusted && (await areCodesRefused(tx, login))) {
      await tell('codes-refused')
      return undefined
    }
    const proven = await prove(tx, session)
    if (proven !== undefined && proven !== 'used') {
      // Thrown, not returned: what was changed so far is rolled back.
      if (!(await useChallenge(tx, challenge.id, now))) refuse('invalid_credentials', { userId })
      await noteSuccess(tx, userId, body, isCode ? trusted : place)
      return proven
    }
    // The same answer again, sent twice by a client, is no attack. Nor is a code that was used a
    // guess. And a passkey alone does not say that somebody knows the password.
    if (passwordVersion === null || !(await isOpen(tx, challenge.id))) return undefined
    if (isCode && proven === undefined) await countWrongCode(tx, login, trusted)
    const isLast = isCode && !trusted && (await areCodesRefused(tx, login))
    await tell(isLast ? 'codes-refused' : 'wrong-factor')
    return undefined
  }

/**
 * A success begins the count of wrong codes anew, with an exception: a code on a known device says
 * nothing of elsewhere. With each login of the owner there, a guesser would get as many codes more.
 */
async function noteSuccess(
  tx: Db,
  userId: string,
  { recoveryCode, recoveryToken, passkey }: Answer,
  device: Device | undefined,
): Promise<void> {
  if (!device || recoveryCode || recoveryToken) await forgetWrongCodes(tx, userId)
  else if (passkey) await restartWrongCodes(tx, userId)
}

const ownerOfPasskey = async (db: Db, { passkey }: Answer): Promise<string | undefined> =>
  passkey && (await passkeyByCredential(db, toCredentialId(passkey.id)))?.userId

/** What a right proof admits; `used` for a code that was right until it was used. */
type Prove = (
  tx: Db,
  session: { id: string; endsAt: number },
) => Promise<Awaited<ReturnType<Admit>> | 'used'>

/** Hashes what has to be hashed before the transaction, which holds the user. */
async function createProof(
  { body, db, now, service }: StepTwoContext,
  challenge: StoredChallenge,
  userId: string,
): Promise<Prove> {
  const { recoveryCode, recoveryToken, code, passkey } = body
  if (recoveryCode !== undefined && challenge.userId !== null) {
    const salt = (await saltOfCodes(db, userId)) ?? randomBytes(16)
    const hash = await hashCode(service.passwords, recoveryCode, salt)
    return async (tx) => {
      if (!(await useCode(tx, userId, hash, now))) return undefined
      return recover(tx, userId, 'With a recovery code', service)
    }
  }
  if (recoveryToken !== undefined && challenge.userId !== null) {
    const used = { userId, tokenHash: sha256(recoveryToken), now }
    return async (tx, session) => {
      if (!(await useReset(tx, used, session))) return undefined
      return recover(tx, userId, 'With a link that replaces the factors', service)
    }
  }
  const proof = { ...(code !== undefined && { code }), ...(passkey && { passkey }) }
  const asked = { userId, challenge, proof, now, publicUrl: service.publicUrl }
  return async (tx) => {
    const proven = await verifyProof(tx, asked)
    return proven && proven !== 'used'
      ? { isRestricted: false, detail: `${wayOf(challenge)}With ${proven.kind}` }
      : proven
  }
}

/** The first step, where it was not the password. */
const wayOf = ({ origin }: StoredChallenge): string => (origin === null ? '' : 'At the issuer; ')

/**
 * The session may only enrol a factor; the person is told, and new beneficiaries cool down. Its
 * time is the database's, as theirs is: the clock of another instance may be behind.
 */
async function recover(
  tx: Db,
  userId: string,
  detail: WrittenDetail,
  { clock }: Pick<StepTwoContext['service'], 'clock'>,
) {
  const now = await databaseNow(tx, clock)
  await noteRecovery(tx, userId, now)
  await queueMail(tx, 'recovery-code-used', userId, now)
  return { isRestricted: true, detail }
}
