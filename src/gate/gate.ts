// The gate. Every request passes its steps in one order, decided by data on the route alone. While
// the clocks of the process and the database differ, every route is refused (503), except those
// that are limited by address alone. A refusal is thrown, never sent from here. The gate decides
// what the caller may do; the handler's SQL decides whether the state allows it.
import { addressKey } from '../domain/address.ts'
import { defaultLimits, type Window } from '../config/config.ts'
import type { Clocks } from '../database/clocks.ts'
import { refuse } from '../domain/errors.ts'
import { authenticate, type Credential } from './authenticate.ts'
import type { Keys, LimitClass, Limits, Charged } from './limits.ts'
import type { Named, Ownership } from './ownership.ts'
import { type Access, type Caller, findGrant, personalGrant, type Role } from './roles.ts'
import type { Sessions } from './sessions.ts'
import type { Tokens } from './token.ts'

/** The steps in their order; docs/PERMISSIONS.md is written from this table. */
export const gateSteps = [
  { name: 'address', holds: 'The client address has room in its windows.', refusal: '429' },
  {
    name: 'token',
    holds: 'The token, or on the portal the cookie, is authentic and its session alive.',
    refusal: '401',
  },
  { name: 'limits', holds: "The caller's windows have room.", refusal: '429' },
  { name: 'role', holds: 'A role of the caller has a grant on the route.', refusal: '403' },
  // Here the body is read and validated.
  {
    name: 'session',
    holds: 'Unless it is a GET: the session is still alive, and its roles still give that grant.',
    refusal: '401, 403',
  },
  {
    name: 'ownership',
    holds:
      "Every identifier is the caller's, if the grant is `own`; " +
      "none is of an account of the caller's, if staff change something.",
    refusal: '403; 404 if gone',
  },
  {
    name: 'activity',
    holds: "Nothing is refused: the session's idle time starts anew.",
    refusal: '',
  },
] as const

/** How many of the steps come before the body is read. */
export const stepsBeforeBody = 4

/** What the gate needs to know of a route. */
export type Guarded = {
  access: Access
  limit: LimitClass
  method: string
  /** The route's own answer for a resource that was the caller's and is gone. */
  whenGone?: unknown
}

/** What the gate needs to know of a request before its body is read. */
export type Credentials = { address: string; credential: Credential }

export type Admission = {
  /** Undefined on a public route. */
  caller: Caller | undefined
  charge: Charged
  /**
   * Charges the windows of a class whose keys only the body can name, such as the user name of a
   * login, and the windows by address with them.
   */
  chargeMore(keys: Keys, name?: LimitClass): Promise<Charged>
}

export type Accepted = {
  caller: Caller | undefined
  /** An identifier names something that is gone. Then only a route with `whenGone` is admitted. */
  isGone: boolean
}

export type Gate = {
  /** Step 1, for every request, also those no route answers. */
  admitAddress(address: string, limit?: 'address' | 'docs'): Charged | Promise<Charged>
  /** Steps 2 to 4. */
  admit(route: Guarded, credentials: Credentials): Promise<Admission>
  /**
   * Steps 5 to 7, after the schema has validated the identifiers. Returns the caller with the grant
   * that applies to them.
   */
  admitNamed(route: Guarded, caller: Caller | undefined, named: readonly Named[]): Promise<Accepted>
  /**
   * For a request that has waited since: refuses unless the session is still alive and its roles
   * still give the grant. Returns the roles.
   */
  requireStill(route: Pick<Guarded, 'access'>, caller: Caller): Promise<readonly Role[]>
}

type Parts = {
  limits: Limits
  tokens: Tokens
  sessions: Sessions
  ownership: Ownership
  clocks: Pick<Clocks, 'require'>
}

/** Classes with a window whose key is in the body. On a public route their handlers charge them. */
const namedInBody = new Set(
  Object.entries(defaultLimits)
    .filter(([, windows]) =>
      Object.values<Window>(windows).some(({ key = 'address' }) => key !== 'address'),
    )
    .map(([name]) => name),
)

export function createGate(parts: Parts): Gate {
  const { limits, sessions, ownership, clocks } = parts

  const more =
    (limit: LimitClass, address: string) =>
    async (keys: Keys, name: LimitClass = limit) =>
      limits.take(name, { address, ...keys })

  /** Routes that are limited by address alone report on the process, and depend on no clock. */
  function requireTime(limit: LimitClass): void {
    if (limit !== 'address') clocks.require()
  }

  async function admitPublic(limit: LimitClass, address: string): Promise<Admission> {
    const key = addressKey(address)
    // The class `address` was charged on arrival.
    const peeked = limit === 'address' ? {} : namedInBody.has(limit) ? { address: key } : undefined
    const charge = peeked ? await limits.peek(limit, peeked) : await limits.take(limit, key)
    return { caller: undefined, charge, chargeMore: more(limit, key) }
  }

  /**
   * A staff grant never changes an account of the caller's own. A caller who is also a customer
   * acts on it as a customer, where customers may.
   */
  async function onOwnAccount(
    access: Exclude<Access, 'public'>,
    caller: Caller,
    named: readonly Named[],
  ): Promise<Caller> {
    const own = await ownership.findOwn(caller.userId, named)
    if (!own) return caller
    const grant = personalGrant(access, caller.roles)
    const because = 'a staff grant on an account of their own'
    return grant ? { ...caller, grant } : refuse('forbidden', { because, target: own.id })
  }

  const requireStill: Gate['requireStill'] = async ({ access }, caller) => {
    const { roles } = await sessions.check(caller.sessionId, caller.userId, caller.kid)
    const grant = access === 'public' ? undefined : findGrant(access, roles)
    return grant === caller.grant ? roles : refuse('forbidden', { because: 'role' })
  }

  return {
    requireStill,
    admitAddress: (address, limit = 'address') => limits.take(limit, addressKey(address)),

    async admit({ access, limit }, { address, credential }) {
      requireTime(limit)
      if (access === 'public') return admitPublic(limit, address)
      const key = addressKey(address)
      const session = await authenticate(credential, key, parts)
      const { userId } = session
      const charge = await limits.take(limit, userId)
      const grant = findGrant(access, session.roles)
      if (!grant) refuse('forbidden', { because: 'role', userId, headers: charge.headers() })
      return { caller: { ...session, grant }, charge, chargeMore: more(limit, key) }
    },

    async admitNamed({ access, method, limit, whenGone }, caller, named) {
      requireTime(limit)
      if (!caller || access === 'public') return { caller: undefined, isGone: false }
      // The body may arrive seconds later: a session or role revoked meanwhile is refused.
      let acting = caller
      if (method !== 'GET') {
        const roles = await requireStill({ access }, caller)
        const isStaff = caller.grant === 'any'
        if (isStaff) acting = await onOwnAccount(access, { ...caller, roles }, named)
      }
      const isGone = acting.grant === 'own' && (await ownership.require(acting.userId, named))
      if (isGone && whenGone === undefined) refuse('not_found', { because: 'gone' })
      await sessions.touch(acting)
      return { caller: acting, isGone }
    },
  }
}
