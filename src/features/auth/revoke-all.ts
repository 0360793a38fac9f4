// The end of everything that lets somebody in without a password, on an operator's word: after a
// backup was restored, or when keys may have leaked.
import { addEvents, commandEvent } from '../../audit/sql.ts'
import { type Db, statement } from '../../database/statement.ts'

const raiseBankGeneration = statement(
  'end_all_sessions',
  [],
  {},
  'update bank_generation set number = number + 1',
)

const voidCredentials = statement(
  'end_all_links_devices_mails',
  [],
  { void_credentials: 'void' },
  'select void_credentials()',
)

/**
 * Ends every session, voids every link and known device, drops the mails that wait, and records it.
 * It takes the same moment however many there are.
 */
export async function endAll(tx: Db, now: number): Promise<void> {
  await tx.run(raiseBankGeneration, [])
  await tx.run(voidCredentials, [])
  await addEvents(tx, [commandEvent(now, { action: 'endSessions' })])
}
