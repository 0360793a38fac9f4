// The gate. Every request passes it, in this order, and nothing but data on the route decides:
//
//   before the body is read          1 address   the client address may ask at all    429
//                                    2 token     authentic, and its session is alive  401
//                                    3 limits    the caller's windows have room       429
//                                    4 role      a role of the caller has a grant     403
//   after body and schema            5 token     the session is still alive, the grant the same
//                                    6 ownership each identifier is the caller's  403 (404 gone)
//   when all of it passed            7 activity  the session's idle time starts anew
//
// Steps 2 and 5 come with a 503 while the clocks of the process and of the database differ.
// A refusal is thrown, never sent from here. The gate says *may*; the handler's SQL says *can*.
import { addressKey } from '../address.ts'
import type { Clocks } from '../database/clocks.ts'
import { refuse } from '../errors.ts'
import { authenticate } from './authenticate.ts'
import type { Keys, LimitClass, Limits, Taken } from './limits.ts'
import type { Named, Ownership } from './ownership.ts'
import { type Access, type Caller, grantOf } from './roles.ts'
import type { Sessions } from './sessions.ts'
import type { Tokens } from './token.ts'

/** What the gate needs to know of a route. */
export type Guarded = {
  access: Access
  limit: LimitClass
  method: string
  /** Set when the route has an answer of its own for what was the caller's and is gone. */
  whenGone?: unknown
}

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
  admitAddress(address: string): Taken | Promise<Taken>
  /** Steps 2 to 4. */
  admit(route: Guarded, knock: Knock): Promise<Admission>
  /**
   * Steps 5 to 7, once the schema has said that the identifiers are well formed. True when one of
   * them names what is gone, which only a route with `whenGone` is let through with.
   */
  admitNamed(route: Guarded, caller: Caller | undefined, named: readonly Named[]): Promise<boolean>
}

type Parts = {
  limits: Limits
  tokens: Tokens
  sessions: Sessions
  ownership: Ownership
  clocks: Pick<Clocks, 'require'>
}

/** Public classes whose windows need the body; their address windows are looked at beforehand. */
const namedInBody: ReadonlySet<LimitClass> = new Set(['login', 'reset'])

export function gateOf(parts: Parts): Gate {
  const { limits, sessions, ownership, clocks } = parts

  // By window name, for the windows that are counted by address.
  const byAddress = (key: string) => ({ attempts: key, failedPerAddress: key, perAddress: key })
  const more =
    (limit: LimitClass, key: string) =>
    async (keys: Keys, name: LimitClass = limit) =>
      limits.take(name, { ...byAddress(key), ...keys })

  /** Routes that are limited by address alone tell of the process itself, and depend on no time. */
  function requireTime(limit: LimitClass): void {
    if (limit !== 'address') clocks.require()
  }

  async function admitPublic(limit: LimitClass, address: string): Promise<Admission> {
    const key = addressKey(address)
    // The address was charged on arrival already; login and reset are charged by their handlers.
    const peeked = limit === 'address' ? {} : namedInBody.has(limit) ? byAddress(key) : undefined
    const taken = peeked ? await limits.peek(limit, peeked) : await limits.take(limit, key)
    return { caller: undefined, taken, takeMore: more(limit, key) }
  }

  return {
    admitAddress: (address) => limits.take('address', addressKey(address)),

    async admit({ access, limit }, { address, authorization }) {
      requireTime(limit)
      if (access === 'public') return admitPublic(limit, address)
      const key = addressKey(address)
      const session = await authenticate(authorization, key, parts)
      const { userId } = session
      const taken = await limits.take(limit, userId)
      const grant = grantOf(access, session.roles)
      if (!grant) refuse('forbidden', { because: 'role', userId, headers: taken.headers() })
      return { caller: { ...session, grant }, taken, takeMore: more(limit, key) }
    },

    async admitNamed({ access, method, limit, whenGone }, caller, named) {
      requireTime(limit)
      if (!caller || access === 'public') return false
      // A body can be held back for seconds: what was revoked in the meantime is not let through.
      if (method !== 'GET') {
        const { roles } = await sessions.check(caller.sessionId, caller.userId)
        if (grantOf(access, roles) !== caller.grant) refuse('forbidden', { because: 'role' })
      }
      const isGone = caller.grant === 'own' && (await ownership.require(caller.userId, named))
      if (isGone && whenGone === undefined) refuse('not_found', { because: 'gone' })
      await sessions.touch(caller)
      return isGone
    },
  }
}
