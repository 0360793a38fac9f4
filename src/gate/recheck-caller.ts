// Whether a caller still may do what it was admitted for: judged again by what the database holds
// now, for a request that has waited, and in the transaction of each change.
import { answersOf } from '../database/connections/cork.ts'
import type { Db } from '../database/statements/statement.ts'
import { refuse } from '../domain/errors.ts'
import type { Authenticated } from './authenticate.ts'
import { toCallersToLock } from './lock-callers.ts'
import { mayAct, type Member, type MemberRight, type Members } from './members.ts'
import type { Named } from './ownership.ts'
import {
  type Access,
  type Caller,
  findGrant,
  findServiceGrant,
  type Grant,
  type ServiceUse,
} from './roles.ts'
import type { ServiceKeys } from './service-keys.ts'
import type { Sessions } from './sessions.ts'

/** What a route declares of its callers. */
export type Opens = {
  access: Access
  service?: ServiceUse | undefined
  /** What a member of an account needs; a route that does not say is the owner's. */
  member?: MemberRight | undefined
  operation: string
  /** A session that may only enrol a second factor opens it too. */
  restricted?: true
}

/** The grant on the route; undefined if there is none. */
export function toGrant(route: Opens, { service, roles }: Authenticated): Grant | undefined {
  if (service) return findServiceGrant(route, service)
  return route.access === 'public' ? undefined : findGrant(route.access, roles)
}

/** A session without the second factor that its role requires opens only what enrols one. */
export const isTooRestricted = ({ restricted }: Opens, { isRestricted }: Authenticated): boolean =>
  isRestricted && restricted !== true

/** Whether the grant by which the caller was admitted is one that it has now. */
function isStillGranted(route: Opens, present: Authenticated, grant: Grant): boolean {
  if (present.service) return findServiceGrant(route, present.service) === grant
  return route.access !== 'public' && findGrant(route.access, present.roles, [grant]) === grant
}

export type CallerRecheck = {
  /**
   * For a request that has waited since: refuses unless the session or the key is still alive, its
   * roles or grants still give the grant, and no second factor is missing by now; and of a member
   * that the membership still gives the right. Returns the caller as it is now.
   */
  recheck(route: Opens, caller: Caller): Promise<Caller>
  /**
   * The same at the beginning of the transaction of a change. Locks the caller, the owner for whom
   * a member acts, and the people and programs that the change is about: once the answer to a
   * revocation, or to the end of a membership, has been sent, no change of that caller commits.
   * The idle time is not judged: the request counted as activity.
   *
   * It writes nothing, so that it can be sent together with BEGIN.
   */
  recheckLocked(tx: Db, route: Opens, caller: Caller, about: readonly Named[]): Promise<Caller>
}

type CallerReaders = {
  sessions: Sessions
  serviceKeys: ServiceKeys
  /** Undefined: no account has members. */
  members?: Members | undefined
}

export function createCallerRecheck({
  sessions,
  serviceKeys,
  members,
}: CallerReaders): CallerRecheck {
  const goOn = (
    route: Opens,
    { userId, grant, operation, actingMember }: Caller,
    present: Authenticated | undefined,
    standing: readonly Member[],
  ): Caller => {
    if (!present) refuse('unauthenticated', { because: 'no such key any more' })
    if (!isStillGranted(route, present, grant)) refuse('forbidden', { because: 'role' })
    if (isTooRestricted(route, present)) {
      refuse('factor_enrolment_required', { because: 'no second factor' })
    }
    if (!actingMember) return { ...present, grant, operation }
    if (!mayAct(userId, actingMember, standing)) refuse('forbidden', { because: 'no member' })
    return { ...present, grant, operation, actingMember }
  }

  return {
    async recheck(route, caller) {
      const { service, sessionId, userId, kid, actingMember } = caller
      const present = service
        ? await serviceKeys.check(service.keyHash, service.address)
        : await sessions.check(sessionId, userId, kid)
      const accountIds = actingMember?.accountIds ?? []
      const standing = await Promise.all(accountIds.map((id) => members?.ofAccount(id) ?? []))
      return goOn(route, caller, present, standing.flat())
    },
    async recheckLocked(tx, route, caller, about) {
      const { service, actingMember } = caller
      const toLock = toCallersToLock(caller, about)
      const [present, standing] = await answersOf([
        service
          ? serviceKeys.checkLocked(tx, service, toLock)
          : sessions.checkLocked(tx, caller, toLock),
        // Behind the locks: it sees what they have waited for.
        (actingMember && members?.within(tx, actingMember.accountIds)) ?? [],
      ] as const)
      return goOn(route, caller, present, standing)
    },
  }
}
