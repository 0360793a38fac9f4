// The two changes of people that need more than one statement: creating one, and changing what one
// is, without ever leaving the bank without an administrator.
import type { Database } from '../database/connect.ts'
import type { Db } from '../database/statement.ts'
import { transaction } from '../database/transaction.ts'
import { refuse } from '../errors.ts'
import { type Role, roles } from '../gate/roles.ts'
import { queueInvitation } from './invitation.ts'
import type { Status } from './schemas.ts'
import {
  addUser,
  changeUser,
  endSessions,
  lockedActiveAdmins,
  lockedUser,
  type NewUser,
  type UserRow,
} from './sql.ts'

/** Creates a person; one without a password is invited to set one. */
export async function createUser(db: Database, user: NewUser): Promise<UserRow> {
  return transaction(db, async (tx) => {
    const created = await addUser(tx, { ...user, roles: inOrder(user.roles) })
    if (!created) throw new Error('An insert gave no row')
    if (user.passwordHash === null) await queueInvitation(tx, created)
    return created
  })
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
 * Changes a person. Disabling ends all sessions in the same transaction. Refuses
 * with `not_found`, and with `illegal_transition` what would take the last active administrator.
 */
export async function applyChange(
  db: Database,
  userId: string,
  change: Change,
  now: number,
): Promise<UserRow> {
  return transaction(db, async (tx) => {
    const others = await otherActiveAdmins(tx, userId, change)
    const user = await lockedUser(tx, userId)
    if (!user) refuse('not_found')
    const changed = merged(user, change)
    if (isActiveAdmin(user) && !isActiveAdmin(changed) && others === 0) {
      refuse('illegal_transition', { because: 'the last active administrator' })
    }
    await changeUser(tx, changed)
    if (changed.status === 'disabled') await endSessions(tx, userId, 'disabled', now)
    return changed
  })
}

/**
 * How many administrators remain whatever happens to this one. They are held before the person is,
 * always in the order of their identifiers: two who demote each other wait instead of both succeed.
 */
async function otherActiveAdmins(tx: Db, userId: string, change: Change): Promise<number> {
  const takesAdmin = change.status === 'disabled' || change.roles?.includes('admin') === false
  if (!takesAdmin) return 0
  const admins = await lockedActiveAdmins(tx)
  return admins.filter(({ id }) => id !== userId).length
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
