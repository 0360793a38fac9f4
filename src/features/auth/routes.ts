// Endpoints of login, refresh, logout, and the caller's sessions and password.
import type { WrittenDetail } from '../../audit/actions.ts'
import { type Static, Type } from '../../domain/type.ts'
import { addressKey } from '../../domain/address.ts'
import { listSchema, pageQuery } from '../../http/pagination.ts'
import { deletedSessionCookie } from '../../gate/cookies.ts'
import { readSecret } from '../../gate/provision.ts'
import { transaction } from '../../database/connections/transaction.ts'
import { invalid, refuse } from '../../domain/errors.ts'
import { roles } from '../../gate/roles.ts'
import { SessionId, UserId } from '../../domain/ids.ts'
import type { Service } from '../../http/services.ts'
import { ChallengeReply } from '../factors/schemas.ts'
import { queueMail } from '../mail/sql.ts'
import { Answer, route } from '../../http/route.ts'
import {
  closed,
  Name,
  named,
  Nothing,
  oneOf,
  RoleName,
  secretKey,
  withExample,
} from '../../domain/schema.ts'
import { opaqueSecret } from '../../domain/secret-forms.ts'
import { endAllSessions } from '../members/end-all-sessions.ts'
import { issuerLoginRoutes } from './issuer-routes.ts'
import { login } from './login.ts'
import { hashingChange, requireOwnPassword } from '../credentials/own-hashes.ts'
import { Password } from '../credentials/passwords.ts'
import { completePortalSession, openPortalSession, Username } from './portal-session.ts'
import { sha256 } from '../../gate/opaque-secret.ts'
import { firstRefreshToken, rotateRefreshToken, toTokens } from './refresh.ts'
import { resetRoutes } from './reset.ts'
import { beginPasskeyLogin, loginWithFactor, secondFactorBody } from './second-factor.ts'
import { listSessions, OwnSession } from './session-list.ts'
import { credentialsByUser } from '../credentials/sql.ts'
import { changePassword, endSession, refreshTokenByHash } from './sql.ts'

const self = { customer: 'self', 'support-agent': 'self', admin: 'self' } as const
const own = { customer: 'own', 'support-agent': 'own', admin: 'own' } as const

const Opaque = Type.String({
  pattern: `^${opaqueSecret}$`,
  minLength: 43,
  maxLength: 43,
  examples: ['3q2-7wAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA'],
  [secretKey]: true,
})
const Token = Type.String({
  maxLength: 2048,
  [secretKey]: true,
  examples: ['eyJhbGciOiJFZERTQSJ9.e30.c2lnbmF0dXJl'],
})

const Tokens = {
  token: Token,
  tokenType: oneOf(['Bearer']),
  expiresIn: Type.Integer({
    minimum: 0,
    maximum: 2 ** 31 - 1,
    description: 'Seconds until the access token expires.',
    examples: [900],
  }),
  refreshToken: Opaque,
  sessionId: SessionId,
}

const Login = named('Login', {
  ...Tokens,
  deviceToken: Opaque,
  user: closed({
    id: UserId,
    username: Type.String({ maxLength: 32, examples: ['ada'] }),
    roles: Type.Array(RoleName, { maxItems: roles.length }),
  }),
  restricted: Type.Optional(
    Type.Boolean({
      description: 'The session may only enrol a second factor; absent if it may do anything.',
    }),
  ),
})

async function toLogin(
  service: Service,
  made: Awaited<ReturnType<typeof login<string>>>,
): Promise<Static<typeof Login>> {
  const { user, sessionId, deviceToken, isRestricted, credential: refreshToken } = made
  const tokens = await toTokens(service, { userId: user.id, sessionId, refreshToken })
  return { ...tokens, deviceToken, user, ...(isRestricted && { restricted: true }) }
}

const logIn = route({
  method: 'POST',
  path: '/api/v1/auth/login',
  operation: 'login',
  summary: 'Log in: opens a session on this device and answers with its tokens.',
  access: 'public',
  limit: 'login',
  portal: 'never',
  body: closed({
    username: Username,
    password: Password,
    device: Type.Optional(Name),
    deviceToken: Type.Optional(Opaque),
  }),
  reply: {
    200: Login,
  },
  refusals: ['invalid_credentials', 'second_factor_required'],
  example: { username: 'ada', password: 'correct horse battery' },
  async handle(context) {
    return toLogin(context.service, await login(context, firstRefreshToken))
  },
})

const logInSecondFactor = route({
  method: 'POST',
  path: '/api/v1/auth/login/second-factor',
  operation: 'completeLogin',
  summary:
    'Answer the challenge of a login with one of `code`, `passkey`, `recoveryCode` and ' +
    '`recoveryToken`: opens the session. After a recovery it may only enrol a factor.',
  access: 'public',
  limit: 'login',
  portal: 'never',
  body: closed({
    ...secondFactorBody,
    device: Type.Optional(Name),
    deviceToken: Type.Optional(Opaque),
  }),
  reply: { 200: Login },
  refusals: ['invalid_credentials'],
  example: { challengeId: '01981f7e-4c00-7000-8000-6368616c6c65', code: '755224' },
  async handle(context) {
    return toLogin(context.service, await loginWithFactor(context, firstRefreshToken))
  },
})

const logInPasskey = route({
  method: 'POST',
  path: '/api/v1/auth/login/passkey',
  operation: 'beginPasskeyLogin',
  summary: 'Begin a login by passkey alone; its challenge is answered like that of a password.',
  access: 'public',
  limit: 'login',
  reply: { 200: named('PasskeyLogin', { challenge: ChallengeReply }) },
  handle: async (context) => ({ challenge: await beginPasskeyLogin(context) }),
})

const refresh = route({
  method: 'POST',
  path: '/api/v1/auth/refresh',
  operation: 'refresh',
  summary:
    'Exchange a refresh token, which works once, for a new pair of tokens. ' +
    'A repetition within ten seconds, after a lost answer, gets the same refresh token.',
  access: 'public',
  limit: 'refresh',
  portal: 'never',
  body: closed({ refreshToken: Opaque }),
  reply: { 200: named('Tokens', Tokens) },
  refusals: ['unauthenticated', 'session_revoked', 'session_expired'],
  async handle({ address, body, db, now, service, chargeMore, record }) {
    const found = await refreshTokenByHash(db, sha256(body.refreshToken))
    // Many customers may share an address, so each session has its own count.
    await chargeMore({ token: found ? `session ${found.sessionId}` : addressKey(address) })
    if (!found) refuse('unauthenticated', { because: 'unknown refresh token' })
    const { sessionId, userId } = found
    const session = await service.sessions.check(sessionId, userId, null)
    const key = await readSecret(db, 'refresh')
    const used = { token: body.refreshToken, userId, sessionId, key, now }
    const refreshToken = await rotateRefreshToken(db, used, (tx) =>
      record(tx, {
        actorId: userId,
        target: sessionId,
        outcome: 'failure',
        detail: 'A refresh token was used again: its session was revoked' satisfies WrittenDetail,
      }),
    )
    await service.sessions.touch(session)
    return toTokens(service, { userId, sessionId, refreshToken })
  },
})

/** What the browser forgets at a logout: it keeps the known device. */
const forgetSession = {
  'set-cookie': deletedSessionCookie,
  'clear-site-data': '"cache", "storage"',
}

const logOut = route({
  method: 'POST',
  path: '/api/v1/auth/logout',
  operation: 'logout',
  summary: 'Log out: revoke the session of this token at once; the others go on.',
  access: self,
  limit: 'sensitive',
  restricted: true,
  reply: { 204: Nothing },
  async handle({ caller, db, isPortal, now, record }) {
    await transaction(db, async (tx) => {
      await endSession(tx, caller.sessionId, 'logout', now)
      await record(tx, { target: caller.sessionId })
    })
    return isPortal ? new Answer(undefined, forgetSession) : undefined
  },
})

const listOwnSessions = route({
  method: 'GET',
  path: '/api/v1/auth/sessions',
  operation: 'listSessions',
  summary: 'List your own live sessions, newest first.',
  access: self,
  limit: 'read',
  restricted: true,
  query: closed(pageQuery),
  reply: { 200: listSchema(OwnSession) },
  async handle(context) {
    const { userId, sessionId } = context.caller
    return listSessions(context, userId, ({ id, device, createdAt, lastUsedAt }) => ({
      id,
      device,
      createdAt,
      lastUsedAt,
      current: id === sessionId,
    }))
  },
})

const revokeOwnSession = route({
  method: 'DELETE',
  path: '/api/v1/auth/sessions/:sessionId',
  operation: 'revokeSession',
  summary:
    'Revoke one of your own sessions; the others go on, and so do ordered payment lists and ' +
    'standing orders ' +
    '(`GET /api/v1/orders?status=open&orderedBy=<sessionId>`). Waiting payment drafts that were ' +
    'made or signed in it become void, and unanswered invitations that were sent or changed last ' +
    'in it are taken back.',
  access: own,
  limit: 'sensitive',
  params: closed({ sessionId: SessionId }),
  reply: { 204: Nothing },
  refusals: ['not_found'],
  async handle({ params, db, now }) {
    await transaction(db, (tx) => endSession(tx, params.sessionId, 'revoked', now))
  },
})

const changeOwnPassword = route({
  method: 'POST',
  path: '/api/v1/auth/password',
  operation: 'changePassword',
  summary:
    'Change your password; your other sessions are revoked. Ordered payment lists go on, and so ' +
    'do standing orders (`GET /api/v1/orders?status=open`). Waiting payment drafts that were ' +
    'made or signed in those sessions become void, and unanswered invitations that you sent are ' +
    'taken back.',
  access: self,
  confirm: true,
  limit: 'sensitive',
  body: closed({
    currentPassword: Password,
    newPassword: withExample(Password, 'seven lean kine and a barn'),
  }),
  reply: { 204: Nothing },
  async handle(context) {
    const { body, caller, db, now, record, service } = context
    const { userId } = caller
    const credentials = await credentialsByUser(db, caller.userId)
    if (!credentials) refuse('unauthenticated')
    const { username, passwordHash: stored, passwordVersion: version } = credentials
    const { passwords } = service
    passwords.check(body.newPassword, username, '/body/newPassword')
    const current = { password: body.currentPassword, path: '/body/currentPassword' }
    await requireOwnPassword(context, stored, current)
    await hashingChange(context, async () => {
      const hashed = await passwords.hash(body.newPassword)
      await transaction(db, async (tx) => {
        const changed = await changePassword(tx, caller.userId, version, hashed)
        if (!changed) invalid('/body/currentPassword', 'was changed in the meantime')
        const ending = { by: userId, now, keep: caller.sessionId, record }
        await endAllSessions(tx, userId, ending)
        await queueMail(tx, 'password-changed', caller.userId, now)
      })
    })
  },
})

/** The routes of logins with a second factor. */
export const factorLoginRoutes = [logInSecondFactor, logInPasskey, completePortalSession]

export const authRoutes = [
  logIn,
  openPortalSession,
  ...factorLoginRoutes,
  ...issuerLoginRoutes,
  refresh,
  logOut,
  listOwnSessions,
  revokeOwnSession,
  changeOwnPassword,
  ...resetRoutes,
]
