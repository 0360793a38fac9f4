// Endpoints by which staff sign in on the portal by an OpenID Connect issuer.
import { Type } from '../../domain/type.ts'
import { closed, Name, Nothing } from '../../domain/schema.ts'
import { route } from '../../http/route.ts'
import { answerBody, beginSignIn, IssuerAddress, visitOver } from '../issuer/visits.ts'
import { signInByIssuer } from './issuer-login.ts'
import { newHandle, toCookies, withDevice } from './portal-session.ts'

const begin = route({
  method: 'POST',
  path: '/portal/session/issuer',
  operation: 'beginIssuerLogin',
  summary:
    'Begin a sign-in of staff at the OpenID Connect issuer: where the browser goes. ' +
    'Only a page of the same origin may ask.',
  access: 'public',
  limit: 'login',
  portal: 'only',
  reply: { 200: IssuerAddress },
  refusals: ['not_found', 'forbidden', 'issuer_unavailable'],
  async handle(context) {
    const attempt = await context.chargeMore({})
    return attempt.judge(() => beginSignIn(context))
  },
})

const complete = route({
  method: 'POST',
  path: '/portal/session/issuer/answer',
  operation: 'completeIssuerLogin',
  summary:
    'Sign in on the portal with what the issuer gave the browser. It opens a session for a ' +
    'person of staff whom an administrator linked to that subject of the issuer, and nobody else.',
  access: 'public',
  limit: 'login',
  portal: 'only',
  body: closed({ ...answerBody, device: Type.Optional(Name) }),
  reply: { 204: Nothing },
  refusals: [
    'not_found',
    'forbidden',
    'issuer_refused',
    'issuer_unavailable',
    'second_factor_required',
  ],
  example: { state: 'K4xv2J8vYg3Yb2n6b0o3rXb8mJc7a1dT5u9kQ2wZ0fE', code: 'SplxlOBeZQQYbYS6' },
  async handle(context) {
    const attempt = await context.chargeMore({})
    const made = await attempt.judge(() => signInByIssuer(withDevice(context), newHandle(context)))
    return toCookies(made, [visitOver])
  },
})

export const issuerLoginRoutes = [begin, complete]
