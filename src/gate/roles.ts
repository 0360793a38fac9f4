// What roles may do: the strongest of the grants that a caller's roles have on a route. And what
// service accounts may do: never more than the roles of the same route.
import { type Config, type FactorPolicy, factorPolicies } from '../config/config.ts'
import { type Role, roles } from '../domain/roles.ts'
import type { ActingMember } from './members.ts'

export { type Role, roles }

/** Whether any of the roles is one of staff. */
export const isStaff = (ofRoles: readonly (string | null)[]): boolean =>
  ofRoles.some((role) => role !== 'customer')

/** The strictest policy of second factors that any of the roles has. */
export const findFactorPolicy = (
  policies: Readonly<Record<Role, FactorPolicy>>,
  ofRoles: readonly Role[],
): FactorPolicy =>
  factorPolicies.findLast((policy) => ofRoles.some((role) => policies[role] === policy)) ?? 'off'

/** A role requires a second factor that the person does not have, and the time for it is over. */
export const lacksFactor = (
  config: Pick<Config, 'secondFactor' | 'secondFactorGrace'>,
  person: { hasFactor: boolean; roles: readonly Role[]; createdAt: Date },
  now: number,
): boolean =>
  !person.hasFactor &&
  findFactorPolicy(config.secondFactor, person.roles) === 'required' &&
  now >= person.createdAt.getTime() + config.secondFactorGrace

/**
 * What a role may do on a route: `any` resource, only its `own` (every identifier in path, query
 * and body belongs to the caller), or only what is the caller's `self` by construction.
 */
export type Grant = 'any' | 'own' | 'self'

/** `public`, or the grants by role. A role that is not listed is refused. */
export type Access = 'public' | Readonly<Partial<Record<Role, Grant>>>

/** The strongest grant that any of the roles has, or undefined: deny by default. */
export function findGrant(
  access: Exclude<Access, 'public'>,
  callerRoles: readonly Role[],
  strongestFirst: readonly Grant[] = ['any', 'own', 'self'],
): Grant | undefined {
  return strongestFirst.find((grant) => callerRoles.some((role) => access[role] === grant))
}

/** The grant of the roles that act for themselves; undefined when only a staff role has one. */
export const personalGrant = (access: Exclude<Access, 'public'>, callerRoles: readonly Role[]) =>
  findGrant(access, callerRoles, ['own', 'self'])

/**
 * What opens a route to a service account. A route that declares none is closed to all of them.
 *
 * `read`: the grant to read accounts. With all accounts it acts with staff's `any`, where staff
 * have it; with the accounts of one customer as `own`, and a list holds what is `ownerId`'s alone.
 * `pay`: the grant to pay from the account that the body names first; acts as `own`.
 * `operation`: the grant of this staff operation by its name; acts as `any`.
 */
export const serviceUses = ['read', 'pay', 'operation'] as const
export type ServiceUse = (typeof serviceUses)[number]

/** What a service account was granted. */
export type ServiceGrants = {
  readsAll: boolean
  /** The customer whose accounts it reads; null also when that is a customer no more. */
  customerId: string | null
  /** The accounts that it pays from, while their owners are customers. */
  payFrom: readonly string[]
  /** The staff operations by name. */
  operations: readonly string[]
}

type ServedRoute = { access: Access; operation: string; service?: ServiceUse | undefined }

/** The grant of a service account on a route, or undefined: deny by default. */
export function findServiceGrant(
  { access, operation, service }: ServedRoute,
  { readsAll, customerId, payFrom, operations }: ServiceGrants,
): Grant | undefined {
  if (access === 'public') return undefined
  if (service === 'pay') return payFrom.length > 0 ? 'own' : undefined
  const staffGrant = Object.values(access).includes('any') ? 'any' : undefined
  if (service === 'operation') return operations.includes(operation) ? staffGrant : undefined
  if (service !== 'read') return undefined
  if (readsAll) return staffGrant
  return customerId === null ? undefined : 'own'
}

/** A request's caller as the gate found it: identity from the credential, the rest as it is now. */
export type Caller = {
  /** The person, or the service account: the actor of what is done. */
  userId: string
  /** Whose resources are `own`: the person, or the customer whose accounts the account reads. */
  ownerId: string
  /** The session, or the key of the service account. */
  sessionId: string
  /** The key that signed the access token; null where none was sent. */
  kid: string | null
  username: string
  roles: readonly Role[]
  /** When the session ends for lack of activity, as far as the database knows. */
  idleEndsAt: number
  /**
   * A second factor is active, or was asked for by the issuer, and the policy of the person's roles
   * is not `off`.
   */
  hasFactor: boolean
  /** The session began at the issuer, which has asked for a second factor. */
  hasIssuerFactor: boolean
  /** The session opens only the routes that declare `restricted`. */
  isRestricted: boolean
  /** What this caller may do on this route, and the operation of the route. */
  grant: Grant
  operation: string
  /** The person acts as a member on accounts of another customer. */
  actingMember?: ActingMember
  /** Undefined for a person. */
  service?: ServiceIdentity
}

/** What the gate knows of a service account, beside what a person has as well. */
export type ServiceIdentity = ServiceGrants & {
  /** SHA-256 of the key, hexadecimal, and the address it came from: to judge both again. */
  keyHash: string
  address: string
  /** Who made or changed the account or was shown a key: it changes no account of theirs. */
  administrators: readonly string[]
  /** Milliseconds since the epoch; 0 if never. */
  lastUsedAt: number
}
