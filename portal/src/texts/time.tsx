// Instants are UTC in the API and are shown in the person's time zone, which is named.
import { locale } from './language.ts'
import { bankZone } from '../state/bank.ts'
import { isZone, timeZone } from '../state/preferences.ts'

export const dayMs = 86_400_000

const styles = {
  date: { dateStyle: 'medium' },
  time: { dateStyle: 'medium', timeStyle: 'short' },
  exact: { dateStyle: 'medium', timeStyle: 'long' },
  clock: { timeStyle: 'short' },
} as const

/** @param style `exact` has seconds and the time zone. */
export const formatTime = (at: string, style: keyof typeof styles = 'time'): string =>
  new Intl.DateTimeFormat(locale(), { ...styles[style], timeZone: timeZone() }).format(new Date(at))

export const Time = ({ at, style = 'time' }: { at: string; style?: keyof typeof styles }) => (
  <time dateTime={at} title={formatTime(at, 'exact')}>
    {formatTime(at, style)}
  </time>
)

/** A day of the bank, such as a statement's: never moved by a time zone. */
export const formatDay = (day: string): string =>
  new Intl.DateTimeFormat(locale(), { dateStyle: 'medium', timeZone: 'UTC' }).format(new Date(day))

export const formatMonth = (month: string): string =>
  new Intl.DateTimeFormat(locale(), { month: 'long', year: 'numeric', timeZone: 'UTC' }).format(
    new Date(`${month}-01`),
  )

/** A day by its numbers, which may lie beyond the month: day 0 is the last one before it. */
export const dayOf = (year: number, month: number, day: number): string =>
  new Date(Date.UTC(year, month - 1, day)).toISOString().slice(0, 10)

/** `2026-11`, and the months before it, of the bank. */
export function lastMonths(count: number): string[] {
  const [year = 0, month = 0] = bankDay().split('-').map(Number)
  return Array.from({ length: count }, (_, back) => dayOf(year, month - back, 1).slice(0, 7))
}

const dayIn = (zone: string, at: number): string =>
  new Intl.DateTimeFormat('en-CA', { timeZone: zone }).format(at)

/** The day of the bank, `2026-11-22`: today, or that of a time; `days` away. */
export function bankDay(days = 0, at = Date.now()): string {
  const day = dayIn(isZone(bankZone) ? bankZone : 'UTC', at)
  return days === 0 ? day : new Date(Date.parse(day) + days * dayMs).toISOString().slice(0, 10)
}

/** The day of an instant in the person's time zone; today's by default. */
export const localDay = (at?: string): string => dayIn(timeZone(), at ? Date.parse(at) : Date.now())

/** `2026-02-28`; not `2026-02-30`, which Date reads as a day of March. */
export const isDay = (text: string): boolean =>
  /^[12]\d{3}-\d{2}-\d{2}$/.test(text) &&
  new Date(Date.parse(text) || 0).toISOString().startsWith(text)

/** The first instant of a day in the person's time zone. */
export function dayStart(day: string, days = 0): string {
  const format = new Intl.DateTimeFormat('sv-SE', {
    dateStyle: 'short',
    timeStyle: 'medium',
    timeZone: timeZone(),
  })
  const local = (at: number) => Date.parse(`${format.format(at).replace(' ', 'T')}Z`)
  const wanted = Date.parse(day) + days * dayMs
  // By the offset before a change of the clocks and by the one after it. A midnight may be skipped,
  // then the earlier lies in the day before; or come twice, then the earlier is the first of two.
  const starts = [wanted - dayMs, wanted + dayMs].map((near) => wanted - (local(near) - near))
  const earlier = Math.min(...starts)
  return new Date(local(earlier) < wanted ? Math.max(...starts) : earlier).toISOString()
}

const nameOf = (zone: string): string => zone.replaceAll('_', ' ')

/** The name of the time zone, to stand beside times. */
export const timeZoneName = (): string => nameOf(timeZone())

/** That of the bank's days. */
export const bankZoneName = nameOf(bankZone)
