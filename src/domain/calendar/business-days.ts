// The business days of the bank: on which days it pays orders that are moved off its holidays, and
// on which day a payment leaves for another bank. Days are of the calendar of ISO 8601.
import { dayMs } from '../clock.ts'
import { type Days, lastDay } from '../days.ts'
import { addDays } from './rhythm.ts'

/**
 * `target2`: Saturdays, Sundays, and the six holidays of the payment systems of the Eurosystem.
 * `dates`: Saturdays, Sundays, and the dates of a file. `none`: every day is a business day.
 */
export const holidayKinds = ['none', 'target2', 'dates'] as const
export type Holidays = { kind: (typeof holidayKinds)[number]; dates: readonly string[] }

/** A due day that is none is paid on it, or on the business day before it or after it. */
export const holidayRules = ['pay', 'before', 'after'] as const
export type HolidayRule = (typeof holidayRules)[number]

/** The bank's calendar from `since` on, in milliseconds since the epoch. */
export type CalendarSince = Holidays & {
  since: number
  /** Local time such as `16:00`, from which on a payment leaves a day later. */
  cutOff: string | null
}

export type Calendar = {
  kind: Holidays['kind']
  /** Whether it says nothing: no day is a holiday, and no payment leaves a day later. */
  isPlain: boolean
  cutOff: string | null
  isBusinessDay(day: string): boolean
  /** The day on which an order with that rule pays a due day. */
  payDay(dueOn: string, rule: HolidayRule): string
  /** The last due day that an order with that rule has paid by `day`, or pays on it. */
  dueUntil(day: string, rule: HolidayRule): string
  /** The first business day after a day. */
  nextBusinessDay(day: string): string
}

/** No calendar closes a bank for longer: a file that does is refused. */
export const closedDaysMax = 31

/** Easter Sunday of the Gregorian calendar, by the computus of Meeus, Jones and Butcher. */
export function easterOf(year: number): string {
  const a = year % 19
  const [b, c] = [Math.floor(year / 100), year % 100]
  const [d, e] = [Math.floor(b / 4), b % 4]
  const f = Math.floor((b + 8) / 25)
  const g = Math.floor((b - f + 1) / 3)
  const h = (19 * a + b - d - g + 15) % 30
  const [i, k] = [Math.floor(c / 4), c % 4]
  const l = (32 + 2 * e + 2 * i - h - k) % 7
  const m = Math.floor((a + 11 * h + 22 * l) / 451)
  const sum = h + l - 7 * m + 114
  const two = (part: number) => String(part).padStart(2, '0')
  return `${String(year).padStart(4, '0')}-${two(Math.floor(sum / 31))}-${two((sum % 31) + 1)}`
}

const fixedHolidays: ReadonlySet<string> = new Set(['01-01', '05-01', '12-25', '12-26'])

/** Good Friday and Easter Monday of a year, by the year. Few years are asked for. */
const easterDays = new Map<string, readonly [string, string]>()

function isTargetHoliday(day: string): boolean {
  const [year, date] = [day.slice(0, 4), day.slice(5)]
  if (fixedHolidays.has(date)) return true
  // Good Friday is 20 March at the earliest, Easter Monday 26 April at the latest.
  if (date < '03-20' || date > '04-26') return false
  let days = easterDays.get(year)
  if (days === undefined) {
    const sunday = easterOf(Number.parseInt(year, 10))
    days = [addDays(sunday, -2), addDays(sunday, 1)]
    if (easterDays.size >= 1000) easterDays.clear()
    easterDays.set(year, days)
  }
  return days.includes(day)
}

/** 1 January 1970 was a Thursday. */
const isWeekend = (day: string): boolean =>
  [2, 3].includes((((Date.parse(`${day}T00:00:00Z`) / dayMs) % 7) + 7) % 7)

function toHolidayTest({ kind, dates }: Holidays): (day: string) => boolean {
  if (kind === 'none') return () => false
  if (kind === 'target2') return (day) => isWeekend(day) || isTargetHoliday(day)
  const known = new Set(dates)
  return (day) => isWeekend(day) || known.has(day)
}

const firstDay = '0001-01-01'

export function createCalendar({ cutOff, ...holidays }: Omit<CalendarSince, 'since'>): Calendar {
  const isHoliday = toHolidayTest(holidays)
  const isBusinessDay = (day: string): boolean => !isHoliday(day)
  /** The business day from `day` on, or up to it. The calendar's own ends are taken as such. */
  function seek(day: string, step: 1 | -1): string {
    let found = day
    const end = step === 1 ? lastDay : firstDay
    while (found !== end && isHoliday(found)) found = addDays(found, step)
    return found
  }
  const nextBusinessDay = (day: string): string => seek(addDays(day, 1), 1)
  return {
    kind: holidays.kind,
    isPlain: holidays.kind === 'none' && cutOff === null,
    cutOff,
    isBusinessDay,
    payDay: (dueOn, rule) => (rule === 'pay' ? dueOn : seek(dueOn, rule === 'after' ? 1 : -1)),
    dueUntil(day, rule) {
      if (rule === 'pay') return day
      if (rule === 'after') return seek(day, -1)
      const next = nextBusinessDay(day)
      return next === lastDay ? lastDay : addDays(next, -1)
    },
    nextBusinessDay,
  }
}

/** Where more than {@link closedDaysMax} days without a business day begin; undefined: nowhere. */
export function findLongClosure(dates: readonly string[]): string | undefined {
  const { nextBusinessDay } = createCalendar({ kind: 'dates', dates, cutOff: null })
  return dates.find((day) => addDays(day, closedDaysMax) < nextBusinessDay(day))
}

/**
 * When a payment leaves, and the day at whose end the other bank has it at the latest: the next
 * business day (Directive (EU) 2015/2366, Article 83).
 */
export type Transit = { leavesOn: string; arrivesBy: string }

/** All calendars that the bank has had. What is past never changes by a later one. */
export type BankCalendar = {
  /** The one that holds at a moment: it judges every day, also those to come. */
  at(now: number): Calendar
  /** When a payment to another bank leaves that is made at a moment. */
  transitOf(now: number): Transit
}

const plain = createCalendar({ kind: 'none', dates: [], cutOff: null })

/**
 * @param calendars by the time since which each holds; before them no day is a holiday
 * @param days the bank's clocks, by which its cut-off time comes
 */
export function createBankCalendar(
  calendars: readonly CalendarSince[],
  days: () => Days,
): BankCalendar {
  const all = calendars.map(({ since, ...calendar }) => ({
    since,
    calendar: createCalendar(calendar),
  }))
  const at = (now: number): Calendar => all.findLast(({ since }) => since <= now)?.calendar ?? plain
  return {
    at,
    transitOf(now) {
      const { cutOff, isBusinessDay, nextBusinessDay } = at(now)
      const day = days().dayOf(now)
      const isLate = cutOff !== null && now >= momentOf(days(), day, cutOff)
      const leavesOn = isLate || !isBusinessDay(day) ? nextBusinessDay(day) : day
      return { leavesOn, arrivesBy: nextBusinessDay(leavesOn) }
    },
  }
}

/**
 * The first moment of a day at which its clocks show a time or a later one: of a time that they
 * show twice the first, of one that they leave out the moment at which they are put forward.
 */
function momentOf(days: Days, day: string, time: string): number {
  const wanted = Date.parse(`${day}T${time}:00.000Z`)
  const shown = (at: number): number => Date.parse(`${days.localTime(at)}Z`)
  const start = days.startOf(day)
  const guess = start + Math.max(0, wanted - shown(start))
  const better = guess + wanted - shown(guess)
  if (better <= start) return start
  if (shown(better) === wanted) return better
  // The clocks are put forward over it, between the two.
  let [before, after] = [Math.min(guess, better), Math.max(guess, better)]
  while (after - before > 1) {
    const middle = Math.floor((before + after) / 2)
    if (shown(middle) < wanted) before = middle
    else after = middle
  }
  return after
}
