// Login by a password, the first of two steps for a person with a second factor. An attempt is
// charged to its limits before its password is hashed, and a session begins only if the password
// that was checked is still the current one.
import type { Db } from '../../database/statements/statement.ts'
import { transaction } from '../../database/connections/transaction.ts'
import { refuse } from '../../domain/errors.ts'
import { newId } from '../../domain/ids.ts'
import { fold, normaliseEmail, normaliseUsername } from '../../domain/usernames.ts'
import type { Config, FactorPolicy } from '../../config/config.ts'
import { addChallenge, describeChallenge, readMeans } from '../../gate/challenges.ts'
import { findFactorPolicy, isStaff, lacksFactor, type Role } from '../../gate/roles.ts'
import type { Context } from '../../http/route.ts'
import { lockIssuerSession, type Origin } from '../issuer/sql.ts'
import { isPasswordBarred, requireWay } from '../issuer/ways.ts'
import { queueAlert } from '../mail/sql.ts'
import { newSecret, sha256 } from '../../gate/opaque-secret.ts'
import {
  addDevice,
  addSession,
  deviceByToken,
  endReplaced,
  type LockedUser,
  lockUser,
  lockReplaced,
  replaceHash,
  sessionCount,
  useDevice,
  userForLogin,
} from './sql.ts'

const sessionsPerUserMax = 50
const devicesPerUserMax = 50

export type Credentials = {
  username: string
  password: string
  device?: string
  deviceToken?: string
}
type LoginContext = Context<unknown, unknown, Credentials, undefined>

/** One form for all spellings of a name, known or not, so that counting does not tell if it is. */
const canonical = (name: string): string =>
  (name.includes('@') ? normaliseEmail(name) : normaliseUsername(name)) ?? fold(name)

/** The limit key of password attempts for a user name. */
const keyOfName = (name: string): string => `name ${name}`
/** The limit key of the attempts on a known device. */
export const keyOfDevice = (id: string): string => `device ${id}`
/** The device of that key; undefined when it is that of a name. */
export const deviceOfKey = (key: string): string | undefined => /^device (.+)$/.exec(key)?.[1]

/**
 * Step one, by the password. A session begins, unless the person has a second factor: then the
 * refusal is `second_factor_required` with the challenge of step two.
 *
 * @param credential makes what later requests prove the new session with, in the transaction that
 * begins it
 */
export async function login<C>(context: LoginContext, credential: MakeCredential<C>) {
  const { body, db, now, service } = context
  const name = canonical(body.username)
  const user = await userForLogin(db, name)
  // Runs for an unknown user as well, so that response times do not reveal which users exist.
  const device = body.deviceToken
    ? await deviceByToken(
        db,
        sha256(body.deviceToken),
        user?.id ?? newId(now),
        now - service.config.deviceIdle,
      )
    : undefined
  // A known device has its own count, so failures from elsewhere cannot lock its owner out. Names
  // are counted as typed: one count for user name and e-mail would reveal that they are one user's.
  const countedAs = device ? keyOfDevice(device.id) : keyOfName(name)
  const attempt = await context.chargeMore({ name: countedAs })
  const { opened, checked } = await attempt.judge(() =>
    openSession(context, user, device, credential),
  )
  return opened ?? requireSecondFactor(context, { ...checked, countedAs })
}

async function openSession<C>(
  context: LoginContext,
  user: Awaited<ReturnType<typeof userForLogin>>,
  device: { id: string } | undefined,
  credential: MakeCredential<C>,
) {
  const { body, service } = context
  const stored = user?.passwordHash ?? null
  const isRight = await service.passwords.verify(stored, body.password)
  const isOpen = user?.status === 'active' && !isPasswordBarred(service, user)
  if (!user || stored === null || !isRight || !isOpen) {
    refuse('invalid_credentials', { userId: user?.id })
  }
  const { id: userId, passwordVersion } = user
  const opening = { deviceName: body.device, deviceToken: body.deviceToken }
  const renewed = await service.passwords.renewed(stored, body.password)
  const needsFactor = (who: Pick<LockedUser, 'hasFactor' | 'roles'>): boolean =>
    who.hasFactor && findPolicy(service.config, who) !== 'off'
  const opened = needsFactor(user)
    ? undefined
    : await beginSession(context, { userId, passwordVersion, device, ...opening }, credential, {
        async admit(tx, locked) {
          // A factor was activated during the hashing.
          if (needsFactor(locked)) return undefined
          if (renewed !== undefined) await replaceHash(tx, userId, stored, renewed)
          const person = { ...locked, roles: locked.roles as Role[] }
          return { isRestricted: lacksFactor(service.config, person, context.now) }
        },
      })
  return { opened, checked: { userId, passwordVersion } }
}

const findPolicy = ({ secondFactor }: Config, { roles }: Pick<LockedUser, 'roles'>): FactorPolicy =>
  findFactorPolicy(secondFactor, roles as Role[])

/** The password is right: the answer is a challenge. */
async function requireSecondFactor(
  { db, now, service }: LoginContext,
  checked: { userId: string; passwordVersion: number; countedAs: string },
): Promise<never> {
  const challenge = await transaction(db, (tx) =>
    addChallenge(tx, { purpose: 'login', ...checked }, now),
  )
  const means = await readMeans(db, checked.userId)
  refuse('second_factor_required', {
    userId: checked.userId,
    challenge: describeChallenge(challenge, means, service.publicUrl),
  })
}

export type MakeCredential<C> = ((tx: Db, sessionId: string) => Promise<C>) & {
  /** SHA-256 of the handle of the session that the new one replaces, which ends. */
  replaces?: Buffer
}

/** What a session may be; undefined when it may not begin. */
export type Admit = (
  tx: Db,
  locked: LockedUser,
  session: { id: string; endsAt: number },
) => Promise<{ isRestricted: boolean; detail?: string } | undefined>

type Opening = {
  userId: string
  /** The version of the password that was checked; null on a login by passkey alone. */
  passwordVersion: number | null
  device: { id: string } | undefined
  deviceToken?: string | undefined
  /** As the person calls it. */
  deviceName?: string | undefined
  /** Where a session began, if at the issuer. */
  origin?: Origin | undefined
}

/**
 * Begins a session in one transaction with what admits it. Refuses with `invalid_credentials` when
 * the password was changed or the user disabled since it was checked, and as `requireWay` does;
 * undefined when `admit` gives undefined, and nothing is changed then but what it has changed.
 */
export async function beginSession<C>(
  { db, now, service, record }: Pick<LoginContext, 'db' | 'now' | 'service' | 'record'>,
  { userId, passwordVersion, device, deviceName, deviceToken, origin }: Opening,
  credential: MakeCredential<C>,
  { admit }: { admit: Admit },
) {
  // A session is about to end: activity that this instance has not written yet decides which one.
  if ((await sessionCount(db, userId, now)) >= sessionsPerUserMax) await service.sessions.flush()

  const session = { id: newId(now), endsAt: now + service.config.sessionMax }
  const opened = await transaction(db, async (tx) => {
    if (origin?.sidHash) await lockIssuerSession(tx, origin.sidHash)
    const { replaces } = credential
    if (replaces) await lockReplaced(tx, userId, replaces)
    const locked = await lockUser(tx, userId, passwordVersion)
    // The password was changed or the user was disabled during the hashing.
    if (!locked) refuse(origin ? 'issuer_refused' : 'invalid_credentials', { userId })
    await requireWay(tx, service, locked, origin)
    const admitted = await admit(tx, locked, session)
    if (!admitted) return undefined
    const { isRestricted, detail = null } = admitted
    await endReplaced(tx, userId, { countMax: sessionsPerUserMax, now, replaces })
    await addSession(tx, {
      id: session.id,
      userId,
      device: deviceName ?? null,
      createdAt: new Date(now),
      endsAt: new Date(session.endsAt),
      generation: locked.sessionGeneration,
      isRestricted,
      origin,
    })
    await record(tx, { actorId: userId, target: session.id, detail })
    const isKnown = device !== undefined && (await useDevice(tx, device.id, now)) !== undefined
    const known = isKnown ? deviceToken : undefined
    return {
      credential: await credential(tx, session.id),
      deviceToken: known ?? (await newDevice(tx, userId, now)),
      sessionId: session.id,
      isRestricted,
      user: { id: userId, username: locked.username, roles: locked.roles as Role[] },
    }
  })
  if (opened && !origin && isStaff(opened.user.roles)) service.issuer?.noteByPassword()
  return opened
}

async function newDevice(tx: Db, userId: string, now: number): Promise<string> {
  const token = newSecret()
  const device = { id: newId(now), userId, tokenHash: sha256(token), createdAt: new Date(now) }
  await addDevice(tx, { ...device, countMax: devicesPerUserMax })
  await queueAlert(tx, 'new-device', userId, now)
  return token
}
