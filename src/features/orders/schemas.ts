// Schemas of standing orders, and the conversions of rows.
import { type Static, Type } from '../../domain/type.ts'
import { rfc3339 } from '../../domain/clock.ts'
import { type Code, codes } from '../../domain/errors.ts'
import { exampleIban } from '../../domain/iban.ts'
import { AccountId, BeneficiaryId, OrderId, TransferId, uuidPattern } from '../../domain/ids.ts'
import { formatAmount } from '../../domain/money.ts'
import { type HolidayRule, holidayRules } from '../../domain/calendar/business-days.ts'
import { rhythms } from '../../domain/calendar/rhythm.ts'
import {
  Amount,
  closed,
  Currency,
  Day,
  dayOf,
  named,
  nullable,
  oneOf,
  OptionalText,
  SignedAmount,
  Time,
  withExample,
} from '../../domain/schema.ts'
import type { Caller } from '../../gate/roles.ts'
import { limitsAt, lowerLimit } from '../../ledger/rules/own-limits.ts'
import { carriedFields, CheckedPayee, toCheckedPayee } from '../payee-checks/carried.ts'
import {
  type OrderRow,
  outcomes,
  pauseReasons,
  type RunRow,
  type ShownOrderRow,
  statuses,
} from './sql.ts'

const Reference = withExample(OptionalText, 'Rent')
const RetryDays = Type.Integer({
  minimum: 1,
  maximum: 5,
  description:
    'For how many days after the due one a run waits for money. Without it the run is refused.',
  examples: [3],
})

const OnHoliday = oneOf(holidayRules, {
  description:
    'Whether a due day that is no business day is paid on it, on the business day before it, or ' +
    'on the one after it.',
})
/** As it is shown: what was known of orders before stays as it was. */
const OnHolidayUnlessPay = Type.Optional(
  oneOf(holidayRules, { description: 'Absent: a due day is paid, whatever day it is.' }),
)
export const showHolidayRule = (onHoliday: HolidayRule) =>
  onHoliday === 'pay' ? {} : { onHoliday }

const Target = {
  beneficiaryId: Type.Optional(BeneficiaryId),
  toAccountId: Type.Optional(AccountId),
}

export const ordererSchema = (description: string) =>
  Type.String({
    pattern: uuidPattern,
    minLength: 36,
    maxLength: 36,
    description,
    examples: ['01981f7e-4c00-7000-8000-757365720000'],
  })

export const NewOrder = closed({
  ...Target,
  amount: Amount,
  currency: Currency,
  reference: Type.Optional(Reference),
  rhythm: oneOf(rhythms),
  firstOn: Day,
  lastOn: Type.Optional(Day),
  retryDays: Type.Optional(RetryDays),
  onHoliday: Type.Optional(OnHoliday),
  ...carriedFields,
})

export const OrderChange = closed(
  {
    ...Target,
    amount: Type.Optional(Amount),
    reference: Type.Optional(Reference),
    lastOn: Type.Optional(nullable(Day)),
    retryDays: Type.Optional(nullable(RetryDays)),
    onHoliday: Type.Optional(OnHoliday),
    ...carriedFields,
  },
  { minProperties: 1 },
)

/** The day that was shown: a late click does not skip another one. */
export const Skip = closed({ dueOn: Type.Optional(Day) })

/** The day is named, so that a late click takes back no other one. */
export const UndoneSkip = closed({ dueOn: Day })

const MovedDay = dayOf('The business day that the due day is moved to. Absent: it is not moved.')

const OrderPayee = named('OrderPayee', {
  name: Type.String({ maxLength: 141, examples: ['Okafor household'] }),
  iban: Type.String({ maxLength: 34, examples: [exampleIban] }),
})

export const Order = named('Order', {
  id: OrderId,
  accountId: AccountId,
  madeBy: ordererSchema('The person or the service account that made it.'),
  orderedBy: ordererSchema('Whose terms it has now: its payments are made in that name.'),
  orderedWith: Type.Optional(
    ordererSchema(
      'The session, or the key of the service account, of these terms. For staff alone.',
    ),
  ),
  ...Target,
  payee: Type.Optional(OrderPayee),
  payeeCheck: Type.Optional(CheckedPayee),
  amount: Amount,
  currency: Currency,
  reference: Reference,
  rhythm: oneOf(rhythms, { description: 'Each day is counted from the first one.' }),
  firstOn: Day,
  lastOn: nullable(Day),
  retryDays: nullable(RetryDays),
  onHoliday: OnHolidayUnlessPay,
  status: oneOf(statuses, { description: 'An ended order stays ended.' }),
  pausedBecause: nullable(
    oneOf(pauseReasons, { description: 'Missed: 31 days in a row were made up for late.' }),
  ),
  nextOn: nullable(Day),
  isAboveDailyLimit: Type.Boolean({
    description: 'Whether its amount alone is more than may leave the account in a day.',
  }),
  createdAt: Time,
  changedAt: Type.Optional(Time),
})

/** What may leave the account on the next day of the order: a raise may hold by then. */
const limitOfDay = (row: OrderRow): bigint | null =>
  lowerLimit(
    row.dailyTransferLimit,
    limitsAt(row, row.nextOn === null ? Infinity : Date.parse(row.nextOn)).perDay,
  )

/** An order as it was made or changed, without the name and IBAN of its payee. */
export function toOrder(row: OrderRow): Static<typeof Order> {
  const { beneficiaryId, toAccountId } = row
  const limit = limitOfDay(row)
  const currency = row.currency
  return {
    id: row.id,
    accountId: row.accountId,
    madeBy: row.makerId,
    orderedBy: row.callerId,
    ...(beneficiaryId !== null && { beneficiaryId }),
    ...(toAccountId !== null && { toAccountId }),
    ...toCheckedPayee({ payeeResult: row.payeeResult, payeeAccepted: row.payeeAccepted }),
    amount: formatAmount(row.amount, currency),
    currency,
    reference: row.reference,
    rhythm: row.rhythm,
    firstOn: row.firstOn,
    lastOn: row.lastOn,
    retryDays: row.retryDays === 0 ? null : row.retryDays,
    ...showHolidayRule(row.onHoliday),
    status: row.status,
    pausedBecause: row.pausedBecause as (typeof pauseReasons)[number] | null,
    nextOn: row.nextOn,
    isAboveDailyLimit: limit !== null && row.amount > limit,
    createdAt: rfc3339(row.createdAt.getTime()),
  }
}

/** Nothing of a payee that was deleted. */
export const toOrderPayee = ({ payeeName: name, payeeIban: iban }: ShownOrderRow) =>
  name !== null && iban !== null ? { payee: { name, iban } } : {}

/**
 * An order as it is read. Nothing is left of a payee that was deleted.
 *
 * @param caller who reads it
 */
export const toShownOrder = (
  row: ShownOrderRow,
  { grant }: Pick<Caller, 'grant'>,
): Static<typeof Order> => ({
  ...toOrder(row),
  ...(grant === 'any' && { orderedWith: row.sessionId }),
  ...(row.changedAt !== null && { changedAt: rfc3339(row.changedAt.getTime()) }),
  ...toOrderPayee(row),
})

/** What the trail keeps of an order from a change on. Erased texts are null. */
const OrderTerms = named('OrderTerms', {
  ...Target,
  payeeName: nullable(Type.String({ maxLength: 140, examples: ['Okafor household'] })),
  payeeIban: nullable(Type.String({ maxLength: 34, examples: [exampleIban] })),
  payeeCheck: Type.Optional(CheckedPayee),
  amount: Amount,
  currency: Currency,
  reference: nullable(Reference),
  rhythm: oneOf(rhythms),
  firstOn: Day,
  lastOn: nullable(Day),
  retryDays: nullable(RetryDays),
  onHoliday: OnHolidayUnlessPay,
  status: oneOf(statuses),
  pausedBecause: nullable(oneOf(pauseReasons)),
  nextOn: nullable(Day),
  orderedBy: ordererSchema('Whose terms these are.'),
  orderedWith: ordererSchema('The session, or the key of the service account, of these terms.'),
})

export const ChangedOrder = named('ChangedOrder', {
  before: nullable(OrderTerms),
  after: OrderTerms,
})

/** As `standing_order_terms` makes them, with the texts of the trail. */
type KeptTerms = Pick<Static<typeof OrderTerms>, KeptAsShown> & {
  beneficiaryId: string | null
  toAccountId: string | null
  amount: string
  retryDays: number
  callerId: string
  sessionId: string
  /** Absent: a due day is paid, whatever day it is. */
  onHoliday?: HolidayRule
  /** The check of the payee, if one was made. */
  payeeResult?: string
  payeeAccepted?: boolean
}
type KeptAsShown =
  | 'payeeName'
  | 'payeeIban'
  | 'currency'
  | 'reference'
  | 'rhythm'
  | 'firstOn'
  | 'lastOn'
  | 'status'
  | 'pausedBecause'
  | 'nextOn'

function toOrderTerms(kept: unknown): Static<typeof OrderTerms> {
  const { beneficiaryId, toAccountId, ...terms } = kept as KeptTerms
  const { payeeResult = null, payeeAccepted = null } = terms
  return {
    ...(beneficiaryId !== null && { beneficiaryId }),
    ...(toAccountId !== null && { toAccountId }),
    payeeName: terms.payeeName,
    payeeIban: terms.payeeIban,
    ...toCheckedPayee({ payeeResult, payeeAccepted }),
    amount: formatAmount(BigInt(terms.amount), terms.currency),
    currency: terms.currency,
    reference: terms.reference,
    rhythm: terms.rhythm,
    firstOn: terms.firstOn,
    lastOn: terms.lastOn,
    retryDays: terms.retryDays === 0 ? null : terms.retryDays,
    ...showHolidayRule(terms.onHoliday ?? 'pay'),
    status: terms.status,
    pausedBecause: terms.pausedBecause,
    nextOn: terms.nextOn,
    orderedBy: terms.callerId,
    orderedWith: terms.sessionId,
  }
}

/** @param before null: the order was made, or its earlier terms were never kept */
export const toChangedOrder = (before: unknown, after: unknown): Static<typeof ChangedOrder> => ({
  before: before === null ? null : toOrderTerms(before),
  after: toOrderTerms(after),
})

export const Run = named('OrderRun', {
  dueOn: Day,
  paysOn: Type.Optional(MovedDay),
  outcome: oneOf(outcomes, {
    description: 'Waiting: for money, until the days of retry are over.',
  }),
  transferId: nullable(TransferId),
  refusal: nullable(
    oneOf(codes, { description: 'Why nothing was paid, as a transfer is refused.' }),
  ),
  at: Time,
})

export const toRun = (row: RunRow): Static<typeof Run> => ({
  dueOn: row.dueOn,
  ...(row.movedTo !== null && { paysOn: row.movedTo }),
  outcome: row.outcome,
  transferId: row.transferId,
  refusal: row.refusal as Code | null,
  at: rfc3339(row.at.getTime()),
})

/** A hundred weekly orders in thirty days. */
export const upcomingMax = 600

const Upcoming = named('UpcomingRun', {
  orderId: OrderId,
  accountId: AccountId,
  dueOn: Day,
  paysOn: Type.Optional(MovedDay),
  payee: Type.Optional(OrderPayee),
  amount: Amount,
  currency: Currency,
  availableAfter: SignedAmount,
})

/** More than these no page shows. */
export const troubledMax = 20

export const troubles = ['paused', 'waiting', 'refused'] as const

const Troubled = named('TroubledOrder', {
  orderId: OrderId,
  accountId: AccountId,
  because: oneOf(troubles, {
    description:
      'Paused; waiting for money; or refused on its last due day, within the last 14 days and ' +
      'without a change of the order since.',
  }),
  dueOn: Type.Optional(Day),
  refusal: Type.Optional(oneOf(codes)),
  payee: Type.Optional(OrderPayee),
  amount: Amount,
  currency: Currency,
})

export const OwnUpcomingRuns = named('OwnUpcomingRuns', {
  runs: Type.Array(Upcoming, { maxItems: upcomingMax }),
  troubled: Type.Array(Troubled, { maxItems: troubledMax }),
})

export const UpcomingRuns = named('UpcomingRuns', {
  runs: Type.Array(Upcoming, { maxItems: upcomingMax }),
})
