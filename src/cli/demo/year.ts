// The year in the life of the demo's bank: who earns, rents, eats, saves and travels. Pure: what is
// bought on which day follows from the seed.
import type { Currency } from '../../domain/money.ts'
import { elsewhere } from './cast.ts'
import { type Chance, createRandom } from './chance.ts'
import { dayLength, Diary, type Step, toSteps } from './diary.ts'
import type { Customer, Opened, Shop, Year } from './open.ts'

/** All of the year, a step for each moment in which something happens. */
export function planYear(opened: Opened, year: Year): Step[] {
  const days = (year.end - year.start) / dayLength
  const diary = new Diary(opened, days)
  for (const shop of opened.shops) runShop(diary, shop, opened.customers, year, days)
  for (const customer of opened.customers) live(diary, customer, opened.shops, year, days)
  tellIncidents(diary, opened, days)
  return toSteps(diary.wishes, year)
}

const euros = (whole: number, cents = 0): bigint => BigInt(whole) * 100n + BigInt(cents)
const dayOfMonth = (year: Year, day: number): number =>
  new Date(year.start + day * dayLength).getUTCDate()
const months =
  'January February March April May June July August September October November December'.split(' ')
const monthText = (year: Year, day: number): string =>
  months[new Date(year.start + day * dayLength).getUTCMonth()] as string

function runShop(
  diary: Diary,
  shop: Shop,
  customers: readonly Customer[],
  year: Year,
  days: number,
): void {
  const { account, trade, pays, name } = shop
  const chance = createRandom(year.seed, `business ${name}`)
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
      diary.pay([day, 'early'], account, payee, salary, `Salary ${monthText(year, day)}`)
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
  const chance = createRandom(year.seed, `life ${customer.given} ${customer.family}`)
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
    if (date === 1) diary.pay([day, 'early'], current, home, rent, `Rent ${monthText(year, day)}`)
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
