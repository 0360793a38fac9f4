// The customers of a service under test, written into its database. Their accounts may be
// overdrawn, so that no transfer is refused for lack of funds.
import pg from 'pg'
import { type LocalAddress, openDatabase } from '../src/database/connections/connect.ts'
import type { Db } from '../src/database/statements/statement.ts'
import { systemClock } from '../src/domain/clock.ts'
import { countFreeDigits, fictitiousBank, toIban } from '../src/domain/iban.ts'
import { newId } from '../src/domain/ids.ts'
import { createSigningKeys } from '../src/gate/signing-keys.ts'
import { createTokens } from '../src/gate/token.ts'
import { createServiceAccount } from '../src/features/service-accounts/change.ts'

export type Population = { customers: number; accountsEach: number; sessionsEach: number }

/** A thousand accounts and a thousand sessions. */
const standard: Population = { customers: 250, accountsEach: 4, sessionsEach: 4 }
export const choosePopulation = (isTiny: boolean): Population =>
  isTiny ? { customers: 4, accountsEach: 3, sessionsEach: 2 } : standard

/** As many as the service may have to tell apart: each with four accounts and one session. */
export const choosePopulations = (isTiny: boolean): Population[] =>
  (isTiny ? [5, 6] : [20_000, 100_000]).map((customers) => ({
    customers,
    accountsEach: 4,
    sessionsEach: 1,
  }))

export type Customer = {
  userId: string
  accounts: readonly string[]
  sessions: readonly { id: string; token: string }[]
}

/** The customers as their service accounts: in place of each session, the one key. */
export async function asPrograms(
  address: LocalAddress,
  customers: readonly Customer[],
): Promise<Customer[]> {
  const db = openDatabase(address)
  const programs = await db.runTransaction((tx) =>
    Promise.all(
      customers.map(async (customer) => {
        const token = await addServiceAccount(tx, customer)
        return { ...customer, sessions: customer.sessions.map(({ id }) => ({ id, token })) }
      }),
    ),
  )
  await db.close()
  return programs
}

/** Each customer with two of the accounts, another pair from one customer to the next. */
export const withPairs = (customers: readonly Customer[]): Customer[] =>
  customers.map(({ accounts, ...customer }, at) => {
    const first = at % (accounts.length - 1)
    return { ...customer, accounts: accounts.slice(first, first + 2) }
  })

/** As the TOKEN_TTL of the service. */
const tokenTtlMs = 12 * 3600_000
const customersPerChunk = 5000

export async function seed(
  address: LocalAddress,
  { customers: count, accountsEach, sessionsEach }: Population,
  issuer: string,
): Promise<Customer[]> {
  const db = openDatabase(address)
  const clock = systemClock()
  const keys = createSigningKeys(db, clock, tokenTtlMs)
  // Read once: the service reads it for each token.
  const signing = await keys.signing()
  const once = { ...keys, signing: async () => signing }
  const { sign } = createTokens(once, clock, { issuer, ttl: tokenTtlMs, cacheBytes: 0 })
  const owner = new pg.Client({ ...address, options: '-c search_path=strongroom' })
  await owner.connect()
  await owner.query('set synchronous_commit = off')
  const newIds = (length: number) => Array.from({ length }, () => newId(Date.now()))
  const nextIban = createIbans()
  const all: Customer[] = []
  while (all.length < count) {
    const ids = newIds(Math.min(customersPerChunk, count - all.length))
    const customers = await Promise.all(
      ids.map(async (userId) => ({
        userId,
        accounts: newIds(accountsEach),
        sessions: await Promise.all(
          newIds(sessionsEach).map(async (id) => ({ id, token: await sign(userId, id) })),
        ),
      })),
    )
    await insert(owner, customers, { done: all.length, nextIban })
    all.push(...customers)
  }
  await owner.query('vacuum analyze')
  await owner.end()
  await db.close()
  return all
}

async function addServiceAccount(tx: Db, { userId, accounts }: Customer): Promise<string> {
  const grants = { readAccounts: userId, payFrom: [...accounts], operations: [] }
  const issuer = { userId, now: Date.now(), operations: new Set<string>() }
  return (await createServiceAccount(tx, { name: 'Program', grants }, issuer)).key
}

/** @param done how many customers are stored already */
async function insert(
  owner: pg.Client,
  customers: readonly Customer[],
  { done, nextIban }: { done: number; nextIban: () => string },
): Promise<void> {
  const accounts = customers.flatMap(({ userId, accounts }) => accounts.map((id) => [id, userId]))
  const sessions = customers.flatMap(({ userId, sessions }) =>
    sessions.map(({ id }) => [id, userId]),
  )
  const column = (rows: (string | undefined)[][], index: number) => rows.map((row) => row[index])
  await owner.query(
    `insert into users (id, username, email, given_name, family_name, folded_name, roles,
       phone, address, created_at)
     select id, 'customer-' || number, 'customer-' || number || '@example.com', 'Cus', 'Tomer',
       'cus tomer', '{customer}', '+4930123456', '1 Long Street, 10115 Berlin', now()
     from unnest($1::uuid[], $2::int[]) as u (id, number)`,
    [customers.map(({ userId }) => userId), customers.map((_, at) => done + at + 1)],
  )
  await owner.query(
    `insert into accounts (id, owner_id, iban, currency, name, overdraft_limit, created_at)
     select id, owner_id, iban, 'EUR', 'Everyday', 1000000000000, now()
     from unnest($1::uuid[], $2::uuid[], $3::text[]) as a (id, owner_id, iban)`,
    [column(accounts, 0), column(accounts, 1), accounts.map(nextIban)],
  )
  await owner.query(
    `insert into sessions (id, user_id, created_at, last_used_at, ends_at)
     select id, user_id, now(), now(), now() + interval '12 hours'
     from unnest($1::uuid[], $2::uuid[]) as s (id, user_id)`,
    [column(sessions, 0), column(sessions, 1)],
  )
}

/** Numbers in their order: of 400,000 drawn ones some would be alike. */
function createIbans(): () => string {
  const digits = countFreeDigits(fictitiousBank)
  let number = 0
  return () => {
    for (;;) {
      const iban = toIban(fictitiousBank, String(++number).padStart(digits, '0'))
      if (iban !== undefined) return iban
    }
  }
}
