// Endpoints of the service itself: liveness, readiness and the public keys of tokens.
import { Type } from '../../domain/type.ts'
import { refuse } from '../../domain/errors.ts'
import { release } from '../../domain/release.ts'
import { route } from '../../http/route.ts'
import { named, oneOf } from '../../domain/schema.ts'
import { toldCauses } from '../../telemetry/outages.ts'

const status = oneOf(['ok'])
const version = Type.String({ maxLength: 40, examples: ['0.2.0'] })

const health = route({
  method: 'GET',
  path: '/healthz',
  operation: 'getHealth',
  summary: 'The process is alive, and its release. Its dependencies are not checked.',
  access: 'public',
  limit: 'address',
  reply: { 200: named('Health', { status, version }) },
  handle: async () => ({ status: 'ok' as const, version: release }),
  // Restarting a process because its store is away would not help.
  whenUncounted: { status: 'ok', version: release },
})

const ready = route({
  method: 'GET',
  path: '/readyz',
  operation: 'getReadiness',
  summary:
    'The service can answer: it reaches its database and the store of limits, its clock agrees ' +
    'with that of the database, the schema fits it, and it is not about to close. While it ' +
    'refuses some requests for another cause it answers 200 as `degraded`: other instances ' +
    'would, too.',
  access: 'public',
  limit: 'address',
  reply: {
    200: named('Readiness', {
      status: oneOf(['ok', 'degraded']),
      causes: Type.Array(oneOf(toldCauses), {
        maxItems: toldCauses.length,
        description: 'For what requests were refused as `unavailable` within the last minute.',
        examples: [['lock']],
      }),
    }),
  },
  refusals: ['unavailable'],
  async handle({ service }) {
    if (service.ending.aborted)
      refuse('unavailable', { outage: 'closing', because: 'about to close' })
    service.clocks.require()
    await service.fit.require()
    const causes = service.outages()
    return { status: causes.length === 0 ? ('ok' as const) : ('degraded' as const), causes }
  },
})

/** 32 bytes in base64url. */
const Bytes = Type.String({
  pattern: '^[A-Za-z0-9_-]{43}$',
  minLength: 43,
  maxLength: 43,
  examples: ['11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo'],
})

const Jwk = named('PublicKey', {
  kty: oneOf(['OKP']),
  crv: oneOf(['Ed25519']),
  x: Bytes,
  kid: Bytes,
  alg: oneOf(['EdDSA']),
  use: oneOf(['sig']),
})

const jwks = route({
  method: 'GET',
  path: '/.well-known/jwks.json',
  operation: 'getPublicKeys',
  summary: 'The public keys of access tokens (RFC 7517).',
  access: 'public',
  limit: 'address',
  reply: { 200: named('PublicKeys', { keys: Type.Array(Jwk, { maxItems: 1000 }) }) },
  handle: async ({ service }) => (await service.tokens.jwks()) as never,
})

export const systemRoutes = [health, ready, jwks]
