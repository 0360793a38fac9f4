// Opens the demo's bank: people, accounts, whom they pay and their cards, as the service would have
// done it on the day. What the year then does with them is in year.ts.
import { openAccount } from '../../accounts/lifecycle.ts'
import { addSession } from '../../auth/sql.ts'
import { addBeneficiary } from '../../beneficiaries/sql.ts'
import { issueCard } from '../../cards/lifecycle.ts'
import type { Database } from '../../database/connect.ts'
import { secret } from '../../database/provision.ts'
import { refuse } from '../../errors.ts'
import type { Role } from '../../gate/roles.ts'
import { ibanOf, newIban } from '../../iban.ts'
import { newId } from '../../ids.ts'
import { bankAccount } from '../../ledger/bank-accounts.ts'
import type { Order } from '../../ledger/order.ts'
import type { Currency } from '../../money.ts'
import { createUser } from '../../users/change.ts'
import {
  type Business,
  businesses,
  type Elsewhere,
  elsewhere,
  type Resident,
  residents,
  staff,
  streets,
  usernameOf,
} from './cast.ts'
import { type Chance, chanceOf } from './chance.ts'

const dayLength = 24 * 60 * 60 * 1000

export type Year = {
  seed: string
  /** Midnights (UTC), milliseconds since the epoch: the first day, and the day after the last. */
  start: number
  end: number
}

export type Account = { id: string; iban: string; currency: Currency; owner: Order['caller'] }
export type Payee = Pick<Order, 'toAccountId' | 'beneficiaryId' | 'counterparty'>

export type Shop = Business & { account: Account; pays: Map<string, Payee> }
export type Customer = Resident & {
  /** The first day of the year on which the accounts are there. */
  from: number
  current: Account
  savings: Account | undefined
  foreign: Account | undefined
  /** By the name of who is paid, or by the account that pays for foreign ones. */
  pays: Map<string, Payee>
  foreignPays: Payee | undefined
  cardId: string
  lastFour: string
}
export type Opened = {
  admin: Order['caller']
  agents: Order['caller'][]
  shops: Shop[]
  customers: Customer[]
}

/** Makes everything that is there before the first transfer. `hash` gives each person a hash. */
export async function openBank(
  db: Database,
  year: Year,
  hash: (role: Role) => Promise<string>,
): Promise<Opened> {
  const opener = openerOf(db, year, hash)
  const hired = await Promise.all(
    staff.map((member) => opener.person(member, member.role, undefined)),
  )
  const shops = await Promise.all(businesses.map((business) => opener.shop(business)))
  const customers = await Promise.all(
    residents.map((resident, index) => opener.resident(resident, index)),
  )
  for (const customer of customers) await opener.payeesOf(customer, shops)
  for (const shop of shops) await opener.payeesOfShop(shop, customers)
  return { admin: hired[2] as Order['caller'], agents: hired.slice(0, 2), shops, customers }
}

function openerOf(db: Database, year: Year, hash: (role: Role) => Promise<string>) {
  const bankCode = newIban().slice(4, 12)
  const firms = Object.fromEntries(
    Object.entries(elsewhere).map(([key, { name, country, bank, length }]) => {
      const number = bank + chanceOf(year.seed, `firm ${key}`).digits(length)
      return [key, { name, iban: ibanOf(country, number) }]
    }),
  ) as Record<Elsewhere, { name: string; iban: string }>

  /** Before the year, save for those who join in it. */
  const momentOf = (chance: Chance, joins: number | undefined): number =>
    joins === undefined
      ? year.start - chance.between(30, 300) * dayLength + chance.between(28_800_000, 61_200_000)
      : year.start + (joins - 1) * dayLength + chance.between(28_800_000, 61_200_000)

  async function person(
    named: { given: string; family: string },
    role: Role,
    joins: number | undefined,
  ): Promise<Order['caller'] & { at: number; chance: Chance }> {
    const username = usernameOf(named)
    const chance = chanceOf(year.seed, username)
    const at = momentOf(chance, joins)
    const { id: userId } = await createUser(db, {
      id: newId(at),
      username,
      email: `${username}@example.com`,
      givenName: named.given,
      familyName: named.family,
      phone: `+493023125${chance.digits(3)}`,
      address: `${chance.pick(streets)} ${chance.between(1, 80)}, 10115 Berlin`,
      roles: [role],
      passwordHash: await hash(role),
      now: at,
    })
    const sessionId = newId(at)
    // The ledger asks for a live session; nobody is ever given a token of this one.
    await addSession(db, { id: sessionId, userId, device: 'Demo', now: at, endsAt: year.end })
    return { userId, sessionId, role, at, chance }
  }

  async function account(
    { at, chance, ...owner }: Order['caller'] & { at: number; chance: Chance },
    currency: Currency,
    name: string,
  ): Promise<Account> {
    const iban = () => ibanOf('DE', bankCode + chance.digits(10))
    const wish = { id: newId(at), ownerId: owner.userId, currency, name, now: at }
    const made = await openAccount(db, wish, iban)
    return { id: made.id, iban: made.iban, currency, owner }
  }

  /** Adds a beneficiary to an account, on a day after it was opened. */
  async function payee(
    from: Account,
    { name, iban }: { name: string; iban: string },
    at: number,
    inside?: Account,
  ): Promise<Payee> {
    const wish = { id: newId(at), accountId: from.id, name, iban, nickname: null, now: at }
    const added = await addBeneficiary(db, wish)
    if (added === undefined || added === 'own iban') return refuse('internal_error')
    return {
      toAccountId: inside?.id ?? bankAccount('clearing', from.currency),
      beneficiaryId: added.id,
      counterparty: { name, iban: inside ? null : iban },
    }
  }

  return {
    person,
    async shop(business: Business): Promise<Shop> {
      const owner = await person(business, 'customer', undefined)
      return { ...business, account: await account(owner, 'EUR', business.name), pays: new Map() }
    },
    async resident(resident: Resident, index: number): Promise<Customer> {
      const owner = await person(resident, 'customer', resident.joins)
      const { at, chance } = owner
      const { abroad, joins = 0 } = resident
      const current = await account(owner, 'EUR', 'Current')
      const makeNumber = () => withCheckDigit(`999900${chance.digits(9)}`)
      const wish = { accountId: current.id, nickname: 'Everyday', now: at + 60_000 }
      const card = await issueCard(db, wish, await secret(db, 'card'), makeNumber)
      return {
        ...resident,
        from: joins,
        current,
        savings: index % 3 === 2 ? undefined : await account(owner, 'EUR', 'Savings'),
        foreign: abroad && (await account(owner, abroad, `${abroad} account`)),
        pays: new Map(),
        foreignPays: undefined,
        cardId: card.id,
        lastFour: card.last_four,
      }
    },
    async payeesOf(customer: Customer, shops: readonly Shop[]): Promise<void> {
      const at = year.start + Math.max(0, customer.from - 1) * dayLength + 72_000_000
      for (const shop of shops.filter(({ trade }) => trade !== 'employer')) {
        const { name, account: inside } = shop
        const { iban } = inside
        customer.pays.set(name, await payee(customer.current, { name, iban }, at, inside))
      }
      for (const key of ['power', 'phone', 'insurance', 'homes', 'trains'] as const) {
        customer.pays.set(firms[key].name, await payee(customer.current, firms[key], at))
      }
      if (customer.foreign) customer.foreignPays = await payee(customer.foreign, firms.family, at)
    },
    async payeesOfShop(shop: Shop, customers: readonly Customer[]): Promise<void> {
      const at = year.start - dayLength
      const { wholesale } = firms
      shop.pays.set(wholesale.name, await payee(shop.account, wholesale, at))
      if (shop.trade !== 'employer') return
      for (const customer of customers) {
        if (businesses[customer.employer]?.name !== shop.name) continue
        const since = Math.max(at, year.start + customer.from * dayLength)
        const named = { name: `${customer.given} ${customer.family}`, iban: customer.current.iban }
        const paid = await payee(shop.account, named, since, customer.current)
        shop.pays.set(named.name, paid)
      }
    },
  }
}

/** A right number (Luhn) of the range the service gives its own cards from (cards/number.ts). */
function withCheckDigit(digits: string): string {
  const sum = [...digits].toReversed().reduce((total, digit, index) => {
    const weighted = parseInt(digit, 10) * (index % 2 === 0 ? 2 : 1)
    return total + (weighted > 9 ? weighted - 9 : weighted)
  }, 0)
  return digits + ((10 - (sum % 10)) % 10)
}
