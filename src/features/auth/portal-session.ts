// The login of the portal. Its session is known by an opaque handle in a cookie that no script can
// read, so the page holds nothing that could be stolen from it.
import { Type } from 'typebox'
import { deviceCookie, readCookie, sessionCookie, writeCookie } from '../../gate/cookies.ts'
import { closed, Name, Nothing } from '../../domain/schema.ts'
import { Answer, route } from '../../http/route.ts'
import { login } from './login.ts'
import { Password } from './passwords.ts'
import { newSecret, sha256 } from './refresh.ts'
import { addHandle, endSessionOfHandle } from './sql.ts'

export const Username = Type.String({
  minLength: 1,
  maxLength: 254,
  description: 'User name or e-mail.',
})

const deviceCookieSeconds = 365 * 24 * 60 * 60

export const openPortalSession = route({
  method: 'POST',
  path: '/portal/session',
  operation: 'postPortalSession',
  summary:
    'Log in on the portal: the session is known by a cookie, and the answer has no tokens. ' +
    'Only a page of the same origin may ask.',
  access: 'public',
  limit: 'login',
  portal: 'only',
  body: closed({ username: Username, password: Password, device: Type.Optional(Name) }),
  reply: { 204: Nothing },
  refusals: ['invalid_credentials', 'forbidden'],
  example: { username: 'ada', password: 'correct horse battery' },
  async handle(context) {
    const { body, headers, now } = context
    const known = readCookie(headers['cookie'], deviceCookie)
    const before = readCookie(headers['cookie'], sessionCookie)
    const asked = { ...context, body: known ? { ...body, deviceToken: known } : body }
    const { credential, deviceToken } = await login(asked, async (tx, sessionId) => {
      const handle = newSecret()
      if (before) await endSessionOfHandle(tx, sha256(before), now)
      await addHandle(tx, sha256(handle), sessionId)
      return handle
    })
    return new Answer(undefined, {
      'set-cookie': [
        writeCookie(sessionCookie, credential),
        writeCookie(deviceCookie, deviceToken, deviceCookieSeconds),
      ],
    })
  },
})
