// `strongroom end-sessions`: a backup brings back what was ended after it was taken: revoked
// sessions and keys, used links, forgotten devices and mails that were sent. This command ends all
// of them.
import type { Config } from '../config/config.ts'
import { transaction } from '../database/connections/transaction.ts'
import { systemClock } from '../domain/clock.ts'
import { endAll } from '../features/auth/revoke-all.ts'
import { withOpenDatabase } from './database.ts'

export async function endSessions(config: Config, say: (text: string) => void): Promise<void> {
  await withOpenDatabase(config, (db) => transaction(db, (tx) => endAll(tx, systemClock().now())))
  say('All sessions are ended and all keys of service accounts are revoked.\n')
  say('Reset links, known devices and waiting mails are void.\n')
}
