// The year in the life of the demo's bank, as orders for the ledger in the order of time. Pure:
// what is bought on which day follows from the seed, and nobody spends what he does not have.
import { newId } from '../../ids.ts'
import { bankAccount } from '../../ledger/bank-accounts.ts'
import type { Kind, Order } from '../../ledger/order.ts'
import type { Currency } from '../../money.ts'
import { elsewhere } from './cast.ts'
import { type Chance, chanceOf } from './chance.ts'
import type { Account, Customer, Opened, Payee, Shop, Year } from './open.ts'

export const dayLength = 24 * 60 * 60 * 1000
const minute = 60_000

/** An order; `of` is the number of the one whose transfer it settles, returns or reverses. */
export type Planned = { number: number; order: Order; of?: number }
/** Orders of one moment, milliseconds since the epoch: they share a transaction of the ledger. */
export type Step = { at: number; orders: Planned[] }

/** The moments of a day, in minutes; each is up to 70 minutes later. */
const slots = { early: 330, morning: 480, office: 615, noon: 735, evening: 1020, night: 1140 }
type Slot = keyof typeof slots
const slotNames = Object.keys(slots) as Slot[]

type Wish = {
  day: number
  slot: Slot
  kind: Kind | 'settlement'
  from: string
  to: Payee
  /** Minor units; or a part of what is there, in percent. */
  amount: bigint | { percent: bigint }
  currency: Order['currency']
  reference: string
  caller: Order['caller']
  number: number
  of?: number
  action?: string
}
type Told = Omit<Wish, 'number' | 'day' | 'slot' | 'amount'>

/** Collects wishes, in any order of time. */
class Diary {
  readonly wishes: Wish[] = []
  private readonly opened: Opened
  private readonly days: number

  constructor(opened: Opened, days: number) {
    this.opened = opened
    this.days = days
  }

  private note(day: number, slot: Slot, amount: Wish['amount'], told: Told): number {
    const number = this.wishes.length
    this.wishes.push({ ...told, day, slot, amount, number })
    return number
  }

  /** The bank takes money in at the counter, or from abroad. */
  deposit(day: number, account: Account, amount: bigint, reference: string): number {
    const { currency, id: toAccountId } = account
    const from = bankAccount('cash', currency)
    const { admin: caller } = this.opened
    const told = {
      kind: 'deposit',
      from,
      to: { toAccountId },
      currency,
      reference,
      caller,
    } as const
    return this.note(day, 'office', amount, { ...told, action: 'createAdminAccountDeposit' })
  }

  /** A transfer of a customer; what goes to another bank arrives the day after. */
  pay(
    [day, slot]: readonly [number, Slot],
    from: Account,
    to: Payee | undefined,
    amount: Wish['amount'],
    reference: string,
    fate: 'arrives' | 'comes back' = 'arrives',
  ): number {
    if (!to) throw new Error(`${reference}: nobody is paid`)
    const told = { from: from.id, to, currency: from.currency, reference, caller: from.owner }
    const of = this.note(day, slot, amount, { ...told, kind: 'transfer' })
    const isOutside = (to.counterparty?.iban ?? null) !== null
    if (isOutside && day + 1 < this.days) this.afterwards(day + 1, of, from, to, fate)
    return of
  }

  private afterwards(day: number, of: number, from: Account, to: Payee, fate: string): void {
    const { currency, id } = from
    const { admin: caller } = this.opened
    const { toAccountId: clearing, counterparty } = to
    const ends =
      fate === 'arrives'
        ? { kind: 'settlement', from: id, to: { toAccountId: clearing } }
        : { kind: 'return', from: clearing, to: { toAccountId: id, counterparty } }
    const action = fate === 'arrives' ? 'postAdminTransferSettle' : 'postAdminTransferReturn'
    const told = { ...ends, currency, reference: '', caller, action, of } as Told
    this.note(day, 'office', 0n, told)
  }

  /** Money taken in by mistake goes out again. */
  reverse(day: number, of: number, account: Account, reference: string): void {
    const { currency, id: from } = account
    const { admin: caller } = this.opened
    const to = { toAccountId: bankAccount('cash', currency) }
    const told = { kind: 'reversal', from, to, currency, reference, caller, of } as const
    this.note(day, 'office', 0n, { ...told, action: 'createAdminTransferReversal' })
  }
}

/** All of the year, a step for each moment in which something happens. */
export function planYear(opened: Opened, year: Year): Step[] {
  const days = (year.end - year.start) / dayLength
  const diary = new Diary(opened, days)
  for (const shop of opened.shops) runShop(diary, shop, opened.customers, year, days)
  for (const customer of opened.customers) live(diary, customer, opened.shops, year, days)
  tellIncidents(diary, opened, days)
  return stepsOf(diary.wishes, year)
}

const euros = (whole: number, cents = 0): bigint => BigInt(whole) * 100n + BigInt(cents)
const dayOfMonth = (year: Year, day: number): number =>
  new Date(year.start + day * dayLength).getUTCDate()
const months =
  'January February March April May June July August September October November December'.split(' ')
const monthOf = (year: Year, day: number): string =>
  months[new Date(year.start + day * dayLength).getUTCMonth()] as string

function runShop(
  diary: Diary,
  shop: Shop,
  customers: readonly Customer[],
  year: Year,
  days: number,
): void {
  const { account, trade, pays, name } = shop
  const chance = chanceOf(year.seed, `business ${name}`)
  const wholesale = pays.get(elsewhere.wholesale.name)
  const isEmployer = trade === 'employer'
  diary.deposit(0, account, euros(isEmployer ? 90_000 : 6500), 'Balance brought forward')
  for (let day = 1; day < days; day++) {
    const date = dayOfMonth(year, day)
    if (isEmployer && date === 20) {
      diary.deposit(day, account, euros(chance.between(52_000, 61_000)), 'Incoming payments')
    }
    if (!isEmployer && day % 7 === 1) {
      diary.deposit(day, account, euros(chance.between(300, 1400)), 'Takings of the week')
    }
    if (!isEmployer && date === 15) {
      const when = [day, 'early'] as const
      diary.pay(when, account, wholesale, { percent: 65n }, `Invoice ${chance.digits(6)}`)
    }
    if (!isEmployer || date !== 27) continue
    for (const [paid, payee] of pays) {
      const employee = customers.find(({ given, family }) => `${given} ${family}` === paid)
      if (!employee || day < employee.from + 10) continue
      const salary = euros(employee.salary)
      diary.pay([day, 'early'], account, payee, salary, `Salary ${monthOf(year, day)}`)
    }
  }
}

/** Roughly, so that amounts look right in their currency. */
const minorUnitsPerEuro: Partial<Record<Currency, bigint>> = {
  CHF: 94n,
  GBP: 86n,
  JPY: 163n,
  KWD: 330n,
  SEK: 1120n,
  USD: 108n,
}

function live(
  diary: Diary,
  customer: Customer,
  shops: readonly Shop[],
  year: Year,
  days: number,
): void {
  const { current, savings, foreign, foreignPays, pays, salary, from } = customer
  const chance = chanceOf(year.seed, `life ${customer.given} ${customer.family}`)
  const landlord = shops.find(({ trade }) => trade === 'landlord')?.name ?? ''
  const home = pays.get(chance.happens(60) ? landlord : elsewhere.homes.name)
  const bills = [
    [3, elsewhere.power.name, chance.between(55, 120), 'Electricity and heating'],
    [5, elsewhere.phone.name, chance.between(20, 45), 'Mobile'],
    [11, elsewhere.insurance.name, chance.between(30, 90), 'Insurance'],
  ] as const
  const rent = euros(Math.round((salary * chance.between(24, 31)) / 1000) * 10)
  const perEuro = minorUnitsPerEuro[foreign?.currency ?? 'EUR'] ?? 100n
  diary.deposit(from, current, euros(chance.between(900, 3200)), 'Balance brought forward')
  if (savings) diary.deposit(from, savings, euros(chance.between(500, 9000)), 'First deposit')
  for (let day = from + 1; day < days; day++) {
    const date = dayOfMonth(year, day)
    if (date === 1) diary.pay([day, 'early'], current, home, rent, `Rent ${monthOf(year, day)}`)
    for (const [due, name, amount, reference] of bills) {
      if (date === due) diary.pay([day, 'early'], current, pays.get(name), euros(amount), reference)
    }
    if (date === 28 && savings) {
      const put = euros(Math.round(salary / 10))
      diary.pay([day, 'morning'], current, { toAccountId: savings.id }, put, 'Savings')
    }
    if (foreign && date === 2 && day % 2 === 0) {
      const amount = BigInt(chance.between(400, 900)) * perEuro
      diary.deposit(day, foreign, amount, 'Payment from abroad')
    }
    if (foreign && date === 19) {
      const amount = BigInt(chance.between(40, 180)) * perEuro
      diary.pay([day, 'noon'], foreign, foreignPays, amount, 'For the family')
    }
    shopOn(day, diary, customer, shops, chance)
  }
}

/** What is bought with the card on a day. */
function shopOn(
  day: number,
  diary: Diary,
  { current, pays, lastFour, salary }: Customer,
  shops: readonly Shop[],
  chance: Chance,
): void {
  const at = (trade: string) => shops.find((shop) => shop.trade === trade)?.name ?? ''
  const habits = [
    ['evening', at('grocer'), 32, salary / 130, 'Groceries'],
    ['morning', at('cafe'), 12, 8, 'Coffee'],
    ['noon', at('cafe'), 14, 19, 'Lunch'],
    ['night', at('bookshop'), 3, 48, 'Books'],
    ['evening', elsewhere.trains.name, 2, 70, 'Tickets'],
  ] as const
  for (const [slot, name, percent, about, what] of habits) {
    if (!chance.happens(percent)) continue
    const cents = chance.between(Math.round(about * 30), Math.round(about * 130))
    diary.pay([day, slot], current, pays.get(name), BigInt(cents), `Card ${lastFour} - ${what}`)
  }
}

/** Who closes the savings account at the end. */
export const closingCustomer = (customers: readonly Customer[]): Customer =>
  customers[4] as Customer

/** What does not go as it should, and what is still on its way at the end. */
function tellIncidents(diary: Diary, { customers }: Opened, days: number): void {
  const [first, second, third] = customers as [Customer, Customer, Customer]
  const { savings, current } = closingCustomer(customers)
  const all = { percent: 100n }
  if (savings) diary.pay([days - 1, 'night'], savings, { toAccountId: current.id }, all, 'Closing')
  const homes = first.pays.get(elsewhere.homes.name)
  diary.pay([110, 'noon'], first.current, homes, euros(180), 'Deposit, flat 14', 'comes back')
  const twice = diary.deposit(200, second.current, euros(60), 'Paid in at the counter')
  diary.reverse(201, twice, second.current, 'Entered twice')
  const trains = third.pays.get(elsewhere.trains.name)
  diary.pay([days - 1, 'night'], third.current, trains, euros(129, 90), 'Holiday by train')
}

/** Puts the wishes in the order of time and leaves out what cannot be paid. */
function stepsOf(wishes: readonly Wish[], year: Year): Step[] {
  const moments = Map.groupBy(wishes, ({ day, slot }) => day * 10 + slotNames.indexOf(slot))
  const balances = new Map<string, bigint>()
  const amounts = new Map<number, bigint>()
  const steps: Step[] = []
  for (const moment of [...moments.keys()].toSorted((one, other) => one - other)) {
    const together = moments.get(moment) as Wish[]
    const { day, slot } = together[0] as Wish
    const chance = chanceOf(year.seed, `moment ${moment}`)
    const late = chance.below(70) * minute + chance.below(minute)
    const at = year.start + day * dayLength + slots[slot] * minute + late
    const orders = together.flatMap((wish) => orderOf(wish, at, balances, amounts) ?? [])
    if (orders.length > 0) steps.push({ at, orders })
  }
  return steps
}

function orderOf(
  wish: Wish,
  at: number,
  balances: Map<string, bigint>,
  amounts: Map<number, bigint>,
): Planned | undefined {
  const { kind, from, to, currency, reference, caller, number, of, action } = wish
  const held = balances.get(from) ?? 0n
  const asked = typeof wish.amount === 'bigint' ? wish.amount : (held * wish.amount.percent) / 100n
  // The same money as the transfer it is about; none when that could not be paid.
  const amount = of === undefined ? asked : (amounts.get(of) ?? 0n)
  if (amount <= 0n || (kind === 'transfer' && held < amount)) return undefined
  amounts.set(number, amount)
  if (kind !== 'settlement') {
    balances.set(from, held - amount)
    balances.set(to.toAccountId, (balances.get(to.toAccountId) ?? 0n) + amount)
  }
  const order: Order = { kind, fromAccountId: from, ...to, amount, currency, reference, caller }
  const event = action === undefined ? {} : { event: eventOf(action, order, at) }
  return { number, order: { ...order, ...event }, ...(of !== undefined && { of }) }
}

/** As the audit trail would have it, had the administrator asked by the interface. */
const eventOf = (action: string, { caller, toAccountId, reference }: Order, at: number) => ({
  id: newId(at),
  at,
  actorId: caller.userId,
  action,
  target: toAccountId,
  outcome: 'success' as const,
  requestId: newId(at),
  address: '127.0.0.1',
  detail: reference === '' ? null : reference,
})
