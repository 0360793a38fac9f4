// `strongroom migrate`: for operators who keep the owner of the schema apart from the service.
import { rfc3339, systemClock } from '../domain/clock.ts'
import type { Config } from '../config/config.ts'
import { withDatabase } from './database.ts'
import { prepareDatabase } from './serve.ts'
import { changeTimeZone } from './time-zone.ts'

export async function migrateCommand(config: Config, say: (text: string) => void): Promise<void> {
  const clock = systemClock()
  const { timeZone } = config
  await withDatabase(
    config,
    async (address) => {
      for (const name of await prepareDatabase(address, say)) say(`Migrated: ${name}\n`)
      const since = await changeTimeZone(address, timeZone, clock)
      if (since === undefined) return
      const from = since > clock.now() ? ` from ${rfc3339(since)} on` : ''
      say(`The days of the bank are those of ${timeZone}${from}.\n`)
    },
    { makesBank: true },
  )
  say('The database is up to date.\n')
}
