// Login: the slot of an attempt is reserved before its password is hashed, and a session begins
// only if the password that was checked is still the one that counts.
import type { Db } from '../database/statement.ts'
import { transaction } from '../database/transaction.ts'
import { refuse } from '../errors.ts'
import { newId } from '../ids.ts'
import { fold, normaliseEmail, normaliseUsername } from '../people.ts'
import type { Context } from '../route.ts'
import { firstRefreshToken, newSecret, sha256 } from './refresh.ts'
import { addDevice, addSession, deviceOf, holdUser, userForLogin } from './sql.ts'

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
  const { body, db, now } = context
  const name = canonical(body.username)
  const user = await userForLogin(db, name)
  // Asked for an unknown user as well, so that the statement tells nobody who exists.
  const device = body.deviceToken
    ? await deviceOf(db, sha256(body.deviceToken), user?.id ?? newId(now))
    : undefined
  // A known device has a count of its own: a stranger's failures cannot lock its owner out. A name
  // is counted as it was typed: one count for a person's two names would tell that they are one.
  const attempt = await context.takeMore({
    failedPerUsername: device ? `device ${device.id}` : keyOfName(name),
  })
  return attempt.judge(() => openSession(context, user, device !== undefined))
}

async function openSession(
  { body, db, now, service, record }: LoginContext,
  user: Awaited<ReturnType<typeof userForLogin>>,
  isKnownDevice: boolean,
) {
  const isRight = await service.passwords.verify(user?.password_hash ?? null, body.password)
  if (!user || !isRight || user.status !== 'active') {
    refuse('invalid_credentials', { userId: user?.id })
  }

  const session = { id: newId(now), userId: user.id, device: body.device ?? null, now }
  const { refreshToken, deviceToken } = await transaction(db, async (tx) => {
    // Undefined when the password was changed or the user disabled while it was being hashed.
    if (!(await holdUser(tx, user.id, user.password_version))) {
      refuse('invalid_credentials', { userId: user.id })
    }
    await addSession(tx, { ...session, endsAt: now + service.config.sessionMax })
    await record(tx, { actorId: user.id, target: session.id })
    const known = isKnownDevice ? body.deviceToken : undefined
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
  await addDevice(tx, newId(now), userId, sha256(token), now)
  return token
}
