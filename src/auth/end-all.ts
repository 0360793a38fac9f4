// The end of everything that lets somebody in without a password: after a restore, whether the
// service notices it or an operator says so.
import { addEvents, commandEvent } from '../audit/sql.ts'
import { type Db, one, statement } from '../database/statement.ts'

const endLive = statement(
  'end_all_sessions',
  ['timestamptz'],
  { gone: 'int8' },
  `with gone as (
     update sessions set ended_at = $1, ended_because = 'revoked' where ended_at is null returning 1
   )
   select count(*) as gone from gone`,
)

const dropLinks = statement('end_all_links', [], {}, 'delete from password_tokens')
const dropDevices = statement('end_all_devices', [], {}, 'delete from devices')
const dropMails = statement('end_all_mails', [], {}, 'delete from mails')

/**
 * Ends every session, voids every link and known device, drops the mails that wait, and records it.
 *
 * @param by `operator` or `service`: stands in the trail in place of an address
 * @returns how many sessions were live
 */
export async function endAll(
  tx: Db,
  { now, by, because }: { now: number; by: 'operator' | 'service'; because: string },
): Promise<bigint> {
  const ended = await one(tx, endLive, [new Date(now)])
  for (const drop of [dropLinks, dropDevices, dropMails]) await tx.run(drop, [])
  await addEvents(tx, [commandEvent(now, { action: 'endSessions', address: by, detail: because })])
  return ended?.gone ?? 0n
}

const anySession = statement(
  'end_all_any_session',
  [],
  { there: 'bool' },
  'select exists (select from sessions where ended_at is null) as there',
)
export const hasLiveSession = async (tx: Db): Promise<boolean> =>
  (await one(tx, anySession, []))?.there === true
