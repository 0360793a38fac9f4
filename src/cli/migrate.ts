// `strongroom migrate`: for operators who keep the owner of the schema apart from the service.
import { rfc3339, systemClock } from '../domain/clock.ts'
import type { Config } from '../config/config.ts'
import { withDatabase } from './database.ts'
import { prepareDatabase } from './serve.ts'
import { changeCalendar } from './days/calendar.ts'
import { changeTimeZone } from './days/time-zone.ts'

export async function migrateCommand(config: Config, say: (text: string) => void): Promise<void> {
  const clock = systemClock()
  const { timeZone } = config
  await withDatabase(
    config,
    async (address) => {
      for (const name of await prepareDatabase(address, say)) say(`Migrated: ${name}\n`)
      const since = await changeTimeZone(address, timeZone, clock)
      const fromOn = (at: number) => (at > clock.now() ? ` from ${rfc3339(at)} on` : '')
      if (since !== undefined) {
        say(`The days of the bank are those of ${timeZone}${fromOn(since)}.\n`)
      }
      const calendarSince = await changeCalendar(address, config, clock)
      if (calendarSince === undefined) return
      say(`The calendar of the bank is that of the settings${fromOn(calendarSince)}.\n`)
    },
    { makesBank: true },
  )
  say('The database is up to date.\n')
}
