// The changes of users that take more than one statement: creating a user, and changing one without
// leaving the bank without an administrator.
import { endAllSessions } from '../members/end-all-sessions.ts'
import { forgetDevices, voidLinks } from '../auth/reset-sql.ts'
import type { Config } from '../../config/config.ts'
import type { Database } from '../../database/connections/connect.ts'
import type { Db } from '../../database/statements/statement.ts'
import { transaction } from '../../database/connections/transaction.ts'
import { refuse } from '../../domain/errors.ts'
import type { Language } from '../../domain/languages.ts'
import { findFactorPolicy, isStaff, type Role, roles } from '../../gate/roles.ts'
import type { Context } from '../../http/route.ts'
import { activeFactors, voidReset } from '../factors/sql.ts'
import { removeLink } from '../issuer/sql.ts'
import { queueAlert, queueEmailChanged, queueMail } from '../mail/sql.ts'
import { keysIssuedBy } from '../service-accounts/sql.ts'
import { addUser, changeUser, lockedUser, type NewUser, type Status, type UserRow } from './sql.ts'
import { LoggedError } from '../../domain/logged-error.ts'

/**
 * Creates a user. A user without a password is invited to set one in the same transaction, so the
 * invitation exists exactly when the user does. Its link is valid for a day, unless the user is
 * disabled or gets another address; after that staff send another, or the user asks for a reset.
 */
export async function createUser(tx: Db, user: NewUser): Promise<UserRow> {
  const created = await addUser(tx, { ...user, roles: sortRoles(user.roles) })
  if (!created) throw new LoggedError('An insert gave no row')
  const hasPassword = user.passwordHash !== null
  if (!hasPassword) await queueMail(tx, 'invitation', created.id, user.now)
  return { ...created, hasPassword, externalId: null }
}

/** The fields to change. A field that is left out keeps its value. */
export type Change = {
  email?: string
  givenName?: string
  familyName?: string
  phone?: string | null
  address?: string | null
  language?: Language
  roles?: Role[]
  status?: Status
}

type Subject = { userId: string; by: string; now: number } & Pick<Config, 'secondFactor'> &
  Pick<Context, 'record'>

/** What is recorded of the keys of one person. */
const knownKeysMax = 20

/**
 * Changes a user. Disabling ends all sessions in the same transaction. So does a new e-mail
 * address, since links to set a password are sent there: it also forgets all devices and notifies
 * the previous address and the new one. So do roles by which the user is asked for a second factor
 * from now on, and roles without one of staff, which end the link to the issuer too. A new address
 * and a new status void all mailed links. Of one who is an administrator no more, the keys of
 * service accounts that this person was shown are recorded. Refuses with `not_found`, and with
 * `illegal_transition` when the person is erased, or when administrators remove themselves.
 */
export async function applyChange(
  db: Database,
  { userId, by, now, secondFactor, record }: Subject,
  change: Change,
): Promise<UserRow> {
  return transaction(db, async (tx) => {
    const user = await lockedUser(tx, userId)
    if (!user) refuse('not_found')
    if (user.isErased) refuse('illegal_transition', { because: 'erased' })
    const changed = {
      ...user,
      ...change,
      ...(change.roles && { roles: sortRoles(change.roles) }),
    }
    // So one is left: the caller, who is held as an administrator until this is committed.
    if (userId === by && isActiveAdmin(user) && !isActiveAdmin(changed)) {
      refuse('illegal_transition', { because: 'it takes another administrator' })
    }
    await changeUser(tx, changed, now)
    const hasNewEmail = changed.email !== user.email
    // Sessions that were begun while no role asked for the factor of this person. No row tells them
    // from those in which it was shown.
    const isAskedAnew =
      findFactorPolicy(secondFactor, user.roles as Role[]) === 'off' &&
      findFactorPolicy(secondFactor, changed.roles as Role[]) !== 'off' &&
      (await activeFactors(tx, userId)).length > 0
    const ending = { by, now, record }
    if (isAskedAnew || changed.status === 'disabled') await endAllSessions(tx, userId, ending)
    // Deleted, since undoing the change would make a link that is only refused good again.
    if (changed.status !== user.status) await voidMailedLinks(tx, userId)
    if (hasNewEmail) await moveEmail(tx, user, ending)
    // A customer signs in with a password of this bank alone.
    if (!isStaff(changed.roles) && (await removeLink(tx, userId))) {
      await endAllSessions(tx, userId, ending)
      await record(tx, { action: 'unlinkIssuer', target: userId, detail: 'Staff no more' })
    }
    if (isActiveAdmin(user) && !isActiveAdmin(changed)) await recordKnownKeys(tx, userId, record)
    if (changed.phone !== user.phone) await queueAlert(tx, 'phone-changed', userId, now)
    return changed
  })
}

async function voidMailedLinks(tx: Db, userId: string): Promise<void> {
  await voidLinks(tx, userId)
  await voidReset(tx, userId)
}

/**
 * What another e-mail address of a person takes: all sessions, devices and mailed links end, and
 * both addresses are told.
 *
 * @param user as it was before
 */
export async function moveEmail(
  tx: Db,
  { id, email }: Pick<UserRow, 'id' | 'email'>,
  ending: Pick<Subject, 'by' | 'now' | 'record'>,
): Promise<void> {
  const { now } = ending
  await endAllSessions(tx, id, ending)
  await voidMailedLinks(tx, id)
  await forgetDevices(tx, id)
  await queueEmailChanged(tx, id, email, now)
  await queueMail(tx, 'email-set', id, now)
}

/**
 * One event for each key, since a detail is short. No name: it could name a person, and the trail
 * cannot be erased. Nothing revokes the keys: programs use them.
 */
async function recordKnownKeys(tx: Db, target: string, record: Context['record']): Promise<void> {
  const action = 'knownServiceKey'
  const keys = await keysIssuedBy(tx, target, knownKeysMax)
  for (const { id, accountId } of keys) {
    await record(tx, { action, target, detail: `${id} of ${accountId}` })
  }
  const more = (keys[0]?.count ?? 0) - keys.length
  if (more > 0) await record(tx, { action, target, detail: `and ${more} more` })
}

const isActiveAdmin = ({ roles, status }: UserRow): boolean =>
  status === 'active' && roles.includes('admin')

/** Each set of roles is stored in one order. */
const sortRoles = (unsorted: readonly string[]): Role[] =>
  roles.filter((role) => unsorted.includes(role))
