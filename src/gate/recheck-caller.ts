// Whether a caller still may do what it was admitted for: judged again by what the database holds
// now, for a request that has waited, and in the transaction of each change.
import type { Db } from '../database/statements/statement.ts'
import { refuse } from '../domain/errors.ts'
import type { Authenticated } from './authenticate.ts'
import { toCallersToLock } from './lock-callers.ts'
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
   * roles or grants still give the grant, and no second factor is missing by now. Returns the
   * caller as it is now.
   */
  recheck(route: Opens, caller: Caller): Promise<Caller>
  /**
   * The same at the beginning of the transaction of a change. Locks the caller, and the people and
   * programs that the change is about: once the answer to a revocation has been sent, no change of
   * that caller commits. The idle time is not judged: the request counted as activity.
   *
   * It writes nothing, so that it can be sent together with BEGIN.
   */
  recheckLocked(tx: Db, route: Opens, caller: Caller, about: readonly Named[]): Promise<Caller>
}

type CredentialReaders = { sessions: Sessions; serviceKeys: ServiceKeys }

export function createCallerRecheck({ sessions, serviceKeys }: CredentialReaders): CallerRecheck {
  const goOn = (route: Opens, caller: Caller, present: Authenticated | undefined): Caller => {
    const { grant, operation } = caller
    if (!present) refuse('unauthenticated', { because: 'no such key any more' })
    if (!isStillGranted(route, present, grant)) refuse('forbidden', { because: 'role' })
    if (isTooRestricted(route, present)) {
      refuse('factor_enrolment_required', { because: 'no second factor' })
    }
    return { ...present, grant, operation }
  }

  return {
    async recheck(route, caller) {
      const { service, sessionId, userId, kid } = caller
      const present = service
        ? await serviceKeys.check(service.keyHash, service.address)
        : await sessions.check(sessionId, userId, kid)
      return goOn(route, caller, present)
    },
    async recheckLocked(tx, route, caller, about) {
      const toLock = toCallersToLock(caller, about)
      const present = caller.service
        ? await serviceKeys.checkLocked(tx, caller.service, toLock)
        : await sessions.checkLocked(tx, caller, toLock)
      return goOn(route, caller, present)
    },
  }
}
