// Opens the demo's bank: people, accounts, whom they pay and their cards, as the service would have
// done it on the day. What the year then does with them is in year.ts.
import { openAccount } from '../../features/accounts/lifecycle.ts'
import { addSession } from '../../features/auth/sql.ts'
import { addBeneficiary } from '../../features/beneficiaries/sql.ts'
import { issueCard } from '../../features/cards/lifecycle.ts'
import type { Database } from '../../database/connect.ts'
import { secret } from '../../gate/provision.ts'
import { transaction } from '../../database/transaction.ts'
import { refuse } from '../../domain/errors.ts'
import type { Role } from '../../gate/roles.ts'
import { createIban, newIban } from '../../domain/iban.ts'
import { newId } from '../../domain/ids.ts'
import { bankAccount } from '../../ledger/internal-accounts.ts'
import type { Order } from '../../ledger/order.ts'
import type { Currency } from '../../domain/money.ts'
import { createUser } from '../../features/users/change.ts'
import {
  type Business,
  businesses,
  type Elsewhere,
  elsewhere,
  type Resident,
  residents,
  staff,
  streets,
  toUsername,
} from './cast.ts'
import { type Chance, createRandom } from './chance.ts'

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

type Hash = (role: Role) => Promise<string>
type Site = { db: Database; year: Year; hash: Hash; firms: Record<Elsewhere, Named> }
type Named = { name: string; iban: string }
type Person = { caller: Order['caller']; at: number; chance: Chance }

/** Makes everything that is there before the first transfer. `hash` gives each person a hash. */
export async function openBank(db: Database, year: Year, hash: Hash): Promise<Opened> {
  const site = { db, year, hash, firms: createFirms(year) }
  const hired = await Promise.all(staff.map((member) => person(site, member, member.role)))
  const [admin, ...agents] = hired.map(({ caller }) => caller).toReversed()
  const shops = await Promise.all(businesses.map((business) => openShop(site, business)))
  const customers = await Promise.all(
    residents.map((resident, index) => openResident(site, resident, index)),
  )
  for (const customer of customers) await addPayees(site, customer, shops)
  for (const shop of shops) await addPayeesOfShop(site, shop, customers)
  return { admin: admin as Order['caller'], agents, shops, customers }
}

const createFirms = ({ seed }: Year): Record<Elsewhere, Named> =>
  Object.fromEntries(
    Object.entries(elsewhere).map(([key, { name, country, bank, length }]) => {
      const number = bank + createRandom(seed, `firm ${key}`).digits(length)
      return [key, { name, iban: createIban(country, number) }]
    }),
  ) as Record<Elsewhere, Named>

async function person(
  { db, year, hash }: Site,
  named: { given: string; family: string },
  role: Role,
  joins?: number,
): Promise<Person> {
  const username = toUsername(named)
  const chance = createRandom(year.seed, username)
  // Before the year, save for those who join in it.
  const day = joins === undefined ? -chance.between(30, 300) : joins - 1
  const at = year.start + day * dayLength + chance.between(28_800_000, 61_200_000)
  const made = {
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
  }
  const { id: userId } = await transaction(db, (tx) => createUser(tx, made))
  const sessionId = newId(at)
  // The ledger asks for a live session; nobody is ever given a token of this one.
  const lasting = { now: at, endsAt: year.end, generation: 0 }
  const session = { id: sessionId, userId, device: 'Demo', ...lasting }
  await transaction(db, (tx) => addSession(tx, session))
  return { caller: { userId, sessionId, kid: null, role }, at, chance }
}

const bankCode = newIban().slice(4, 12)

async function openOne(
  { db }: Site,
  { caller: owner, at, chance }: Person,
  currency: Currency,
  name: string,
): Promise<Account> {
  const iban = () => createIban('DE', bankCode + chance.digits(10))
  const wish = { id: newId(at), ownerId: owner.userId, currency, name, now: at }
  const made = await openAccount(db, wish, iban)
  return { id: made.id, iban: made.iban, currency, owner }
}

async function openShop(site: Site, business: Business): Promise<Shop> {
  const owner = await person(site, business, 'customer')
  const account = await openOne(site, owner, 'EUR', business.name)
  return { ...business, account, pays: new Map() }
}

async function openResident(site: Site, resident: Resident, index: number): Promise<Customer> {
  const owner = await person(site, resident, 'customer', resident.joins)
  const { at, chance } = owner
  const { abroad, joins = 0 } = resident
  const current = await openOne(site, owner, 'EUR', 'Current')
  const makeNumber = () => withCheckDigit(`999900${chance.digits(9)}`)
  const wish = { accountId: current.id, nickname: 'Everyday', now: at + 60_000 }
  const card = await issueCard(site.db, wish, await secret(site.db, 'card'), makeNumber)
  return {
    ...resident,
    from: joins,
    current,
    savings: index % 3 === 2 ? undefined : await openOne(site, owner, 'EUR', 'Savings'),
    foreign: abroad && (await openOne(site, owner, abroad, `${abroad} account`)),
    pays: new Map(),
    foreignPays: undefined,
    cardId: card.id,
    lastFour: card.lastFour,
  }
}

async function addPayees(site: Site, customer: Customer, shops: readonly Shop[]): Promise<void> {
  const { year, firms } = site
  const { current, foreign, pays, from } = customer
  const at = year.start + Math.max(0, from - 1) * dayLength + 72_000_000
  for (const { name, account } of shops.filter(({ trade }) => trade !== 'employer')) {
    pays.set(name, await payee(site, current, { name, iban: account.iban }, at, account))
  }
  for (const key of ['power', 'phone', 'insurance', 'homes', 'trains'] as const) {
    pays.set(firms[key].name, await payee(site, current, firms[key], at))
  }
  if (foreign) customer.foreignPays = await payee(site, foreign, firms.family, at)
}

async function addPayeesOfShop(
  site: Site,
  { account, pays, trade, name }: Shop,
  customers: readonly Customer[],
): Promise<void> {
  const { year, firms } = site
  const at = year.start - dayLength
  pays.set(firms.wholesale.name, await payee(site, account, firms.wholesale, at))
  if (trade !== 'employer') return
  for (const { given, family, current, employer, from } of customers) {
    if (businesses[employer]?.name !== name) continue
    const since = Math.max(at, year.start + from * dayLength)
    const named = { name: `${given} ${family}`, iban: current.iban }
    pays.set(named.name, await payee(site, account, named, since, current))
  }
}

/** Adds a beneficiary to an account; `inside` is his account, when it is at this bank. */
async function payee(
  { db }: Site,
  from: Account,
  { name, iban }: Named,
  at: number,
  inside?: Account,
): Promise<Payee> {
  const wish = { id: newId(at), accountId: from.id, name, iban, nickname: null, now: at }
  const added = await transaction(db, (tx) => addBeneficiary(tx, wish))
  if (added === 'own iban') return refuse('internal_error')
  return {
    toAccountId: inside?.id ?? bankAccount('clearing', from.currency),
    beneficiaryId: added.id,
    counterparty: { name, iban: inside ? null : iban },
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
