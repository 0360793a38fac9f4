// The gate. Every request passes its steps in one order, and nothing but data on the route decides.
// A refusal is thrown, never sent from here. The gate says *may*; the handler's SQL says *can*.
import { addressKey } from '../address.ts'
import { refuse } from '../errors.ts'
import { authenticate } from './authenticate.ts'
import type { Keys, LimitClass, Limits, Taken } from './limits.ts'
import type { Named, Ownership } from './ownership.ts'
import { type Access, type Caller, grantOf } from './roles.ts'
import type { Sessions } from './sessions.ts'
import type { Tokens } from './token.ts'

/** The steps in their order; docs/PERMISSIONS.md is written from this table. */
export const gateSteps = [
  { name: 'address', holds: 'The client address has room in its windows.', refusal: '429' },
  { name: 'token', holds: 'The token is authentic and its session alive.', refusal: '401' },
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
    holds: "Every identifier is the caller's, if the grant is `own`.",
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
export type Guarded = { access: Access; limit: LimitClass; method: string }

/** What the gate needs to know of a request before its body is read. */
export type Knock = { address: string; authorization: string | undefined }

export type Admission = {
  /** Undefined on a public route. */
  caller: Caller | undefined
  taken: Taken
  /** Charges what only the body can name, such as a login's user name; also of another class. */
  takeMore(keys: Keys, name?: LimitClass): Promise<Taken>
}

export type Gate = {
  /** Step 1, for every request, also those no route answers. */
  admitAddress(address: string, limit?: 'address' | 'docs'): Taken | Promise<Taken>
  /** Steps 2 to 4. */
  admit(route: Guarded, knock: Knock): Promise<Admission>
  /** Steps 5 to 7, once the schema has said that the identifiers are well formed. */
  admitNamed(route: Guarded, caller: Caller | undefined, named: readonly Named[]): Promise<void>
}

type Parts = { limits: Limits; tokens: Tokens; sessions: Sessions; ownership: Ownership }

/** Public classes whose windows need the body; their address windows are looked at beforehand. */
const namedInBody: ReadonlySet<LimitClass> = new Set(['login', 'reset'])

export function gateOf(parts: Parts): Gate {
  const { limits, sessions, ownership } = parts

  // By window name, for the windows that are counted by address.
  const byAddress = (key: string) => ({ attempts: key, failedPerAddress: key, perAddress: key })
  const more =
    (limit: LimitClass, key: string) =>
    async (keys: Keys, name: LimitClass = limit) =>
      limits.take(name, { ...byAddress(key), ...keys })

  async function admitPublic(limit: LimitClass, address: string): Promise<Admission> {
    const key = addressKey(address)
    // The address was charged on arrival already; login and reset are charged by their handlers.
    const peeked = limit === 'address' ? {} : namedInBody.has(limit) ? byAddress(key) : undefined
    const taken = peeked ? await limits.peek(limit, peeked) : await limits.take(limit, key)
    return { caller: undefined, taken, takeMore: more(limit, key) }
  }

  return {
    admitAddress: (address, limit = 'address') => limits.take(limit, addressKey(address)),

    async admit({ access, limit }, { address, authorization }) {
      if (access === 'public') return admitPublic(limit, address)
      const key = addressKey(address)
      const session = await authenticate(authorization, key, parts)
      const { userId } = session
      const taken = await limits.take(limit, userId)
      const grant = grantOf(access, session.roles)
      if (!grant) refuse('forbidden', { because: 'role', userId, headers: taken.headers() })
      return { caller: { ...session, grant }, taken, takeMore: more(limit, key) }
    },

    async admitNamed({ access, method }, caller, named) {
      if (!caller || access === 'public') return
      // A body can be held back for seconds: what was revoked in the meantime is not let through.
      if (method !== 'GET') {
        const { roles } = await sessions.check(caller.sessionId, caller.userId, caller.kid)
        if (grantOf(access, roles) !== caller.grant) refuse('forbidden', { because: 'role' })
      }
      if (caller.grant === 'own') await ownership.require(caller.userId, named)
      await sessions.touch(caller)
    },
  }
}
