// Administrators created without a request: the first one at the first start, others by a command.
import { addEvents, commandEvent } from '../../audit/sql.ts'
import { type Db, one, statement } from '../../database/statements/statement.ts'
import type { Database } from '../../database/connections/connect.ts'
import { transaction } from '../../database/connections/transaction.ts'
import { insertInto } from '../../database/statements/rows.ts'
import { newId } from '../../domain/ids.ts'
import { newSecret } from '../../gate/opaque-secret.ts'
import type { Passwords } from '../../http/services.ts'

const findAdmins = statement(
  'auth_find_admins',
  ['text'],
  { hasAdmin: 'bool', hasName: 'bool' },
  `select exists (select 1 from users where 'admin' = any(roles)) as "hasAdmin",
     exists (select 1 from users where username = $1) as "hasName"`,
)

/** Until the end of the transaction no other start of this bank gets further. */
const lockFirst = statement(
  'auth_lock_first_admin',
  [],
  { lockCount: 'int8' },
  `with locked as materialized (select pg_advisory_xact_lock(hashtext('first administrator')))
   select count(*) as "lockCount" from locked`,
)

const insertAdmin = insertInto(
  'auth_insert_admin',
  'users',
  { id: 'uuid', username: 'text', email: 'text', passwordHash: 'text', createdAt: 'timestamptz' },
  {
    as: {
      givenName: "'Admin'",
      familyName: "'Admin'",
      foldedName: "'admin admin'",
      roles: "array['admin']",
    },
    conflict: 'on conflict do nothing',
    gives: { id: 'uuid' },
  },
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
  const isAdded = await transaction(db, (tx) => insert(tx, { username, email, hashed }, now))
  return isAdded ? password : undefined
}

type HashedAdmin = { username: string; email: string; hashed: string }

async function insert(tx: Db, { username, email, hashed }: HashedAdmin, now: number) {
  const id = newId(now)
  const made = { id, username, email, passwordHash: hashed, createdAt: new Date(now) }
  const added = await insertAdmin(tx, made)
  if (added) await addEvents(tx, [commandEvent(now, { action: 'createAdmin', target: id })])
  return added !== undefined
}

export type FirstAdmin = {
  /** Undefined when the bank has an administrator already. */
  password: string | undefined
  /** Whether there is a user of that name now. */
  hasName: boolean
}

/**
 * Adds an administrator to a bank that has none. Of two starts at once the second one finds that of
 * the first, and keeps nothing.
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
  const { username, email, password = newPassword() } = admin
  const found = await one(db, findAdmins, [username])
  if (found?.hasAdmin) return { password: undefined, hasName: found.hasName }
  const hashed = await passwords.hash(password)
  return transaction(db, async (tx) => {
    await tx.run(lockFirst, [])
    const { hasAdmin = false, hasName = false } = (await one(tx, findAdmins, [username])) ?? {}
    if (hasAdmin) return { password: undefined, hasName }
    if (admin.password === undefined) await keep(password)
    const isAdded = await insert(tx, { username, email, hashed }, now)
    return { password: isAdded ? password : undefined, hasName: hasName || isAdded }
  })
}
