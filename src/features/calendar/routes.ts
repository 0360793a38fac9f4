// The business days of the bank, and when a payment that is made now leaves and arrives.
import { Type } from '../../domain/type.ts'
import { holidayKinds, holidayRules } from '../../domain/calendar/business-days.ts'
import { isDay } from '../../domain/date-range.ts'
import { invalid } from '../../domain/errors.ts'
import { addDays } from '../../domain/calendar/rhythm.ts'
import { closed, Day, dayOf, named, nullable, oneOf } from '../../domain/schema.ts'
import { route } from '../../http/route.ts'

const daysMax = 366
/** Without an end. */
const usualDays = 31

const BankCalendar = named('BankCalendar', {
  from: Day,
  to: Day,
  holidays: oneOf(holidayKinds, {
    description:
      'Dates: Saturdays, Sundays and the days of the bank. None: each is a business day.',
  }),
  closedDays: Type.Array(Day, {
    maxItems: daysMax,
    description: 'The days of the range that are no business days.',
  }),
  onHoliday: oneOf(holidayRules, {
    description: 'What becomes of a due day on one of them, where an order does not say so.',
  }),
  cutOff: nullable(
    Type.String({
      pattern: '^\\d{2}:\\d{2}$',
      minLength: 5,
      maxLength: 5,
      description: 'From this time of the bank on, a payment leaves a business day later.',
      examples: ['16:00'],
    }),
  ),
  leavesOn: dayOf('The day on which a payment to another bank leaves that is made now.'),
  arrivesBy: dayOf('The day at whose end the other bank has it at the latest.'),
})

const read = route({
  method: 'GET',
  path: '/api/v1/calendar',
  operation: 'getCalendar',
  summary:
    'Read which days of a range, at most 366, are no business days, and when a payment to ' +
    'another bank arrives that is made now. Without `from` the range begins today.',
  access: { customer: 'self', 'support-agent': 'self', admin: 'self' },
  service: 'read',
  limit: 'read',
  query: closed({ from: Type.Optional(Day), to: Type.Optional(Day) }),
  reply: { 200: BankCalendar },
  async handle({ query, now, service: { clocks, config } }) {
    const calendar = clocks.calendar()
    const from = readDay(query.from ?? clocks.days().dayOf(now), '/query/from')
    const to = readDay(query.to ?? addDays(from, usualDays - 1), '/query/to')
    if (to < from) invalid('/query/to', 'is before the first day')
    if (to > addDays(from, daysMax - 1)) invalid('/query/to', `is not within ${daysMax} days`)
    const { cutOff, kind, isBusinessDay } = calendar.at(now)
    const closedDays: string[] = []
    // The calendar ends with a day that has no next one.
    for (let day = from, last = ''; day <= to && day !== last; last = day, day = addDays(day, 1)) {
      if (!isBusinessDay(day)) closedDays.push(day)
    }
    const { onHoliday } = config
    return { from, to, holidays: kind, closedDays, onHoliday, cutOff, ...calendar.transitOf(now) }
  },
})

const readDay = (day: string, path: string): string =>
  isDay(day) ? day : invalid(path, 'is not a day of the calendar')

export const calendarRoutes = [read]
