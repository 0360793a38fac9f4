// A year of the demo: the rules of its people, and the plan, which applies them day by day.
// Pure: the plan follows from the seed and the people.
import { parseAmount } from '../src/domain/money.ts'
import { toExternalId } from '../src/ledger/rules/external-ids.ts'
import { bankAccount } from '../src/ledger/rules/internal-accounts.ts'
import type { Movement, MovementCaller } from '../src/ledger/rules/movement.ts'
import { createRandom } from './chance.ts'
import type { Account, People, Resident, Shop, Year } from './people.ts'
import {
  type Day,
  deposit,
  euros,
  fee,
  incoming,
  interest,
  type merchants,
  monthly,
  on,
  pay,
  payByCard,
  type Rule,
  type Slot,
  slots,
} from './rules.ts'
import { dayMs } from '../src/domain/clock.ts'

/**
 * A movement, and the earlier one that it settles, returns, reverses, captures or refunds, with
 * the identifier that this gets. What a card has paid may come back.
 */
export type Planned = {
  movement: Movement
  finishes?: Planned
  withId?: (id: string) => Movement
  comesBack?: true
}
/** The movements of one moment, milliseconds since the epoch. */
export type Step = { at: number; movements: Planned[] }

const slotNames = Object.keys(slots) as Slot[]
const minuteMs = 60_000

/** All of the year. The payments to other banks of the last day stay pending. */
export function planYear(people: People, year: Year): Step[] {
  const lastDay = (year.end - year.start) / dayMs - 1
  const rules = Object.groupBy(
    [
      ...people.shops.flatMap((shop) => shopRules(shop, people, year)),
      ...people.residents.flatMap((resident) => residentRules(resident, year)),
      ...incidentRules(people, lastDay),
    ],
    ({ slot }) => slot,
  )
  const random = createRandom(year.seed, 'moments')
  const balances = new Map<string, bigint>()
  const steps: Step[] = []
  let finishing: Planned[] = []
  for (let index = 0; index <= lastDay; index++) {
    const start = year.start + index * dayMs
    const day = toDay(index, year.days.dayOf(start + slots.early * minuteMs))
    const finishingToday = finishing
    finishing = []
    for (const slot of slotNames) {
      const at = start + slots[slot] * minuteMs + random.below(70 * minuteMs)
      const movements = slot === 'office' ? finishingToday : []
      for (const { movement } of movements) move(balances, movement)
      finishing.push(...movements.flatMap(toRefund))
      for (const rule of rules[slot] ?? []) {
        const movement = rule.isDue(day) && toMovement(rule, day, balances, { ...people, year })
        if (!movement) continue
        const isBooked = move(balances, movement)
        // A card is declined: that is an answer, too.
        if (!isBooked && movement.kind !== 'authorization') continue
        const planned = { movement }
        movements.push(planned)
        if (isBooked) finishing.push(...toFinishing(planned, rule, people))
      }
      if (movements.length > 0) steps.push({ at, movements })
    }
  }
  return steps
}

const toDay = (index: number, day: string): Day => ({
  index,
  date: Number.parseInt(day.slice(8), 10),
  month: new Date(day).toLocaleString('en', { month: 'long', timeZone: 'UTC' }),
})

/** Books the movement, unless it moves nothing or its account cannot pay it. */
function move(balances: Map<string, bigint>, movement: Movement): boolean {
  const { kind, fromAccountId, toAccountId, amount } = movement
  const balance = balances.get(fromAccountId) ?? 0n
  const isPaid = kind === 'transfer' || kind === 'fee' || kind === 'authorization'
  if (amount <= 0n || (isPaid && balance < amount)) return false
  // What a card takes was held for it.
  if (kind === 'settlement' || kind === 'card' || kind === 'clearing') return true
  balances.set(fromAccountId, balance - amount)
  if (kind !== 'authorization')
    balances.set(toAccountId, (balances.get(toAccountId) ?? 0n) + amount)
  return true
}

/** After today: a bank that runs meanwhile expires what ends earlier before it is captured. */
const heldUntil = ({ end }: Year): Date => new Date(end + 7 * dayMs)

/** What the bank books from its accounts. */
const kinds = { cash: 'deposit', interest: 'interest', clearing: 'incoming' } as const

function toMovement(
  rule: Rule,
  day: Day,
  balances: Map<string, bigint>,
  { admin, processor, year }: People & { year: Year },
): Movement {
  const { from, to, amount, reference, payer, shop } = rule
  const isByBank = typeof from === 'string'
  const own = isByBank ? (to as Account) : from
  const { currency } = own
  const terms = {
    fromAccountId: isByBank ? bankAccount(from, currency) : from.id,
    amount: typeof amount === 'bigint' ? amount : amount(balances.get(own.id) ?? 0n),
    currency,
    reference: typeof reference === 'string' ? reference : reference(day),
  }
  if (isByBank) {
    const kind = kinds[from]
    return {
      ...terms,
      kind,
      toAccountId: own.id,
      ...(payer && {
        counterparty: payer,
        externalId: toExternalId(`${day.index} ${own.id}`, 'createIncomingPayment', [
          terms.amount.toString(),
          payer.iban,
        ]),
      }),
      caller: admin,
    }
  }
  if (to === 'fees') {
    return { ...terms, kind: 'fee', toAccountId: bankAccount(to, currency), caller: admin }
  }
  if (shop) {
    const { cardId, name, category, country, channel } = shop
    return {
      ...terms,
      kind: 'authorization',
      toAccountId: from.id,
      reference: name,
      expiresAt: heldUntil(year),
      request: {
        cardId,
        channel,
        isAbroad: country !== year.bank.country,
        merchantName: name,
        merchantCategory: category,
        merchantCountry: country,
        mails: [],
      },
      externalId: toExternalId(
        `${day.index} ${rule.slot} ${cardId} ${name}`,
        'authorizeCardPayment',
        [terms.amount.toString()],
      ),
      caller: toCaller(processor, 'authorizeCardPayment'),
    }
  }
  const payee = typeof to === 'string' ? from.payees.get(to) : { toAccountId: to.id }
  if (!payee) throw new Error(`${to as string} is not a payee`)
  return { ...terms, ...payee, kind: 'transfer', caller: from.owner }
}

/** The movement of the next day that settles, returns or reverses this one, if there is any. */
function toFinishing(
  planned: Planned,
  { nextDay, shop }: Rule,
  { admin: caller, processor }: People,
): Planned[] {
  const { fromAccountId, toAccountId, amount, currency } = planned.movement
  const money = { amount, currency }
  if (shop) {
    const toAccountId = bankAccount('clearing', currency)
    const counterparty = { name: shop.name, iban: null }
    const common = { ...money, fromAccountId, toAccountId, reference: '', counterparty }
    const capture = (id: string) =>
      ({
        ...common,
        kind: 'card',
        hold: { step: 'capture', id, isFinal: true },
        caller: toCaller(processor, 'captureCardPayment'),
      }) as const
    const clear = (paymentId: string) =>
      ({
        ...common,
        kind: 'clearing',
        paymentId,
        cleared: {
          cardId: shop.cardId,
          channel: shop.channel,
          merchantName: shop.name,
          merchantCategory: shop.category,
          merchantCountry: shop.country,
          mails: [],
        },
        caller: toCaller(processor, 'clearCardPayment'),
      }) as const
    return [toLater(planned, shop.isCleared ? clear : capture, shop.comesBack)]
  }
  const counterparty = planned.movement.kind === 'transfer' && planned.movement.counterparty
  const common = { ...money, caller }
  if (nextDay) {
    const reference = nextDay === 'reversal' ? 'Entered twice' : ''
    const back = { ...common, fromAccountId: toAccountId, toAccountId: fromAccountId, reference }
    const payee = nextDay === 'return' && counterparty && { counterparty }
    return [toLater(planned, (originalId) => ({ ...back, kind: nextDay, originalId, ...payee }))]
  }
  if (!counterparty || counterparty.iban === null) return []
  const step = { ...common, kind: 'settlement', fromAccountId, toAccountId, reference: '' } as const
  return [toLater(planned, (originalId) => ({ ...step, originalId }))]
}

const toLater = (
  finishes: Planned,
  withId: (id: string) => Movement,
  comesBack?: boolean,
): Planned => ({
  movement: withId(''),
  withId,
  finishes,
  ...(comesBack && { comesBack: true }),
})

/** What gives back the money of a captured payment, if it is to come back. */
function toRefund({ movement, finishes, comesBack }: Planned): Planned[] {
  if (!comesBack || !finishes || movement.kind !== 'card') return []
  const { fromAccountId, toAccountId, hold: _, ...terms } = movement
  const back = {
    ...terms,
    kind: 'refund',
    fromAccountId: toAccountId,
    toAccountId: fromAccountId,
    caller: { ...movement.caller, operation: 'refundCardPayment' },
  } as const
  return [toLater(finishes, (paymentId) => ({ ...back, paymentId }))]
}

/** The operation that a request of the program would have. */
const toCaller = (program: MovementCaller, operation: string): MovementCaller => ({
  ...program,
  operation,
})

function shopRules({ account, trade, shop }: Shop, { residents }: People, year: Year): Rule[] {
  const random = createRandom(year.seed, `business ${shop}`)
  const between = (least: number, most: number) => () => euros(random.between(least, most))
  const opening = (amount: number) =>
    deposit(on(0), account, euros(amount), 'Balance brought forward')
  if (trade !== 'employer') {
    const weekly = ({ index }: Day) => index % 7 === 1
    const most = (balance: bigint) => (balance * 65n) / 100n
    const invoice = () => `Invoice ${random.digits(6)}`
    return [
      opening(6500),
      fee(account, 12.9),
      deposit(weekly, account, between(300, 1400), 'Takings of the week'),
      pay('early', monthly(15), account, 'wholesale', most, invoice),
    ]
  }
  const salaries = residents.filter(({ employer }) => employer === shop)
  return [
    opening(90_000),
    fee(account, 24.9),
    incoming(
      monthly(20),
      account,
      between(52_000, 61_000),
      ({ month }) => `Invoices ${month}`,
      'client',
    ),
    ...salaries.map(({ name, joins, salary }) => {
      const isDue = ({ date, index }: Day) => date === 27 && index >= joins + 10
      return pay('early', isDue, account, name, euros(salary), ({ month }) => `Salary ${month}`)
    }),
  ]
}

function residentRules(resident: Resident, year: Year): Rule[] {
  const { name, current, savings, foreign, salary, joins } = resident
  const random = createRandom(year.seed, `life ${name}`)
  const bill = (date: number, to: string, amount: number, reference: Rule['reference']) =>
    pay('early', monthly(date), current, to, euros(amount), reference)
  const buy = (slot: Slot, at: keyof typeof merchants, percent: number, price: number): Rule => {
    const amount = () => euros((price * random.between(30, 130)) / 100)
    return payByCard(slot, () => random.happens(percent), resident, at, amount)
  }
  const rent = Math.round((salary * random.between(24, 31)) / 1000) * 10
  const rules = [
    bill(1, random.happens(60) ? 'landlord' : 'homes', rent, ({ month }) => `Rent ${month}`),
    bill(3, 'power', random.between(55, 120), 'Electricity and heating'),
    bill(5, 'phone', random.between(20, 45), 'Mobile'),
    bill(11, 'insurance', random.between(30, 90), 'Insurance'),
    fee(current, 3.9),
    buy('evening', 'grocer', 32, salary / 130),
    buy('morning', 'cafe', 12, 8),
    buy('noon', 'cafe', 14, 19),
    buy('night', 'bookshop', 3, 48),
    buy('evening', 'trains', 2, 70),
  ]
  const start = euros(random.between(900, 3200))
  const opening = [deposit(on(joins), current, start, 'Balance brought forward')]
  if (savings) {
    opening.push(deposit(on(joins), savings, euros(random.between(500, 9000)), 'First deposit'))
    rules.push(
      interest(savings),
      pay('morning', monthly(28), current, savings, euros(salary / 10), 'Savings'),
    )
  }
  if (foreign) {
    const unit = parseAmount(foreign.currency === 'JPY' ? '160' : '1', foreign.currency) ?? 0n
    const between = (least: number, most: number) => () =>
      unit * BigInt(random.between(least, most))
    rules.push(
      incoming(
        monthly(2),
        foreign,
        between(200, 450),
        ({ month }) => `Royalties ${month}`,
        'abroad',
      ),
      pay('noon', monthly(19), foreign, 'family', between(40, 180), 'For the family'),
    )
  }
  const isPresent =
    (rule: Rule): Rule['isDue'] =>
    (day) =>
      day.index > joins && rule.isDue(day)
  return [...opening, ...rules.map((rule) => ({ ...rule, isDue: isPresent(rule) }))]
}

/** The resident whose savings account is closed after the year. */
export const closingResident = ({ residents }: People): Resident => residents[4] as Resident

/**
 * A payment that is returned, a deposit that is reversed, and two transfers of the last day. By the
 * card of the first resident, in the last days: a book that is given back, a journey that is too
 * dear, and a purchase that is still reserved.
 */
function incidentRules(people: People, lastDay: number): Rule[] {
  const [buyer] = people.residents
  const [first, second, third] = people.residents.map(({ current }) => current)
  const { savings, current } = closingResident(people)
  if (!buyer || !first || !second || !third || !savings) {
    throw new Error('The demo has too few accounts')
  }
  const flat = pay('noon', on(110), first, 'homes', euros(180), 'Deposit, flat 14')
  const twice = deposit(on(200), second, euros(60), 'Paid in at the counter')
  const book = payByCard('night', on(lastDay - 4), buyer, 'bookshop', euros(64.9))
  const trip = payByCard('night', on(lastDay - 6), buyer, 'travel', euros(84.5))
  // The next full thousand.
  const tooMuch = (balance: bigint) => (balance / 100_000n + 1n) * 100_000n
  return [
    { ...book, shop: { ...book.shop, comesBack: true } },
    { ...trip, shop: { ...trip.shop, isCleared: true } },
    payByCard('night', on(lastDay - 1), buyer, 'travel', tooMuch),
    payByCard('night', on(lastDay), buyer, 'grocer', euros(23.45)),
    { ...flat, nextDay: 'return' },
    { ...twice, nextDay: 'reversal' },
    pay('night', on(lastDay), third, 'trains', euros(129.9), 'Holiday by train'),
    pay('night', on(lastDay), savings, current, (balance) => balance, 'Closing'),
  ]
}
