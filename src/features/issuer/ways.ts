// Which way a person may take into the bank: by the issuer, or by a password or passkey of it.
import type { Db } from '../../database/statements/statement.ts'
import { refuse } from '../../domain/errors.ts'
import { isStaff } from '../../gate/roles.ts'
import type { Service } from '../../http/services.ts'
import { isLoggedOut, linkOf, type Origin } from './sql.ts'

type Ways = Pick<Service, 'config' | 'issuer'>

/** Whether a person who is linked to a subject of an issuer may not sign in beside it. */
export const isPasswordBarred = (
  { config, issuer }: Ways,
  { isLinked }: { isLinked: boolean },
): boolean => isLinked && issuer !== undefined && config.oidcStaff === 'only'

/**
 * Judges the way of a session that is about to begin, under the lock of its person: every session
 * passes here. Refuses with `invalid_credentials` or, of one that began at the issuer, with
 * `issuer_refused`: the link is gone, the person is no staff, or the issuer has ended it meanwhile.
 */
export async function requireWay(
  tx: Db,
  ways: Ways,
  { id: userId, roles }: { id: string; roles: readonly (string | null)[] },
  origin: Origin | undefined,
): Promise<void> {
  if (!ways.issuer && !origin) return
  // A statement behind the lock: it sees a link that was made while the lock was waited for.
  const link = await linkOf(tx, userId)
  if (!origin) {
    const isBarred = isPasswordBarred(ways, { isLinked: link !== undefined })
    return isBarred ? refuse('invalid_credentials', { userId, because: 'linked' }) : undefined
  }
  const isLinked =
    origin.issuer === ways.issuer?.name &&
    link?.issuer === origin.issuer &&
    link.subject === origin.subject
  if (!isLinked || !isStaff(roles)) refuse('issuer_refused', { userId, because: 'no link' })
  if (await isLoggedOut(tx, origin)) refuse('issuer_refused', { userId, because: 'logged out' })
}
