// What roles may do: the strongest of the grants that a caller's roles have on a route.

export const roles = ['customer', 'support-agent', 'admin'] as const
export type Role = (typeof roles)[number]

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
  const grants = callerRoles.map((role) => access[role])
  return strongestFirst.find((grant) => grants.includes(grant))
}

/** The grant of the roles that act for themselves; undefined when only a staff role has one. */
export const personalGrant = (access: Exclude<Access, 'public'>, callerRoles: readonly Role[]) =>
  findGrant(access, callerRoles, ['own', 'self'])

/** A request's caller, as the gate found it: identity from the token, roles from the database. */
export type Caller = {
  userId: string
  sessionId: string
  /** The key that signed the access token; null where none was sent. */
  kid: string | null
  username: string
  roles: readonly Role[]
  /** When the session ends for lack of activity, as far as the database knows. */
  idleEndsAt: number
  /** What this caller may do on this route. */
  grant: Grant
}
