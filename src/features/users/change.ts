// The two changes of people that need more than one statement: creating one, and changing what one
// is, without ever leaving the bank without an administrator.
import { forgetDevices, voidLinks } from '../auth/reset-sql.ts'
import type { Database } from '../../database/connect.ts'
import { endSessionsOfUser } from '../../gate/live-sessions.ts'
import type { Db } from '../../database/statement.ts'
import { transaction } from '../../database/transaction.ts'
import { refuse } from '../../domain/errors.ts'
import { type Role, roles } from '../../gate/roles.ts'
import { queueEmailChanged } from '../mail/sql.ts'
import { queueInvitation } from './invitation.ts'
import type { Status } from './schemas.ts'
import {
  addUser,
  changeUser,
  lockedActiveAdmins,
  lockedUser,
  type NewUser,
  type UserRow,
} from './sql.ts'

/** Creates a person; one without a password is invited to set one. */
export async function createUser(tx: Db, user: NewUser): Promise<UserRow> {
  const created = await addUser(tx, { ...user, roles: inOrder(user.roles) })
  if (!created) throw new Error('An insert gave no row')
  if (user.passwordHash === null) await queueInvitation(tx, created)
  return created
}

/** What may be changed; what is left out stays as it is. */
export type Change = {
  email?: string
  givenName?: string
  familyName?: string
  phone?: string | null
  address?: string | null
  roles?: Role[]
  status?: Status
}

/**
 * Changes a person. Disabling ends all sessions in the same transaction, and so does another e-mail
 * address: it is where links to set a password go, so the address before is told, and what was
 * trusted under it is not trusted any more. Refuses with `not_found`, and with `illegal_transition`
 * an administrator's own end as one, and the end of the last one who can log in.
 */
export async function applyChange(
  db: Database,
  { userId, by, now }: { userId: string; by: string; now: number },
  change: Change,
): Promise<UserRow> {
  return transaction(db, async (tx) => {
    const admins = await heldAdmins(tx, change)
    const user = await lockedUser(tx, userId)
    if (!user) refuse('not_found')
    const changed = merged(user, change)
    if (isActiveAdmin(user) && !isActiveAdmin(changed)) {
      if (userId === by) refuse('illegal_transition', { because: 'it takes another administrator' })
      if (!admins.some((id) => id !== userId)) {
        refuse('illegal_transition', { because: 'the last administrator' })
      }
      // He may have been taken away himself while this waited for the lock.
      if (!admins.includes(by)) refuse('forbidden', { because: 'role' })
    }
    await changeUser(tx, changed)
    const isMoved = changed.email !== user.email
    if (isMoved || changed.status === 'disabled') await endSessionsOfUser(tx, userId)
    if (isMoved) {
      await voidLinks(tx, userId)
      await forgetDevices(tx, userId)
      await queueEmailChanged(tx, userId, user.email, now)
    }
    return changed
  })
}

/**
 * How many administrators that can log in remain whatever happens to this one. They are held before
 * the person is, always in the order of their identifiers: two who demote each other wait instead
 * of both succeeding.
 */
async function heldAdmins(tx: Db, change: Change): Promise<string[]> {
  const takesAdmin = change.status === 'disabled' || change.roles?.includes('admin') === false
  if (!takesAdmin) return []
  const admins = await lockedActiveAdmins(tx)
  return admins.map(({ id }) => id)
}

const isActiveAdmin = ({ roles, status }: UserRow): boolean =>
  status === 'active' && roles.includes('admin')

const merged = (user: UserRow, change: Change): UserRow => ({
  ...user,
  email: change.email ?? user.email,
  given_name: change.givenName ?? user.given_name,
  family_name: change.familyName ?? user.family_name,
  phone: change.phone === undefined ? user.phone : change.phone,
  address: change.address === undefined ? user.address : change.address,
  roles: change.roles ? inOrder(change.roles) : user.roles,
  status: change.status ?? user.status,
})

/** One spelling per set of roles. */
const inOrder = (given: readonly string[]): Role[] => roles.filter((role) => given.includes(role))
