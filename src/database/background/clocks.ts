// The database's clock decides the times in the books. A process whose clock differs from it by
// more than five seconds does not start, and serves nothing while it differs.
import type { BankCalendar } from '../../domain/calendar/business-days.ts'
import type { Clock } from '../../domain/clock.ts'
import type { Days } from '../../domain/days.ts'
import { Refusal, refuse } from '../../domain/errors.ts'
import { calendarsIn, readBank, toBankCalendar } from './bank-calendar.ts'
import { toDays } from './bank-days.ts'
import { type Address, clientOptions, type ServiceDatabase } from '../connections/connect.ts'
import { openLane } from '../connections/lane.ts'
import { type Db, statement } from '../statements/statement.ts'
import { StartupError } from '../../domain/startup-error.ts'

export const clockDifferenceMaxMs = 5000
const compareIntervalMs = 1000
/** Tables that do not grow, and a look by indexes. */
const planAgeMsMax = 60_000
/** One lost answer may be that of one connection. */
const missingMax = 2
/** Without an answer for this long the difference counts as unknown, and nothing is served. */
const readingAgeMaxMs = 15_000

export const readTime = statement(
  'clocks_read_time',
  [],
  { at: 'timestamptz' },
  'select clock_timestamp() as at',
)

/** By how much the process's clock is ahead of the database's; negative when it is behind. */
class ClocksDiffer extends Error {
  override readonly name = 'ClocksDiffer'
  readonly aheadMs: number
  constructor(aheadMs: number) {
    super('The clock of the process and that of the database differ')
    this.aheadMs = aheadMs
  }
}

/**
 * Begins to read the database's clock. The result turns the reading into the database's time. It
 * refuses with `unavailable` when the two clocks differ by more than {@link clockDifferenceMaxMs}
 * for certain: the moment of the reading within the round trip is unknown.
 */
export function beginReading(clock: Clock): (reading: Date) => number {
  const sentAt = clock.now()
  return (reading) => {
    const at = clock.databaseTime(reading.getTime())
    const receivedAt = clock.now()
    requireAgreement(at < sentAt ? sentAt - at : Math.min(0, receivedAt - at))
    return at
  }
}

function requireAgreement(aheadMs: number): void {
  if (Math.abs(aheadMs) <= clockDifferenceMaxMs) return
  refuse('unavailable', { outage: 'clock', because: new ClocksDiffer(aheadMs) })
}

function requireRecent(ageMs: number): void {
  if (ageMs <= readingAgeMaxMs) return
  refuse('unavailable', { outage: 'database', because: 'its clock is not known' })
}

/** Reads the database's time in a statement of its own; refuses like {@link beginReading}. */
export async function databaseNow(db: Db, clock: Clock): Promise<number> {
  const toTime = beginReading(clock)
  const [row] = await db.run(readTime, [])
  return toTime(row?.at as Date)
}

/** Throws one line for operators when the two clocks differ. Needs no schema. */
export async function requireSameTime(address: Address, clock: Clock): Promise<void> {
  const lane = openLane(() => clientOptions(address, undefined))
  try {
    await databaseNow(lane, clock).catch(failStart)
  } finally {
    await lane.close()
  }
}

function failStart(thrown: unknown): never {
  const aheadMs = differenceIn(thrown)
  if (aheadMs === undefined) throw thrown
  const by = `${Math.round(Math.abs(aheadMs) / 1000)} s ${aheadMs > 0 ? 'ahead of' : 'behind'}`
  throw new StartupError(
    `The clock of this machine is ${by} the database's; ` +
      `they may differ by ${clockDifferenceMaxMs / 1000} s at most.`,
  )
}

const differenceIn = (thrown: unknown): number | undefined =>
  thrown instanceof Refusal && thrown.options.because instanceof ClocksDiffer
    ? thrown.options.because.aheadMs
    : undefined

/** The SQLSTATE, or the code of the system, behind a refusal. */
function reasonOf(thrown: unknown): string {
  const because = thrown instanceof Refusal ? thrown.options.because : thrown
  const { code } = (because ?? {}) as { code?: unknown }
  return typeof code === 'string' ? code : 'no answer'
}

type Report = {
  over(level: 'error', fields: Record<string, never>, message: string): void
  error(fields: { milliseconds: number } | { because: string }, message: string): void
}

export type Clocks = {
  /** Refuses with `unavailable` while the two clocks differ. Sends no statement. */
  require(): void
  /** Whether the database answered when it was last asked, at most a few seconds ago. */
  isReachable(): boolean
  /** By how much the process's clock is ahead, as far as that is certain; by the last reading. */
  differenceMs(): number
  /** The days of the bank, by the last reading: a change of them is in the database long before. */
  days(): Days
  /** The business days of the bank, as its days. */
  calendar(): BankCalendar
  /**
   * Their connection, for looks that are as short: PostgreSQL cuts one off before a reading that
   * waits behind it counts as missing.
   */
  readonly lane: Db
  close(): Promise<void>
}

function toBank(zones: string, calendars: Parameters<typeof toBankCalendar>[0]) {
  const days = toDays(zones)
  return { days, calendar: toBankCalendar(calendars, () => days) }
}

/**
 * Compares the two clocks every second, and reads the days of the bank. In between, the
 * database's time is extrapolated by the monotonic clock, so the next request notices a step of the
 * wall clock.
 */
export async function watchClocks(
  db: Pick<ServiceDatabase, 'openLane'>,
  clock: Clock,
  log: Report,
): Promise<Clocks> {
  // A separate connection: a long queue elsewhere must not make the clock count as unknown.
  const lane = db.openLane(planAgeMsMax)
  let reading = 0
  let readAt = -Infinity
  /** Half of the last round trip: the moment of the reading within it is unknown. */
  let errorMs = 0
  let isApart = false
  let differenceMs = 0
  let missing = 0
  let bank = toBank('', [])

  async function compare(): Promise<void> {
    const sentAt = performance.now()
    const toTime = beginReading(clock)
    const rows = await lane.run(readBank, [])
    const { at, zones } = rows[0] as (typeof rows)[number]
    bank = toBank(zones, calendarsIn(rows))
    errorMs = (performance.now() - sentAt) / 2
    readAt = sentAt + errorMs
    reading = at.getTime()
    toTime(at)
  }

  /** The difference now, by the last reading; 0 as long as the two may agree. */
  function apartMs(ageMs = performance.now() - readAt): number {
    const aheadMs = clock.now() - clock.databaseTime(reading + ageMs)
    return Math.sign(aheadMs) * Math.max(0, Math.abs(aheadMs) - errorMs)
  }

  function note(thrown: unknown): void {
    const aheadMs = differenceIn(thrown)
    const isAnswered = thrown === undefined || aheadMs !== undefined
    if (isAnswered && missing >= missingMax) log.over('error', {}, 'the database is back')
    missing = isAnswered ? 0 : missing + 1
    if (missing === missingMax) {
      log.error({ because: reasonOf(thrown) }, 'the database is out of reach')
    }
    if (!isAnswered) return
    differenceMs = aheadMs ?? apartMs()
    if (aheadMs !== undefined) clock.resync()
    if (isApart === (aheadMs !== undefined)) return
    isApart = !isApart
    if (aheadMs === undefined) log.over('error', {}, "the clock agrees with the database's again")
    else log.error({ milliseconds: aheadMs }, "the clock differs from the database's")
  }

  await compare().catch(async (thrown: unknown) => {
    await lane.close()
    failStart(thrown)
  })
  let comparing: Promise<void> | undefined
  const timer = setInterval(() => {
    comparing ??= compare()
      .then(() => note(undefined), note)
      .finally(() => (comparing = undefined))
  }, compareIntervalMs).unref()
  return {
    require() {
      const ageMs = performance.now() - readAt
      if (isApart) refuse('unavailable', { outage: 'clock', because: 'the clock' })
      requireRecent(ageMs)
      requireAgreement(apartMs(ageMs))
    },
    isReachable: () => missing < missingMax,
    differenceMs: () => differenceMs,
    days: () => bank.days,
    calendar: () => bank.calendar,
    lane,
    async close() {
      clearInterval(timer)
      await comparing
      await lane.close()
    },
  }
}
