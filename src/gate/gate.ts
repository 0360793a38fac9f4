// The gate. Every request passes its steps in one order, decided by data on the route alone. While
// the clocks of the process and the database differ, every route is refused (503), except those
// that are limited by address alone. A refusal is thrown, never sent from here. The gate decides
// what the caller may do; the handler's SQL decides whether the state allows it.
import { addressKey } from '../domain/address.ts'
import { defaultLimits, type Window } from '../config/config.ts'
import {
  createAhead,
  type Ahead,
  type AheadLimits,
  type Arrived,
  type Expected,
} from './combined-limits.ts'
import type { Clocks } from '../database/background/clocks.ts'
import type { Lookups } from '../database/connections/lookup.ts'
import { refuse } from '../domain/errors.ts'
import { authenticate, type Credential } from './authenticate.ts'
import type { Keys, LimitClass, Limits, Charged } from './limits.ts'
import type { Members } from './members.ts'
import type { Named, Owners, Ownership, RowStatement, Verdict } from './ownership.ts'
import { type Access, type Caller, personalGrant } from './roles.ts'
import type { ServiceKeys } from './service-keys.ts'
import type { Sessions } from './sessions.ts'
import {
  createCallerRecheck,
  isTooRestricted,
  type Opens,
  type CallerRecheck,
  toGrant,
} from './recheck-caller.ts'
import type { Claims, Tokens } from './token.ts'
import { LoggedError } from '../domain/logged-error.ts'

/** The steps in their order; docs/PERMISSIONS.md is written from this table. */
export const gateSteps = [
  { name: 'address', requires: 'The client address has room in its windows.', refusal: '429' },
  {
    name: 'token',
    requires:
      'The token, or on the portal the cookie, is authentic and its session alive; ' +
      'or the key of a service account is live and used from an address of its own.',
    refusal: '401; 429 after many forged ones',
  },
  { name: 'limits', requires: "The caller's windows have room.", refusal: '429' },
  {
    name: 'role',
    requires:
      'A role of the caller, or a grant of the service account, opens the route; ' +
      'a session without the second factor that its role requires opens only its enrolment, ' +
      "the user's profile and sessions, and the logout.",
    refusal: '403',
  },
  // Here the body is read and validated.
  {
    name: 'session',
    requires:
      'If the body, or limits counted elsewhere, were waited for: steps 2 and 4 hold still.',
    refusal: '401, 403',
  },
  {
    name: 'ownership',
    requires:
      "Every identifier is the caller's, if the grant is `own`, or of an owner who gave the " +
      'caller the right of the route; ' +
      "none is of an account of the caller's, as owner or member, if staff change something. " +
      'A payment of a service account is from an account that it was granted, ' +
      'and a standing order or payment list is one that it has made.',
    refusal: '403; 404 if gone',
  },
  {
    name: 'activity',
    requires:
      'No refusal: the idle time of the session restarts, unless a page reads by itself; ' +
      'or the use of a key is recorded.',
    refusal: '',
  },
] as const

/** How many of the steps come before the body is read. */
export const stepsBeforeBody = 4

/** What the gate needs to know of a route. */
export type Guarded = Opens & {
  limit: LimitClass
  method: string
  /** The route's own answer for a resource that was the caller's and is gone. */
  whenGone?: unknown
  /** Reads the one resource that a GET names. */
  row?: RowStatement
}

/** What the gate needs to know of a request before its body is read. */
export type Credentials = {
  address: string
  credential: Credential
  /**
   * The identifiers of a GET. Their owners, or the route's `row`, are looked up together with the
   * session of an authentic token, and judged after the session, the limits and the role.
   */
  named?: readonly Named[] | undefined
  /**
   * Finds these owners, in place of the primary: nothing that was committed before the request is
   * missing. The session, its roles and the members of an account are always the primary's.
   */
  lookup?: Lookups['lookup'] | undefined
  /** What the caller was charged on arrival. */
  ahead?: Ahead | undefined
}

export type Admission = {
  /** Undefined on a public route. */
  caller: Caller | undefined
  charge: Charged
  /** What the identifiers name, if it was looked up together with the session. */
  found?: Promise<Owners> | undefined
  /** Nothing was waited for since the session or the key was looked up. */
  isCurrent?: boolean
  /**
   * Charges the windows of a class whose keys only the body can name, such as the user name of a
   * login, and the windows by address with them, unless `address` is given as undefined. A text is
   * the one key of all windows, as that of a caller is.
   */
  chargeMore(keys: string | Keys, name?: LimitClass): Promise<Charged>
}

export type Accepted = {
  caller: Caller | undefined
  /** An identifier names something that is gone. Then only a route with `whenGone` is admitted. */
  isGone: boolean
  /** Found by the route's `row`. */
  row?: unknown
}

export type Gate = CallerRecheck & {
  /**
   * Step 1, for every request, also those no route answers.
   *
   * @param expected on a route that is not public: its caller, if known, is charged together with
   *   the address where limits are counted elsewhere
   */
  admitAddress(
    address: string,
    limit?: 'address' | 'docs' | 'files',
    expected?: Expected,
  ): Arrived | Promise<Arrived>
  /** Steps 2 to 4. */
  admit(route: Guarded, credentials: Credentials): Promise<Admission>
  /**
   * Steps 5 to 7, after the schema has validated the identifiers. Returns the caller with the grant
   * that applies to them.
   *
   * @param isUnattended the portal's page asks by itself: a read is then no activity
   */
  admitNamed(
    route: Guarded,
    admission: Pick<Admission, 'caller' | 'found' | 'isCurrent'> | undefined,
    named: readonly Named[],
    isUnattended?: boolean,
  ): Promise<Accepted>
}

type GateParts = {
  limits: Limits
  tokens: Tokens
  sessions: Sessions
  serviceKeys: ServiceKeys
  ownership: Ownership
  /** Undefined: no account has members. */
  members?: Members | undefined
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

/** Step 1 alone, for a listener that has no routes. */
export const toAddressGate = (limits: Limits): Pick<Gate, 'admitAddress'> => ({
  admitAddress: (address, limit = 'address') => limits.take(limit, addressKey(address)),
})

/** Steps 2 to 4, on a public route and on one with a caller. */
function createAdmission(parts: GateParts, ahead: AheadLimits | undefined) {
  const { limits, ownership } = parts

  const more =
    (limit: LimitClass, address: string) =>
    async (keys: string | Keys, name: LimitClass = limit) =>
      limits.take(name, typeof keys === 'string' ? keys : { address: addressKey(address), ...keys })

  async function admitPublic(limit: LimitClass, address: string): Promise<Admission> {
    const key = addressKey(address)
    // The class `address` was charged on arrival.
    const peeked = limit === 'address' ? {} : namedInBody.has(limit) ? { address: key } : undefined
    const charge = peeked ? await limits.peek(limit, peeked) : await limits.take(limit, key)
    return { caller: undefined, charge, chargeMore: more(limit, address) }
  }

  async function admitCaller(
    route: Guarded,
    { address, credential, named, lookup, ahead: charged }: Credentials,
    onAlive: () => void,
  ): Promise<Admission> {
    const { limit, operation } = route
    let found: Promise<Owners> | undefined
    let claims: Claims | undefined
    const onAuthentic = (authentic: Claims): void => {
      claims = authentic
      if (named) found = allowUnawaited(ownership.ask(named, route.row, lookup))
    }
    const session = await authenticate(credential, address, parts, {
      seen: charged?.claims,
      onAuthentic,
    })
    const { userId } = session
    ahead?.saw(session, credential, claims)
    let taken: Charged | Promise<Charged>
    if (charged?.isOf(session)) {
      onAlive()
      taken = charged.charge()
    } else taken = limits.take(session.service ? 'service' : limit, userId)
    // Not awaited where it is known: this runs for every request.
    const charge = taken instanceof Promise ? await taken : taken
    const grant = toGrant(route, session)
    if (!grant) refuse('forbidden', { because: 'role', userId, headers: charge.headers() })
    if (isTooRestricted(route, session)) {
      refuse('factor_enrolment_required', { userId, headers: charge.headers() })
    }
    const caller = { ...session, grant, operation }
    // Limits that are counted elsewhere may have been waited for while the session ended.
    const isCurrent = !(taken instanceof Promise)
    return { caller, charge, found, isCurrent, chargeMore: more(limit, address) }
  }

  return { admitPublic, admitCaller }
}

export function createGate(parts: GateParts): Gate {
  const { limits, tokens, sessions, serviceKeys, ownership, clocks } = parts
  const callerRecheck = createCallerRecheck(parts)
  const ahead = createAhead(limits, tokens)
  const { admitPublic, admitCaller } = createAdmission(parts, ahead)

  return {
    ...callerRecheck,
    admitAddress(address, limit = 'address', expected) {
      const key = addressKey(address)
      const both = expected && ahead?.take([limit, key], expected)
      return both || limits.take(limit, key)
    },

    async admit(route, credentials) {
      const { access, limit } = route
      let open = credentials.ahead
      try {
        requireTime(clocks, limit)
        if (access === 'public') return await admitPublic(limit, credentials.address)
        return await admitCaller(route, credentials, () => (open = undefined))
      } catch (thrown) {
        await open?.giveBack()
        throw thrown
      }
    },

    async admitNamed(route, admission = { caller: undefined }, named, isUnattended = false) {
      const { caller, isCurrent } = admission
      const { access, method, limit, service, whenGone, row } = route
      requireTime(clocks, limit)
      if (!caller || access === 'public') return { caller: undefined, isGone: false }
      // The body may arrive seconds later: a session, key, role or grant that was revoked meanwhile
      // is refused.
      let acting =
        method === 'GET' || isCurrent ? caller : await callerRecheck.recheck(route, caller)
      if (method !== 'GET' && acting.grant === 'any') {
        acting = await onOwnAccount(ownership, access, acting, named)
      }
      const isOwn = acting.grant === 'own'
      const payer = service === 'pay' ? acting.service : undefined
      // A payment is looked up by `judgePayment`; `any` and `self` need no owner.
      const isAsked = row !== undefined || (isOwn && !payer)
      const found = isAsked ? await (admission.found ?? ownership.ask(named, row)) : []
      let verdict: Verdict = { isGone: false }
      if (isOwn && payer) {
        verdict = {
          isGone: await ownership.judgePayment({ ...payer, userId: acting.userId }, named),
        }
      } else if (isOwn) {
        const judged = ownership.judge(toAsking(route, acting), named, found)
        verdict = judged instanceof Promise ? await judged : judged
      }
      const { isGone, actingMember } = verdict
      if (actingMember) acting = { ...acting, actingMember }
      if (isGone && whenGone === undefined) refuse('not_found', { because: 'gone' })
      if (acting.service) serviceKeys.touch({ ...acting, service: acting.service })
      else if (method !== 'GET' || !isUnattended) {
        const touching = sessions.touch(acting)
        if (touching) await touching
      }
      return row ? { caller: acting, isGone, row: onlyRow(found) } : { caller: acting, isGone }
    },
  }
}

/** A person may act as a member, and a program never does. */
const toAsking = (
  { member, method }: Guarded,
  { ownerId: callerId, service }: Caller,
): Parameters<Ownership['judge']>[0] =>
  service ? { callerId } : { callerId, member, isChange: method !== 'GET' }

/** Routes that are limited by address alone report on the process, and depend on no clock. */
function requireTime(clocks: GateParts['clocks'], limit: LimitClass): void {
  if (limit !== 'address') clocks.require()
}

/**
 * A staff grant never changes an account of the caller's own. A caller who is also a customer
 * acts on it as a customer, where customers may. The administrators behind a service account
 * change none of theirs by way of it.
 */
async function onOwnAccount(
  ownership: Ownership,
  access: Exclude<Access, 'public'>,
  caller: Caller,
  named: readonly Named[],
): Promise<Caller> {
  const callers = caller.service?.administrators ?? [caller.userId]
  const own = await ownership.findOwn(callers, named)
  if (!own) return caller
  const grant = personalGrant(access, caller.roles)
  const because = 'a staff grant on an account of their own'
  return grant ? { ...caller, grant } : refuse('forbidden', { because, target: own.id })
}

/** The row that was judged: were there another one, it could be somebody else's. */
function onlyRow([rows = []]: Owners): unknown {
  if (rows.length > 1) throw new LoggedError('a resource with more than one row')
  return rows[0]
}

/** For work that may not be awaited: its failure is then no unhandled rejection. */
export function allowUnawaited<R>(work: Promise<R>): Promise<R> {
  work.catch(() => {})
  return work
}
