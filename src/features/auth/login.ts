// Login: the slot of an attempt is reserved before its password is hashed, and a session begins
// only if the password that was checked is still the one that counts.
import type { Db } from '../../database/statement.ts'
import { transaction } from '../../database/transaction.ts'
import { refuse } from '../../domain/errors.ts'
import { newId } from '../../domain/ids.ts'
import { fold, normaliseEmail, normaliseUsername } from '../../domain/usernames.ts'
import type { Context } from '../../http/route.ts'
import { firstRefreshToken, newSecret, sha256 } from './refresh.ts'
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

export type Credentials = {
  username: string
  password: string
  device?: string
  deviceToken?: string
}

type LoginContext = Context<unknown, unknown, Credentials, undefined>

/** One identity for all spellings, known or not, so counting tells nothing about who exists. */
const canonical = (name: string): string =>
  (name.includes('@') ? normaliseEmail(name) : normaliseUsername(name)) ?? fold(name)

/** What attempts at the password of a user name are counted under. */
export const keyOfName = (name: string): string => `name ${name}`

export async function login(context: LoginContext) {
  const { body, db, now, service } = context
  const name = canonical(body.username)
  const user = await userForLogin(db, name)
  // Asked for an unknown user as well, so that the statement tells nobody who exists.
  const device = body.deviceToken
    ? await deviceByToken(
        db,
        sha256(body.deviceToken),
        user?.id ?? newId(now),
        now - service.config.deviceIdle,
      )
    : undefined
  // A known device has a count of its own: a stranger's failures cannot lock its owner out. A name
  // is counted as it was typed: one count for a person's two names would tell that they are one.
  const attempt = await context.chargeMore({
    name: device ? `device ${device.id}` : keyOfName(name),
  })
  return attempt.judge(() => openSession(context, user, device))
}

async function openSession(
  { body, db, now, service, record }: LoginContext,
  user: Awaited<ReturnType<typeof userForLogin>>,
  device: { id: string } | undefined,
) {
  const stored = user?.password_hash ?? null
  const isRight = await service.passwords.verify(stored, body.password)
  if (!user || stored === null || !isRight || user.status !== 'active') {
    refuse('invalid_credentials', { userId: user?.id })
  }

  const renewed = await service.passwords.renewed(stored, body.password)
  // One of them is about to end: activity that this instance has not written yet counts too.
  if ((await sessionCount(db, user.id, now)) >= sessionsPerUserMax) await service.sessions.flush()

  const session = { id: newId(now), userId: user.id, device: body.device ?? null, now }
  const { refreshToken, deviceToken } = await transaction(db, async (tx) => {
    // Undefined when the password was changed or the user disabled while it was being hashed.
    const held = await holdUser(tx, user.id, user.password_version)
    if (!held) refuse('invalid_credentials', { userId: user.id })
    if (renewed !== undefined) await replaceHash(tx, user.id, stored, renewed)
    const endsAt = now + service.config.sessionMax
    const generation = held.session_generation
    await endReplaced(tx, user.id, sessionsPerUserMax, now)
    await addSession(tx, { ...session, endsAt, generation })
    await record(tx, { actorId: user.id, target: session.id })
    const isKnown = device !== undefined && (await useDevice(tx, device.id, now)) !== undefined
    const known = isKnown ? body.deviceToken : undefined
    return {
      refreshToken: await firstRefreshToken(tx, session.id),
      deviceToken: known ?? (await newDevice(tx, user.id, now)),
    }
  })
  return {
    token: await service.tokens.sign(user.id, session.id),
    tokenType: 'Bearer' as const,
    expiresIn: Math.floor(service.config.tokenTtl / 1000),
    refreshToken,
    sessionId: session.id,
    deviceToken,
    user: { id: user.id, username: user.username, roles: user.roles as string[] },
  }
}

async function newDevice(tx: Db, userId: string, now: number): Promise<string> {
  const token = newSecret()
  const made = { id: newId(now), userId, tokenHash: sha256(token), now }
  await addDevice(tx, made, devicesPerUserMax)
  return token
}
