// `strongroom rotate-keys`: tokens signed so far stay good until they expire.
import { addEvents, commandEvent } from '../audit/sql.ts'
import { systemClock } from '../clock.ts'
import type { Config } from '../config.ts'
import { rotateSigningKey } from '../database/provision.ts'
import { withDatabase } from './database.ts'

export async function rotateKeys(config: Config, say: (text: string) => void): Promise<void> {
  const now = systemClock().now()
  const kid = await withDatabase(config, (address) =>
    rotateSigningKey(address, now, (tx, detail) =>
      addEvents(tx, [commandEvent(now, { action: 'rotateKeys', detail })]),
    ),
  )
  say(`Access tokens are now signed with key ${kid}; instances notice within half a minute.\n`)
}
