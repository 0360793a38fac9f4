// The business days of the bank: the calendar of the settings is the one of the database, which all
// instances count by.
import type { Config } from '../../config/config.ts'
import { readCalendars, toCalendars } from '../../database/background/bank-calendar.ts'
import { readDays } from '../../database/background/bank-days.ts'
import type { Address, ServiceDatabase } from '../../database/connections/connect.ts'
import type { CalendarSince } from '../../domain/calendar/business-days.ts'
import type { Clock } from '../../domain/clock.ts'
import { always } from '../../domain/days.ts'
import { release } from '../../domain/release.ts'
import { StartupError } from '../../domain/startup-error.ts'
import { asOwner } from '../../gate/provision.ts'
import { becomesUnused, insufficientPrivilege, isUnused, noticeMs } from './time-zone.ts'

type CalendarSettings = Pick<Config, 'holidays' | 'cutOff'>

const isSame = (
  present: CalendarSince | undefined,
  { holidays: { kind, dates }, cutOff }: CalendarSettings,
): boolean =>
  (present?.kind ?? 'none') === kind &&
  (present?.cutOff ?? undefined) === cutOff &&
  (present?.dates ?? []).join() === dates.join()

/**
 * Before the service listens. A bank without entries takes the calendar of the settings; any other
 * one keeps its own until `strongroom migrate` changes it: of two instances with different settings
 * one does not start. Throws {@link StartupError}.
 */
export async function requireCalendar(
  db: ServiceDatabase,
  wanted: CalendarSettings,
  { address, clock }: { address: Address; clock: Clock },
): Promise<void> {
  const isThere = async () => isSame(toCalendars(await db.run(readCalendars, [])).at(-1), wanted)
  if (await isThere()) return
  if (await isUnused(db)) {
    await changeCalendar(address, wanted, clock).catch((thrown: unknown) => {
      if ((thrown as { code?: unknown }).code !== insufficientPrivilege) throw thrown
    })
    if (await isThere()) return
  }
  throw new StartupError(
    "The bank's calendar is not that of STRONGROOM_HOLIDAYS and STRONGROOM_CUT_OFF; " +
      '`strongroom migrate` changes it from the next day on.',
  )
}

/**
 * Makes the calendar that of the days that begin from the next midnight on, or of all days of a
 * bank without entries. One that is still to come is replaced.
 *
 * @returns when it begins to hold, milliseconds since the epoch; undefined if it does already
 */
export const changeCalendar = (
  address: Address,
  wanted: CalendarSettings,
  clock: Clock,
): Promise<number | undefined> =>
  asOwner(address, async (client, tx) => {
    await client.query('lock table bank_calendars in share row exclusive mode')
    const readPresent = async () => toCalendars(await tx.run(readCalendars, [])).at(-1)
    if (isSame(await readPresent(), wanted)) return undefined
    const { kind, dates } = wanted.holidays
    const insert = async (since: number) => {
      await client.query(
        'insert into bank_calendars (since, holidays, dates, cut_off) values ($1, $2, $3, $4)',
        [new Date(since), kind, dates, wanted.cutOff ?? null],
      )
      // A release that moves no day may not start beside this one any more.
      await client.query('lock table migrations in access exclusive mode')
      await client.query(
        "update migrations set oldest_release = $1 where name = '0098_business_days'",
        [release],
      )
      return since
    }
    if (await becomesUnused(client)) {
      await client.query('delete from bank_calendars')
      return insert(always)
    }
    const read = await client.query<{ at: Date }>('select clock_timestamp() as at')
    const now = clock.databaseTime((read.rows[0] as { at: Date }).at.getTime())
    const days = await readDays(tx)
    const since = days.endOf(days.dayOf(now + noticeMs))
    await client.query('delete from bank_calendars where since > $1', [new Date(now + noticeMs)])
    return isSame(await readPresent(), wanted) ? now : insert(since)
  })
