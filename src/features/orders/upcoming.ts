// Endpoints of what standing orders come to next: on one account, and on all of a person.
import type { Static } from '../../domain/type.ts'
import { AccountId } from '../../domain/ids.ts'
import type { Code } from '../../domain/errors.ts'
import { formatAmount } from '../../domain/money.ts'
import { addDays, dueBetween } from '../../domain/calendar/rhythm.ts'
import { closed } from '../../domain/schema.ts'
import { type Context, route } from '../../http/route.ts'
import { readAccount, requireOpen } from '../accounts/sql.ts'
import { OwnUpcomingRuns, toOrderPayee, troubledMax, UpcomingRuns, upcomingMax } from './schemas.ts'
import type { ShownOrderRow } from './sql.ts'
import {
  activeOrders,
  activeOrdersOfOwner,
  troubledOrders,
  type TroubledOrderRow,
} from './upcoming-sql.ts'

const upcomingDays = 30

/** By the day of payment. */
const placeOf = ({ paysOn, id, dueOn }: Record<'paysOn' | 'id' | 'dueOn', string>): string =>
  `${paysOn} ${id} ${dueOn}`

type Days = Pick<Context, 'now' | 'service'>

const lastDay = ({ now, service }: Days): string =>
  addDays(service.clocks.days().dayOf(now), upcomingDays)

/** The runs that orders come to within the next days, in their order. */
function findRuns<O extends ShownOrderRow>(orders: readonly O[], days: Days) {
  const { clocks } = days.service
  const today = clocks.days().dayOf(days.now)
  const to = lastDay(days)
  const calendar = clocks.calendar().at(days.now)
  return orders
    .flatMap((each) => {
      const from = each.nextOn as string
      const end = calendar.dueUntil(to, each.onHoliday)
      return dueBetween(each, from, end, upcomingMax).map((dueOn) => {
        const payDay = calendar.payDay(dueOn, each.onHoliday)
        // A day of payment that is over is made up for at once, and before its due day.
        return { ...each, dueOn, paysOn: payDay < today && payDay < dueOn ? today : payDay }
      })
    })
    .toSorted((one, other) => (placeOf(one) < placeOf(other) ? -1 : 1))
    .slice(0, upcomingMax)
}

/** @param available what can be paid from each account before */
function toRuns<O extends ShownOrderRow>(
  runs: ReturnType<typeof findRuns<O>>,
  available: Map<string, bigint>,
) {
  return runs.map((order) => {
    const { id, accountId, dueOn, paysOn, amount, currency } = order
    const left = (available.get(accountId) ?? 0n) - amount
    available.set(accountId, left)
    return {
      orderId: id,
      accountId,
      dueOn,
      ...(paysOn !== dueOn && { paysOn }),
      ...toOrderPayee(order),
      amount: formatAmount(amount, currency),
      currency,
      availableAfter: formatAmount(left, currency),
    }
  })
}

type Account = { balance: bigint; overdraftLimit: bigint; held: bigint }

const availableOf = ({ balance, overdraftLimit, held }: Account): bigint =>
  balance + overdraftLimit - held

const upcoming = route({
  method: 'GET',
  path: '/api/v1/accounts/:accountId/orders/upcoming',
  operation: 'listUpcomingOrders',
  summary:
    'The payments that active orders of an account come to within 30 days, in their order, with ' +
    'what is left after each.',
  access: { customer: 'own', 'support-agent': 'any', admin: 'any' },
  service: 'read',
  member: 'view',
  limit: 'read',
  params: closed({ accountId: AccountId }),
  reply: { 200: UpcomingRuns },
  refusals: ['not_found'],
  row: readAccount,
  async handle({ params: { accountId }, db, now, row, service }) {
    const available = new Map([[accountId, availableOf(requireOpen(row))]])
    const runs = findRuns(await activeOrders(db, accountId), { now, service })
    return { runs: toRuns(runs, available) }
  },
})

type Troubled = Static<typeof OwnUpcomingRuns>['troubled'][number]

function toTroubled(row: TroubledOrderRow): Troubled {
  const { id, accountId, amount, currency, dueOn, outcome, refusal, status } = row
  const isPaused = status === 'paused'
  return {
    orderId: id,
    accountId,
    because: isPaused ? 'paused' : outcome === 'waiting' ? 'waiting' : 'refused',
    ...(!isPaused && dueOn !== null && { dueOn }),
    ...(!isPaused && refusal !== null && { refusal: refusal as Code }),
    ...toOrderPayee(row),
    amount: formatAmount(amount, currency),
    currency,
  }
}

const ofPerson = route({
  method: 'GET',
  path: '/api/v1/orders/upcoming',
  operation: 'listOwnUpcomingOrders',
  summary:
    'The payments that active orders of all your accounts come to within 30 days, and the orders ' +
    'that wait for you.',
  access: { customer: 'self' },
  limit: 'read',
  reply: { 200: OwnUpcomingRuns },
  async handle({ caller, db, now, service }) {
    const end = lastDay({ now, service })
    const [orders, troubled] = await Promise.all([
      activeOrdersOfOwner(db, caller.userId, end, upcomingMax),
      troubledOrders(db, caller.userId, now, troubledMax),
    ])
    const available = new Map(orders.map((order) => [order.accountId, availableOf(order)]))
    const runs = toRuns(findRuns(orders, { now, service }), available)
    return { runs, troubled: troubled.map(toTroubled) }
  },
})

export const upcomingRoutes = [upcoming, ofPerson]
