// What a new person without a password is sent: a link to set one.
import type { Db } from '../database/statement.ts'
import type { UserRow } from './sql.ts'

/**
 * Called in the transaction that creates the person, so that the invitation exists exactly when
 * the person does. Until there is an outbox nothing is sent; the person cannot log in.
 */
export async function queueInvitation(_tx: Db, _user: UserRow): Promise<void> {}
