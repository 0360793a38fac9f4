// The login of the portal. Its session is known by an opaque handle in a cookie that no script can
// read, so the page holds nothing that could be stolen from it.
import { Type } from '../../domain/type.ts'
import { deviceCookie, readCookie, sessionCookie, writeCookie } from '../../gate/cookies.ts'
import type { Db } from '../../database/statements/statement.ts'
import { closed, Name, Nothing } from '../../domain/schema.ts'
import { Answer, type Context, route } from '../../http/route.ts'
import { login, type MakeCredential } from './login.ts'
import { Password } from '../credentials/passwords.ts'
import { newSecret, sha256 } from '../../gate/opaque-secret.ts'
import { loginWithFactor, secondFactorBody } from './second-factor.ts'
import { addHandle } from './sql.ts'
import { dayMs } from '../../domain/clock.ts'

export const Username = Type.String({
  minLength: 1,
  maxLength: 254,
  description: 'User name or e-mail.',
  examples: ['ada'],
})

const deviceCookieSeconds = (365 * dayMs) / 1000

export const openPortalSession = route({
  method: 'POST',
  path: '/portal/session',
  operation: 'loginToPortal',
  summary:
    'Log in on the portal: the session is known by a cookie, and the answer has no tokens. ' +
    'Only a page of the same origin may ask.',
  access: 'public',
  limit: 'login',
  portal: 'only',
  body: closed({ username: Username, password: Password, device: Type.Optional(Name) }),
  reply: { 204: Nothing },
  refusals: ['invalid_credentials', 'second_factor_required', 'forbidden'],
  example: { username: 'ada', password: 'correct horse battery' },
  async handle(context) {
    return toCookies(await login(withDevice(context), newHandle(context)))
  },
})

export const completePortalSession = route({
  method: 'POST',
  path: '/portal/session/second-factor',
  operation: 'completePortalLogin',
  summary: 'Answer the challenge of a login on the portal, or log in there with a passkey alone.',
  access: 'public',
  limit: 'login',
  portal: 'only',
  body: closed({ ...secondFactorBody, device: Type.Optional(Name) }),
  reply: { 204: Nothing },
  refusals: ['invalid_credentials', 'forbidden'],
  example: { challengeId: '01981f7e-4c00-7000-8000-6368616c6c65', code: '755224' },
  async handle(context) {
    return toCookies(await loginWithFactor(withDevice(context), newHandle(context)))
  },
})

type Cookies = Pick<Context, 'headers'>

/** The request with the known device of its browser. */
export function withDevice<C extends { headers: Cookies['headers']; body: object }>(
  context: C,
): C & { body: { deviceToken?: string } } {
  const deviceToken = readCookie(context.headers['cookie'], deviceCookie)
  return deviceToken ? { ...context, body: { ...context.body, deviceToken } } : context
}

/** The handle of a new session, in place of the session that the browser held. */
export function newHandle({ headers }: Cookies): MakeCredential<string> {
  const before = readCookie(headers['cookie'], sessionCookie)
  const replaces = before ? sha256(before) : undefined
  async function make(tx: Db, sessionId: string): Promise<string> {
    const handle = newSecret()
    await addHandle(tx, sha256(handle), sessionId)
    return handle
  }
  return Object.assign(make, replaces && { replaces })
}

/** @param more other cookies that are set with those of the new session */
export const toCookies = (
  made: { credential: string; deviceToken: string },
  more: readonly string[] = [],
) =>
  new Answer(undefined, {
    'set-cookie': [
      writeCookie(sessionCookie, made.credential),
      writeCookie(deviceCookie, made.deviceToken, deviceCookieSeconds),
      ...more,
    ],
  })
