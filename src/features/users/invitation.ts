// What a new person without a password is sent: a link to set one.
import type { Db } from '../../database/statement.ts'
import { queueMail } from '../mail/sql.ts'
import type { UserRow } from './sql.ts'

/**
 * Called in the transaction that creates the person, so that the invitation exists exactly when
 * the person does. The link is good for a day; whoever is late asks for one as if the password
 * were forgotten.
 */
export async function queueInvitation(tx: Db, user: UserRow): Promise<void> {
  await queueMail(tx, 'invitation', user.id, user.created_at.getTime())
}
