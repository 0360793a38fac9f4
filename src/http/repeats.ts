// How a request that is sent again is known: by its Idempotency-Key, or by the `externalId` in its
// body.
import type { SchemaNode } from '../domain/schema.ts'
import type { Route } from './route.ts'

type Refusing = Pick<Route, 'refusals' | 'decides'>

/** The refusals of a route that takes an Idempotency-Key. */
export const keyRefusals = [
  'idempotency_key_reused',
  'outcome_unknown',
  'request_in_progress',
  'unavailable',
] as const

/**
 * Whether the route takes an Idempotency-Key: it does if a request with that key can be running. A
 * decision about a stored request takes the key of that one.
 */
export const takesKey = ({ refusals = [], decides }: Refusing): boolean =>
  refusals.includes('request_in_progress') && !decides

/** Whether an answer can be that of an earlier request. */
export const canReplay = ({ refusals = [], decides }: Refusing): boolean =>
  refusals.includes('idempotency_key_reused') && !decides

/**
 * Whether a request with an `externalId`, or with one in each of its items, has one effect, however
 * often it is sent.
 */
export function isNumbered(route: Refusing & Pick<Route, 'body' | 'each'>): boolean {
  const { properties = {} } = (route.body ?? {}) as SchemaNode
  // Each item tells by itself what is refused.
  if (route.each) return 'externalId' in (properties['items']?.items?.properties ?? {})
  return canReplay(route) && 'externalId' in properties
}
