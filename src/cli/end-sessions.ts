// `strongroom end-sessions`: a backup brings back what was ended after it was made: sessions that
// were revoked, links that were used, devices that were forgotten, mails that were sent. Nothing of
// that may come alive again.
import { endAll } from '../features/auth/revoke-all.ts'
import { systemClock } from '../domain/clock.ts'
import type { Config } from '../config/config.ts'
import { openDatabase } from '../database/connect.ts'
import { transaction } from '../database/transaction.ts'
import { withDatabase } from './database.ts'

export async function endSessions(config: Config, say: (text: string) => void): Promise<void> {
  await withDatabase(config, async (address) => {
    const db = openDatabase(address)
    try {
      await transaction(db, (tx) => endAll(tx, systemClock().now()))
    } finally {
      await db.close()
    }
  })
  say('All sessions were ended; reset links, known devices and waiting mails are void.\n')
}
