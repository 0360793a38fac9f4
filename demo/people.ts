// The people of the demo, and what each has before the first transfer: a session, accounts, payees
// and a card. The names are invented, the e-mail addresses belong to a domain for examples
// (RFC 2606), the telephone numbers are reserved for films by the Bundesnetzagentur, and the bank
// codes in the IBANs belong to no bank.
import type { BankCode } from '../src/domain/bban.ts'
import { countFreeDigits, createIban, toIban } from '../src/domain/iban.ts'
import { newId } from '../src/domain/ids.ts'
import type { Currency } from '../src/domain/money.ts'
import type { Database } from '../src/database/connections/connect.ts'
import { transaction } from '../src/database/connections/transaction.ts'
import { readSecret } from '../src/gate/provision.ts'
import type { Role } from '../src/gate/roles.ts'
import { bankAccount } from '../src/ledger/rules/internal-accounts.ts'
import type { MovementCaller, TransferMovement } from '../src/ledger/rules/movement.ts'
import { openAccount } from '../src/features/accounts/lifecycle.ts'
import { addSession } from '../src/features/auth/sql.ts'
import { addBeneficiary } from '../src/features/beneficiaries/sql.ts'
import { issueCard } from '../src/features/cards/lifecycle.ts'
import { toCardNumber } from '../src/features/cards/number.ts'
import { createServiceAccount } from '../src/features/service-accounts/change.ts'
import { createUser } from '../src/features/users/change.ts'
import { createRandom } from './chance.ts'
import { dayMs } from '../src/domain/clock.ts'
import type { Days } from '../src/domain/days.ts'

type Name = { given: string; family: string }

/** Customers with a shop. The residents work for them, rent from them and buy from them. */
const shopkeepers = [
  { given: 'Ingrid', family: 'Falk', shop: 'Nordlicht Software', trade: 'employer' },
  { given: 'Deniz', family: 'Yilmaz', shop: 'Yilmaz Maschinenbau', trade: 'employer' },
  { given: 'Jonas', family: 'Brandt', shop: 'Hausverwaltung Brandt', trade: 'landlord' },
  { given: 'Petra', family: 'Lindner', shop: 'Lindner Lebensmittel', trade: 'grocer' },
  { given: 'Tomasz', family: 'Wolski', shop: 'Cafe Morgenrot', trade: 'cafe' },
  { given: 'Amara', family: 'Diallo', shop: 'Buchladen am Eck', trade: 'bookshop' },
] as const

type ResidentTerms = Name & {
  /** Net, per month, in euros. */
  salary: number
  employer: (typeof shopkeepers)[0 | 1]['shop']
  /** The currency of a further account. */
  abroad?: Currency
  /** The day of the year on which the first account is opened; 0: before the year. */
  joins: number
}

const resident = (
  given: string,
  family: string,
  salary: number,
  employer: 0 | 1,
  { joins = 0, ...more }: Partial<Pick<ResidentTerms, 'abroad' | 'joins'>> = {},
): ResidentTerms => ({
  given,
  family,
  salary,
  employer: shopkeepers[employer].shop,
  joins,
  ...more,
})

const residents: readonly ResidentTerms[] = [
  resident('Mira', 'Hoffmann', 3420, 0, { abroad: 'USD' }),
  resident('Leon', 'Krause', 2780, 1),
  resident('Aylin', 'Demir', 3950, 0),
  resident('Oskar', 'Neumann', 2410, 1),
  resident('Sofia', 'Rossi', 4120, 0, { abroad: 'CHF' }),
  resident('Emil', 'Sommer', 2650, 1),
  resident('Hannah', 'Vogt', 3180, 0),
  resident('Kwame', 'Mensah', 3640, 0, { abroad: 'GBP' }),
  resident('Lucia', 'Moreno', 2890, 1),
  resident('Anton', 'Petrov', 2540, 1),
  resident('Yuki', 'Tanaka', 5210, 0, { abroad: 'JPY' }),
  resident('Clara', 'Weiss', 2980, 1),
  resident('Noah', 'Engel', 2360, 1),
  resident('Fatima', 'Haddad', 4480, 0, { abroad: 'KWD' }),
  resident('Paul', 'Jansen', 3310, 1),
  resident('Ines', 'Carvalho', 2720, 0),
  resident('Viktor', 'Lang', 3870, 0),
  resident('Greta', 'Holm', 2590, 1, { abroad: 'SEK' }),
  resident('Samir', 'Nasser', 3050, 1),
  resident('Julia', 'Kowalska', 3490, 0, { joins: 40 }),
  resident('Max', 'Winkler', 2470, 1, { joins: 75 }),
  resident('Elena', 'Popescu', 3260, 0, { joins: 131, abroad: 'USD' }),
  resident('Felix', 'Baumann', 2830, 1, { joins: 190 }),
  resident('Nadia', 'Rahimi', 3010, 0, { joins: 244 }),
]

const staff = [
  { given: 'Agnes', family: 'Moreau', role: 'support-agent' },
  { given: 'Bjarne', family: 'Olsen', role: 'support-agent' },
  { given: 'Ruth', family: 'Keller', role: 'admin' },
] as const

/** An owner and two who act for it, where the bank lets an owner give others rights. */
const bakers = [
  { given: 'Marta', family: 'Sauer' },
  { given: 'Jakob', family: 'Sauer' },
  { given: 'Lena', family: 'Vogel' },
] as const

/** Firms at other banks. No bank has a code that begins with 00. */
const firms = {
  power: { name: 'Stadtwerke Havel', country: 'DE', bank: '00880088', length: 10 },
  phone: { name: 'Fernnetz Mobil', country: 'DE', bank: '00990099', length: 10 },
  insurance: { name: 'Alpen Versicherung', country: 'AT', bank: '00088', length: 11 },
  homes: { name: 'Wohnbau Nord', country: 'DE', bank: '00880088', length: 10 },
  trains: { name: 'Westbahn Tickets', country: 'AT', bank: '00099', length: 11 },
  wholesale: { name: 'Grosshandel Spree', country: 'DE', bank: '00990099', length: 10 },
  family: { name: 'Family abroad', country: 'CH', bank: '00088', length: 12 },
}
type Firm = keyof typeof firms

const streets = ['Lindenweg', 'Hafenstrasse', 'Am Kanal', 'Rosengasse', 'Mühlenweg']

/** `mira.hoffmann`: the user name, and the e-mail address before the @. */
const toUsername = ({ given, family }: Name): string => `${given}.${family}`.toLowerCase()

export const usernames = [...staff, ...shopkeepers, ...residents, ...bakers].map(toUsername)

/** The bakery: who owns its account, who pays, and who prepares. */
export const bakeryUsernames = bakers.map(toUsername) as [string, string, string]

/** The user name that the command prints for a role. */
export const exampleUsername = (role: Role): string =>
  toUsername(staff.find((member) => member.role === role) ?? (residents[0] as ResidentTerms))

export type Year = {
  seed: string
  /** Milliseconds since the epoch: about the first midnight of the bank, and its last one. */
  start: number
  end: number
  /** Those of the bank. */
  days: Days
  bank: BankCode
}

export type Caller = MovementCaller
export type Payee = Pick<TransferMovement, 'toAccountId' | 'beneficiaryId' | 'counterparty'>
export type Account = {
  id: string
  iban: string
  currency: Currency
  owner: Caller
  /** By the trade of a shop, the key of a firm, or the name of a resident. */
  payees: Map<string, Payee>
}
export type Shop = (typeof shopkeepers)[number] & { account: Account }
export type Resident = ResidentTerms & {
  name: string
  current: Account
  savings: Account | undefined
  foreign: Account | undefined
  card: { id: string }
}
export type People = {
  callers: Caller[]
  admin: Caller
  /** The program that asks for card payments. */
  processor: Caller
  shops: Shop[]
  residents: Resident[]
  /** Undefined where the bank has no members of accounts. */
  bakery: { account: Account; helperId: string } | undefined
}

/**
 * Adds everybody, with accounts, payees and cards.
 *
 * @param hash the password hash of a person with that role; called once for each person
 * @param hasBakery whether there are those of the bakery
 */
export async function addPeople(
  db: Database,
  year: Year,
  hash: (role: Role) => Promise<string>,
  hasBakery = false,
): Promise<People> {
  const cardKey = await readSecret(db, 'card')
  const callers: Caller[] = []

  async function addPerson(name: Name, role: Role, joins = 0) {
    const username = toUsername(name)
    const random = createRandom(year.seed, username)
    const day = joins === 0 ? -random.between(30, 300) : joins - 1
    const at = year.start + day * dayMs + random.between(28_800_000, 61_200_000)
    const user = {
      id: newId(at),
      username,
      email: `${username}@example.com`,
      givenName: name.given,
      familyName: name.family,
      phone: `+493023125${random.digits(3)}`,
      address: `${random.pick(streets)} ${random.between(1, 80)}, 10115 Berlin`,
      language: null,
      roles: [role],
      passwordHash: await hash(role),
      // Staff are new, as far as the grace of second factors is concerned.
      now: role === 'customer' ? at : year.end,
    }
    const caller: Caller = { userId: user.id, sessionId: newId(at), kid: null, role }
    callers.push(caller)
    // The ledger requires a live session. No token of this one is ever issued.
    const [createdAt, endsAt] = [new Date(at), new Date(year.end)]
    const lifetime = { createdAt, endsAt, generation: 0, isRestricted: false }
    const opened = { device: 'Demo', origin: undefined, ...lifetime }
    const session = { id: caller.sessionId, userId: user.id, ...opened }
    await transaction(db, (tx) => createUser(tx, user))
    await transaction(db, (tx) => addSession(tx, session))
    const open = async (currency: Currency, accountName: string): Promise<Account> => {
      const wish = { id: newId(at), ownerId: user.id, currency, name: accountName, now: at }
      const row = await openAccount(
        (opening) => transaction(db, opening),
        wish,
        () => drawIban(year.bank, random),
      )
      return { id: row.id, iban: row.iban, currency, owner: caller, payees: new Map() }
    }
    return { caller, at, random, open }
  }

  async function addResident(terms: ResidentTerms, index: number): Promise<Resident> {
    const { at, random, open } = await addPerson(terms, 'customer', terms.joins)
    const current = await open('EUR', 'Current')
    const wish = { accountId: current.id, nickname: 'Everyday', now: at + 60_000 }
    const card = await issueCard(db, wish, cardKey, () => toCardNumber(random.digits(9)))
    return {
      ...terms,
      name: `${terms.given} ${terms.family}`,
      current,
      savings: index % 3 === 2 ? undefined : await open('EUR', 'Savings'),
      foreign: terms.abroad && (await open(terms.abroad, `${terms.abroad} account`)),
      card: { id: card.id },
    }
  }

  await Promise.all(staff.map((member) => addPerson(member, member.role)))
  const admin = callers.find(({ role }) => role === 'admin') as Caller
  const shops = await Promise.all(
    shopkeepers.map(async (keeper) => {
      const { open } = await addPerson(keeper, 'customer')
      return { ...keeper, account: await open('EUR', keeper.shop) }
    }),
  )
  const processor = await addProcessor(db, admin.userId, year)
  const all = await Promise.all(residents.map(addResident))
  const bakery = hasBakery ? await openBakery((one) => addPerson(one, 'customer')) : undefined
  const people = { callers, admin, processor, shops, residents: all, bakery }
  await addPayees(db, year, people)
  return people
}

type Added = { caller: Caller; open: (currency: Currency, name: string) => Promise<Account> }

async function openBakery(add: (name: Name) => Promise<Added>): Promise<People['bakery']> {
  const [owner, , helper] = await Promise.all([add(bakers[0]), add(bakers[1]), add(bakers[2])])
  return { account: await owner.open('EUR', 'Backhaus Sauer'), helperId: helper.caller.userId }
}

const ofProcessor = [
  'authorizeCardPayment',
  'captureCardPayment',
  'clearCardPayment',
  'refundCardPayment',
  'chargeBackCardPayment',
  'winChargeback',
  'loseChargeback',
  'withdrawChargeback',
]

/** No one knows its key: an administrator issues another one. */
async function addProcessor(db: Database, adminId: string, { start: now }: Year): Promise<Caller> {
  const grants = { readAccounts: null, payFrom: [], operations: ofProcessor }
  const issuer = { userId: adminId, now, operations: new Set(ofProcessor) }
  const { id, keys } = await transaction(db, (tx) =>
    createServiceAccount(tx, { name: 'Card processor', grants }, issuer),
  )
  const [key] = keys as [{ id: string }]
  return { userId: id, sessionId: key.id, kid: null, role: 'admin' }
}

/** The same number for the same seed. */
function drawIban(bank: BankCode, random: ReturnType<typeof createRandom>): string {
  const length = countFreeDigits(bank)
  // Ends soon: a bank code is tried first, and most numbers have a check digit.
  for (;;) {
    const iban = toIban(bank, random.digits(length))
    if (iban !== undefined) return iban
  }
}

async function addPayees(db: Database, year: Year, { shops, residents: all }: People) {
  async function add(from: Account, key: string, at: number, name: string, to: Account | string) {
    const iban = typeof to === 'string' ? to : to.iban
    const wish = { id: newId(at), accountId: from.id, name, iban, nickname: null, now: at }
    const added = await transaction(db, (tx) => addBeneficiary(tx, wish))
    if (added === 'own iban') throw new Error(`${name} cannot be paid`)
    from.payees.set(key, {
      toAccountId: typeof to === 'string' ? bankAccount('clearing', from.currency) : to.id,
      beneficiaryId: added.id,
      counterparty: { name, iban: typeof to === 'string' ? iban : null },
    })
  }
  const addFirm = (from: Account, firm: Firm, at: number) => {
    const { name, country, bank, length } = firms[firm]
    const number = bank + createRandom(year.seed, `firm ${firm}`).digits(length)
    return add(from, firm, at, name, createIban(country, number))
  }
  for (const { current, foreign, joins } of all) {
    const at = year.start + Math.max(0, joins - 1) * dayMs + 72_000_000
    for (const { shop, trade, account } of shops) {
      if (trade !== 'employer') await add(current, trade, at, shop, account)
    }
    for (const firm of ['power', 'phone', 'insurance', 'homes', 'trains'] as const) {
      await addFirm(current, firm, at)
    }
    if (foreign) await addFirm(foreign, 'family', at)
  }
  for (const { account, shop } of shops) {
    const at = year.start - dayMs
    await addFirm(account, 'wholesale', at)
    for (const { employer, name, current, joins } of all) {
      const since = Math.max(at, year.start + joins * dayMs)
      if (employer === shop) await add(account, name, since, name, current)
    }
  }
}
