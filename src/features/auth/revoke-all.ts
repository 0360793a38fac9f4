// Revokes everything that authenticates without a password, for an operator who has restored a
// backup or suspects that keys have leaked.
import { addEvents, commandEvent } from '../../audit/sql.ts'
import { type Db, statement } from '../../database/statements/statement.ts'
import { skipNumbers } from '../events/sql.ts'

const raiseBankGeneration = statement(
  'end_all_sessions',
  ['timestamptz'],
  `with told as (
     insert into events (type, at, ids) values ('session.revoked', $1, array[null]::uuid[])
   )
   update bank_generation set number = number + 1`,
)

const voidCredentials = statement(
  'end_all_links_devices_mails',
  [],
  { void_credentials: 'void' },
  'select void_credentials()',
)

/** A backup brings back keys that were revoked after it was taken. They are few. */
const revokeKeys = statement(
  'end_all_service_keys',
  ['timestamptz'],
  `with locked as materialized (
     select id from service_keys where revoked_at is null order by id for no key update
   )
   update service_keys set revoked_at = $1
   where id = any(array(select id from locked)) and revoked_at is null`,
)

/**
 * Ends every session, voids every link and known device, revokes the keys of service accounts,
 * deletes the waiting mails, and records it. The time it takes does not depend on their number, but
 * for the keys. Programs that have seen events which a backup does not have go on: the next ones
 * have greater numbers.
 */
export async function endAll(tx: Db, now: number): Promise<void> {
  // First: it waits for the changes under way, and later ones wait for the end of this transaction.
  await tx.run(voidCredentials, [])
  await tx.run(raiseBankGeneration, [new Date(now)])
  await tx.run(revokeKeys, [new Date(now)])
  await skipNumbers(tx)
  await addEvents(tx, [commandEvent(now, { action: 'endSessions' })])
}
