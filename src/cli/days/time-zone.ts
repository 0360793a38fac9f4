// The time zone of the bank's days: the one of the settings is the one of the database, and Node
// and PostgreSQL have the same rules for it.
import type pg from 'pg'
import { type Clock, rfc3339 } from '../../domain/clock.ts'
import { always, createDays, isTimeZone, offsetsOf, type ZoneSince } from '../../domain/days.ts'
import { release } from '../../domain/release.ts'
import { StartupError } from '../../domain/startup-error.ts'
import type { Address, ServiceDatabase } from '../../database/connections/connect.ts'
import { isInvalidParameter } from '../../database/connections/failure.ts'
import { type Db, statement } from '../../database/statements/statement.ts'
import { asOwner } from '../../gate/provision.ts'

const listZones = statement(
  'command_list_time_zones',
  [],
  { since: 'timestamptz', timeZone: 'text' },
  'select since, time_zone as "timeZone" from bank_time_zones order by since',
)

const readZones = async (db: Db): Promise<ZoneSince[]> =>
  (await db.run(listZones, [])).map(({ since, timeZone }) => ({ since: since.getTime(), timeZone }))

/** SQLSTATE of a login that does not own the schema. */
export const insufficientPrivilege = '42501'

const presentZone = (zones: readonly ZoneSince[]): string => zones.at(-1)?.timeZone ?? 'UTC'

/**
 * Before the service listens. A bank without entries takes the zone of the settings; any other one
 * keeps its own until `strongroom migrate` changes it: of two instances with different settings one
 * does not start. Throws {@link StartupError}, also when the rules differ.
 */
export async function requireTimeZone(
  db: ServiceDatabase,
  timeZone: string,
  { address, clock }: { address: Address; clock: Clock },
): Promise<void> {
  const zones = await readZones(db)
  const present = presentZone(zones)
  for (const name of new Set([timeZone, ...zones.map((zone) => zone.timeZone)])) {
    await requireSameRules(db, name, clock.now())
  }
  if (present === timeZone) return
  if (await isUnused(db)) {
    await changeTimeZone(address, timeZone, clock).catch((thrown: unknown) => {
      if ((thrown as { code?: unknown }).code !== insufficientPrivilege) throw thrown
    })
  }
  if (presentZone(await readZones(db)) === timeZone) return
  throw new StartupError(
    `The days of the bank are those of ${present}, and STRONGROOM_TIME_ZONE is ${timeZone}; ` +
      '`strongroom migrate` changes them.',
  )
}

const findEntry = statement(
  'command_find_entry',
  [],
  { exists: 'bool' },
  `select exists (select 1 from entries) or exists (select 1 from archived_heads)
     or exists (select 1 from card_authorizations) as exists`,
)

export const isUnused = async (db: Db): Promise<boolean> =>
  (await db.run(findEntry, []))[0]?.exists === false

/** Every instance has read a change before it holds: they read each second. */
export const noticeMs = 60_000

/**
 * Makes the zone that of the days that begin from the next midnight on, or of all days of a bank
 * without entries. Throws {@link StartupError} while an earlier change is still to come.
 *
 * @returns when it begins to hold, milliseconds since the epoch; undefined if it does already
 */
export const changeTimeZone = (
  address: Address,
  timeZone: string,
  clock: Clock,
): Promise<number | undefined> =>
  asOwner(address, async (client, tx) => {
    await requireSameRules(tx, timeZone, clock.now())
    await client.query('lock table bank_time_zones in share row exclusive mode')
    const { rows } = await client.query<{ since: Date; time_zone: string }>(
      'select since, time_zone from bank_time_zones order by since',
    )
    const last = rows.at(-1)
    if ((last?.time_zone ?? 'UTC') === timeZone) return undefined
    if (await becomesUnused(client)) {
      await client.query('delete from bank_time_zones')
      return add(client, always, timeZone)
    }
    const read = await client.query<{ at: Date }>('select clock_timestamp() as at')
    const now = clock.databaseTime((read.rows[0] as { at: Date }).at.getTime())
    if (last && last.since.getTime() > now) {
      throw new StartupError(
        `The days of the bank become those of ${last.time_zone} at ` +
          `${rfc3339(last.since.getTime())}; another change is possible after it.`,
      )
    }
    const days = createDays([{ since: always, timeZone }])
    return add(client, days.endOf(days.dayOf(now + noticeMs)), timeZone)
  })

/** No entry and no authorisation of a card can be added until the end of the transaction. */
export async function becomesUnused(client: pg.Client): Promise<boolean> {
  const find =
    'select from entries union all select from archived_heads ' +
    'union all select from card_authorizations limit 1'
  if ((await client.query(find)).rows.length > 0) return false
  await client.query('lock table entries, card_authorizations in share row exclusive mode')
  return (await client.query(find)).rows.length === 0
}

/** Later releases are connected under their name and number. */
const findOlder = `select pid from pg_stat_activity
  where datname = current_database() and application_name = 'strongroom' limit 1`

async function add(client: pg.Client, since: number, timeZone: string): Promise<number> {
  const values = [new Date(since), timeZone]
  await client.query('insert into bank_time_zones (since, time_zone) values ($1, $2)', values)
  // A release that counts by days of UTC may not start beside this one any more, nor be there.
  await client.query('lock table migrations in access exclusive mode')
  await client.query("update migrations set oldest_release = $1 where name = '0027_time_zones'", [
    release,
  ])
  const older = await client.query(findOlder)
  if (older.rows.length === 0) return since
  throw new StartupError(
    'An instance of 0.2.0 is connected, which counts by days of UTC: replace it by one of ' +
      `${release} before STRONGROOM_TIME_ZONE changes.`,
  )
}

const hourMs = 3_600_000
const yearMs = 366 * 24 * hourMs
/** The rules are compared from a year ago to three years ahead, by the hour and at each change. */
const [pastMs, aheadMs] = [yearMs, 3 * yearMs]

/** Where the offset differs from that of the moment before, in seconds. */
const listChanges = statement(
  'command_list_offset_changes',
  ['text', 'timestamptz', 'timestamptz', 'timestamptz[]'],
  { at: 'timestamptz', seconds: 'int4' },
  `select at, seconds from (
     select at, seconds, lag(seconds) over (order by at) as before
     from (
       select at,
              extract(epoch from (at at time zone $1) - (at at time zone 'UTC'))::int4 as seconds
       from (
         select generate_series($2::timestamptz, $3::timestamptz, interval '1 hour') as at
         union select unnest($4::timestamptz[])
       ) moments
     ) offsets
   ) changes
   where before is distinct from seconds
   order by at`,
)

/** Throws {@link StartupError} unless the database knows the zone, and by the rules of Node. */
export async function requireSameRules(db: Db, timeZone: string, now: number): Promise<void> {
  if (timeZone === 'UTC') return
  if (!isTimeZone(timeZone)) throw new StartupError(`Node does not know the time zone ${timeZone}.`)
  const begin = Math.floor((now - pastMs) / hourMs) * hourMs
  const end = begin + pastMs + aheadMs
  const changes = listOwnChanges(timeZone, begin, end)
  const around = changes.slice(1).flatMap(({ at }) => [new Date(at - 1), new Date(at)])
  const rows = await db
    .run(listChanges, [timeZone, new Date(begin), new Date(end), around])
    .catch((thrown: unknown) => {
      if (!isInvalidParameter(thrown)) throw thrown
      throw new StartupError(`The database does not know the time zone ${timeZone}.`)
    })
  const found = rows.map(({ at, seconds }) => `${at.getTime()} ${seconds}`)
  const wanted = changes.map(({ at, seconds }) => `${at} ${seconds}`)
  const differing = [...new Set(found).symmetricDifference(new Set(wanted))]
  if (differing.length === 0) return
  const first = Math.min(...differing.map((each) => Number.parseInt(each, 10)))
  throw new StartupError(
    `Node and the database have different rules for the time zone ${timeZone}, ` +
      `from ${rfc3339(first)} on: bring the older one up to date.`,
  )
}

type Change = { at: number; seconds: number }

/** By the rules of Node, to the millisecond; the first is the beginning. */
function listOwnChanges(timeZone: string, begin: number, end: number): Change[] {
  const offset = offsetsOf(timeZone)
  let last = offset(begin)
  const changes = [{ at: begin, seconds: last / 1000 }]
  for (let at = begin + hourMs; at <= end; at += hourMs) {
    const next = offset(at)
    if (next === last) continue
    let [before, after] = [at - hourMs, at]
    while (after - before > 1) {
      const middle = Math.floor((before + after) / 2)
      if (offset(middle) === last) before = middle
      else after = middle
    }
    changes.push({ at: after, seconds: next / 1000 })
    last = next
  }
  return changes
}
