// Administrators created without a request: the first one at the first start, others by a command.
import { addEvents, commandEvent } from '../../audit/sql.ts'
import { one, statement } from '../../database/statement.ts'
import type { Database } from '../../database/connect.ts'
import { transaction } from '../../database/transaction.ts'
import { newId } from '../../domain/ids.ts'
import { newSecret } from './refresh.ts'
import type { Passwords } from '../../http/services.ts'

const findAdmins = statement(
  'auth_find_admins',
  ['text'],
  { hasAdmin: 'bool', hasName: 'bool' },
  `select exists (select 1 from users where 'admin' = any(roles)) as "hasAdmin",
     exists (select 1 from users where username = $1) as "hasName"`,
)

const insertAdmin = statement(
  'auth_insert_admin',
  ['uuid', 'text', 'text', 'text', 'timestamptz'],
  { id: 'uuid' },
  `insert into users
     (id, username, email, given_name, family_name, folded_name, roles, password_hash, created_at)
   values ($1, $2, $3, 'Admin', 'Admin', 'admin admin', array['admin'], $4, $5)
   on conflict do nothing returning id`,
)

const newPassword = (): string => newSecret().slice(0, 24)

export type NewAdmin = { username: string; email: string; password?: string | undefined }

/**
 * Adds an administrator. The password is generated if none is given.
 *
 * @returns the password, or undefined when the user name or e-mail address is taken
 */
export async function addAdmin(
  db: Database,
  passwords: Passwords,
  { username, email, password = newPassword() }: NewAdmin,
  now: number,
): Promise<string | undefined> {
  const hashed = await passwords.hash(password)
  const id = newId(now)
  return transaction(db, async (tx) => {
    const added = await one(tx, insertAdmin, [id, username, email, hashed, new Date(now)])
    if (!added) return undefined
    await addEvents(tx, [commandEvent(now, { action: 'createAdmin', target: id })])
    return password
  })
}

export type FirstAdmin = {
  /** Undefined when the bank has an administrator already. */
  password: string | undefined
  /** Whether there is a user of that name now. */
  hasName: boolean
}

/**
 * Adds an administrator to a bank that has none.
 *
 * @param keep stores a generated password before the administrator exists: none is lost
 */
export async function addFirstAdmin(
  db: Database,
  passwords: Passwords,
  admin: NewAdmin,
  now: number,
  keep: (password: string) => Promise<void> = async () => {},
): Promise<FirstAdmin> {
  const found = await one(db, findAdmins, [admin.username])
  if (found?.hasAdmin) return { password: undefined, hasName: found.hasName }
  const chosen = admin.password ?? newPassword()
  if (admin.password === undefined) await keep(chosen)
  const password = await addAdmin(db, passwords, { ...admin, password: chosen }, now)
  return { password, hasName: found?.hasName === true || password !== undefined }
}
