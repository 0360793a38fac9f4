// How a request that is sent again is known: by its Idempotency-Key, or by the `externalId` in its
// body.
import type { SchemaNode } from '../domain/schema.ts'
import type { Route } from './route.ts'

type Refusing = Pick<Route, 'refusals' | 'decides'>

/**
 * Whether the route takes an Idempotency-Key: it does if a request with that key can be running. A
 * decision about a stored request takes the key of that one.
 */
export const takesKey = ({ refusals = [], decides }: Refusing): boolean =>
  refusals.includes('request_in_progress') && !decides

/** Whether an answer can be that of an earlier request. */
export const canReplay = ({ refusals = [], decides }: Refusing): boolean =>
  refusals.includes('idempotency_key_reused') && !decides

/** Whether a request with an `externalId` has one effect, however often it is sent. */
export const isNumbered = (route: Refusing & Pick<Route, 'body'>): boolean =>
  canReplay(route) && 'externalId' in ((route.body as SchemaNode | undefined)?.properties ?? {})
