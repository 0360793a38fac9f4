// Endpoints about the service itself: is it alive, is it ready, with which keys are tokens
// verified.
import { Type } from 'typebox'
import { route } from '../route.ts'
import { closed, oneOf } from '../schema.ts'

const Status = closed({ status: oneOf(['ok']) })

const health = route({
  method: 'GET',
  path: '/healthz',
  summary: 'The process is alive.',
  access: 'public',
  limit: 'address',
  reply: { 200: Status },
  handle: async () => ({ status: 'ok' as const }),
})

const ready = route({
  method: 'GET',
  path: '/readyz',
  summary: 'The service can answer requests: its database is within reach.',
  access: 'public',
  limit: 'address',
  reply: { 200: Status },
  refusals: ['unavailable'],
  async handle({ db }) {
    await db.ping()
    return { status: 'ok' as const }
  },
})

const Jwk = closed({
  kty: Type.String(),
  crv: Type.String(),
  x: Type.String(),
  kid: Type.String(),
  alg: Type.String(),
  use: Type.String(),
})

const jwks = route({
  method: 'GET',
  path: '/.well-known/jwks.json',
  summary: 'The public keys of access tokens (RFC 7517).',
  access: 'public',
  limit: 'address',
  reply: { 200: closed({ keys: Type.Array(Jwk) }) },
  handle: async ({ service }) => (await service.tokens.jwks()) as never,
})

export const systemRoutes = [health, ready, jwks]
