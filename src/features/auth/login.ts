// Login. An attempt is charged to its limits before its password is hashed, and a session begins
// only if the password that was checked is still the current one.
import type { Db } from '../../database/statement.ts'
import { transaction } from '../../database/transaction.ts'
import { refuse } from '../../domain/errors.ts'
import { newId } from '../../domain/ids.ts'
import { fold, normaliseEmail, normaliseUsername } from '../../domain/usernames.ts'
import type { Role } from '../../gate/roles.ts'
import type { Context } from '../../http/route.ts'
import { queueAlert } from '../mail/sql.ts'
import { newSecret, sha256 } from './refresh.ts'
import {
  addDevice,
  addSession,
  deviceByToken,
  endReplaced,
  holdUser,
  replaceHash,
  sessionCount,
  useDevice,
  userForLogin,
} from './sql.ts'

const sessionsPerUserMax = 50
const devicesPerUserMax = 50

type Credentials = { username: string; password: string; device?: string; deviceToken?: string }
type LoginContext = Context<unknown, unknown, Credentials, undefined>

/** One form for all spellings of a name, known or not, so that counting does not tell if it is. */
const canonical = (name: string): string =>
  (name.includes('@') ? normaliseEmail(name) : normaliseUsername(name)) ?? fold(name)

/** The limit key of password attempts for a user name. */
export const keyOfName = (name: string): string => `name ${name}`

/**
 * @param credential makes what later requests prove the new session with, in the transaction that
 * begins it
 */
export async function login<C>(
  context: LoginContext,
  credential: (tx: Db, sessionId: string) => Promise<C>,
) {
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
  const attempt = await context.chargeMore({
    name: device ? `device ${device.id}` : keyOfName(name),
  })
  return attempt.judge(() => openSession(context, user, device, credential))
}

async function openSession<C>(
  { body, db, now, service, record }: LoginContext,
  user: Awaited<ReturnType<typeof userForLogin>>,
  device: { id: string } | undefined,
  credential: (tx: Db, sessionId: string) => Promise<C>,
) {
  const stored = user?.passwordHash ?? null
  const isRight = await service.passwords.verify(stored, body.password)
  if (!user || stored === null || !isRight || user.status !== 'active') {
    refuse('invalid_credentials', { userId: user?.id })
  }

  const renewed = await service.passwords.renewed(stored, body.password)
  // A session is about to end: activity that this instance has not written yet decides which one.
  if ((await sessionCount(db, user.id, now)) >= sessionsPerUserMax) await service.sessions.flush()

  const sessionId = newId(now)
  const made = await transaction(db, async (tx) => {
    const locked = await holdUser(tx, user.id, user.passwordVersion)
    // The password was changed or the user was disabled during the hashing.
    if (!locked) refuse('invalid_credentials', { userId: user.id })
    if (renewed !== undefined) await replaceHash(tx, user.id, stored, renewed)
    await endReplaced(tx, user.id, sessionsPerUserMax, now)
    await addSession(tx, {
      id: sessionId,
      userId: user.id,
      device: body.device ?? null,
      now,
      endsAt: now + service.config.sessionMax,
      generation: locked.sessionGeneration,
    })
    await record(tx, { actorId: user.id, target: sessionId })
    const isKnown = device !== undefined && (await useDevice(tx, device.id, now)) !== undefined
    const known = isKnown ? body.deviceToken : undefined
    return {
      credential: await credential(tx, sessionId),
      deviceToken: known ?? (await newDevice(tx, user.id, now)),
    }
  })
  return {
    ...made,
    sessionId,
    user: { id: user.id, username: user.username, roles: user.roles as Role[] },
  }
}

async function newDevice(tx: Db, userId: string, now: number): Promise<string> {
  const token = newSecret()
  const device = { id: newId(now), userId, tokenHash: sha256(token), now }
  await addDevice(tx, device, devicesPerUserMax)
  await queueAlert(tx, 'new-device', userId, now)
  return token
}
