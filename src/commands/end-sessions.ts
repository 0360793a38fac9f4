// `strongroom end-sessions`: a backup brings back what was ended after it was made: sessions that
// were revoked, links that were used, devices that were forgotten, mails that were sent. Nothing of
// that may come alive again.
import { systemClock } from '../clock.ts'
import type { Config } from '../config.ts'
import { openDatabase } from '../database/connect.ts'
import { type Db, one, statement } from '../database/statement.ts'
import { transaction } from '../database/transaction.ts'
import { withDatabase } from './database.ts'

const endLive = statement(
  'end_sessions_live',
  ['timestamptz'],
  { gone: 'int8' },
  `with gone as (
     update sessions set ended_at = $1, ended_because = 'revoked' where ended_at is null returning 1
   )
   select count(*) as gone from gone`,
)

const dropLinks = statement('end_sessions_drop_links', [], {}, 'delete from password_tokens')
const dropDevices = statement('end_sessions_drop_devices', [], {}, 'delete from devices')
const dropMails = statement('end_sessions_drop_mails', [], {}, 'delete from mails')

/** @returns how many sessions were live */
export async function endAll(tx: Db, now: number): Promise<bigint> {
  const ended = await one(tx, endLive, [new Date(now)])
  for (const drop of [dropLinks, dropDevices, dropMails]) await tx.run(drop, [])
  return ended?.gone ?? 0n
}

export async function endSessions(config: Config, say: (text: string) => void): Promise<void> {
  const ended = await withDatabase(config, async (address) => {
    const db = openDatabase(address)
    try {
      return await transaction(db, (tx) => endAll(tx, systemClock().now()))
    } finally {
      await db.close()
    }
  })
  say(`${ended} sessions were ended; reset links, known devices and waiting mails are void.\n`)
}
